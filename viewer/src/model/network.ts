// The network of a run with its resources, and what of it is drawn at which zoom.

export interface Resource {
  name: string;
  kind: string;
  place: string;
  /** What recorded messages call its place: a link by its ends, all else as the resource does. */
  recorded: string;
  /** Means of the measured window: share in use, number waiting, share of time stopped. */
  used: number;
  waiting: number;
  heldBack: number;
  /** How many were refused or lost here. */
  lost: number;
  /** What its holders did, with the share of the resource. */
  holders: [string, number][];
}

/** The block of the network, as the Python package writes it. */
export interface NetworkData {
  /** What a node is called: switch, IMP, network. */
  called: string;
  /** Whether x and y are a map's and must keep their proportion. */
  proportional: boolean;
  nodes: { name: string; role: string; x: number | null; y: number | null; resources: number[] }[];
  /** From node, to node, what it is called, the resource of each direction or -1. */
  links: [number, number, string, number, number][];
  resources: Resource[];
}

export interface Point {
  x: number;
  y: number;
}

/** A mark of the map: one node, or several drawn as one. */
export interface Dot extends Point {
  members: number[];
  isHost: boolean;
  label: string;
}

/** A line of the map: one link, or several drawn as one, with the resources of its two directions. */
export interface Stroke {
  from: number;
  to: number;
  links: number[];
  /** Steps to the side, so that parallel links do not hide each other. */
  lane: number;
}

export interface Scene {
  dots: Dot[];
  strokes: Stroke[];
  /** What is drawn as one, in words; empty where everything stands for itself. */
  aggregated: string;
}

export interface Window {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Whether these are as wanted; if none is, whether they are but for capitals. */
function matching<Each>(all: Each[], wanted: string, namesOf: (each: Each) => string[]): number[] {
  const found = all.flatMap((each, nth) => (namesOf(each).includes(wanted) ? [nth] : []));
  if (found.length) return found;
  const small = wanted.toLowerCase();
  return all.flatMap((each, nth) => (namesOf(each).some((name) => name.toLowerCase() === small) ? [nth] : []));
}

/** The resources at a place: those of a node, or those that are there or are recorded so. */
export function resourcesAt(network: NetworkData, place: string): number[] {
  const nodes = matching(network.nodes, place, ({ name }) => [name]);
  if (nodes.length) return nodes.flatMap((node) => network.nodes[node].resources);
  return matching(network.resources, place, (resource) => [resource.place, resource.recorded]);
}

/** The nodes at a place: itself, or the ends of the link whose resource is there. */
export function nodesAt(network: NetworkData, place: string): number[] {
  const nodes = matching(network.nodes, place, ({ name }) => [name]);
  if (nodes.length) return nodes;
  const here = new Set(resourcesAt(network, place));
  const link = network.links.find(([, , , out, back]) => here.has(out) || here.has(back));
  return link ? [link[0], link[1]] : [];
}

/** What a reader may type to find a place: of the first so many resources, and of all nodes. */
export function placesOf({ nodes, resources }: NetworkData, most: number): string[] {
  const named = resources.slice(0, most).flatMap(({ place, recorded }) => [place, recorded]);
  return [...new Set([...named, ...nodes.slice(0, most).map(({ name }) => name)])];
}

/** Marks drawn at most. */
export const MOST_MARKS = 10_000;
const MOST_GROUPS = 900;
/** Two rows of so many groups have at most a square of it in lines between them. */
const MOST_IN_ROW = 64;
const HOST_DISTANCE = 0.36;

const isHost = (role: string): boolean => role !== 'switch' && role !== 'network' && role !== 'gateway';

/** Places for the hosts that have none: around their switch, in the widest gap between its links. */
export function placeHosts(network: NetworkData, places: (Point | null)[]): Point[] {
  const around = places.map(() => [] as number[]);
  const guests = new Map<number, number[]>();
  for (const [from, to] of network.links) {
    for (const [near, far] of [
      [from, to],
      [to, from],
    ]) {
      const [one, other] = [places[near], places[far]];
      if (one && other) around[near].push(Math.atan2(other.y - one.y, other.x - one.x));
      else if (one) guests.set(near, [...(guests.get(near) ?? []), far]);
    }
  }
  const complete = places.map((place) => place ?? { x: 0, y: 0 });
  for (const [home, hosts] of guests) {
    const angles = around[home].length ? around[home].sort((a, b) => a - b) : [-Math.PI / 2];
    const gaps = angles.map((angle, nth) => {
      const next = angles[(nth + 1) % angles.length] + (nth + 1 === angles.length ? 2 * Math.PI : 0);
      return next - angle || 2 * Math.PI;
    });
    const widest = gaps.indexOf(Math.max(...gaps));
    const span = Math.min(gaps[widest] * 0.8, 0.55 * hosts.length);
    const middle = angles[widest] + gaps[widest] / 2;
    hosts.forEach((host, nth) => {
      const step = hosts.length === 1 ? 0 : span * (nth / (hosts.length - 1) - 0.5);
      complete[host] = {
        x: complete[home].x + HOST_DISTANCE * Math.cos(middle + step),
        y: complete[home].y + HOST_DISTANCE * Math.sin(middle + step),
      };
    });
  }
  return complete;
}

/** What is drawn of a network within a window: everything, or without hosts, or groups of neighbours. */
export function sceneOf(network: NetworkData, places: Point[], window: Window): Scene {
  const inside = places.map(
    ({ x, y }) => x >= window.left && x <= window.right && y >= window.top && y <= window.bottom,
  );
  const seen = network.links
    .map(([from, to], nth) => (inside[from] || inside[to] ? nth : -1))
    .filter((nth) => nth >= 0);
  const drawn = new Set(network.nodes.map((_, nth) => nth).filter((nth) => inside[nth]));
  for (const nth of seen) drawn.add(network.links[nth][0]).add(network.links[nth][1]);
  if (seen.length + drawn.size <= MOST_MARKS) return plain(network, places, [...drawn], seen, '');
  const switches = [...drawn].filter((nth) => !isHost(network.nodes[nth].role));
  const trunks = seen.filter((nth) =>
    network.links[nth].slice(0, 2).every((end) => !isHost(network.nodes[end as number].role)),
  );
  if (trunks.length + switches.length <= MOST_MARKS) {
    const hidden = drawn.size - switches.length;
    return plain(network, places, switches, trunks, `${hidden} hosts are within their switches; zoom in to see them.`);
  }
  return grouped(network, places, switches, trunks, window);
}

function plain(network: NetworkData, places: Point[], nodes: number[], links: number[], aggregated: string): Scene {
  const at = new Map(nodes.map((node, nth) => [node, nth]));
  const dots = nodes.map((node) => ({
    ...places[node],
    members: [node],
    isHost: isHost(network.nodes[node].role),
    label: network.nodes[node].name,
  }));
  const parallel = new Map<string, number[]>();
  for (const link of links) {
    const [from, to] = network.links[link];
    const key = from < to ? `${from} ${to}` : `${to} ${from}`;
    const known = parallel.get(key);
    if (known) known.push(link);
    else parallel.set(key, [link]);
  }
  const strokes: Stroke[] = [];
  for (const group of parallel.values()) {
    group.forEach((link, nth) => {
      const [from, to] = network.links[link];
      const [one, other] = [at.get(from), at.get(to)];
      if (one === undefined || other === undefined) return;
      strokes.push({
        from: one,
        to: other,
        links: [link],
        lane: (nth - (group.length - 1) / 2) * (from < to ? 1 : -1),
      });
    });
  }
  return { dots, strokes, aggregated };
}

/** Neighbours on a grid as one mark, and all links between two groups as one line. */
function grouped(network: NetworkData, places: Point[], nodes: number[], links: number[], window: Window): Scene {
  const side = Math.sqrt(MOST_GROUPS);
  const high = (window.bottom - window.top) / side || 1;
  // A network of few rows has room for more groups in each.
  const rows = new Set(nodes.map((node) => Math.floor(places[node].y / high))).size;
  const wide = (window.right - window.left) / Math.min(MOST_IN_ROW, MOST_GROUPS / rows) || 1;
  const groups = new Map<string, number>();
  const order: Dot[] = [];
  const of = new Map<number, number>();
  for (const node of nodes) {
    const { x, y } = places[node];
    const key = `${Math.floor(x / wide)} ${Math.floor(y / high)}`;
    let number = groups.get(key);
    if (number === undefined) {
      number = order.length;
      groups.set(key, number);
      order.push({ x: 0, y: 0, members: [], isHost: false, label: '' });
    }
    const group = order[number];
    group.members.push(node);
    group.x += x;
    group.y += y;
    of.set(node, number);
  }
  for (const group of order) {
    group.x /= group.members.length;
    group.y /= group.members.length;
    group.label =
      network.nodes[group.members[0]].name + (group.members.length > 1 ? ` +${group.members.length - 1}` : '');
  }
  const strokes = new Map<string, Stroke>();
  for (const link of links) {
    const [from, to] = [of.get(network.links[link][0]), of.get(network.links[link][1])];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${Math.min(from, to)} ${Math.max(from, to)}`;
    const stroke = strokes.get(key);
    if (stroke) stroke.links.push(link);
    else strokes.set(key, { from, to, links: [link], lane: 0 });
  }
  const most = [...strokes.values()].slice(0, MOST_MARKS - order.length);
  const missing = strokes.size - most.length;
  const words = `${nodes.length} switches are drawn as ${order.length} groups; a line has the colour of its most used link.`;
  return {
    dots: order,
    strokes: most,
    aggregated: missing > 0 ? `${words} ${missing} lines are left out; zoom in.` : words,
  };
}

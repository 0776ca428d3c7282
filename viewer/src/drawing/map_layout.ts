// Where everything on a map is, in pixels: worked out once for a zoom, and not again while time goes on.

import type { Camera, Zoom } from '../model/camera.ts';
import type { Dot, NetworkData, Scene } from '../model/network.ts';

export interface MapLayout {
  /** Of each line its two ends: x, y, x, y. */
  ends: Float32Array;
  /** Of each node x, y and how large it is drawn. */
  dots: Float32Array;
  /** The resources of the links of line n are those from starts[n] to starts[n + 1]. */
  resources: Int32Array;
  starts: Int32Array;
  /** Whether each half of a line is drawn for itself: its resources then are those of the near and of the far half. */
  halves: Uint8Array;
  /** Names for which there is room, with the place of their left end. */
  names: [label: string, x: number, y: number][];
  /** How wide lines are. */
  width: number;
}

const LEAST_NAMED_UNIT = 34;
const MOST_HALVED = 1500;
const MOST_CROWDED = 60;
const LANE = 5;
/** Pixels of the page between a node and a name that is taken for its own. */
const MISREAD = 24;
/** A name that is taken for another node's is worse than one on so many lines. */
const WORSE = 4;
const FONT = 11.5;

/** The font of names, at so many pixels of the screen to one of the page. */
export const fontOf = (ratio: number): string => `${FONT * ratio}px system-ui, sans-serif`;

/** Pixels of the screen; `ratio` of them make one of the page. */
export function layOutMap(
  network: NetworkData,
  scene: Scene,
  camera: Camera,
  zoom: Zoom,
  ratio: number,
  context: CanvasRenderingContext2D,
): MapLayout {
  const unit = camera.unit(zoom);
  const isFine = scene.strokes.length <= MOST_HALVED;
  const dots = new Float32Array(3 * scene.dots.length);
  scene.dots.forEach((dot, nth) => {
    const { x, y } = camera.at(dot, zoom);
    dots.set([x * ratio, y * ratio, radiusOf(dot, unit) * ratio], 3 * nth);
  });
  const halves = Uint8Array.from(scene.strokes, ({ links }) => (isFine && links.length === 1 ? 1 : 0));
  const starts = new Int32Array(scene.strokes.length + 1);
  scene.strokes.forEach(({ links }, nth) => (starts[nth + 1] = starts[nth] + 2 * links.length));
  const ends = endsOf(scene, dots, ratio);
  return {
    ends,
    dots,
    resources: resourcesOf(network, scene, starts[scene.strokes.length]),
    starts,
    halves,
    names: namesOf(scene, dots, ends, unit, ratio, context),
    width: Math.max(isFine ? 2 : 1, Math.min(3, unit / 16)) * ratio,
  };
}

/** How large a node is drawn, in pixels of the page. */
function radiusOf(dot: Dot, unit: number): number {
  if (dot.members.length > 1) return Math.min(14, 4 + Math.log2(dot.members.length));
  return Math.max(2, Math.min(dot.isHost ? 4.5 : 10, unit * (dot.isHost ? 0.1 : 0.2)));
}

/** Both ends of each line, moved aside by its lane. */
function endsOf(scene: Scene, dots: Float32Array, ratio: number): Float32Array {
  const ends = new Float32Array(4 * scene.strokes.length);
  scene.strokes.forEach(({ from, to, lane }, nth) => {
    const [x1, y1, x2, y2] = [dots[3 * from], dots[3 * from + 1], dots[3 * to], dots[3 * to + 1]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [aside, down] = [(-(y2 - y1) / length) * LANE * ratio * lane, ((x2 - x1) / length) * LANE * ratio * lane];
    ends.set([x1 + aside, y1 + down, x2 + aside, y2 + down], 4 * nth);
  });
  return ends;
}

/** The resources of each line's links, that of the direction which leaves its first end before the other. */
function resourcesOf(network: NetworkData, scene: Scene, count: number): Int32Array {
  const found = new Int32Array(count);
  let at = 0;
  for (const { from, links } of scene.strokes) {
    const first = scene.dots[from].members[0];
    for (const nth of links) {
      const [near, , , out, back] = network.links[nth];
      const isTurned = links.length === 1 && near !== first;
      found[at++] = isTurned ? back : out;
      found[at++] = isTurned ? out : back;
    }
  }
  return found;
}

type Box = [left: number, top: number, right: number, bottom: number];

/** Whether a line from one point to another goes through a box. */
function crosses([left, top, right, bottom]: Box, [x1, y1, x2, y2]: Float32Array): boolean {
  // The part of the line that is inside, cut by one edge after the other.
  let [enters, leaves] = [0, 1];
  for (const [from, step, low, high] of [
    [x1, x2 - x1, left, right],
    [y1, y2 - y1, top, bottom],
  ]) {
    if (step === 0) {
      if (from < low || from > high) return false;
      continue;
    }
    const [one, other] = [(low - from) / step, (high - from) / step];
    enters = Math.max(enters, Math.min(one, other));
    leaves = Math.min(leaves, Math.max(one, other));
  }
  return enters <= leaves;
}

/** The lines that end at each node. */
function linesOf({ dots, strokes }: Scene, ends: Float32Array): Float32Array[][] {
  const found: Float32Array[][] = dots.map(() => []);
  strokes.forEach(({ from, to }, nth) => {
    const line = ends.subarray(4 * nth, 4 * nth + 4);
    found[from].push(line);
    found[to].push(line);
  });
  return found;
}

/** Names beside nodes, none over another, and where there is a choice off the lines of the node itself. */
function namesOf(
  scene: Scene,
  dots: Float32Array,
  ends: Float32Array,
  unit: number,
  ratio: number,
  context: CanvasRenderingContext2D,
): MapLayout['names'] {
  const found: MapLayout['names'] = [];
  if (unit < LEAST_NAMED_UNIT && scene.dots.length > MOST_CROWDED) return found;
  context.font = fontOf(ratio);
  const lines = linesOf(scene, ends);
  const marks: Box[] = [];
  if (scene.dots.length < 400) {
    scene.dots.forEach((_, nth) => {
      const [x, y, around] = dots.subarray(3 * nth);
      marks.push([x - around, y - around, x + around, y + around]);
    });
  }
  const taken = [...marks];
  // A name right behind another node is read as that node's.
  const isMisread = ([left, top, , bottom]: Box): boolean =>
    marks.some(([, t, r, b]) => left >= r && left - r < MISREAD * ratio && t < bottom && b > top);
  scene.dots.forEach((dot, nth) => {
    if (dot.isHost && unit <= 3 * LEAST_NAMED_UNIT) return;
    const [x, y, radius] = dots.subarray(3 * nth);
    const away = radius + 4 * ratio;
    const wide = context.measureText(dot.label).width;
    const high = FONT * ratio * 1.2;
    const [up, down] = [y - away - high / 3, y + away + high / 3];
    const tries: [number, number][] = [
      [x + away, y],
      [x - away - wide, y],
      [x - wide / 2, up],
      [x - wide / 2, down],
      [x + radius, up],
      [x + radius, down],
      [x - radius - wide, up],
      [x - radius - wide, down],
    ];
    let best: { place: [number, number]; box: Box; cost: number } | null = null;
    for (const [number, place] of tries.entries()) {
      const [left, middle] = place;
      const box: Box = [left, middle - high / 2, left + wide, middle + high / 2];
      if (left < 0 || box[2] > context.canvas.width) continue;
      if (!taken.every(([l, t, r, b]) => left > r || box[2] < l || box[1] > b || box[3] < t)) continue;
      const cost = lines[nth].filter((line) => crosses(box, line)).length + (number && isMisread(box) ? WORSE : 0);
      if (!best || cost < best.cost) best = { place, box, cost };
      if (!cost) break;
    }
    if (!best) return;
    taken.push(best.box);
    found.push([dot.label, ...best.place]);
  });
  return found;
}

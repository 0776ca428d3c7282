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
  return {
    ends: endsOf(scene, dots, ratio),
    dots,
    resources: resourcesOf(network, scene, starts[scene.strokes.length]),
    starts,
    halves,
    names: namesOf(scene, dots, unit, ratio, context),
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

/** Names beside nodes, none over another. */
function namesOf(
  scene: Scene,
  dots: Float32Array,
  unit: number,
  ratio: number,
  context: CanvasRenderingContext2D,
): MapLayout['names'] {
  const found: MapLayout['names'] = [];
  if (unit < LEAST_NAMED_UNIT && scene.dots.length > MOST_CROWDED) return found;
  context.font = fontOf(ratio);
  const taken: [number, number, number, number][] = [];
  if (scene.dots.length < 400) {
    scene.dots.forEach((_, nth) => {
      const [x, y, around] = dots.subarray(3 * nth);
      taken.push([x - around, y - around, x + around, y + around]);
    });
  }
  scene.dots.forEach((dot, nth) => {
    if (dot.isHost && unit <= 3 * LEAST_NAMED_UNIT) return;
    const [x, y, radius] = dots.subarray(3 * nth);
    const away = radius + 4 * ratio;
    const wide = context.measureText(dot.label).width;
    const high = FONT * ratio * 1.2;
    const tries: [number, number][] = [
      [x + away, y],
      [x - away - wide, y],
      [x - wide / 2, y - away - high / 3],
      [x - wide / 2, y + away + high / 3],
    ];
    const free = tries.find(
      ([left, middle]) =>
        left >= 0 &&
        left + wide <= context.canvas.width &&
        taken.every(([l, t, r, b]) => left > r || left + wide < l || middle - high / 2 > b || middle + high / 2 < t),
    );
    if (!free) return;
    taken.push([free[0], free[1] - high / 2, free[0] + wide, free[1] + high / 2]);
    found.push([dot.label, ...free]);
  });
  return found;
}

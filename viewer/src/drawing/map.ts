// One picture of a network: lines coloured by a quantity, nodes, and names where there is room for them.

import type { Camera, Zoom } from '../model/camera.ts';
import type { Dot, NetworkData, Scene, Stroke } from '../model/network.ts';
import { heat, type Theme } from './heat.ts';
import type { Colour, Surface } from './surface.ts';

export interface MapPicture {
  network: NetworkData;
  scene: Scene;
  camera: Camera;
  zoom: Zoom;
  /** Pixels of the screen to one of the page. */
  ratio: number;
  theme: Theme;
  /** The share of the scale, 0 to 1, of each resource at this instant. */
  shares: Float32Array;
  /** What on the scale is nothing: 0, or the middle of a scale of differences. */
  nothing: number;
  colours: Colour[];
  selected: (name: string) => boolean;
}

const LEAST_NAMED_UNIT = 34;
const FONT = 11.5;

/** How large a node is drawn. */
export function radiusOf(dot: Dot, unit: number): number {
  if (dot.members.length > 1) return Math.min(14, 4 + Math.log2(dot.members.length));
  return Math.max(2, Math.min(dot.isHost ? 4.5 : 10, unit * (dot.isHost ? 0.1 : 0.2)));
}

/** The pixels of a stroke: both ends, moved aside by its lane. */
export function endsOf(picture: MapPicture, stroke: Scene['strokes'][number]): [number, number, number, number] {
  const from = picture.camera.at(picture.scene.dots[stroke.from], picture.zoom);
  const to = picture.camera.at(picture.scene.dots[stroke.to], picture.zoom);
  if (!stroke.lane) return [from.x, from.y, to.x, to.y];
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [aside, down] = [(-(to.y - from.y) / length) * 5 * stroke.lane, ((to.x - from.x) / length) * 5 * stroke.lane];
  return [from.x + aside, from.y + down, to.x + aside, to.y + down];
}

/** Draws it; gives how many marks there were. */
export function drawMap(surface: Surface, context: CanvasRenderingContext2D, picture: MapPicture): number {
  const { network, scene, theme, ratio, zoom, camera } = picture;
  const unit = camera.unit(zoom);
  const isFine = scene.strokes.length <= 1500;
  surface.clear(theme.paper);
  let marks = scene.dots.length;
  const width = Math.max(isFine ? 2 : 1, Math.min(3, unit / 16)) * ratio;
  const shares = Float32Array.from(scene.strokes, (stroke) => shareOf(picture, stroke));
  // What matters is drawn last, over everything else.
  for (const nth of byShare(shares, picture.nothing)) {
    const stroke = scene.strokes[nth];
    const [x1, y1, x2, y2] = endsOf(picture, stroke);
    marks += 1;
    if (isFine && stroke.links.length === 1) {
      // Each half belongs to the direction that leaves its end.
      const link = network.links[stroke.links[0]];
      const turned = link[0] !== scene.dots[stroke.from].members[0];
      const [near, far] = turned ? [link[4], link[3]] : [link[3], link[4]];
      const [middleX, middleY] = [(x1 + x2) / 2, (y1 + y2) / 2];
      surface.line(x1 * ratio, y1 * ratio, middleX * ratio, middleY * ratio, width, colourOf(picture, near));
      surface.line(middleX * ratio, middleY * ratio, x2 * ratio, y2 * ratio, width, colourOf(picture, far));
    } else {
      surface.line(x1 * ratio, y1 * ratio, x2 * ratio, y2 * ratio, width, heat(picture.colours, shares[nth]));
    }
  }
  for (const dot of scene.dots) {
    const { x, y } = camera.at(dot, zoom);
    const isChosen = dot.members.some((member) => picture.selected(network.nodes[member].name));
    const radius = radiusOf(dot, unit) * ratio;
    if (isChosen) surface.disc(x * ratio, y * ratio, radius + 4 * ratio, theme.mark);
    surface.disc(x * ratio, y * ratio, radius, dot.isHost ? theme.host : theme.ink);
  }
  surface.finish();
  drawNames(context, picture, unit);
  return marks;
}

/** The strokes in the order of their shares, by counting into steps: thousands of them are sorted in every frame. */
function byShare(shares: Float32Array, nothing: number): number[] {
  const steps: number[][] = Array.from({ length: 17 }, () => []);
  shares.forEach((share, nth) => {
    const apart = Math.abs(share - nothing) / (1 - nothing);
    steps[Math.round(16 * Math.min(1, apart))].push(nth);
  });
  return steps.flat();
}

/** The share of the resource of a stroke's links that is farthest from nothing. */
function shareOf({ network, shares, nothing }: MapPicture, stroke: Stroke): number {
  let most = nothing;
  for (const nth of stroke.links) {
    const link = network.links[nth];
    if (link[3] >= 0 && Math.abs(shares[link[3]] - nothing) > Math.abs(most - nothing)) most = shares[link[3]];
    if (link[4] >= 0 && Math.abs(shares[link[4]] - nothing) > Math.abs(most - nothing)) most = shares[link[4]];
  }
  return most;
}

function colourOf(picture: MapPicture, resource: number): Colour {
  return heat(picture.colours, resource < 0 ? picture.nothing : picture.shares[resource]);
}

/** Names beside nodes, none over another. */
function drawNames(context: CanvasRenderingContext2D, picture: MapPicture, unit: number): void {
  if (unit < LEAST_NAMED_UNIT && picture.scene.dots.length > 60) return;
  const { scene, ratio, theme } = picture;
  context.font = `${FONT * ratio}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.fillStyle = `rgb(${theme.ink.join(' ')})`;
  const taken: [number, number, number, number][] = [];
  if (scene.dots.length < 400) {
    for (const dot of scene.dots) {
      const { x, y } = picture.camera.at(dot, picture.zoom);
      const around = radiusOf(dot, unit) * ratio;
      taken.push([x * ratio - around, y * ratio - around, x * ratio + around, y * ratio + around]);
    }
  }
  const ranked = scene.dots.filter((dot) => !dot.isHost || unit > 3 * LEAST_NAMED_UNIT);
  for (const dot of ranked) {
    const { x, y } = picture.camera.at(dot, picture.zoom);
    const away = (radiusOf(dot, unit) + 4) * ratio;
    const wide = context.measureText(dot.label).width;
    const high = FONT * ratio * 1.2;
    const tries: [number, number][] = [
      [x * ratio + away, y * ratio],
      [x * ratio - away - wide, y * ratio],
      [x * ratio - wide / 2, y * ratio - away - high / 3],
      [x * ratio - wide / 2, y * ratio + away + high / 3],
    ];
    const free = tries.find(
      ([left, middle]) =>
        left >= 0 &&
        left + wide <= context.canvas.width &&
        taken.every(([l, t, r, b]) => left > r || left + wide < l || middle - high / 2 > b || middle + high / 2 < t),
    );
    if (!free) continue;
    taken.push([free[0], free[1] - high / 2, free[0] + wide, free[1] + high / 2]);
    context.fillText(dot.label, free[0], free[1]);
  }
}

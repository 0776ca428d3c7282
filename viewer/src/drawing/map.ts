// One picture of a network: lines coloured by a quantity, nodes, and names where there is room for them.

import type { Scene } from '../model/network.ts';
import { heat, type Theme } from './heat.ts';
import { fontOf, type MapLayout } from './map_layout.ts';
import type { Colour, Surface } from './surface.ts';

export interface MapPicture {
  scene: Scene;
  layout: MapLayout;
  /** Pixels of the screen to one of the page. */
  ratio: number;
  theme: Theme;
  /** The share of the scale, 0 to 1, of each resource at this instant. */
  shares: Float32Array;
  /** What on the scale is nothing: 0, or the middle of a scale of differences. */
  nothing: number;
  colours: Colour[];
  /** The nodes that are selected, by their number in the scene. */
  chosen: ReadonlySet<number>;
}

/** Pixels of the page. */
const RIM = 3;

/** Steps of a share by which lines are ordered. */
const STEPS = 16;

/** Draws it; gives how many marks there were. */
export function drawMap(surface: Surface, context: CanvasRenderingContext2D, picture: MapPicture): number {
  const { layout, theme, ratio, chosen, colours } = picture;
  const { dots } = layout;
  const idle = heat(colours, picture.nothing);
  const shares = sharesOf(picture);
  // Most lines are idle at most instants: all are drawn so once, and those that are not over them.
  surface.beginWith([layout, theme, idle], theme.paper, () => {
    for (let nth = 0; nth < shares.length; nth += 1) drawLine(surface, layout, nth, idle, idle);
  });
  // What matters is drawn last, over everything else.
  for (const nth of byShare(shares, picture.nothing)) {
    const at = layout.starts[nth];
    const [near, far] = layout.halves[nth]
      ? [colourOf(picture, layout.resources[at]), colourOf(picture, layout.resources[at + 1])]
      : [heat(colours, shares[nth]), heat(colours, shares[nth])];
    if (near !== idle || far !== idle) drawLine(surface, layout, nth, near, far);
  }
  picture.scene.dots.forEach((dot, nth) => {
    const [x, y, radius] = [dots[3 * nth], dots[3 * nth + 1], dots[3 * nth + 2]];
    if (chosen.has(nth)) surface.disc(x, y, radius + 4 * ratio, theme.mark);
    surface.disc(x, y, radius, dot.isHost ? theme.host : theme.ink);
  });
  surface.finish();
  context.font = fontOf(ratio);
  context.textBaseline = 'middle';
  context.fillStyle = `rgb(${theme.ink.join(' ')})`;
  // A line under a name is covered by a rim of paper around the letters.
  context.strokeStyle = `rgb(${theme.paper.join(' ')})`;
  context.lineWidth = RIM * ratio;
  context.lineJoin = 'round';
  for (const [label, x, y] of layout.names) {
    context.strokeText(label, x, y);
    context.fillText(label, x, y);
  }
  return shares.length + picture.scene.dots.length;
}

/** A line; where its halves are drawn for themselves, each has the colour of the direction that leaves its end. */
function drawLine(surface: Surface, { ends, halves, width }: MapLayout, nth: number, near: Colour, far: Colour): void {
  const [x1, y1, x2, y2] = [ends[4 * nth], ends[4 * nth + 1], ends[4 * nth + 2], ends[4 * nth + 3]];
  if (!halves[nth]) {
    surface.line(x1, y1, x2, y2, width, near);
    return;
  }
  const [middleX, middleY] = [(x1 + x2) / 2, (y1 + y2) / 2];
  surface.line(x1, y1, middleX, middleY, width, near);
  surface.line(middleX, middleY, x2, y2, width, far);
}

/** Of each line the share of the resource of its links that is farthest from nothing. */
function sharesOf({ layout: { resources, starts }, shares, nothing }: MapPicture): Float32Array {
  const found = new Float32Array(starts.length - 1);
  for (let nth = 0; nth < found.length; nth += 1) {
    let most = nothing;
    for (let at = starts[nth]; at < starts[nth + 1]; at += 1) {
      const share = resources[at] < 0 ? nothing : shares[resources[at]];
      if (Math.abs(share - nothing) > Math.abs(most - nothing)) most = share;
    }
    found[nth] = most;
  }
  return found;
}

/** The lines in the order of their shares, by counting into steps: thousands of them are sorted in every frame. */
function byShare(shares: Float32Array, nothing: number): Uint32Array {
  const step = (share: number): number => Math.round(STEPS * Math.min(1, Math.abs(share - nothing) / (1 - nothing)));
  const next = new Uint32Array(STEPS + 2);
  for (const share of shares) next[step(share) + 1] += 1;
  for (let nth = 1; nth < next.length; nth += 1) next[nth] += next[nth - 1];
  const order = new Uint32Array(shares.length);
  for (let nth = 0; nth < shares.length; nth += 1) order[next[step(shares[nth])]++] = nth;
  return order;
}

function colourOf(picture: MapPicture, resource: number): Colour {
  return heat(picture.colours, resource < 0 ? picture.nothing : picture.shares[resource]);
}

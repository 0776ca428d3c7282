// What maps and diagrams are drawn on. Two kinds: strokes of the canvas, which look best, and lines set point by point,
// which stay fast with thousands of links on a machine without a graphics processor.

import { Raster } from './raster.ts';
import { Strokes } from './strokes.ts';

/** Red, green, blue, each 0 to 255. */
export type Colour = readonly [number, number, number];

export interface Surface {
  clear(paper: Colour): void;
  /** Begins with what `draw` draws after clearing. As long as `of` is the same, so is that, and it may be kept. */
  beginWith(of: readonly unknown[], paper: Colour, draw: () => void): void;
  line(x1: number, y1: number, x2: number, y2: number, width: number, colour: Colour): void;
  disc(x: number, y: number, radius: number, colour: Colour): void;
  box(x: number, y: number, width: number, height: number, colour: Colour): void;
  /** Shows what has been drawn. Texts come afterwards, on the canvas. */
  finish(): void;
}

/** Lines from which on points are set one by one. */
const MANY_LINES = 300;

/** Images that were made for canvases, by canvas: a new one in every frame would be work for the garbage collector. */
const rasters = new WeakMap<HTMLCanvasElement, Raster>();

/** A surface on a canvas that is to hold so many lines. */
export function surfaceFor(canvas: HTMLCanvasElement, lines: number): Surface {
  const context = canvas.getContext('2d', { willReadFrequently: false });
  if (!context) throw new Error('this browser has no canvas');
  if (lines <= MANY_LINES) return new Strokes(context);
  const known = rasters.get(canvas);
  if (known?.fits(canvas)) return known;
  const raster = new Raster(context);
  rasters.set(canvas, raster);
  return raster;
}

/** Fits the canvas to its box, in the pixels of the screen; gives how many of them make one of the page. */
export function fit(canvas: HTMLCanvasElement): number {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  return ratio;
}

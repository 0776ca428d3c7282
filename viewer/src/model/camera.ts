// From the network's own units to pixels, and which part of the network is seen.

import type { Point, Window } from './network.ts';

export interface Zoom {
  k: number;
  x: number;
  y: number;
}

const MARGIN = 46;
const MOST_UNIT = 150;
/** How much of the height rows take that are stretched apart. */
const FILLED = 0.85;

export class Camera {
  private readonly left: number;
  private readonly top: number;
  private readonly unitX: number;
  private readonly unitY: number;
  private readonly startX: number;
  private readonly startY: number;

  constructor(places: Point[], width: number, height: number, proportional: boolean) {
    const xs = places.map(({ x }) => x);
    const ys = places.map(({ y }) => y);
    const [left, right] = range(xs);
    const [top, bottom] = range(ys);
    [this.left, this.top] = [left, top];
    const across = Math.max(right - left, 1e-9);
    const down = Math.max(bottom - top, 1e-9);
    const [roomX, roomY] = [Math.max(40, width - 2 * MARGIN), Math.max(40, height - 2 * MARGIN)];
    const unit = Math.min(MOST_UNIT, roomX / across, roomY / down);
    this.unitX = proportional ? unit : Math.min(MOST_UNIT, roomX / across);
    this.unitY = proportional ? unit : Math.min(MOST_UNIT, (FILLED * roomY) / down);
    this.startX = (width - across * this.unitX) / 2;
    this.startY = (height - down * this.unitY) / 2;
  }

  /** Pixels of a place. */
  at(place: Point, zoom: Zoom): Point {
    return {
      x: (this.startX + (place.x - this.left) * this.unitX) * zoom.k + zoom.x,
      y: (this.startY + (place.y - this.top) * this.unitY) * zoom.k + zoom.y,
    };
  }

  /** What is seen of the network's own plane, with a margin. */
  window(width: number, height: number, zoom: Zoom): Window {
    const across = (pixel: number): number => ((pixel - zoom.x) / zoom.k - this.startX) / this.unitX + this.left;
    const down = (pixel: number): number => ((pixel - zoom.y) / zoom.k - this.startY) / this.unitY + this.top;
    return { left: across(-MARGIN), right: across(width + MARGIN), top: down(-MARGIN), bottom: down(height + MARGIN) };
  }

  /** Pixels between neighbours. */
  unit(zoom: Zoom): number {
    return Math.min(this.unitX, this.unitY) * zoom.k;
  }
}

function range(values: number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return values.length ? [low, high] : [0, 0];
}

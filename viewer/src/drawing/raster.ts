// Lines, discs and boxes set point by point into an image: a few milliseconds for thousands of lines.

import type { Colour, Surface } from './surface.ts';

const BITS = 16;
const FINE = 1 << BITS;

export class Raster implements Surface {
  private readonly context: CanvasRenderingContext2D;
  private readonly image: ImageData;
  private readonly points: Int32Array;
  private readonly width: number;
  private readonly height: number;
  /** What a picture began with. */
  private kept: { of: readonly unknown[]; points: Int32Array } | null = null;

  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
    ({ width: this.width, height: this.height } = context.canvas);
    this.image = context.createImageData(Math.max(1, this.width), Math.max(1, this.height));
    this.points = new Int32Array(this.image.data.buffer);
  }

  /** Whether the canvas still has the size of this image. */
  fits(canvas: HTMLCanvasElement): boolean {
    return canvas.width === this.width && canvas.height === this.height;
  }

  clear(paper: Colour): void {
    this.points.fill(packed(paper));
  }

  beginWith(of: readonly unknown[], paper: Colour, draw: () => void): void {
    const { kept } = this;
    if (kept && kept.of.every((each, nth) => each === of[nth])) {
      this.points.set(kept.points);
      return;
    }
    this.clear(paper);
    draw();
    this.kept = { of, points: this.points.slice() };
  }

  line(x1: number, y1: number, x2: number, y2: number, width: number, colour: Colour): void {
    const ink = packed(colour);
    const [across, down] = [x2 - x1, y2 - y1];
    const steps = Math.ceil(Math.max(Math.abs(across), Math.abs(down), 1));
    const thick = Math.max(1, Math.round(width));
    // Only the part of the line that is on the surface is walked along, in 65536ths of a point.
    const part = new Clipped();
    part.border(-across, x1);
    part.border(across, this.width - 1 - x1);
    part.border(-down, y1);
    part.border(down, this.height - 1 - y1);
    const [begin, end] = [Math.ceil(part.begin * steps), Math.floor(part.end * steps)];
    const [stepX, stepY] = [Math.round((across / steps) * FINE), Math.round((down / steps) * FINE)];
    const aside = Math.abs(down) > Math.abs(across) ? 1 : this.width;
    const margin = thick >> 1;
    const { points, width: row } = this;
    const x = Math.round((x1 + 0.5) * FINE) + stepX * begin;
    const y = Math.round((y1 + 0.5) * FINE) + stepY * begin;
    // One lane after the other: most lines have one, and their loop is what takes time.
    for (let lane = -margin; lane < thick - margin; lane += 1) {
      const away = lane * aside;
      for (let step = begin, atX = x, atY = y; step <= end; step += 1, atX += stepX, atY += stepY) {
        // What is beyond the surface is no place of the image, and is dropped.
        points[Math.imul(atY >> BITS, row) + (atX >> BITS) + away] = ink;
      }
    }
  }

  disc(x: number, y: number, radius: number, colour: Colour): void {
    const ink = packed(colour);
    for (let down = -Math.ceil(radius); down <= radius; down += 1) {
      const row = Math.round(y + down);
      if (row < 0 || row >= this.height) continue;
      const half = Math.round(Math.sqrt(Math.max(0, radius * radius - down * down)));
      const left = Math.max(0, Math.round(x - half));
      const right = Math.min(this.width, Math.round(x + half) + 1);
      if (left < right) this.points.fill(ink, row * this.width + left, row * this.width + right);
    }
  }

  box(x: number, y: number, width: number, height: number, colour: Colour): void {
    const ink = packed(colour);
    const [left, right] = [Math.max(0, Math.round(x)), Math.min(this.width, Math.round(x + Math.max(1, width)))];
    const [top, bottom] = [Math.max(0, Math.round(y)), Math.min(this.height, Math.round(y + height))];
    if (right <= left) return;
    for (let row = top; row < bottom; row += 1)
      this.points.fill(ink, row * this.width + left, row * this.width + right);
  }

  finish(): void {
    this.context.putImageData(this.image, 0, 0);
  }
}

/** Which part of a line is on a surface, as shares of it (Liang and Barsky's clipping). */
class Clipped {
  begin = 0;
  end = 1;

  /** The line changes by `step` towards a border that it begins `room` away from. */
  border(step: number, room: number): void {
    if (step === 0 && room < 0) [this.begin, this.end] = [1, 0];
    if (step < 0) this.begin = Math.max(this.begin, room / step);
    if (step > 0) this.end = Math.min(this.end, room / step);
  }
}

function packed([red, green, blue]: Colour): number {
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

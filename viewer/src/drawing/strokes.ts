// The canvas's own strokes, gathered by colour and width.

import type { Colour, Surface } from './surface.ts';

export class Strokes implements Surface {
  private readonly context: CanvasRenderingContext2D;
  private readonly lines = new Map<string, { colour: Colour; width: number; path: Path2D }>();

  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
  }

  clear(paper: Colour): void {
    this.context.fillStyle = css(paper);
    this.context.fillRect(0, 0, this.context.canvas.width, this.context.canvas.height);
  }

  beginWith(_: readonly unknown[], paper: Colour, draw: () => void): void {
    this.clear(paper);
    draw();
  }

  line(x1: number, y1: number, x2: number, y2: number, width: number, colour: Colour): void {
    const key = `${width} ${colour.join()}`;
    let line = this.lines.get(key);
    if (!line) this.lines.set(key, (line = { colour, width, path: new Path2D() }));
    line.path.moveTo(x1, y1);
    line.path.lineTo(x2, y2);
  }

  disc(x: number, y: number, radius: number, colour: Colour): void {
    this.flush();
    this.context.fillStyle = css(colour);
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fill();
  }

  box(x: number, y: number, width: number, height: number, colour: Colour): void {
    this.flush();
    this.context.fillStyle = css(colour);
    this.context.fillRect(x, y, width, height);
  }

  finish(): void {
    this.flush();
  }

  private flush(): void {
    if (!this.lines.size) return;
    this.context.lineCap = 'round';
    for (const { colour, width, path } of this.lines.values()) {
      this.context.strokeStyle = css(colour);
      this.context.lineWidth = width;
      this.context.stroke(path);
    }
    this.lines.clear();
  }
}

/** A colour as style sheets write it. */
export function css([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}

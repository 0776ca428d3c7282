// Data and figures of the page as files of the reader's.

import { parquetWriteBuffer } from 'hyparquet-writer';

import type { Column } from './figure_data.ts';

/** A text as a field of CSV; behind an apostrophe where a spreadsheet would take it for a formula. */
function field(text: string): string {
  const isFormula = /^'*[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text));
  const plain = isFormula ? `'${text}` : text;
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Rows as CSV. */
export function csvOf(heads: string[], rows: string[][]): string {
  return [heads, ...rows].map((row) => row.map(field).join(',')).join('\n') + '\n';
}

/** Columns as a Parquet file: numbers as doubles, words as UTF-8. Columns of one name are numbered. */
export function parquetOf(columns: Column[]): Blob {
  const taken = new Map<string, number>();
  const columnData = columns.map((column) => {
    const count = (taken.get(column.name) ?? 0) + 1;
    taken.set(column.name, count);
    const name = count === 1 ? column.name : `${column.name} ${count}`;
    return 'words' in column
      ? { name, data: column.words, type: 'STRING' as const }
      : { name, data: column.numbers, type: 'DOUBLE' as const };
  });
  return new Blob([parquetWriteBuffer({ columnData })]);
}

/** Gives the reader a file. */
export function save(name: string, type: string, content: string | Blob): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

/** The properties that a figure's look depends on. */
const LOOK = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'fill-opacity',
  'font-size',
  'font-family',
  'text-anchor',
];

/** The name of a file with what has this heading. */
export function fileName(heading: string, ending: string): string {
  const plain = heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${plain || 'figure'}.${ending}`;
}

const SPACE = 'http://www.w3.org/2000/svg';
const LINE_HEIGHT = 18;
/** A letter is at most about so wide, the key of a legend, and the gap before the next one. */
const LETTER = 7;
const KEY = 18;
const GAP = 14;

/** A figure as it stands on the page: its drawing, its title, and the list of its series beside the drawing. */
export interface Shown {
  drawing: SVGSVGElement;
  title: string;
  legend: HTMLElement[];
}

/** What fits into lines of this width, each with what it takes before it. */
function inLines<Each>(all: Each[], wideOf: (each: Each) => number, width: number): [each: Each, x: number][][] {
  const lines: [Each, number][][] = [];
  let x = Infinity;
  for (const each of all) {
    const wide = wideOf(each);
    if (x + wide > width) {
      lines.push([]);
      x = 0;
    }
    lines[lines.length - 1].push([each, x]);
    x += wide;
  }
  return lines;
}

function element(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** The key of a series, as its list has it. */
function keyOf(entry: HTMLElement, x: number, y: number): SVGElement {
  const key = entry.querySelector('.key') ?? entry;
  const { backgroundColor, borderTopColor, borderTopStyle } = getComputedStyle(key);
  if (borderTopStyle === 'dashed') {
    const look = { stroke: borderTopColor, 'stroke-width': 2, 'stroke-dasharray': '5 4' };
    return element('line', { x1: x, x2: x + KEY - 4, y1: y - 4, y2: y - 4, ...look });
  }
  const turn: Record<string, string> = key.classList.contains('diamond')
    ? { transform: `rotate(45 ${x + 6} ${y - 4})` }
    : {};
  return element('rect', { x: x + 1, y: y - 9, width: 10, height: 10, fill: backgroundColor, ...turn });
}

/** Title and legend from the top down, in the page's colours; gives how high they are. */
function addHead(copy: SVGSVGElement, { title, legend }: Shown, width: number): number {
  const { color, fontFamily } = getComputedStyle(document.body);
  const look = { fill: color, 'font-family': fontFamily, 'text-anchor': 'start' };
  let y = 0;
  for (const line of inLines(title.split(' ').filter(Boolean), (word) => LETTER * (word.length + 1), width - 4)) {
    y += LINE_HEIGHT;
    const words = line.map(([word]) => word).join(' ');
    copy.append(element('text', { x: 2, y, 'font-size': '13px', 'font-weight': 600, ...look }, words));
  }
  const wideOf = (entry: HTMLElement): number => KEY + LETTER * (entry.textContent ?? '').trim().length + GAP;
  for (const line of inLines(legend, wideOf, width - 4)) {
    y += LINE_HEIGHT;
    for (const [entry, x] of line) {
      copy.append(keyOf(entry, x + 2, y));
      const name = (entry.textContent ?? '').trim();
      copy.append(element('text', { x: x + KEY + 2, y, 'font-size': '12px', ...look }, name));
    }
  }
  return y ? y + LINE_HEIGHT / 2 : 0;
}

/** A figure as an SVG document of its own, with its title, its legend and the colours it has on the page. */
export function svgOf(shown: Shown): { text: string; width: number; height: number } {
  const { drawing } = shown;
  const drawn = drawing.cloneNode(true) as SVGSVGElement;
  const originals = drawing.querySelectorAll('*');
  drawn.querySelectorAll('*').forEach((each, nth) => {
    const look = getComputedStyle(originals[nth]);
    for (const name of LOOK) each.setAttribute(name, look.getPropertyValue(name));
    each.removeAttribute('class');
  });
  const { width, height: below } = drawing.getBoundingClientRect();
  const copy = element('svg', { xmlns: SPACE, width }) as SVGSVGElement;
  const above = addHead(copy, shown, width);
  drawn.setAttribute('y', String(above));
  copy.setAttribute('height', String(above + below));
  copy.append(drawn);
  return { text: new XMLSerializer().serializeToString(copy), width, height: above + below };
}

/** A figure as a picture, twice as fine as on the page. */
export async function pngOf(shown: Shown, paper: string): Promise<Blob> {
  const { text, width, height } = svgOf(shown);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser has no canvas');
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) =>
    canvas.toBlob((picture) => (picture ? done(picture) : failed(new Error('no picture'))), 'image/png'),
  );
}

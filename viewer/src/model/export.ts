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

/** A figure as an SVG document of its own, with the colours it has on the page. */
export function svgOf(figure: SVGSVGElement): string {
  const copy = figure.cloneNode(true) as SVGSVGElement;
  const originals = figure.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((element, nth) => {
    const look = getComputedStyle(originals[nth]);
    for (const name of LOOK) element.setAttribute(name, look.getPropertyValue(name));
    element.removeAttribute('class');
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
}

/** A figure as a picture, twice as fine as on the page. */
export async function pngOf(figure: SVGSVGElement, paper: string): Promise<Blob> {
  const { width, height } = figure.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(figure))}`;
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

// The data of a figure as a table.

import type { Axis, Figure } from './document.ts';

export interface Rows {
  heads: string[];
  rows: string[][];
}

const text = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(Number(value.toPrecision(12)));
const place = (axis: Axis, value: number): string => axis.names?.[value] ?? text(value);

/** The table behind a figure. */
export function dataOf(figure: Figure): Rows {
  switch (figure.kind) {
    case 'lines':
      return {
        heads: ['series', figure.x.title || 'x', figure.y.title || 'y', 'low', 'high'],
        rows: figure.series.flatMap((series) =>
          series.rows.map(([x, y, low, high]) => [series.name, place(figure.x, x), text(y), text(low), text(high)]),
        ),
      };
    case 'bars':
      return {
        heads: ['name', figure.axis.title || 'value', 'in words'],
        rows: figure.rows.map(({ name, value, words }) => [name, text(value), words]),
      };
    case 'stacked':
      return {
        heads: [figure.axis.title || 'bar', ...figure.parts.map(({ name }) => name)],
        rows: figure.bars.map(({ name, shares }) => [name, ...shares.map(text)]),
      };
    case 'waterfall':
      return {
        heads: ['part', `from (${figure.unit})`, `to (${figure.unit})`, 'difference'],
        rows: figure.steps.map(({ name, from, to, words }) => [name, text(from), text(to), words]),
      };
  }
}

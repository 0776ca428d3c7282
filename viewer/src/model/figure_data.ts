// The data of a figure as columns, and as the rows of a table.

import type { Axis, Figure } from './document.ts';

/** A column of numbers or of words. */
export type Column = { name: string; numbers: (number | null)[] } | { name: string; words: string[] };

/** The columns behind a figure, all of one length. */
export function dataOf(figure: Figure): Column[] {
  switch (figure.kind) {
    case 'lines': {
      const points = figure.series.flatMap(({ name, rows }) => rows.map((row) => ({ name, row })));
      return [
        { name: 'series', words: points.map(({ name }) => name) },
        onAxis(
          figure.x,
          'x',
          points.map(({ row }) => row[0]),
        ),
        { name: figure.y.title || 'y', numbers: points.map(({ row }) => row[1]) },
        { name: 'low', numbers: points.map(({ row }) => row[2] ?? null) },
        { name: 'high', numbers: points.map(({ row }) => row[3] ?? null) },
      ];
    }
    case 'bars':
      return [
        { name: 'name', words: figure.rows.map(({ name }) => name) },
        { name: figure.axis.title || 'value', numbers: figure.rows.map(({ value }) => value) },
        { name: 'in words', words: figure.rows.map(({ words }) => words) },
      ];
    case 'stacked':
      return [
        { name: figure.axis.title || 'bar', words: figure.bars.map(({ name }) => name) },
        ...figure.parts.map(({ name }, nth) => ({ name, numbers: figure.bars.map(({ shares }) => shares[nth] ?? 0) })),
      ];
    case 'waterfall':
      return [
        { name: 'part', words: figure.steps.map(({ name }) => name) },
        { name: `from (${figure.unit})`, numbers: figure.steps.map(({ from }) => from) },
        { name: `to (${figure.unit})`, numbers: figure.steps.map(({ to }) => to) },
        { name: 'difference', words: figure.steps.map(({ words }) => words) },
      ];
  }
}

function onAxis(axis: Axis, otherwise: string, numbers: number[]): Column {
  const name = axis.title || otherwise;
  const { names } = axis;
  return names ? { name, words: numbers.map((place) => names[place] ?? String(place)) } : { name, numbers };
}

const cellOf = (value: number | null): string => (value === null ? '' : String(Number(value.toPrecision(12))));

/** The rows of columns, each cell in words. */
export function rowsOf(columns: Column[]): string[][] {
  const texts = columns.map((column) => ('words' in column ? column.words : column.numbers.map(cellOf)));
  return (texts[0] ?? []).map((_, row) => texts.map((column) => column[row]));
}

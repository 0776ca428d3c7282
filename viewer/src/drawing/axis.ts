// Scales and their marks, for all figures.

import { scaleLinear, scaleLog } from 'd3-scale';

import type { Axis } from '../model/document.ts';
import { number } from '../model/numerals.ts';

export interface Tick {
  value: number;
  words: string;
}

export interface Scale {
  /** The pixel of a value; of one that a logarithmic scale does not have, its lower edge. */
  at: (value: number) => number;
  ticks: Tick[];
  from: number;
  to: number;
}

const DECADE = 10;

/** A scale over these values from one pixel to another, with at most about so many marks. */
export function scaleOf(
  axis: Axis,
  values: number[],
  range: [number, number],
  marks: number,
  fromZero: boolean,
): Scale {
  if (axis.names) {
    const scale = scaleLinear([-0.5, axis.names.length - 0.5], range);
    const every = Math.max(1, Math.ceil(axis.names.length / marks));
    const ticks = axis.names.map((words, value) => ({ value, words })).filter((_, nth) => nth % every === 0);
    return { at: (value) => scale(value), ticks, from: 0, to: axis.names.length - 1 };
  }
  const known = values.filter((value) => Number.isFinite(value) && (!axis.log || value > 0));
  let from = axis.from ?? Math.min(...(fromZero && !axis.log ? [0, ...known] : known));
  let to = axis.to ?? Math.max(...known);
  if (!Number.isFinite(from) || !Number.isFinite(to)) [from, to] = axis.log ? [1, 10] : [0, 1];
  // Within a decade a logarithmic scale has too few round marks to be read by.
  const isLog = axis.log === true && to >= DECADE * from;
  if (from === to) [from, to] = [from - (Math.abs(from) || 1) / 2, to + (Math.abs(to) || 1) / 2];
  const write = axis.percent ? (share: number) => `${plain(100 * share)}\u00a0%` : plain;
  if (isLog) {
    const steps = [1, 2, 5];
    const all = Array.from(
      { length: 44 },
      (_, nth) => steps[nth % 3] * 10 ** (Math.floor(nth / 3) + Math.floor(Math.log10(from)) - 1),
    );
    const first = axis.from ?? Math.max(...all.filter((mark) => mark <= from * 1.0001));
    const last = axis.to ?? Math.min(...all.filter((mark) => mark >= to * 0.9999));
    const scale = scaleLog([first, last], range);
    let inside = all.filter((mark) => mark >= first * 0.9999 && mark <= last * 1.0001);
    if (inside.length > marks)
      inside = inside.filter((mark) => Number.isInteger(Math.round(Math.log10(mark) * 1e6) / 1e6));
    while (inside.length > marks) inside = inside.filter((_, nth) => nth % 2 === 0);
    return {
      at: (value) => scale(value > 0 ? value : first),
      ticks: inside.map((value) => ({ value, words: write(value) })),
      from: first,
      to: last,
    };
  }
  const scale = scaleLinear([from, to], range);
  if (axis.from === undefined && axis.to === undefined) scale.nice(marks);
  const [low, high] = scale.domain();
  return {
    at: (value) => scale(value),
    ticks: scale.ticks(marks).map((value) => ({ value, words: write(value) })),
    from: low,
    to: high,
  };
}

/** A mark's number without zeros behind it. */
function plain(value: number): string {
  const text = number(value, 4);
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

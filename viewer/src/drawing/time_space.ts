// The time-space diagram: places from top to bottom, time from left to right, what messages wait for and what serves
// them. Where more segments are seen than can be drawn one by one, each pixel shows how many messages wait and are served.

import { MOST_SEGMENTS, type Journeys } from '../model/journeys.ts';
import type { Theme } from './heat.ts';
import type { Colour, Surface } from './surface.ts';

export interface TimeSpacePicture {
  journeys: Journeys;
  /** The places in their order on the diagram. */
  rows: number[];
  from: number;
  to: number;
  left: number;
  width: number;
  rowHeight: number;
  ratio: number;
  theme: Theme;
  message: number | null;
}

/** Draws it; gives whether segments were added up. */
export function drawTimeSpace(surface: Surface, picture: TimeSpacePicture): boolean {
  const { journeys, rows, from, to, theme } = picture;
  surface.clear(theme.paper);
  const isSummed = journeys.within(from, to) > MOST_SEGMENTS;
  rows.forEach((place, row) =>
    isSummed ? drawSums(surface, picture, place, row) : drawSegments(surface, picture, place, row),
  );
  surface.finish();
  return isSummed;
}

function drawSegments(surface: Surface, picture: TimeSpacePicture, place: number, row: number): void {
  const { journeys, from, to, left, width, rowHeight, ratio, theme, message } = picture;
  const mine = journeys.byPlace[place];
  const scale = width / (to - from);
  // Messages that are at a place at once lie below each other.
  const lanes: number[] = [];
  const most = Math.max(1, Math.floor((rowHeight - 4) / 4));
  for (let nth = journeys.firstOf(place, from); nth < mine.length; nth += 1) {
    const segment = mine[nth];
    const start = journeys.from[segment];
    if (start > to) break;
    const end = start + journeys.length[segment];
    if (end < from) continue;
    let lane = lanes.findIndex((until) => until <= start);
    if (lane < 0) lane = lanes.length < most ? lanes.length : most - 1;
    lanes[lane] = Math.max(end, lanes[lane] ?? 0);
    const x = left + Math.max(0, (start - from) * scale);
    const wide = Math.max(0.7, Math.min(width, (end - from) * scale) - Math.max(0, (start - from) * scale));
    const high = (rowHeight - 4) / Math.min(most, Math.max(1, lanes.length));
    const isMine = message !== null && journeys.message[segment] === message;
    const kind = journeys.head.stages[journeys.stage[segment]].kind === 'wait' ? theme.wait : theme.service;
    // Of a message that is followed, waits and services can still be told apart; the others step back.
    const colour = message === null || isMine ? kind : faded(kind, theme.paper);
    surface.box(
      x * ratio,
      (row * rowHeight + 2 + Math.min(lane * high, rowHeight - 6)) * ratio,
      wide * ratio,
      Math.max(2, high - 1) * ratio,
      colour,
    );
  }
}

function drawSums(surface: Surface, picture: TimeSpacePicture, place: number, row: number): void {
  const { journeys, from, to, left, width, rowHeight, ratio, theme } = picture;
  const columns = Math.floor(width);
  const step = (to - from) / columns;
  const high = rowHeight - 4;
  for (let column = 0; column < columns; column += 1) {
    const [wait, service] = journeys.density(place, from + column * step, from + (column + 1) * step);
    const all = wait + service;
    if (all <= 0) continue;
    const tall = high * Math.min(1, Math.log2(1 + all) / 4);
    const waits = (tall * wait) / all;
    const bottom = (row + 1) * rowHeight - 2;
    surface.box((left + column) * ratio, (bottom - tall) * ratio, ratio, waits * ratio, theme.wait);
    surface.box((left + column) * ratio, (bottom - tall + waits) * ratio, ratio, (tall - waits) * ratio, theme.service);
  }
}

function faded(colour: Colour, paper: Colour): Colour {
  return [0, 1, 2].map((of) => Math.round(0.3 * colour[of] + 0.7 * paper[of])) as unknown as Colour;
}

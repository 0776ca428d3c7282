// Recorded messages: where each was in which stage, and sums of them for a view of more than can be drawn.

import { block } from './source.ts';

export interface JourneysHead {
  places: string[];
  stages: { name: string; kind: 'wait' | 'service'; resource: string }[];
  segments: number;
  messages: number;
  /** Messages that were recorded but are not in the block, to keep the page small. */
  left_out: number;
  begin_s: number;
}

/** Segments drawn one by one in a frame; beyond, sums by pixel. */
export const MOST_SEGMENTS = 20_000;
const MOST_SUMS = 4_000_000;

export class Journeys {
  readonly head: JourneysHead;
  readonly message: Uint32Array;
  readonly place: Uint16Array;
  readonly stage: Uint16Array;
  /** Start and length in seconds after the beginning. */
  readonly from: Float64Array;
  readonly length: Float64Array;
  readonly end: number;
  /** The segments of each place, in the order of time. */
  readonly byPlace: Uint32Array[];
  private readonly longest: Float64Array;
  /** Sums of waiting and service in bins of time, for each place. */
  private sums: Float32Array | null = null;
  private sumBins = 0;

  constructor(block: ArrayBuffer) {
    const length = new DataView(block).getUint32(0, true);
    this.head = JSON.parse(new TextDecoder().decode(new Uint8Array(block, 4, length))) as JourneysHead;
    const count = this.head.segments;
    let at = 4 + length;
    const take = (bytes: number): ArrayBuffer => {
      const part = block.slice(at, at + bytes);
      at += bytes;
      return part;
    };
    this.from = new Float64Array(take(8 * count));
    this.length = new Float64Array(take(8 * count));
    this.message = new Uint32Array(take(4 * count));
    this.place = new Uint16Array(take(2 * count));
    this.stage = new Uint16Array(take(2 * count));
    this.longest = new Float64Array(this.head.places.length);
    const sizes = new Uint32Array(this.head.places.length);
    let end = 0;
    for (let nth = 0; nth < count; nth += 1) {
      sizes[this.place[nth]] += 1;
      end = Math.max(end, this.from[nth] + this.length[nth]);
      this.longest[this.place[nth]] = Math.max(this.longest[this.place[nth]], this.length[nth]);
    }
    this.end = end;
    this.byPlace = Array.from(sizes, (size) => new Uint32Array(size));
    const next = new Uint32Array(sizes.length);
    // The block has the segments in the order of time.
    for (let nth = 0; nth < count; nth += 1) this.byPlace[this.place[nth]][next[this.place[nth]]++] = nth;
  }

  /** The first segment of a place that may reach into a window that begins so. */
  firstOf(place: number, seconds: number): number {
    const mine = this.byPlace[place];
    const earliest = seconds - this.longest[place];
    let [low, high] = [0, mine.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.from[mine[middle]] < earliest) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many segments reach into a window, at most. */
  within(from: number, to: number): number {
    return this.byPlace.reduce(
      (sum, _, place) => sum + Math.max(0, this.firstOf(place, to + this.longest[place]) - this.firstOf(place, from)),
      0,
    );
  }

  /** Waiting and service, in messages, of a place between two instants: from sums made once. */
  density(place: number, from: number, to: number): [number, number] {
    const sums = this.sums ?? this.summed();
    const width = this.end / this.sumBins || 1;
    const first = Math.max(0, Math.min(this.sumBins - 1, Math.floor(from / width)));
    const last = Math.max(first + 1, Math.min(this.sumBins, Math.ceil(to / width)));
    let [wait, service] = [0, 0];
    for (let bin = first; bin < last; bin += 1) {
      wait += sums[2 * (place * this.sumBins + bin)];
      service += sums[2 * (place * this.sumBins + bin) + 1];
    }
    const span = (last - first) * width;
    return [wait / span, service / span];
  }

  private summed(): Float32Array {
    const places = this.head.places.length;
    this.sumBins = Math.max(256, Math.min(65_536, Math.floor(MOST_SUMS / (2 * places))));
    const sums = new Float32Array(2 * places * this.sumBins);
    const width = this.end / this.sumBins || 1;
    for (let nth = 0; nth < this.head.segments; nth += 1) {
      const kind = this.head.stages[this.stage[nth]].kind === 'wait' ? 0 : 1;
      const start = this.from[nth];
      const stop = start + this.length[nth];
      const last = Math.min(this.sumBins - 1, Math.floor(stop / width));
      for (let bin = Math.floor(start / width); bin <= last; bin += 1) {
        const part = Math.min(stop, (bin + 1) * width) - Math.max(start, bin * width);
        sums[2 * (this.place[nth] * this.sumBins + bin) + kind] += part;
      }
    }
    this.sums = sums;
    return sums;
  }

  /** The segments at a place that reach into a window of the run's own seconds, the longest first. */
  at(place: string, from: number, to: number): number[] {
    const number = this.head.places.indexOf(place);
    if (number < 0) return [];
    const [begin, end] = [from - this.head.begin_s, to - this.head.begin_s];
    const found: number[] = [];
    for (let nth = this.firstOf(number, begin); nth < this.byPlace[number].length; nth += 1) {
      const segment = this.byPlace[number][nth];
      if (this.from[segment] >= end) break;
      if (this.from[segment] + this.length[segment] > begin) found.push(segment);
    }
    return found.sort((one, other) => this.length[other] - this.length[one]);
  }

  /** The segments of one message, in the order of time. */
  of(message: number): number[] {
    const mine: number[] = [];
    for (let nth = 0; nth < this.head.segments; nth += 1) if (this.message[nth] === message) mine.push(nth);
    return mine;
  }

  /** The messages with their lifetimes in seconds, the longest first. */
  lifetimes(): [number, number][] {
    const begin = new Map<number, number>();
    const end = new Map<number, number>();
    for (let nth = 0; nth < this.head.segments; nth += 1) {
      const message = this.message[nth];
      begin.set(message, Math.min(begin.get(message) ?? Infinity, this.from[nth]));
      end.set(message, Math.max(end.get(message) ?? 0, this.from[nth] + this.length[nth]));
    }
    return [...begin]
      .map(([message, start]): [number, number] => [message, (end.get(message) ?? start) - start])
      .sort((a, b) => b[1] - a[1]);
  }
}

const read = new Map<string, Promise<Journeys>>();

/** The recorded messages in a block, which is read once. */
export function journeysIn(name: string): Promise<Journeys> {
  let known = read.get(name);
  if (!known) read.set(name, (known = block(name).then((data) => new Journeys(data))));
  return known;
}

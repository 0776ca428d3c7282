// The use of the resources over time: bytes by resource and bin, as a run folder's timeline.parquet has them.

export type Quantity = 'used' | 'waiting' | 'heldBack';

/** What a code stands for: a share, or a number waiting. */
export const decoded = (quantity: Quantity, code: number): number =>
  quantity === 'waiting' ? WAITING[code] : code / 255;

/** What a row of the timeline is of: its place in the network's resources. */
export interface TimelineHead {
  edges_s: number[];
  rows: number;
  quantities: Quantity[];
  /** Of some rows, what their holders did. Their bytes follow those of the quantities, cause by cause. */
  holders?: [row: number, causes: string[]][];
}

/** A cause for which some of a resource is held, with its share in each bin. */
export interface HeldFor {
  cause: string;
  shares: number[];
}

/** The number waiting for each code: the inverse of the engine's scale. */
const WAITING = Float32Array.from({ length: 256 }, (_, code) => (2 ** (code / 16) - 1) / 16);

/** Rows of bins made columns: what a bin has stands together. */
function turned(bytes: Uint8Array | undefined, rows: number, bins: number): Uint8Array {
  const found = new Uint8Array(rows * bins);
  if (!bytes) return found;
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let bin = 0; bin < bins; bin += 1, at += 1) found[bin * rows + row] = bytes[at];
  }
  return found;
}

/** So many at most, those that hold most first; where there are more, the last is the sum of the others. */
export function strongest(held: HeldFor[], most: number): HeldFor[] {
  const sum = ({ shares }: HeldFor): number => shares.reduce((total, share) => total + share, 0);
  const ranked = held.toSorted((one, other) => sum(other) - sum(one));
  if (ranked.length <= most) return ranked;
  const others = ranked.slice(most - 1);
  const shares = others[0].shares.map((_, bin) => others.reduce((total, each) => total + each.shares[bin], 0));
  return [...ranked.slice(0, most - 1), { cause: 'others', shares }];
}

export class Timeline {
  readonly edges: number[];
  readonly bins: number;
  private readonly rows: number;
  private readonly bytes: Map<Quantity, Uint8Array>;
  /** The same bin by bin, as a map needs them. */
  private readonly columns = new Map<Quantity, Uint8Array>();
  private readonly causes = new Map<number, [cause: string, codes: Uint8Array][]>();

  constructor(head: TimelineHead, body: Uint8Array) {
    this.edges = head.edges_s;
    this.bins = head.edges_s.length - 1;
    this.rows = head.rows;
    const size = head.rows * this.bins;
    this.bytes = new Map(head.quantities.map((name, nth) => [name, body.subarray(nth * size, (nth + 1) * size)]));
    let at = head.quantities.length * size;
    for (const [row, causes] of head.holders ?? []) {
      this.causes.set(
        row,
        causes.map((cause) => [cause, body.subarray(at, (at += this.bins))]),
      );
    }
  }

  /** A block: the length of the head in 4 bytes, the head as JSON, the bytes of each quantity. */
  static of(block: ArrayBuffer): Timeline {
    const length = new DataView(block).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(block, 4, length))) as TimelineHead;
    return new Timeline(head, new Uint8Array(block, 4 + length));
  }

  has(quantity: Quantity): boolean {
    return this.bytes.has(quantity);
  }

  /** The code of a row in a bin, 0 to 255. */
  code(quantity: Quantity, row: number, bin: number): number {
    return this.bytes.get(quantity)?.[row * this.bins + bin] ?? 0;
  }

  /** What the code stands for: a share, or a number waiting. */
  value(quantity: Quantity, row: number, bin: number): number {
    return decoded(quantity, this.code(quantity, row, bin));
  }

  /** The codes of all rows in a bin, one after the other. */
  column(quantity: Quantity, bin: number): Uint8Array {
    let columns = this.columns.get(quantity);
    if (!columns) this.columns.set(quantity, (columns = turned(this.bytes.get(quantity), this.rows, this.bins)));
    return columns.subarray(bin * this.rows, (bin + 1) * this.rows);
  }

  /** What the holders of a row did over time; nothing where that is not known. */
  heldFor(row: number): HeldFor[] {
    return (this.causes.get(row) ?? []).map(([cause, codes]) => ({
      cause,
      shares: Array.from(codes, (code) => code / 255),
    }));
  }

  /** The bin of an instant. */
  binAt(seconds: number): number {
    let low = 0;
    let high = this.bins - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.edges[middle] <= seconds) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

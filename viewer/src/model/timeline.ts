// The use of the resources over time: bytes by resource and bin, as a run folder's timeline.parquet has them.

export type Quantity = 'used' | 'waiting' | 'heldBack';

/** What a row of the timeline is of: its place in the network's resources. */
export interface TimelineHead {
  edges_s: number[];
  rows: number;
  quantities: Quantity[];
}

/** The number waiting for each code: the inverse of the engine's scale. */
const WAITING = Float32Array.from({ length: 256 }, (_, code) => (2 ** (code / 16) - 1) / 16);

export class Timeline {
  readonly edges: number[];
  readonly bins: number;
  private readonly bytes: Map<Quantity, Uint8Array>;

  constructor(head: TimelineHead, body: Uint8Array) {
    this.edges = head.edges_s;
    this.bins = head.edges_s.length - 1;
    const size = head.rows * this.bins;
    this.bytes = new Map(head.quantities.map((name, nth) => [name, body.subarray(nth * size, (nth + 1) * size)]));
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
    const code = this.code(quantity, row, bin);
    return quantity === 'waiting' ? WAITING[code] : code / 255;
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

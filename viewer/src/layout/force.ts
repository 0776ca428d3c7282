// Places for the nodes of a network that brings none, by springs; in slices, so that the page stays alive.

import { forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';

import type { NetworkData, Point } from '../model/network.ts';

/** Above this many nodes springs take too long: rows by distance from the node with most links. */
const MOST_FOR_SPRINGS = 1_000;
const ROUNDS = 220;
const SLICE_MS = 12;

/** Places for these nodes; neighbours about 1 apart. */
export async function layOut(network: NetworkData, nodes: number[]): Promise<Point[]> {
  const at = new Map(nodes.map((node, nth) => [node, nth]));
  const links = network.links.flatMap(([from, to]) => {
    const [source, target] = [at.get(from), at.get(to)];
    return source === undefined || target === undefined || source === target ? [] : [{ source, target }];
  });
  if (nodes.length > MOST_FOR_SPRINGS) return inRows(nodes.length, links);
  // The first places lie on a spiral, so that the same network is always drawn in the same way.
  const marks: (SimulationNodeDatum & Point)[] = nodes.map((_, nth) => ({
    x: 12 * Math.sqrt(nth) * Math.cos(2.4 * nth),
    y: 12 * Math.sqrt(nth) * Math.sin(2.4 * nth),
  }));
  const springs = forceSimulation(marks)
    .force(
      'link',
      forceLink(links.map((link) => ({ ...link })))
        .distance(40)
        .strength(0.5),
    )
    .force('apart', forceManyBody().strength(-160))
    .force('x', forceX(0).strength(0.04))
    .force('y', forceY(0).strength(0.06))
    .alphaDecay(1 - 0.001 ** (1 / ROUNDS))
    .stop();
  for (let round = 0; round < ROUNDS;) {
    const until = performance.now() + SLICE_MS;
    for (; round < ROUNDS && performance.now() < until; round += 1) springs.tick();
    await new Promise((next) => setTimeout(next));
  }
  return marks.map(({ x, y }) => ({ x: x / 40, y: y / 40 }));
}

function inRows(count: number, links: { source: number; target: number }[]): Point[] {
  const neighbours = Array.from({ length: count }, () => [] as number[]);
  for (const { source, target } of links) {
    neighbours[source].push(target);
    neighbours[target].push(source);
  }
  const start = neighbours.reduce((best, mine, nth) => (mine.length > neighbours[best].length ? nth : best), 0);
  const hops = new Int32Array(count).fill(-1);
  hops[start] = 0;
  const queue = [start];
  for (let next = 0; next < queue.length; next += 1) {
    for (const other of neighbours[queue[next]]) {
      if (hops[other] < 0) {
        hops[other] = hops[queue[next]] + 1;
        queue.push(other);
      }
    }
  }
  const rows: number[][] = [];
  hops.forEach((distance, node) => (rows[Math.max(0, distance)] ??= []).push(node));
  const widest = Math.max(...rows.map((row) => row.length));
  const places: Point[] = new Array(count);
  rows.forEach((row, nth) =>
    row.forEach((node, place) => {
      places[node] = { x: ((place + 0.5) * widest) / row.length, y: (nth * widest) / (2 * rows.length) };
    }),
  );
  return places;
}

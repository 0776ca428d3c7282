// Runs a scenario in the page: the engine is a block of it, and each run has a worker of its own.

import EngineWorker from '../engine/worker.ts?worker&inline';
import { block } from './source.ts';

/** A metric as `summary.json` has it. */
export interface Metric {
  name: string;
  class: string;
  statistic: string;
  unit: string;
  estimate: { value: number; low: number; high: number } | null;
}

/** The only metrics that can be negative. The interval of any other is shown from 0 on. */
export const SIGNED = new Set(['round trip from last bit autocorrelation']);

/** What a run in the page found out. */
export interface Found {
  sentence: string;
  outcome: string;
  hash: string;
  metrics: Metric[];
  /** The keys of quantiles that too few messages bound: their upper end is not known. */
  unbounded: string[];
}

interface Answer {
  error?: string;
  summary: {
    outcome: string;
    result_hash: string;
    metrics: Metric[];
    doubts: { kind: string; metric?: string }[];
  };
  why: { verdict: { sentence: string } };
}

/** A run under way in the page. */
export interface Running {
  found: Promise<Found>;
  stop(): void;
}

/** Runs the scenario in the block `scenario` with overrides by the engine in the block `engine`. */
export function runHere(
  { engine, scenario }: { engine: string; scenario: string },
  set: string[],
  told: (fraction: number) => void,
): Running {
  const worker = new EngineWorker();
  let stop = (): void => worker.terminate();
  const found = new Promise<Found>((give, fail) => {
    stop = () => {
      worker.terminate();
      fail(new Error('stopped'));
    };
    worker.onerror = (event) => fail(new Error(event.message || 'the engine could not be started'));
    worker.onmessage = ({ data }: MessageEvent<{ fraction?: number; answer?: Answer }>) => {
      if (data.fraction !== undefined) told(data.fraction);
      if (!data.answer) return;
      worker.terminate();
      const { error, summary, why } = data.answer;
      if (error !== undefined) fail(new Error(error));
      else
        give({
          sentence: why.verdict.sentence,
          outcome: summary.outcome,
          hash: summary.result_hash,
          metrics: summary.metrics,
          unbounded: summary.doubts.flatMap(({ kind, metric }) =>
            kind === 'no-upper-bound' && metric ? [metric] : [],
          ),
        });
    };
    Promise.all([block(engine), block(scenario)])
      .then(([bytes, text]) => {
        const parcel = new TextDecoder().decode(text);
        worker.postMessage({ engine: bytes, request: { do: 'run', scenario: { parcel }, set } });
      })
      .catch(fail);
  });
  return { found, stop: () => stop() };
}

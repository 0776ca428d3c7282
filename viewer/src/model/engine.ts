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

/** How a run can end, as `summary.json` has it. */
export type Outcome = 'complete' | 'unsettled' | 'interrupted' | 'saturated' | 'deadlock';

/** What a run in the page found out. */
export interface Found {
  /** The overrides that it was run with. */
  set: string[];
  sentence: string;
  outcome: Outcome;
  endedBecause: string;
  /** What a reader of the numbers should know, the doubts about them among it. */
  notes: string[];
  /** The messages that were measured. */
  measured: number;
  hash: string;
  metrics: Metric[];
  /** The keys of quantiles that too few messages bound: their upper end is not known. */
  unbounded: string[];
}

interface Answer {
  error?: string;
  summary: {
    outcome: Outcome;
    ended_because: string;
    notes: string[];
    measured: { messages: number };
    result_hash: string;
    metrics: Metric[];
    doubts: { kind: string; metric?: string }[];
  };
  why: { verdict: { sentence: string } };
}

/** Why a run has no number for a delay, or for a rate where it was deadlocked. */
export function whyNoNumber({ outcome, measured }: Found): string {
  if (outcome === 'saturated') return 'saturated: no steady state';
  if (outcome === 'deadlock') return 'deadlock: no steady state';
  return measured ? 'too few messages for an interval' : 'no message was measured';
}

const NEEDS_NO_QUOTES = /^[\w.,:+=/@%-]+$/;

/** Overrides as options of the command line. */
export const optionsOf = (set: string[]): string =>
  set.map((each) => `--set ${NEEDS_NO_QUOTES.test(each) ? each : `'${each.replaceAll("'", "'\\''")}'`}`).join(' ');

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
          set,
          sentence: why.verdict.sentence,
          outcome: summary.outcome,
          endedBecause: summary.ended_because,
          notes: summary.notes,
          measured: summary.measured.messages,
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

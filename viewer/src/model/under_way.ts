// Experiments that are being performed somewhere: what the server hears of them, asked every second.

import { ask } from './source.ts';

export interface Word {
  experiment: string;
  word: string;
  fraction: number;
  figures: string;
}

const BETWEEN_QUESTIONS_MS = 1_000;

/** Tells of every experiment under way until the function that it gives is called. */
export function hear(tell: (words: Word[]) => void, fail: (why: string) => void): () => void {
  let ended = false;
  async function question(): Promise<void> {
    try {
      tell((await (await ask('/api/under-way')).json()) as Word[]);
    } catch (failure) {
      fail(failure instanceof Error ? failure.message : String(failure));
    }
    if (!ended) setTimeout(() => void question(), BETWEEN_QUESTIONS_MS);
  }
  void question();
  return () => (ended = true);
}

/** Asks whoever performs an experiment to stop. What is finished stays in the store. */
export async function stop(word: Word): Promise<void> {
  await ask('/api/stop', { word: word.word });
}

// What the reader has typed or ticked. It stays with the page in the browser's history: going back finds it again.

let state: Record<string, unknown> = { ...(history.state as Record<string, unknown> | null) };

/** Browsers refuse more than 200 changes in ten seconds; a slider that is dragged makes more. */
const LEAST_BETWEEN_MS = 100;
let written = -Infinity;
let waiting = 0;

function write(): void {
  clearTimeout(waiting);
  waiting = 0;
  written = performance.now();
  try {
    history.replaceState(state, '');
  } catch {
    // A page within a frame of another may have no history.
  }
}

/** What was kept under a name. */
export const kept = <Kind>(name: string): Kind | undefined => state[name] as Kind | undefined;

/** Keeps a value under a name. */
export function keep(name: string, value: unknown): void {
  if (JSON.stringify(state[name] ?? null) === JSON.stringify(value)) return;
  state = { ...state, [name]: value };
  const rest = written + LEAST_BETWEEN_MS - performance.now();
  if (rest <= 0) write();
  else waiting ||= window.setTimeout(write, rest);
}

// A link to a section makes an entry of its own.
addEventListener('hashchange', write);
addEventListener('pagehide', () => waiting && write());

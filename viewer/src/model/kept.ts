// What the reader has typed or ticked. It stays with the page in the browser's history: going back finds it again.

let state: Record<string, unknown> = { ...(history.state as Record<string, unknown> | null) };

function write(): void {
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
  state = { ...state, [name]: value };
  write();
}

// A link to a section makes an entry of its own.
addEventListener('hashchange', write);

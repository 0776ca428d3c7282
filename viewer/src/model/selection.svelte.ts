// What is selected, for all views of the page: a place of the network, and a message. Both stay with the page.

import { keep, kept } from './kept.ts';

class Selection {
  /** The name of a node, or of a place as its resource or as recorded messages call it. */
  place = $state<string | null>(kept<string>('place') ?? null);
  message = $state<number | null>(kept<number>('message') ?? null);
}

export const selection = new Selection();

$effect.root(() => {
  $effect(() => keep('place', selection.place));
  $effect(() => keep('message', selection.message));
});

/** Selects a place and brings the map into sight. */
export function showOnMap(place: string): void {
  selection.place = place;
  document.querySelector('.view-map')?.scrollIntoView();
}

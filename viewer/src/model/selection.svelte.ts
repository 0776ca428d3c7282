// What is selected, for all views of the page: a place of the network, and a message.

class Selection {
  /** The name of a node, or the place of a resource. */
  place = $state<string | null>(null);
  message = $state<number | null>(null);
}

export const selection = new Selection();

"""How much a network carries, what limits it, and what would raise that."""

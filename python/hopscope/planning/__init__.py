"""How much a network carries, what limits it, and what would raise that.

Each folder uses those before it: `goals`, `candidates`, `trying`, `capacity`, `what_if`. The modules here are
what all of them read of a scenario.
"""

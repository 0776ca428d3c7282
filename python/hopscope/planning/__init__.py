"""How much a network carries, what limits it, and what would raise that.

Each folder uses those before it: `goals`, `candidates`, `trying`, `capacity`, `what_if`. The modules here
read what all of them need from a scenario.
"""

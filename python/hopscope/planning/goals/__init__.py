"""The goals of a scenario's user, the figures that measure them, and when these are not enough."""

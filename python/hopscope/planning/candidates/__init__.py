"""Possible changes of a scenario, from the causes that a run of it points to."""

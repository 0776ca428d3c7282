"""What somebody could change on a scenario, by what a run of it points to."""

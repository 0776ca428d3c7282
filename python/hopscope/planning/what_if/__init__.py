"""`--what-if`: a scenario run again with one change at a time."""

"""Changes tried with the same random numbers: their runs, their gains, and their order."""

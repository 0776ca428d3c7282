"""Changes tried on the same random numbers: in which runs, what each gained, and their order."""

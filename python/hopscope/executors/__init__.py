"""What performs batches of runs: processes of this machine, any executor of Python, Ray."""

"""What simulations give: one run, a sweep of them, and their folders."""

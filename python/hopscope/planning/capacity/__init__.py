"""What a network carries and why, and the routes, root or link by which it would carry more."""

"""Commented scenarios that `hopscope init` copies as a start."""

"""Commented scenarios that `hopscope init` starts one's own from."""

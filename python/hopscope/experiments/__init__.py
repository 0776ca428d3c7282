"""Experiments: many runs as data, performed anywhere, kept in a store."""

"""Self-contained HTML pages about a run, a sweep or a study: no network, one file."""

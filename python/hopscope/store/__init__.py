"""Where runs are kept, found by scenario hash, seed and version: a folder, an object store, or memory."""

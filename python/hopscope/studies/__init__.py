"""Studies: a published table or figure re-run cell by cell, each cell with its verdict."""

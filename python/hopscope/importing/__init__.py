"""Networks from files of other tools, as the list of cables that hopscope reads: one file per form."""

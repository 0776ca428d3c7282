"""A generated corpus of networks with a planted cause, and healthy ones, to measure explanations by."""

"""The skeleton of a model crate, written into a source checkout."""

from hopscope.new_model.skeleton import write

__all__ = ["write"]

"""The examples in docstrings are true."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from conftest import PROJECT

PACKAGE = PROJECT / "python/hopscope"
SHOWN = sorted(
    path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", SHOWN)
def test_the_examples_of_a_module_are_true(name: str, here: Path):
    done = doctest.testmod(import_module(name))
    assert done.attempted > 0
    assert done.failed == 0


def test_the_public_calls_have_examples():
    assert {"hopscope.simulation", "hopscope.estimate", "hopscope.experiments.compare"} <= set(SHOWN)

"""The notebooks of the documentation run from the first cell to the last."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PROJECT

NOTEBOOKS = sorted((PROJECT / "docs/notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict]:
    """The cells that hold code."""
    return [
        cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"
    ]


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path):
    script = "\n\n".join("".join(cell["source"]) for cell in cells(path))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path: Path):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path))

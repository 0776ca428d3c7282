"""Every bad study is refused with its place and a way out, and never with a traceback."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT

FOLDER = PROJECT / "tests" / "bad-studies"
BAD = sorted(FOLDER.glob("*.toml"))


def test_there_are_bad_studies():
    assert len(BAD) >= 40


@pytest.mark.parametrize("study", BAD, ids=lambda path: path.stem)
def test_a_bad_study_is_refused(command: Callable[..., Result], here: Path, study: Path):
    done = command("study", str(study))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error")
    assert study.name in done.stderr
    assert "Traceback" not in done.stderr
    assert list(here.iterdir()) == []

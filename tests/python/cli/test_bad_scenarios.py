"""Every bad scenario is refused with its place and a way out, and never with a traceback."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT

FOLDER = PROJECT / "tests" / "bad-scenarios"
BAD = sorted(FOLDER.glob("*.toml"))


def test_there_are_bad_scenarios():
    assert len(BAD) > 20


@pytest.mark.parametrize("scenario", BAD, ids=lambda path: path.stem)
def test_a_bad_scenario_is_refused(command: Callable[..., Result], here: Path, scenario: Path):
    done = command("run", str(scenario))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error")
    assert scenario.parent.name in done.stderr
    assert "Traceback" not in done.stderr
    assert list(here.iterdir()) == []

"""A damaged file of a run folder is named, whatever reads it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from hopscope.errors import UsageError
from hopscope.results.run import RunResult


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with journeys."""
    run = hopscope.run("an1-mstage", set={"measure.messages": 2_000, "measure.journeys": 500})
    return run.save(tmp_path_factory.mktemp("whole") / "run", report=False)


def emptied(table: Path) -> None:
    table.write_bytes(b"")


def truncated(table: Path) -> None:
    table.write_bytes(table.read_bytes()[: table.stat().st_size // 2])


def overwritten(table: Path) -> None:
    content = bytearray(table.read_bytes())
    content[4:400] = bytes(byte ^ 0x55 for byte in content[4:400])
    table.write_bytes(content)


def a_folder(table: Path) -> None:
    table.unlink()
    table.mkdir()


@pytest.mark.parametrize("damage", [emptied, truncated, overwritten, a_folder])
@pytest.mark.parametrize("table", ["journeys", "series", "timeline"])
def test_a_damaged_table_is_named(
    command: Callable[..., Result], here: Path, whole: Path, table: str, damage: Callable[[Path], None]
):
    shutil.copytree(whole, "copy")
    damage(here / "copy" / f"{table}.parquet")
    told = f"`copy/{table}.parquet` is damaged\nhint: run the scenario of the folder again"
    run = hopscope.read("copy")
    assert isinstance(run, RunResult)
    with pytest.raises(UsageError, match=f"{table}.parquet"):
        getattr(run, table)
    if table != "series":  # which no page shows
        exported = command("view", "copy", "--export", "page.html")
        assert (exported.exit_code, told in exported.stderr) == (2, True)
    if table == "journeys":
        traced = command("trace", "copy", "--perfetto", "trace.pftrace")
        assert (traced.exit_code, told in traced.stderr) == (2, True)


@pytest.mark.parametrize("key", ["low", "share", "stage", "metrics", "outcome"])
def test_a_damaged_summary_is_named(here: Path, whole: Path, key: str):
    shutil.copytree(whole, "copy")
    summary = here / "copy" / "summary.json"
    summary.write_text(summary.read_text().replace(f'"{key}"', f'"{key[:-1]}~"', 1))
    with pytest.raises(UsageError, match=r"`copy/summary\.json`"):
        hopscope.read("copy")

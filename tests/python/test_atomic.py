import errno
import os
from pathlib import Path

import pytest

from hopscope import atomic
from hopscope.errors import UsageError


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_a_folder_appears_whole(tmp_path: Path):
    target = tmp_path / "runs" / "one"
    with atomic.new_folder(target) as partial:
        (partial / "summary.json").write_text("{}")
        assert not target.exists()
    assert leftovers(tmp_path) == ["one", "runs", "summary.json"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError, MemoryError])
def test_nothing_is_left_when_the_writing_fails(tmp_path: Path, failure: type[BaseException]):
    with pytest.raises(failure), atomic.new_folder(tmp_path / "runs" / "one") as partial:
        (partial / "half").write_text("half of the")
        raise failure
    assert leftovers(tmp_path) == []


def test_a_full_disk_is_a_clear_refusal(tmp_path: Path):
    with (
        pytest.raises(UsageError, match="no space left on the disk"),
        atomic.new_folder(tmp_path / "one") as partial,
    ):
        (partial / "half").write_text("half of the")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert leftovers(tmp_path) == []


def test_a_disk_that_fills_up_at_the_last_moment_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="no space left"), atomic.new_folder(tmp_path / "one") as partial:
        (partial / "summary.json").write_text("{}")
    with pytest.raises(UsageError, match="no space left"):
        atomic.check(tmp_path / "one")
    with pytest.raises(UsageError, match="no space left"):
        atomic.write_file(tmp_path / "drawing.svg", "<svg/>")
    assert leftovers(tmp_path) == []


def test_results_are_never_overwritten(tmp_path: Path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "precious").write_text("a week of work")
    with pytest.raises(atomic.FolderTakenError, match="never overwrites"):
        atomic.check(tmp_path / "one")
    with pytest.raises(atomic.FolderTakenError), atomic.new_folder(tmp_path / "one"):
        pass
    assert leftovers(tmp_path) == ["one", "precious"]


def test_a_folder_taken_meanwhile_is_not_overwritten(tmp_path: Path):
    target = tmp_path / "one"
    with pytest.raises(atomic.FolderTakenError), atomic.new_folder(target) as partial:
        (partial / "mine").write_text("")
        target.mkdir()
        (target / "theirs").write_text("")
    assert leftovers(tmp_path) == ["one", "theirs"]


def test_an_empty_folder_may_be_filled(tmp_path: Path):
    (tmp_path / "one").mkdir()
    atomic.check(tmp_path / "one")
    with atomic.new_folder(tmp_path / "one") as partial:
        (partial / "summary.json").write_text("{}")
    assert leftovers(tmp_path) == ["one", "summary.json"]


def test_a_place_below_a_file_is_refused_before_anything_is_written(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        atomic.check(tmp_path / "file" / "runs" / "one")
    with pytest.raises(UsageError, match="cannot write"):
        atomic.write_file(tmp_path / "file" / "drawing.svg", "<svg/>")
    assert leftovers(tmp_path) == ["file"]


def test_the_check_makes_no_folder(tmp_path: Path):
    atomic.check(tmp_path / "runs" / "deep" / "one")
    assert leftovers(tmp_path) == []


def test_taken_names_are_numbered(tmp_path: Path):
    assert atomic.free_name(tmp_path / "one") == tmp_path / "one"
    (tmp_path / "one").mkdir()
    (tmp_path / "one-2").mkdir()
    assert atomic.free_name(tmp_path / "one") == tmp_path / "one-3"

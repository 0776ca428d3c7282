"""Folders and files appear whole or not at all, with any other writers and failures."""

import errno
import fcntl
import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import hopscope
from hopscope import atomic
from hopscope.errors import UsageError


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def summary(partial: Path) -> None:
    (partial / "summary.json").write_text("{}")


def half_and(failure: BaseException):
    """Writes half of something and fails."""

    def fill(partial: Path) -> None:
        (partial / "half").write_text("half of the")
        raise failure

    return fill


def test_a_folder_appears_whole(tmp_path: Path):
    target = tmp_path / "runs" / "one"

    def fill(partial: Path) -> None:
        (partial / "summary.json").write_text("{}")
        assert not target.exists()

    assert atomic.write_folder(target, fill) == target
    assert leftovers(tmp_path) == ["one", "runs", "summary.json"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError, MemoryError])
def test_nothing_is_left_when_the_writing_fails(tmp_path: Path, failure: type[BaseException]):
    with pytest.raises(failure):
        atomic.write_folder(tmp_path / "runs" / "one", half_and(failure()))
    assert leftovers(tmp_path) == []


def test_a_full_disk_is_a_clear_refusal(tmp_path: Path):
    with pytest.raises(UsageError, match="no space left on the disk"):
        atomic.write_folder(tmp_path / "one", half_and(OSError(errno.ENOSPC, "No space left on device")))
    assert leftovers(tmp_path) == []


def test_a_disk_that_fills_up_at_the_last_moment_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="no space left"):
        atomic.write_folder(tmp_path / "one", summary)
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
    with pytest.raises(atomic.FolderTakenError):
        atomic.write_folder(tmp_path / "one", summary)
    assert leftovers(tmp_path) == ["one", "precious"]


def test_a_folder_taken_meanwhile_is_not_overwritten(tmp_path: Path):
    target = tmp_path / "one"

    def overtaken(partial: Path) -> None:
        (partial / "mine").write_text("")
        target.mkdir()
        (target / "theirs").write_text("")

    with pytest.raises(atomic.FolderTakenError):
        atomic.write_folder(target, overtaken)
    assert leftovers(tmp_path) == ["one", "theirs"]


def test_an_empty_folder_may_be_filled(tmp_path: Path):
    (tmp_path / "one").mkdir()
    atomic.check(tmp_path / "one")
    atomic.write_folder(tmp_path / "one", summary)
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


def number_of(folder: Path, wanted: Path, number: int) -> str:
    """Write one of many folders that want the same name."""
    kept = atomic.write_folder(wanted, summary, or_next=True)
    (kept / str(number)).write_text("")
    return kept.name


def test_processes_that_want_the_same_name_all_keep_their_results(tmp_path: Path):
    wanted, writers = tmp_path / "one", 24
    with ProcessPoolExecutor(8) as pool:
        kept = list(pool.map(number_of, [tmp_path] * writers, [wanted] * writers, range(writers)))
    assert sorted(kept) == sorted(["one", *(f"one-{number}" for number in range(2, writers + 1))])
    assert all(len(list(folder.iterdir())) == 2 for folder in tmp_path.iterdir())


def test_a_name_of_300_characters_is_refused_before_anything_is_written(tmp_path: Path):
    for target in (tmp_path / ("x" * 300), tmp_path / ("x" * 300) / "one"):
        with pytest.raises(UsageError, match="cannot write"):
            atomic.check(target)
    assert leftovers(tmp_path) == []


def test_the_longest_name_that_a_disk_takes_is_taken(tmp_path: Path):
    target = tmp_path / ("x" * 255)
    atomic.check(target)
    assert atomic.write_folder(target, summary) == target


def left_by_a_killed_process(folder: Path) -> Path:
    left = folder / f"{atomic.PARTIAL}1-abc"
    left.mkdir()
    summary(left)
    long_ago = time.time() - 3600
    os.utime(left, (long_ago, long_ago))
    return left


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path):
    left_by_a_killed_process(tmp_path)
    atomic.write_folder(tmp_path / "one", summary)
    assert leftovers(tmp_path) == ["one", "summary.json"]


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path):
    left = left_by_a_killed_process(tmp_path)
    held = os.open(left, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    atomic.write_folder(tmp_path / "one", summary)
    os.close(held)
    assert left.exists()


def test_what_a_killed_process_left_does_not_read_as_a_result(tmp_path: Path):
    with pytest.raises(UsageError, match="stopped process"):
        hopscope.read(left_by_a_killed_process(tmp_path))

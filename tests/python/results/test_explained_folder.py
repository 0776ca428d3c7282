"""The folder of an explained run: what was tried goes with it, into its page and into Python."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
import pages
from hopscope.errors import UsageError
from hopscope.report import run_page
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult

Command = Callable[..., Result]


@pytest.fixture
def explained(row: str, tmp_path: Path) -> tuple[Explanation, Path]:
    """The explanation of the three stations, and its folder."""
    found = hopscope.explain(row)
    return found, found.save(tmp_path / "explained")


def _read(folder: Path) -> RunResult:
    read = hopscope.read(folder)
    assert isinstance(read, RunResult)
    return read


def test_what_was_tried_is_read_back_as_it_was(explained: tuple[Explanation, Path]):
    found, folder = explained
    read = _read(folder).explanation
    assert read.sentence == found.sentence
    assert read.confirmation_rows() == found.confirmation_rows()
    assert read.evidence_rows() == found.evidence_rows()
    assert (read.doubt, read.basis) == (found.doubt, found.basis) == (None, None)
    assert read.confirmation is not None
    assert found.confirmation is not None
    assert read.confirmation.heading == found.confirmation.heading
    assert json.loads((folder / "explanation.json").read_text()) == json.loads(found.to_json())
    # The run itself gives the same explanation as before.
    assert _read(folder).explain().basis is not None


def test_the_page_says_what_helps(explained: tuple[Explanation, Path]):
    found, folder = explained
    assert found.confirmation is not None
    first = found.confirmation.trials[0]
    page = run_page.page(_read(folder)).html()
    answer, why = pages.section(page, "Answer"), pages.section(page, "Why")
    assert answer["verdict"] == found.sentence
    assert answer["remedy"] == {"change": first.told, "options": first.how}
    assert why["tried"][0].startswith("Test runs of up to 5 000 messages")
    assert why["whatIf"][0]["change"] == first.what
    assert why["whatIf"][0]["set"] == first.how
    assert first.what is not None
    assert first.what in (folder / "report.html").read_text()


def test_all_changes_are_in_the_page_where_they_were_tried(command: Command, row: str, tmp_path: Path):
    ended = command(
        "explain", row, "--what-if", "--seeds", "2", "--messages", "1000", "--out", str(tmp_path / "kept")
    )
    assert ended.exit_code == 0, ended.stderr
    assert "report in" in ended.stderr
    changes = _read(tmp_path / "kept").explanation.changes
    assert changes is not None
    shown = pages.section(run_page.page(_read(tmp_path / "kept")).html(), "Why")
    assert shown["tried"] == [changes["sentence"]]
    assert len(shown["whatIf"]) == sum(each["gain"] is not None for each in changes["gains"])
    assert shown["whatIf"][0]["change"] == changes["gains"][0]["what"]


def test_a_folder_of_a_run_becomes_one_of_an_explanation(command: Command, row: str, tmp_path: Path):
    run, kept = tmp_path / "run", tmp_path / "kept"
    assert command("run", row, "--out", str(run), "--no-report").exit_code == 0
    assert command("explain", str(run), "--out", str(kept)).exit_code == 0
    names = {each.name for each in run.iterdir()}
    assert {each.name for each in kept.iterdir()} == {*names, "explanation.json", "report.html"}
    assert _read(kept).explanation.confirmation is not None
    # To explain it again begins with the run.
    assert (
        command("explain", str(kept), "--no-confirm").stdout
        == command("explain", str(run), "--no-confirm").stdout
    )


def test_what_was_tried_goes_with_a_run_to_another_process(
    explained: tuple[Explanation, Path], row: str, tmp_path: Path
):
    found, _ = explained
    assert found.run is not None
    told, plain = (pickle.loads(pickle.dumps(run)) for run in (found.run.explained(found), hopscope.run(row)))
    assert told.explanation.confirmation_rows() == found.confirmation_rows()
    assert (told.save(tmp_path / "told", report=False) / "explanation.json").exists()
    assert plain.explanation.basis is not None
    assert (plain.save(tmp_path / "plain") / "report.html").exists()


def test_nothing_is_computed_for_a_folder_that_is_taken(command: Command, row: str, tmp_path: Path):
    ended = command("explain", row, "--out", str(tmp_path))
    assert ended.exit_code == 2
    assert str(tmp_path) in ended.stderr
    assert ended.stdout == ""


def test_a_damaged_file_is_named_with_its_key(explained: tuple[Explanation, Path], tmp_path: Path):
    found, _ = explained
    folder = found.save(tmp_path / "damaged", report=False)
    data = json.loads((folder / "explanation.json").read_text())
    del data["confirmation"][0]["goal"]
    (folder / "explanation.json").write_text(json.dumps(data))
    with pytest.raises(UsageError, match=r"explanation\.json.*`confirmation\[0\]\.goal`"):
        _ = _read(folder).explanation


def test_what_the_run_itself_tells_has_nothing_to_save(row: str, tmp_path: Path):
    with pytest.raises(UsageError, match="the run's own"):
        hopscope.run(row).explain().save(tmp_path / "kept")

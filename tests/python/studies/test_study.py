"""Studies: definitions, verdicts and pages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hopscope
from conftest import QUEUE
from hopscope.errors import ScenarioError
from hopscope.report import study_page
from hopscope.studies.definition import load, study_names, with_papers
from hopscope.studies.evidence import Evidence, Setting
from hopscope.studies.runner import run_all

CELL = "an1/table2/fixed/ct/0.05"


def write(folder: Path, body: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    head = f'title = "A trial"\nsource = "None"\npublished = "an1.csv"\nscenario = "{QUEUE}"\n'
    (folder / "study.toml").write_text(f'{head}set = {{ "measure.messages" = 20000 }}\n{body}')
    return str(folder)


def sojourn(folder: Path, more: str = "") -> str:
    """A study of one cell, which asks a queue for a delay that a network was measured to have: it misses."""
    delay = hopscope.run(QUEUE, set={"measure.messages": 2000}).summary.main_delay()
    return write(folder, f'[[cell]]\nid = "{CELL}"\nmetric = "{delay}.mean"\n{more}')


def test_every_study_that_comes_along_can_be_read():
    assert "an1/table3" in study_names()
    for name in study_names():
        for quick in (False, True):
            assert load(name, quick).cells


def test_without_a_name_the_studies_are_listed_with_their_titles(command: Callable[..., Result]):
    listed = command("study").stderr
    title = load("an1/best").title
    assert any(line.startswith("an1/best") and line.endswith(title) for line in listed.splitlines())


def test_the_name_of_a_paper_stands_for_its_studies():
    rfc632 = ["rfc632/events", "rfc632/remedies", "rfc632/trap"]
    assert with_papers(["rfc632"]) == rfc632
    assert with_papers(["rfc632/trap", "rfc632", "./own", "an"]) == [
        "rfc632/trap",
        "rfc632/events",
        "rfc632/remedies",
        "./own",
        "an",
    ]


def test_the_studies_of_a_paper_are_written_to_one_folder(command: Callable[..., Result]):
    done = command("study", "sna", "--quick", "--quiet")
    # Cells of the study of pacing miss.
    assert done.exit_code == 1, done.output
    assert "sna/pacing: " in done.stdout
    assert "sna/power: " in done.stdout
    assert Path("runs/study-sna/report.html").exists()


def test_a_quick_study_replaces_the_common_values():
    settings = [cell.quantity.setting for cell in load("an1/table3", quick=True).cells]
    assert all(dict(setting.set)["measure.messages"] == "20000" for setting in settings)


def test_a_study_judges_its_cells_and_explains_misses(tmp_path: Path, command: Callable[..., Result]):
    name = sojourn(tmp_path / "trial", 'reason = "a queue is no network"\n')
    done = command("study", name)
    assert done.exit_code == 1
    assert f"{CELL} misses: a queue is no network" in done.stdout
    assert done.stdout.rstrip().endswith("total: 1 miss")


def test_json_has_the_fields_that_scripts_read(tmp_path: Path, command: Callable[..., Result]):
    done = command("study", sojourn(tmp_path / "trial"), "--json", "--quiet", "--out", "found")
    (only,) = json.loads(done.stdout)
    assert list(only) == [
        "id",
        "published",
        "measured",
        "low",
        "high",
        "unit",
        "role",
        "tolerance",
        "verdict",
        "lacking",
    ]
    assert (only["id"], only["published"], only["verdict"]) == (CELL, 13.4, "miss")
    assert only["low"] < only["measured"] < only["high"]
    assert json.loads(Path("found/verdicts.json").read_text()) == [only]
    assert Path("found/report.html").read_text().startswith("<!DOCTYPE html>")


def test_quick_judges_by_the_same_rule(tmp_path: Path, command: Callable[..., Result]):
    done = command("study", sojourn(tmp_path / "trial"), "--quick")
    assert done.exit_code == 1
    assert f"{CELL} misses" in done.stdout


def test_a_point_that_two_studies_need_is_simulated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from hopscope import engine

    asked = []
    simulate = engine.sweep_archives
    monkeypatch.setattr(
        engine,
        "sweep_archives",
        lambda scenarios, progress: asked.append(len(scenarios)) or simulate(scenarios),
    )
    results = run_all([sojourn(tmp_path / "one"), sojourn(tmp_path / "two")])
    assert asked == [1]
    assert results[0].data() == results[1].data()


def test_sections_of_several_studies_say_whose_they_are(tmp_path: Path):
    studies = [sojourn(tmp_path / name) for name in ("one", "two")]
    for name in studies:
        Path(name, "README.md").write_text("Nothing was read.")
    results = run_all(studies)
    headings = [each["heading"] for each in study_page.page(results).data()["sections"]]
    assert f"{results[1].name}: What was read, assumed and varied" in headings
    assert len(set(headings)) == len(headings)
    alone = [each["heading"] for each in study_page.page(results[:1]).data()["sections"]]
    assert "What was read, assumed and varied" in alone


def test_a_point_is_simulated_once_for_each_seed():
    short = {"measure.messages": 1000}
    three, one = Setting.of(QUEUE, short, seeds=3), Setting.of(QUEUE, {**short, "seed": 77})
    evidence = Evidence()
    evidence.gather([three, one])
    delay = f"{evidence.runs(one)[0].summary.main_delay()}.mean"
    means = [run.metric(delay) for setting in (three, one) for run in evidence.runs(setting)]
    assert len({mean.value for mean in means if mean is not None}) == 4


def test_a_run_of_a_study_is_kept_once_and_whole(tmp_path: Path):
    """Settings that ask for a point with more seeds share its run; its folder is that of any other."""
    short = {"measure.messages": 1000, "seed": 7}
    one, three = Setting.of(QUEUE, short), Setting.of(QUEUE, short, seeds=3)
    evidence = Evidence()
    evidence.gather([one])
    evidence.gather([three])
    (kept,) = evidence.runs(one)
    assert evidence.runs(three)[0] is kept
    alone = hopscope.run(QUEUE, set=short)
    folders = [run.save(tmp_path / name, report=False) for name, run in (("kept", kept), ("alone", alone))]
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert first == second


KINDS = """
[[cell]]
id = "an1/table1/mstage/switches"
scenario = "an1-mstage"
metric = "topology.figures.switches"

[[cell]]
id = "an1/fig5/torus"
kind = "spread"
over = { "seed" = [1, 2] }
[cell.of]
kind = "crossing"
over = { "arrivals.load" = "0.1..0.9:0.2" }
metric = "latency.mean"
threshold = 20
resolution = 0.06

[[cell]]
id = "an1/fig6/equal"
kind = "equal"
[[cell.pairs]]
first = { set = { "arrivals.load" = 0.5 }, metric = "throughput" }
second = { set = { "arrivals.load" = 0.5 }, metric = "offered" }

[[cell]]
id = "an1/fig8/short"
kind = "difference"
first = { set = { "arrivals.load" = 0.9 }, metric = "latency.mean" }
second = { set = { "arrivals.load" = 0.1 }, metric = "latency.mean" }

[[cell]]
id = "an1/fig10/ratio"
kind = "ratio"
first = { set = { "arrivals.load" = 0.9 }, metric = "latency.mean" }
second = { set = { "arrivals.load" = 0.1 }, metric = "latency.mean" }

[[cell]]
id = "an1/fig5/order"
kind = "order"
order = "light < busy << full"
of.light = { set = { "arrivals.load" = 0.1 }, metric = "latency.mean" }
of.busy = { set = { "arrivals.load" = 0.5 }, metric = "latency.mean" }
of.full = { set = { "arrivals.load" = 0.9 }, metric = "latency.mean" }
"""


LEAST = """
[[cell]]
id = "an1/fig8/long"
kind = "least"
over = { "arrivals.load" = [0.9, 0.5] }
of = { metric = "latency.mean" }
"""


def test_every_kind_of_cell_is_measured(tmp_path: Path):
    """An M/M/1 queue with services of 10 us answers in 10 / (1 - load) us: every measurement is known."""
    (result,) = run_all([write(tmp_path / "trial", KINDS + LEAST)])
    found = {cell.cell.id.removeprefix("an1/"): cell for cell in result.cells}
    assert found["table1/mstage/switches"].verdict == "within"
    assert found["fig5/torus"].measured.value == pytest.approx(0.5, abs=0.06)
    assert found["fig6/equal"].verdict == "within"
    assert found["fig8/short"].measured.value == pytest.approx(100 - 11.1, rel=0.25)
    assert found["fig8/long"].measured.value == pytest.approx(20.0, rel=0.1)
    assert found["fig10/ratio"].measured.value == pytest.approx(9.0, rel=0.25)
    assert found["fig5/order"].verdict == "within"
    assert found["fig5/order"].measured.words.startswith("light 11")


def test_a_figure_is_drawn_with_its_published_values(tmp_path: Path, command: Callable[..., Result]):
    delay = hopscope.run(QUEUE, set={"measure.messages": 2000}).summary.main_delay()
    figure = (
        'set = { "arrivals.load" = 0.5 }\n'
        '[figure]\ntitle = "Delay"\nover = { "arrivals.load" = [0.2, 0.5] }\n'
        f'metric = "{delay}.mean"\nx_title = "load"\ny_title = "delay (us)"\n'
    )
    name = sojourn(tmp_path / "trial", figure)
    drawn = load(name).figure
    assert drawn is not None
    assert drawn.series[0].published == ((0.5, 13.4),)
    command("study", name, "--out", "found")
    assert any(path.read_text().startswith("<svg") for path in Path("found").glob("*.svg"))


PLACES = """
[[cell]]
id = "an1/fig6/hypercube/up-down"
kind = "spread"
over = { "seed" = [1, 2, 3] }
of = { set = { "arrivals.load" = 0.5 }, metric = "latency.mean" }

[figure]
title = "Delay"
metric = "latency.mean"
x_title = "services"
y_title = "delay (us)"
at = [{ x = 1, set = { "arrivals.load" = 0.2 } }, { x = 2, set = { "arrivals.load" = 0.5 } }]

[[figure.series]]
label = "spread"
kind = "spread"
over = { "seed" = [1, 2, 3] }
of = { metric = "latency.mean" }
published = { "an1/fig6/hypercube/up-down" = 2 }

[[figure.series]]
label = "tail"
metric = "latency.p99"
"""


def test_a_figure_may_name_its_places_and_draw_spreads_and_other_metrics(tmp_path: Path):
    (result,) = run_all([write(tmp_path / "trial", PLACES)], out=tmp_path / "found")
    figure = result.definition.figure
    assert figure is not None
    spread, tail = figure.series
    assert [x for x, _ in spread.points] == [x for x, _ in tail.points] == [1, 2]
    assert (spread.published, tail.published) == (((2.0, 700.0),), ())
    assert list((tmp_path / "found").glob("*.svg"))


SHARES = """
[[cell]]
id = "an1/fig10/ratio"
kind = "share"
scenario = "queueing-tandem"
resource = "station 2"
set = { "measure.messages" = 200_000 }

[[cell]]
id = "an1/fig5/order"
kind = "order"
scenario = "queueing-tandem"
order = "nobody < first < third << second"
of.nobody = { kind = "share", resource = "station 9" }
of.first = { kind = "share", resource = "station 1" }
of.third = { kind = "share", resource = "station 3" }
of.second = { kind = "share", resource = "station 2" }

[figure]
kind = "shares"
title = "Where the time goes"
bar = [
  { label = "one", set = { "arrivals.load" = 0.5 } },
  { label = "three", scenario = "queueing-tandem" },
]
"""


def test_a_share_of_a_life_is_measured_by_resource_and_drawn(tmp_path: Path):
    """At a load of 0.8, customers spend 6 / 0.52, 10 / 0.2 and 12 / (1 - 0.48 ** 2) us at the stations."""
    (result,) = run_all([write(tmp_path / "trial", SHARES)], out=tmp_path / "found")
    share, order = result.cells
    expected = 50 / (6 / 0.52 + 50 + 12 / (1 - 0.48**2))
    assert share.measured.value == pytest.approx(expected, rel=0.05)
    assert share.measured.low < expected < share.measured.high
    assert order.verdict == "within"
    (drawn,) = (tmp_path / "found").glob("*.svg")
    assert "station 3" in drawn.read_text()


def test_marks_join_only_the_lines_of_their_scenario(tmp_path: Path):
    series = '[[figure.series]]\nlabel = "{0}"\nscenario = "queueing-{0}"\n'
    figure = (
        '[figure]\ntitle = "Delay"\nover = { "arrivals.load" = [0.5] }\nmetric = "latency.mean"\n'
        'x_title = "load"\ny_title = "delay (us)"\n' + series.format("mm1") + series.format("md1")
    )
    cell = f'[[cell]]\nid = "{CELL}"\nmetric = "latency.mean"\nset = {{ "arrivals.load" = 0.5 }}\n'
    drawn = load(write(tmp_path / "trial", cell + figure)).figure
    assert [series.published for series in drawn.series] == [((0.5, 13.4),), ()]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('[[cell]]\nid = "an1/none"\nmetric = "x.mean"\n', 'there is no published cell "an1/none"'),
        (f'[[cell]]\nid = "{CELL}"\n', 'the field "metric" is missing'),
        (f'[[cell]]\nid = "{CELL}"\nkind = "guess"\n', '"guess" is not one of the choices'),
        (f'[[cell]]\nid = "{CELL}"\nkind = "order"\norder = "a > b"\nof = {{}}\n', "cannot be read"),
        (
            f'[[cell]]\nid = "{CELL}"\nkind = "spread"\nover = {{}}\nof = {{ metric = "latency.mean" }}\n',
            "names 0 paths",
        ),
        (
            f'[[cell]]\nid = "{CELL}"\nmetric = "latency.mean"\n[figure]\ntitle = ""\nmetric = "x"\n'
            'x_title = ""\ny_title = ""\nat = []\nseries = [{ published = { "an1/fig5/order" = 1 } }]\n',
            'no published number "an1/fig5/order"',
        ),
        ("[[cell", "this is not TOML"),
    ],
)
def test_a_wrong_study_is_refused_in_words(tmp_path: Path, body: str, words: str):
    with pytest.raises(ScenarioError, match=r"study\.toml:") as refused:
        load(write(tmp_path / "trial", body))
    assert words in str(refused.value)


@pytest.mark.parametrize("words", [(), ("an1/table3", "--all")])
def test_no_study_and_both_kinds_are_bad_use(command: Callable[..., Result], words: tuple[str, ...]):
    done = command("study", *words)
    assert done.exit_code == 2
    assert "an1/table3" in done.stderr


def test_an_unknown_study_is_answered_with_the_nearest_and_no_list(command: Callable[..., Result]):
    count = len(hopscope.study_names())
    for name, hint in {
        "ko/fg3": "did you mean `ko/fig3`?",
        "an1/tabel3": "did you mean `an1/table3`?",
        "zz": "give a name, or a folder with a study.toml.",
    }.items():
        done = command("study", name)
        assert done.exit_code == 2
        assert done.stderr == (
            f"error: there is no study `{name}`\nhint: {hint} `hopscope study` lists all {count} studies\n"
        )

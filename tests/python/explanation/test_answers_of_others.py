"""Networks in which others planted what slows them, and whether the answers are right (answers/README.md)."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hopscope import engine
from hopscope.cause import Cause
from hopscope.confirmation import confirm
from hopscope.results.explanation import Explanation
from hopscope.results.run import RunResult
from hopscope.scenario_fields import fields
from hopscope.simulation import schema

FOLDER = Path(__file__).parent / "answers"
MISSES = FOLDER / "misses.txt"
FAMILIES = ("lossless", "an1", "queueing", "sna", "arpanet", "pup")
LEAST = 250
HINT = (
    "if the changes are right, renew with `RENEW=1 pytest -m long -k answers_of_others`; the truth changes "
    "only where it is wrong"
)
QUICK = (
    "an1/far-cable",
    "an1/row-of-five",
    "an1/triangle",
    "arpanet/noisy-lines",
    "lossless/halving-doubling-windows",
    "lossless/ring-of-six",
    "lossless/torus-at-15-percent",
    "pup/stream-by-radio",
    "queueing/tandem",
    "queueing/two-servers-between",
    "sna/satellite-saturated",
)


@dataclass(frozen=True, slots=True)
class Case:
    """What was planted in the scenario `name`, and what a right answer may say of it.

    `causes` are the classes that it may have, `at` the sets of nodes any of which is the place (without any,
    every place will do), `helps` the beginnings of overrides that surely relieve it: see README.md.
    """

    name: str
    planted: str
    causes: frozenset[Cause]
    at: tuple[frozenset[str], ...]
    helps: tuple[str, ...]

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.toml"

    @property
    def is_healthy(self) -> bool:
        return self.causes == {Cause.HEALTHY}


@dataclass(frozen=True, slots=True)
class Answer:
    """What was named for a case, and the change that is proposed first; none where nothing surely gains."""

    case: Case
    cause: str
    nodes: frozenset[str]
    remedy: tuple[str, ...]
    today: dict[str, Any]

    @property
    def is_named(self) -> bool:
        """Whether class and place are of those that the truth allows."""
        here = not self.case.at or any(place <= self.nodes for place in self.case.at)
        return self.cause in self.case.causes and here

    @property
    def is_relieved(self) -> bool:
        """Whether the first remedy surely helps; of a healthy network whether none is proposed."""
        if self.case.is_healthy:
            return not self.remedy
        return any(
            is_help(override, help_, self.today) for override in self.remedy for help_ in self.case.helps
        )

    @property
    def misses(self) -> list[str]:
        """What is not right, a line each."""
        name, found = self.case.name, []
        if not self.is_named:
            found.append(
                f"{name}: not named, said {self.cause} at {' - '.join(sorted(self.nodes)) or 'no place'}"
            )
        if not self.is_relieved:
            proposed = " ".join(paths_of(self.remedy)) or "nothing"
            found.append(f"{name}: not relieved, proposed {proposed}")
        return found


def paths_of(overrides: Sequence[str]) -> list[str]:
    """The left sides of overrides."""
    return [override.partition("=")[0] for override in overrides]


def is_help(override: str, help_: str, today: dict[str, Any]) -> bool:
    """Whether an override begins as a help says, and changes an entry with all nodes that this names."""
    beginning, _, nodes = help_.partition(": ")
    if not override.startswith(beginning):
        return False
    wanted = set(nodes.split())
    return not wanted or any(wanted <= set(words_of(entry)) for entry in changed_entries(override, today))


def changed_entries(override: str, today: dict[str, Any]) -> list[Any]:
    """The entries of a list that an override adds or takes away."""
    path, _, text = override.partition("=")
    before: Any = today
    for part in path.split("."):
        before = before.get(part, []) if isinstance(before, dict) else []
    after = tomllib.loads(f"value={text}")["value"] if text else []
    if not isinstance(after, list):
        return [after]
    return [each for each in (*before, *after) if (each in before) != (each in after)]


def words_of(value: Any) -> Iterator[str]:
    """All texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from words_of(each)


def corpus() -> list[Case]:
    """All cases, in the order of their names."""
    listed = tomllib.loads((FOLDER / "truth.toml").read_text(encoding="utf-8"))["case"]
    return [
        Case(
            each["name"],
            each["planted"],
            frozenset(map(Cause, each["causes"])),
            tuple(map(frozenset, each["at"])),
            tuple(each["helps"]),
        )
        for each in listed
    ]


def answers(cases: Sequence[Case]) -> list[Answer]:
    """Every case simulated, explained and confirmed as by `hopscope explain`."""
    scenarios = [engine.load(case.path) for case in cases]
    found = []
    for case, scenario, run in zip(cases, scenarios, engine.sweep(scenarios), strict=True):
        result = RunResult.of(scenario, run)
        why = confirm(scenario, result.explain(), explained=result)
        today = json.loads(scenario.canonical_json())
        found.append(Answer(case, why.cause, frozenset(why.nodes), first_remedy(why), today))
    return found


def first_remedy(why: Explanation) -> tuple[str, ...]:
    """The overrides of the first reported change with a sure gain."""
    tried = () if why.confirmation is None else why.confirmation.in_order
    return next((trial.set for trial in tried if trial.is_sure), ())


def known_misses() -> list[str]:
    """The misses that are known, a line each."""
    return MISSES.read_text(encoding="utf-8").splitlines()


def missed_names(lines: Sequence[str]) -> set[tuple[str, str]]:
    """Which cases are missed, and in what: their names, and "not named" or "not relieved"."""
    return {(name, what.partition(",")[0]) for name, _, what in (line.partition(": ") for line in lines)}


def is_known(line: str, lines: Sequence[str]) -> bool:
    """Whether the same case is missed in the same way in some lines, whatever was said instead."""
    return missed_names([line]) <= missed_names(lines)


def told(lines: Sequence[str], kind: str) -> str:
    """Some lines under a heading."""
    return f"{kind}:\n  " + "\n  ".join(lines or ["none"])


def by_family(found: Sequence[Answer]) -> str:
    """How many cases of each family are named and relieved, and how many of its healthy ones are right."""
    rows = []
    for family in FAMILIES:
        of = [one for one in found if one.case.name.startswith(f"{family}/")]
        ill = [one for one in of if not one.case.is_healthy]
        well = [one for one in of if one.case.is_healthy]
        named, relieved = sum(one.is_named for one in ill), sum(one.is_relieved for one in ill)
        quiet = sum(not one.misses for one in well)
        planted = f"of {len(ill)} planted {named} named, {relieved} relieved"
        rows.append(f"{family}: {planted}; of {len(well)} healthy {quiet} right")
    return "\n".join(rows)


CASES = corpus()
BY_NAME = {case.name: case for case in CASES}


def test_every_scenario_has_a_truth_and_every_truth_a_scenario():
    names = [case.name for case in CASES]
    files = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.toml"))
    assert names == files
    assert len(names) >= LEAST
    assert {name.partition("/")[0] for name in names} == set(FAMILIES)


def test_scenarios_load_and_have_the_nodes_and_fields_that_the_truth_names():
    paths = {model: [field.path for field in fields(model)] for model in (*FAMILIES[2:], "fabric")}
    names = set(properties_of(schema()))
    for case in CASES:
        scenario = engine.load(case.path)
        text = case.path.read_text(encoding="utf-8")
        lacking = {node for place in case.at for node in place} - set(nodes_of(scenario, text))
        assert not lacking, (case.name, lacking)
        for help_ in case.helps:
            field, *within = re.split(r"\[\d*\]?\.?", re.split("=|: ", help_)[0])
            assert any(path.startswith(field) for path in paths[scenario.model]), (case.name, help_)
            parts = [part for each in within if each for part in each.split(".")]
            assert all(any(name.startswith(part) for name in names) for part in parts), (case.name, help_)


def properties_of(schema: Any) -> Iterator[str]:
    """The names of all fields anywhere in a schema."""
    for each in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(each, dict | list):
            yield from properties_of(each)
    if isinstance(schema, dict):
        yield from schema.get("properties", {})


def nodes_of(scenario: Any, text: str) -> Iterator[str]:
    """The names of all nodes: of the network, of the scenario's text, of stations and sessions by number."""
    drawn = scenario.topology_json()
    yield from (node["name"] for node in json.loads(drawn)["nodes"]) if drawn else ()
    written = tomllib.loads(text)
    yield from words_of(written)
    for rows in ("station", "session"):
        yield from (f"{rows} {number + 1}" for number in range(len(written.get(rows, []))))


def test_a_truth_says_of_a_healthy_network_that_nothing_was_planted():
    for case in CASES:
        assert (case.planted == "nothing") == case.is_healthy, case.name
        assert bool(case.helps) != case.is_healthy, case.name
        assert Cause.ROUTING_LOOP not in case.causes, case.name


def test_known_misses_are_of_cases():
    lines = known_misses()
    assert lines == sorted(lines)
    assert {name for name, _ in missed_names(lines)} <= set(BY_NAME)


def judged(cause: str, nodes: str, *remedy: str) -> tuple[bool, bool]:
    """Whether an answer is named and relieved where the slow cable l1 - s2 was planted beside another."""
    case = Case(
        "lossless/slow-cable",
        "",
        frozenset({Cause.RESOURCE}),
        (frozenset({"l1", "s2"}),),
        ("upgrade.links: l1 s2", "frames.slow_hosts: h1"),
    )
    today = {"upgrade": {"links": [{"between": ["l0", "s0"], "speedup": 0.5}]}}
    answer = Answer(case, cause, frozenset(nodes.split()), remedy, today)
    return answer.is_named, answer.is_relieved


def test_an_answer_is_judged_by_class_place_and_first_remedy():
    faster = 'upgrade.links=[{between=["l0","s0"], speedup=0.5}, {between=["s2","l1"], speedup=2.0}]'
    assert judged("resource", "l1 s2", faster) == (True, True)
    assert judged("resource", "l1 s3", "upgrade.links=[]") == (False, False)
    assert judged("window", "l1 s2") == (False, False)
    assert judged("resource", "l1 s2 h3", "frames.latency=1", "frames.slow_hosts=[]") == (True, False)


def test_a_healthy_network_is_right_where_nothing_is_proposed():
    case = Case("lossless/well", "nothing", frozenset({Cause.HEALTHY}), (), ())
    quiet = Answer(case, "healthy", frozenset(), (), {})
    assert quiet.misses == []
    eager = Answer(case, "healthy", frozenset(), ("upgrade.host_links=2.0",), {})
    assert eager.misses == ["lossless/well: not relieved, proposed upgrade.host_links"]


def test_some_quick_ones_are_right_unless_their_miss_is_known():
    found = [line for answer in answers([BY_NAME[name] for name in QUICK]) for line in answer.misses]
    new = missed_names(found) - missed_names(known_misses())
    assert not new, found


@pytest.mark.long
def test_answers_miss_what_is_known_to_be_missed_and_no_more():
    found = answers(CASES)
    lines = sorted(line for answer in found for line in answer.misses)
    print(by_family(found))
    if os.environ.get("RENEW"):
        MISSES.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    known = known_misses()
    new = [line for line in lines if not is_known(line, known)]
    mended = [line for line in known if not is_known(line, lines)]
    otherwise = [line for line in lines if line not in known and line not in new]
    report = (told(new, "new misses"), told(mended, "mended"), told(otherwise, "missed otherwise"))
    assert lines == known, "\n".join((*report, by_family(found), HINT))

"""Forwarding tables of a fabric: checked, computed, and their credit loop drawn."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core, atomic
from hopscope.engine import ScenarioSource, files_of, load
from hopscope.errors import UsageError, other_model
from hopscope.escaping import escaped
from hopscope.overrides import Overrides
from hopscope.paths import path_of
from hopscope.progress import watched

if TYPE_CHECKING:
    from hopscope._core import Scenario, TableText


FABRIC = "fabric"
"""The model of switches with forwarding tables."""


class TableCheck:
    """The result of `check`: `safe`, and all findings in `data`."""

    def __init__(self, title: str, safe: bool, data: Mapping[str, Any]) -> None:
        """Keep the engine's decoded findings; made by `check`."""
        self.title = title
        self.safe = safe
        self.data = data

    @property
    def credit_loop(self) -> list[Mapping[str, Any]] | None:
        """A shortest cycle of channels that wait for one another; None without a possible deadlock."""
        return self.data["credit_loop"]

    def __repr__(self) -> str:
        """One line: what was checked, and whether it can deadlock."""
        loop = f"a credit loop of {len(self.credit_loop)} links" if self.credit_loop else "no credit loop"
        lost = f"{self.data['unreachable_pairs'] + self.data['misdelivered_pairs']} pairs that do not arrive"
        return f"<TableCheck {self.title}: {'safe' if self.safe else 'not safe'}; {loop}, {lost}>"

    def _repr_html_(self) -> str:
        """The line, and the drawing of a credit loop."""
        return f"<p>{escaped(repr(self)[1:-1])}</p>{self.svg() or ''}"

    def svg(self) -> str | None:
        """A drawing of the credit loop as a standalone SVG document; None where there is none."""
        from hopscope.drawing.credit_loop import draw

        return draw(self.credit_loop, self.title) if self.credit_loop else None


def check(  # noqa: PLR0913 - each is one option of `hopscope check`
    fabric: "ScenarioSource | Scenario",
    *,
    routes: str | Path | None = None,
    engine: str | None = None,
    roots: Sequence[str] | str = (),
    root_guids: str | Path | None = None,
    path: tuple[str, str] | None = None,
    path_sl: str | Path | None = None,
    sl2vl: str | Path | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    allow_files: bool = False,
) -> TableCheck:
    """Check the forwarding tables of a fabric file or a scenario.

    The tables are those of the file `routes`, of the routing engine `engine` ("up-down", "shortest",
    "d-mod-k", "dimension-order"), of the scenario itself, or else up*/down*. With `path`, the names of two
    hosts, `data` has the path from the one to the other by every LID. Raises ScenarioError, and UsageError
    where both `routes` and `engine` are given.

    The file `path_sl` has the service level of each path, and `sl2vl` the virtual lane of each service level
    between two ports of a switch. With either of them, credit loops are searched lane by lane.

    Examples:
        >>> import hopscope
        >>> hopscope.check("ib-torus-updn").safe
        True
    """
    if routes is not None and engine is not None:
        raise UsageError("tables are given in two ways: a file, and a routing engine", "give one of the two")
    names, ways = _names(roots), None if path is None else _two_names("path", path)
    _check_engine(engine)
    scenario = _of_switches(
        "check", load(fabric, set, allow_files=allow_files, network_alone=True, argument="fabric")
    )
    with watched() as progress:
        safe, found = _core.check(
            scenario,
            _text("routes", routes),
            engine,
            names,
            _text("root_guids", root_guids),
            ways,
            path_sl=_text("path_sl", path_sl),
            sl2vl=_text("sl2vl", sl2vl),
            progress=progress,
        )
    return TableCheck(scenario.title, safe, json.loads(found))


def routes(
    fabric: "ScenarioSource | Scenario",
    *,
    engine: str = "up-down",
    roots: Sequence[str] | str = (),
    root_guids: str | Path | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    allow_files: bool = False,
) -> str:
    """Compute forwarding tables as text that `opensm -R file -U FILE` loads. Raises ScenarioError."""
    sections = route_sections(
        fabric,
        engine=engine,
        roots=roots,
        root_guids=root_guids,
        set=set,
        allow_files=allow_files,
    )
    return b"".join(sections).decode()


def route_sections(
    fabric: "ScenarioSource | Scenario",
    *,
    engine: str = "up-down",
    roots: Sequence[str] | str = (),
    root_guids: str | Path | None = None,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    allow_files: bool = False,
) -> "TableText":
    """The text of `routes`, by switch: all tables of a large fabric take gigabytes."""
    _check_engine(engine)
    scenario = _of_switches(
        "routes", load(fabric, set, allow_files=allow_files, network_alone=True, argument="fabric")
    )
    with watched() as progress:
        return _core.routes(scenario, engine, _names(roots), _text("root_guids", root_guids), progress)


def write_fabric(
    fabric: str | Path,
    file: Path,
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    allow_files: bool = False,
) -> None:
    """Write a scenario's network as a file that other tools read.

    The suffix determines the format: `.ibnetdiscover`, `.net` for ibsim, `.csv` for an edge list. Raises
    ScenarioError, or UsageError where the writing fails or would replace a file that the scenario is read
    from.
    """
    scenario = _of_switches(
        "topology --write", load(fabric, set, allow_files=allow_files, network_alone=True, argument="fabric")
    )
    atomic.check_replaceable(file, "--write", files_of(fabric, scenario))
    atomic.write_file(file, _core.written(scenario, file.name), "--write")


def fabric_formats() -> list[dict[str, Any]]:
    """The formats of fabrics that can be read.

    Each has its `name` in scenarios, what it is `known_as`, the `endings` of its files, what is read
    (`about`) and `left_aside`, and an `example` of how a file begins.
    """
    return json.loads(_core.fabric_formats())


def _of_switches(verb: str, scenario: "Scenario") -> "Scenario":
    """The scenario, if its switches have forwarding tables. Raises UsageError for another model."""
    if scenario.model != FABRIC:
        raise other_model(verb, f"`{FABRIC}`", scenario.name, scenario.model)
    return scenario


def _check_engine(name: Any) -> None:
    """Raise UsageError for an invalid name of a routing engine."""
    if not isinstance(name, str | None):
        raise UsageError(f"engine: {name!r} is no text", 'name one, as in engine="up-down"')


def _names(roots: Any) -> list[str]:
    """Names of switches; a text is one of them. Raises UsageError for anything else."""
    if isinstance(roots, str):
        return [roots]
    names: list[Any] = list(roots) if isinstance(roots, Iterable) else [None]
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"roots: {roots!r} are no names of switches", 'give them, as in roots=["S0", "S1"]')
    return names


def _two_names(argument: str, value: Any) -> tuple[str, str]:
    """Two names. Raises UsageError for anything else."""
    match value:
        case [str(first), str(second)]:
            return first, second
    raise UsageError(f"{argument}: {value!r} is no pair", f'give two texts, as in {argument}=("a", "b")')


def _text(argument: str, path: str | Path | None) -> str | None:
    """A path as the engine takes it. Raises UsageError for anything else."""
    return path if path is None or isinstance(path, str) else str(path_of(argument, path))

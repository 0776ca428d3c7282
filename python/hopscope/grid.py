"""The points of a sweep: every combination of the swept values, and its seeds."""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from hopscope.errors import UsageError
from hopscope.overrides import MOST_NESTED, Value, builtin, encodable, paths_of, toml_text

MOST_VALUES_OF_A_RANGE = 10_000
# The runs of a sweep are all in memory; the settings of an experiment are, but not its runs.
MOST_RUNS_OF_A_SWEEP = 100_000
MOST_SETTINGS = 1_000_000

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TYPED = rf"{_NUMBER}[%kM]?"
_RANGE = re.compile(rf"({_TYPED})\.\.({_TYPED})(?::({_TYPED}))?")
# A range as other programs have it: from, to and step, or from, step and to.
_COLONS = re.compile(rf"({_TYPED}):({_TYPED}):({_TYPED})")
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'""")
_STEPS_OFFERED = 8
_SHOWN = 40
"""At most this many characters of a value that is nested too deep are shown."""
_HINT = 'give them as a dict, as in over={"traffic.load": [0.1, 0.2]}'


@dataclass(frozen=True, slots=True)
class GridPoint:
    """One point of a sweep: the swept paths with their values, and a seed (None: the scenario's own)."""

    set: tuple[tuple[str, Value], ...]
    seed: int | None

    def overrides(self) -> list[str]:
        """The point as the engine takes it."""
        return [f"{path}={toml_text(value)}" for path, value in self.set]


def parse_over(text: str) -> tuple[str, list[Value]]:
    """Read "path=v1,v2,..." or "path=0.1..0.7:0.1". Raises UsageError without a value or a path."""
    path, equals, values = text.partition("=")
    if not equals or not path.strip() or not values.strip():
        raise UsageError(
            f"`{text}` does not say what to sweep over",
            "write PATH=V1,V2,... or PATH=FROM..TO:STEP, as in traffic.load=0.1..0.7:0.1",
        )
    return path.strip(), [value for item in _split(values) for value in _values(item)]


def grid(over: Mapping[str, Iterable[Value]], seeds: Sequence[int | None] = (None,)) -> list[GridPoint]:
    """Every combination of the swept values, the last path fastest; each with every seed.

    Raises UsageError as `swept_values`, and if there are more than fit into memory.
    """
    over = swept_values(over)
    if math.prod(len(values) for values in over.values()) * len(seeds) > MOST_RUNS_OF_A_SWEEP:
        raise UsageError(
            f"the sweep has more than {MOST_RUNS_OF_A_SWEEP} runs",
            "sweep over fewer values or seeds; `hopscope experiment` keeps more runs in a store",
        )
    return [GridPoint(combination, seed) for combination in combinations(over) for seed in seeds]


def combinations(over: Mapping[str, Iterable[Value]]) -> Iterator[tuple[tuple[str, Value], ...]]:
    """Every combination of the values, the last path fastest."""
    return itertools.product(*([(path, value) for value in values] for path, values in over.items()))


def swept_values(over: Mapping[str, Iterable[Value]]) -> dict[str, list[Value]]:
    """The values of each path as a list, those of numpy as Python's own: from a list, an array, a generator.

    Raises UsageError if they are not values by path, or if some are missing, repeated or too many.
    """
    if not isinstance(over, Mapping):
        raise UsageError(f"over: {over!r} are no values by path", _HINT)
    refuse_seed(over)
    listed = {path: _listed(path, values) for path, values in over.items()}
    if math.prod(len(values) for values in listed.values()) > MOST_SETTINGS:
        raise UsageError(
            f"the values make more than {MOST_SETTINGS} settings", "give fewer values, or several experiments"
        )
    return listed


def something_swept(over: Mapping[str, Iterable[Value]]) -> dict[str, list[Value]]:
    """As `swept_values`, but values are required. Raises UsageError if there are none."""
    listed = swept_values(over)
    if not listed:
        raise UsageError("over: there is nothing to sweep over", _HINT)
    return listed


def _listed(path: str, values: Iterable[Value]) -> list[Value]:
    """The values of one path, at most one more than the limit."""
    hint = f'give a list, as in over={{"{path}": [0.1, 0.2]}}'
    values = builtin(values)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise UsageError(f"`{path}` is swept over one value, {values!r}", hint)
    listed = [builtin(value) for value in itertools.islice(values, MOST_SETTINGS + 1)]
    if not listed:
        raise UsageError(f"no values to sweep `{path}` over", hint)
    if len({encodable(path, toml_text(value)) for value in listed}) < len(listed):
        raise UsageError(f"`{path}` has the same value twice in its sweep", "name each value once")
    return listed


def refuse_seed(paths: Iterable[str]) -> None:
    """Seeds have a way of their own: a point holds all its seeds, and its means go over them."""
    if "seed" in paths:
        raise UsageError(
            "the seed is no path to vary",
            "`seeds` (--seeds N) runs every point with N consecutive seeds, from `seed` (--seed) on",
        )


def refuse_set(over: Iterable[str], settings: Iterable[str], name: str = "set") -> None:
    """Raise UsageError if a swept path is also set by the overrides of the argument `name`."""
    is_set = frozenset(paths_of(settings))
    for path in over:
        if path in is_set:
            raise UsageError(
                f"`{path}` is swept over, and set to one value as well",
                f"leave it out of `over` or of `{name}`",
            )


def _split(values: str) -> list[str]:
    """Split at the commas outside brackets, braces and quotes."""
    items, depth, quoted, start = [], 0, False, 0
    for at, char in enumerate(values):
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "[{":
            depth += 1
        elif not quoted and char in "]}":
            depth -= 1
        elif char == "," and depth == 0 and not quoted:
            items.append(values[start:at])
            start = at + 1
    return [item.strip() for item in [*items, values[start:]]]


def _values(item: str) -> list[Value]:
    """The values that one item of a list stands for: a range's numbers, or itself."""
    found = _RANGE.fullmatch(item)
    if found is None:
        if colons := _COLONS.fullmatch(item):
            meant = f"{colons[1]}..{colons[2]}:{colons[3]}"
            raise UsageError(f"`{item}` is no value", f"a range is FROM..TO:STEP: {meant}")
        return [typed(item)]
    first, last = _decimal(found[1]), _decimal(found[2])
    if found[3] is None:
        offered = _offered(first, last)
        raise UsageError(f"the range `{item}` has no step", f"write FROM..TO:STEP, such as {offered}")
    return _range(item, first, last, _decimal(found[3]))


def _offered(first: Decimal, last: Decimal) -> str:
    """A range between these ends with a step, whole where both ends are."""
    low, high = sorted((first, last))
    step = (high - low) / _STEPS_OFFERED
    if low == low.to_integral_value() and high == high.to_integral_value():
        step = step.to_integral_value(ROUND_CEILING)
    return f"{low:f}..{high:f}:{step.normalize() or Decimal(1):f}"


def _decimal(text: str) -> Decimal:
    """A number of a range as people type it: 0.1, 10%, 100k."""
    from hopscope import _core

    return Decimal(_core.plain_number(text) or text)


def _range(item: str, first: Decimal, last: Decimal, step: Decimal) -> list[Value]:
    """From `first` to `last` inclusive in decimal steps: 0.1..0.7:0.1 holds 0.3, not 0.30000000000000004."""
    if step <= 0 or last < first:
        raise UsageError(
            f"the range `{item}` is empty", "write FROM..TO:STEP with FROM below TO and a step above 0"
        )
    steps = int((last - first) / step)
    if steps >= MOST_VALUES_OF_A_RANGE:
        raise UsageError(
            f"the range `{item}` holds more than {MOST_VALUES_OF_A_RANGE} values", "choose a larger step"
        )
    return [typed(str(first + index * step)) for index in range(steps + 1)]


def typed(item: str) -> Value:
    """A value as people type it (50%, 100k, 1e5) or TOML reads it; anything else is a text: 100 Mbit/s."""
    import tomllib

    from hopscope import _core

    if not item:
        raise UsageError("an empty value to sweep over", "separate the values by single commas")
    if item[0] in "[{" and _levels(item) > MOST_NESTED:
        raise UsageError(
            f"`{item[:_SHOWN]}...`: lists and sections are nested more than {MOST_NESTED} deep",
            "give a value with fewer levels",
        )
    try:
        return tomllib.loads(f"value = {_core.plain_number(item) or item}")["value"]
    except tomllib.TOMLDecodeError:
        return item


def _levels(item: str) -> int:
    """The greatest depth of nested lists, sections and parts of dotted keys.

    It is counted before the value is read, which would take a level of the stack for each.
    """
    brackets = dots = most = 0
    for char in _QUOTED.sub("", item):
        if char in "[{":
            brackets += 1
        elif char in "]}":
            brackets -= 1
        dots = dots + 1 if char == "." else 0 if char in "[]{},=" else dots
        most = max(most, brackets + dots)
    return most

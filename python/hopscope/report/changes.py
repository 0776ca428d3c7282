"""Settings, metrics and their changes from one run or design to another, in words."""

from typing import TYPE_CHECKING, NamedTuple

from hopscope import metric_key
from hopscope.charts.style import unit_words
from hopscope.metric_key import ALL_CLASSES
from hopscope.numerals import TENFOLD, interval, joined, number
from hopscope.overrides import toml_text
from hopscope.results.summary import MESSAGE_RATE
from hopscope.units import US_PER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hopscope.estimate import Estimate
    from hopscope.overrides import Value
    from hopscope.results.summary import Summary


def setting(values: "Mapping[str, Value]") -> str:
    """Values in words: "load 0.5", or several, each by the last word of its path."""
    return ", ".join(
        f"{path.rpartition('.')[2].replace('_', ' ')} {toml_text(value).strip(chr(34))}"
        for path, value in values.items()
    )


def words_of(key: str) -> str:
    """A metric of tables of many runs in words: "mean round time of ar", "throughput"."""
    parsed = metric_key.parse(key)
    name = "round time" if parsed.name == metric_key.ROUND else parsed.name
    of = "" if parsed.of_class == ALL_CLASSES else f" of {parsed.of_class}"
    if parsed.statistic is None:
        return f"{name}{of}"
    statistic = {"mean": "mean", "max": "longest", "p99": "99th percentile of the"}
    return f"{statistic.get(parsed.statistic, parsed.statistic)} {name}{of}"


def told_keys(one: "Summary", other: "Summary") -> "Sequence[str]":
    """The main metrics of both that headlines compare: all but percentiles."""
    return [key for key in one.main_keys() if other.has(key) and not key.endswith(".p99")]


class Change(NamedTuple):
    """A metric's change in the unit of `before`, with its interval; the ends of one without are equal."""

    key: str
    before: "Estimate"
    change: "Estimate"


def sentences(found: "Sequence[Change]") -> list[str]:
    """What the changes show, judged by their intervals: first those that are shown, then all others.

    A change of numbers without intervals, as of a job that was measured whole, is true of these runs alone.
    """
    shown = [_shown(each) for each in found if not _is_open(each.change) and each.change.value != 0]
    open_ones = [f"the {words_of(each.key)} ({_amount(each)})" for each in found if _is_open(each.change)]
    same = [
        f"the {words_of(each.key)}" for each in found if not _is_open(each.change) and each.change.value == 0
    ]
    return [
        *shown,
        *([f"No difference is shown in {joined(open_ones)}."] if open_ones else []),
        *([f"{capital(joined(same))} {'is' if len(same) == 1 else 'are'} the same."] if same else []),
    ]


def capital(words: str) -> str:
    """The words as the beginning of a sentence."""
    return f"{words[0].upper()}{words[1:]}"


def _is_open(change: "Estimate") -> bool:
    """Whether an interval includes 0."""
    return change.low <= 0 <= change.high and change.low < change.high


def _amount(changed: Change) -> str:
    """A change with its sign, its interval and its unit."""
    return f"{signed(changed.change)} {unit_of(changed.before)}"


def _shown(changed: Change) -> str:
    """A change that is shown: relative, then with its interval, if it has one."""
    before, change = changed.before, changed.change
    is_time = before.unit in US_PER
    subject = f"The {words_of(changed.key)} is"
    share = abs(change.value) / before.value if before.value > 0 else None
    if share is not None and change.value > 0 and share >= TENFOLD:
        how = f"{number(1 + share, 3)} times as {'long' if is_time else 'high'}"
    else:
        up, down = ("longer", "shorter") if is_time else ("higher", "lower")
        by = "" if share is None else f"{100 * share:.1f} % "
        how = f"{by}{up if change.value > 0 else down}"
    without = ", without an interval" if change.low == change.high else ""
    return f"{subject} {how}: {_amount(changed)}{without}."


def of_one_to_other(which: str, told: "Sequence[str]") -> list[str]:
    """The sentences on changes after the words on which run or design is compared with which."""
    return [f"{which}: {told[0][0].lower()}{told[0][1:]}", *told[1:]] if told else []


def unit_of(found: "Estimate") -> str:
    """The unit of a main metric as pages print it: the rate 1/s is one of messages."""
    return MESSAGE_RATE if found.unit == "1/s" else unit_words(found.unit)


def signed(change: "Estimate") -> str:
    """A change with its sign and its interval."""
    words = interval(change.value, change.low, change.high)
    return words if change.value <= 0 else f"+{words}"


def lost(names: "Sequence[str]", has_rounds: bool) -> list[str]:
    """The sentence on runs or designs that lost data for good; none if there are none."""
    counted = ", and the times of rounds count it as delivered" if has_rounds else ""
    return [f"{' and '.join(names)} lost data for good: no host sends it again{counted}."] if names else []

"""The JSON files of run folders: each key with its type, so that a damaged one is named.

A shape is a type, a set of words for a text that is one of them, a list of one shape for each of its items, a
tuple of shapes for a list of just that length, a mapping from keys to shapes, or an object of a class below.
A key that ends in "?" may be missing; unknown keys are ignored, as a later version may write them.
"""

from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, TypeAlias

from hopscope.cause import Cause
from hopscope.results.outcome import OF_RUNS

Shape: TypeAlias = (
    "type | frozenset[str] | list[Shape] | tuple[Shape, ...] | Mapping[str, Shape] | Maybe | OneOf | Each"
)

_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}


class Maybe:
    """A shape, or null."""

    def __init__(self, shape: Shape) -> None:
        """A value of this shape, or null."""
        self.shape = shape


class OneOf:
    """An object with at least one of these keys."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        """Each key with its shape."""
        self.shapes = shapes


class Each:
    """An object with any keys, the value of each of one shape."""

    def __init__(self, shape: Shape) -> None:
        """All values have this shape."""
        self.shape = shape


_ESTIMATE: Mapping[str, Shape] = {"value": float, "low": float, "high": float, "n": int}
_RESOURCE: Mapping[str, Shape] = {
    "name": str,
    "id?": str,
    "kind": str,
    "place": str,
    "capacity": Maybe(float),
    "unit": str,
    "occupancy": float,
    "utilisation": float,
    "peak": float,
    "waiting": float,
    "wait_us": float,
    "acquisitions": int,
    "refused?": int,
    "ends?": (str, str),
    "port?": Maybe(int),
    "held_in?": [{"stage": str, "occupancy": float, "id?": str, "lane?": int, "entered?": int}],
}

SUMMARY: Shape = {
    **dict.fromkeys(("hopscope", "model", "title", "scenario_hash", "result_hash"), str),
    "outcome": OF_RUNS,
    "ended_because": str,
    **dict.fromkeys(("seed", "events"), int),
    "warmup": {"rule": str, "until_s": float, "messages": int},
    "measured": {"span_s": float, "messages": int},
    "metrics": [{"name": str, "class": str, "statistic": str, "unit": str, "estimate": Maybe(_ESTIMATE)}],
    "ledger": [
        {
            **dict.fromkeys(("stage", "kind", "resource", "class", "unit"), str),
            "estimate": Maybe(_ESTIMATE),
            "share": float,
        }
    ],
    "notes": [str],
    "doubts?": [{"kind": str, "metric?": str}],
    "bare_means?": Maybe({"messages": int, "life_us": float, "delays": Each(float)}),
    "under_way?": Maybe({"mean": float, "end": int}),
    "stuck": Maybe({"reason": str, "cycle": [str]}),
}
"""summary.json without the resources, which are in a table of their own in most folders."""

RESOURCES: Shape = [_RESOURCE]
"""The list of resources, if summary.json itself contains it."""

_CANDIDATE: Mapping[str, Shape] = {
    "cause": frozenset(each.value for each in Cause),
    **dict.fromkeys(("resource", "place", "id"), Maybe(str)),
    "nodes": [str],
    "weight": float,
    "weight_stated?": bool,
    "slow_cable_stated?": bool,
    "beyond?": [str],
    "sentence": str,
}
_TIME: Mapping[str, Shape] = {"stage": str, "meaning": str, "mean_us": float}
_SHARE: Mapping[str, Shape] = {
    "name": str,
    "kind": Maybe(str),
    "share": float,
    "low": Maybe(float),
    "high": Maybe(float),
}

WHY: Mapping[str, Shape] = {
    **dict.fromkeys(("hopscope", "model", "title", "result_hash"), str),
    "outcome": OF_RUNS,
    "seed": int,
    "verdict": {**_CANDIDATE, "runners_up": [_CANDIDATE]},
    "page": {
        **dict.fromkeys(("times_minimum", "since_s", "time_share"), Maybe(float)),
        "waiting": float,
        "hurt": [
            {"who": str, "is_pair": bool, "share": float}
            | dict.fromkeys(("waits_us", "times_mean"), Maybe(float))
        ],
        "counts": [{"what": str, "place": str, "count": int}],
        "lost_for_good?": int,
    },
    "chain": [
        {
            **dict.fromkeys(("resource", "place", "kind", "id"), str),
            "ends": Maybe((str, str)),
            "waiting": float,
            "waiting_unit?": str,
            "utilisation": float,
            "times_slower": Maybe(float),
            "held_by": Maybe(str),
            "held_share": float,
        }
    ],
    "roots": [
        {
            "resource": str,
            "place?": str,
            "id": str,
            "ends": Maybe((str, str)),
            "times_slower": Maybe(float),
            **dict.fromkeys(("waiting", "share", "pressure"), float),
        }
    ],
    "holders": [
        {
            **dict.fromkeys(("resource", "kind", "place", "unit"), str),
            "capacity": Maybe(float),
            "rule": Maybe(str),
            "occupancy": float,
            "waiting": float,
            "holders": [
                {
                    "cause": str,
                    "meaning": str,
                    "occupancy": float,
                    "unit?": str,
                    "share": float,
                    "each_us": Maybe(float),
                    "waits_for": [
                        OneOf(
                            {
                                "resource": {"resource": str, "utilisation": float},
                                "stage": {"meaning": str, "mean_us": float},
                            }
                        )
                    ],
                }
            ],
        }
    ],
    "congestion": {
        "roots_sampled?": int,
        "trees?": [
            {
                "root": str,
                "sampled": float,
                "stopped_links": int,
                "victim_flows": int,
                "example": Maybe((str, str)),
                "note": str,
            }
        ],
        "tree": Maybe(
            {
                "root": str,
                "sampled": Maybe(float),
                "stopped_links": int,
                "worst": (str, float),
                "victim_flows": Maybe(int),
                "example": Maybe((str, str)),
            }
        ),
        "back_pressure": Maybe(
            {
                "switch": str,
                "to": str,
                "to_host": bool,
                "link_is_full": bool,
                **dict.fromkeys(("utilisation", "stops", "is_stopped"), float),
            }
        ),
    },
    "lifetime": {
        "mean_us": Maybe(float),
        "stages": [_TIME],
        "waits": [_TIME],
        "source": [_TIME],
        "has_source": bool,
    },
    "causes": {
        "requests": Maybe({"sent": int, "superfluous": int, "matters": bool}),
        "refusals": Maybe(
            {
                "per_hundred": float,
                "reasons": [{"of": str, "share": float}],
                "nodes": [{"of": str, "share": float}],
                "matters": bool,
            }
        ),
        "processors": Maybe({"slow_ms": float, "fast_ms": Maybe(float), "matters": bool}),
    },
    "symptoms": [{"name": str, "cause": str, "evidence": str, "resource?": str, "source": str}],
    "shares": {
        "stages": [_SHARE],
        "resources": [_SHARE],
        "places": [{"place": str, "ends": Maybe((str, str)), "share": float}],
    },
    "assumed?": str,
    "anomalies?": [{"kind": str, "words": str}],
    "names?": [(str, str)],
}
"""why.json."""

_GAIN: Mapping[str, Shape] = {"value": float, "low": Maybe(float), "high": Maybe(float)}

EXPLANATION: Shape = {
    **WHY,
    "bound?": {"load": float, "at_most": float},
    "test_runs?": {"seed": int, "messages": int, "left_out": int, "unlike": Maybe(str), "failed?": [str]},
    "confirmation?": [
        {
            "candidate": _CANDIDATE,
            "what": Maybe(str),
            "set": [str],
            "goal": str,
            "class": Maybe(str),
            "gain": Maybe(_GAIN),
            "other_class": Maybe({"class": str, "goal": str, "gain": _GAIN}),
            "gains_most?": Maybe({"class": str, "goal": str, "gain": _GAIN}),
            "delay_left": Maybe({**_GAIN, "unit": str}),
            "given_up": Maybe([int]),
            "lost?": Maybe([int]),
            "repairs": int,
            **dict.fromkeys(("has_interval", "ends_saturation", "still_wait", "credit_loop"), bool),
            **dict.fromkeys(("broad", "wide"), bool),
        }
    ],
    "what_if?": {
        "goal": str,
        "sentence": str,
        "gains": [{"what": str, "set": [str], "gain": Maybe(_GAIN)}],
    },
}
"""explanation.json: why.json, with what was tried."""

SWEEP: Shape = {
    "name": str,
    "over": Each([object]),
    "points": [{"folder": str, "set": dict}],
}
"""sweep.json, as far as it is read: the rest of a run is in its own folder."""


VERDICTS: Shape = [
    {
        **dict.fromkeys(("id", "unit", "role", "verdict"), str),
        **dict.fromkeys(("published", "measured", "low", "high", "tolerance"), object),
    }
]
"""verdicts.json, the cells of a study; a published value may be a number, a range or a text."""

EXPERIMENT: Mapping[str, Shape] = {
    "hopscope": str,
    "name": str,
    "scenarios": [str],
    "paths": [str],
    "seeds": int,
    "settings": [(int, dict, str)],
}
"""The record of an experiment in a store."""

FAILURE: Mapping[str, Shape] = {
    **dict.fromkeys(("name", "hash", "cause", "message", "command"), str),
    "seed": int,
}
"""The record of a run that failed in a store."""


def fault(value: Any, shape: Shape, path: str = "") -> str | None:
    """The error of a value, with the path of the key; None if it has the shape."""
    match shape:
        case Maybe():
            return None if value is None else fault(value, shape.shape, path)
        case type():
            return None if _is_of(value, shape) else _another(path, value, shape)
        case frozenset():
            return _fault_of_word(value, shape, path)
        case list() | tuple():
            return _fault_of_list(value, shape, path)
        case _:
            return _fault_of_object(value, shape, path)


def _fault_of_word(value: Any, words: frozenset[str], path: str) -> str | None:
    if not isinstance(value, str):
        return _another(path, value, str)
    return None if value in words else f"`{path}` is none of {', '.join(sorted(words))}"


def _fault_of_list(value: Any, shape: list[Shape] | tuple[Shape, ...], path: str) -> str | None:
    if not isinstance(value, list):
        return _another(path, value, list)
    if isinstance(shape, tuple) and len(value) != len(shape):
        return f"`{path}` is no list of {len(shape)} items"
    shapes = shape if isinstance(shape, tuple) else shape * len(value)
    pairs = enumerate(zip(value, shapes, strict=True))
    return _first(fault(item, each, f"{path}[{at}]") for at, (item, each) in pairs)


def _fault_of_object(value: Any, shape: Shape, path: str) -> str | None:
    if not isinstance(value, dict):
        return _another(path, value, dict)
    missing: str | None = None
    match shape:
        case Each():
            expected = dict.fromkeys(value, shape.shape)
        case OneOf():
            expected = {key: each for key, each in shape.shapes.items() if key in value}
            missing = None if expected else " or ".join(f"`{_below(path, key)}`" for key in shape.shapes)
        case _:
            assert isinstance(shape, Mapping)
            expected = {key.removesuffix("?"): each for key, each in shape.items()}
            lacks = (key for key in shape if key.removesuffix("?") == key and key not in value)
            missing = next((f"`{_below(path, key)}`" for key in lacks), None)
    if missing is not None:
        return f"the key {missing} is missing"
    there = ((key, each) for key, each in expected.items() if key in value)
    return _first(fault(value[key], each, _below(path, key)) for key, each in there)


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _first(found: Iterable[str | None]) -> str | None:
    return next((each for each in found if each is not None), None)


def _is_of(value: Any, kind: type) -> bool:
    """Whether a value of JSON is of this type: a float may be an integer, and neither is a boolean."""
    if isinstance(value, bool):
        return kind in (bool, object)
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)


def _another(path: str, value: Any, kind: type) -> str:
    where = f"`{path}`" if path else "the file"
    return f"{where} is {_WORDS[type(value)]}, not {_WORDS[kind]}"

"""The kinds of quantities, one file per kind. The engine has read and checked their definitions."""

from collections.abc import Callable, Mapping
from typing import Any

from hopscope import estimate
from hopscope.studies.kinds.compared import Compared
from hopscope.studies.kinds.constant import Constant
from hopscope.studies.kinds.crossing import Crossing
from hopscope.studies.kinds.equal import Equal
from hopscope.studies.kinds.events import Events
from hopscope.studies.kinds.extreme import Extreme
from hopscope.studies.kinds.metric import MetricAt
from hopscope.studies.kinds.noise import Noise
from hopscope.studies.kinds.order import Order
from hopscope.studies.kinds.planted import PlantedShare
from hopscope.studies.kinds.replay import Replay
from hopscope.studies.kinds.resource import ResourceUse
from hopscope.studies.kinds.share import ShareAt
from hopscope.studies.kinds.spread import Band, Spread
from hopscope.studies.quantity import Quantity


def quantity(data: Mapping[str, Any]) -> Quantity:
    """The quantity of an object of a definition, by its kind."""
    return _MAKERS[data["kind"]](data)


def _parts(data: Mapping[str, Any]) -> tuple[Quantity, ...]:
    return tuple(quantity(part) for part in data["parts"])


def _pair(data: Mapping[str, Any]) -> tuple[Quantity, Quantity]:
    return quantity(data["first"]), quantity(data["second"])


_MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Quantity]] = {
    "metric": MetricAt.of,
    "share": ShareAt.of,
    "crossing": Crossing.of,
    "difference": lambda data: Compared(*_pair(data), estimate.difference),
    "ratio": lambda data: Compared(*_pair(data), estimate.ratio),
    "spread": lambda data: Spread(_parts(data)),
    "band": lambda data: Band(_parts(data)),
    "least": lambda data: Extreme(_parts(data), min),
    "greatest": lambda data: Extreme(_parts(data), max),
    "equal": lambda data: Equal(tuple(_pair(pair) for pair in data["pairs"])),
    "order": lambda data: Order(
        tuple(data["names"]),
        tuple(data["relations"]),
        {name: quantity(part) for name, part in data["parts"].items()},
        data["slack"],
    ),
    "noise": Noise.of,
    "constant": lambda data: Constant(data["value"]),
    "resource": ResourceUse.of,
    "events": Events.of,
    "replay": Replay.of,
    "planted": PlantedShare.of,
}

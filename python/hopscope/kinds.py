"""The engine's closed kinds: resources, stages and what holders do, each with its word and what it implies.

Readers of results decide by what a kind implies and print its word; neither is defined here.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hopscope import _core

Kind = Mapping[str, Any]


@cache
def table() -> Mapping[str, list[Kind]]:
    """All kinds, by "resources", "stages", "charged" and "holds", with `id`, `word` and `meaning`."""
    return json.loads(_core.kinds_json())


@cache
def _by_id(sort: str) -> Mapping[str, Kind]:
    return {kind["id"]: kind for kind in table()[sort]}


@cache
def _waits() -> frozenset[str]:
    return frozenset(kind["word"] for kind in table()["stages"] if kind["kind"] == "wait")


@cache
def _after_latency() -> frozenset[str]:
    return frozenset(kind["word"] for kind in table()["stages"] if kind["follows_latency"])


def follows_latency(stage: str) -> bool:
    """Whether a stage of the ledger, by its word, comes after the latency: the body after its first byte."""
    return stage in _after_latency()


def is_wait(stage: str) -> bool:
    """Whether a stage of the ledger, by its word, is a wait and not a service."""
    return stage in _waits()


def resource(name: str) -> Kind:
    """A kind of resource, by its id. Raises KeyError if there is none."""
    return _by_id("resources")[name]


def hold(name: str) -> Kind:
    """What a holder does, by its id. Raises KeyError if there is none."""
    return _by_id("holds")[name]


@cache
def _carrying() -> frozenset[str]:
    return frozenset(kind["word"] for kind in table()["resources"] if kind["carries_bits"])


def carries_bits(word: str) -> bool:
    """Whether a resource, by the word of its kind, is something that bits pass over."""
    return word in _carrying()

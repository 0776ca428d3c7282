"""The part of an explanation on the changes that were tried with `what_if`, by any caller."""

from collections.abc import Sequence
from typing import Any, Protocol

from hopscope.estimate import Estimate
from hopscope.goal import Goal


class ChangeGain(Protocol):
    """What one change gained over the same runs without it."""

    @property
    def goal(self) -> Goal:
        """What the gain is in."""
        ...

    @property
    def set(self) -> tuple[str, ...]:
        """The overrides that repeat its runs, seed by seed."""
        ...

    @property
    def total(self) -> Estimate | None:
        """The gain, of a time in its mean, as a share of today's; None where there is no figure."""
        ...

    @property
    def median(self) -> Estimate | None:
        """The gain in the median of a time."""
        ...

    @property
    def tail(self) -> Estimate | None:
        """The gain in the 99th percentile of a time."""
        ...

    @property
    def refused(self) -> str | None:
        """Why the change is not possible; None where it is."""
        ...

    @property
    def has_loop(self) -> bool:
        """Whether routes have a credit loop with the change."""
        ...

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the gain excludes none, and the gain is worth having."""
        ...


class WhatIf(Protocol):
    """Changes that were tried, ranked by their gain."""

    @property
    def goal(self) -> Goal:
        """What the gains are in."""
        ...

    @property
    def apply(self) -> str | None:
        """The options that make the best change."""
        ...

    @property
    def gains(self) -> Sequence[ChangeGain]:
        """The gain of each change, the largest first."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether all were tried; after an interrupt some were not."""
        ...

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        ...

    def headers(self) -> tuple[str, ...]:
        """The columns of the table."""
        ...

    def rows(self) -> list[tuple[str, ...]]:
        """The gains as a table shows them."""
        ...

    def notes(self) -> list[str]:
        """Notes on what the table leaves out."""
        ...

    def curve_rows(self) -> list[tuple[str, str]]:
        """The gain of the best change by its size."""
        ...

    def to_data(self) -> dict[str, Any]:
        """The same as in JSON."""
        ...

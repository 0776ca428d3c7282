"""What `capacity` and `advise` share: a search with a progress bar, and its result as text or JSON."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hopscope.cli.terminal import show


class _Found(Protocol):
    def to_json(self) -> str:
        """Everything found."""


Found = TypeVar("Found", bound=_Found)


def search(
    what: str,
    find: Callable[..., Found],
    table: Callable[[Found], str],
    *,
    source: str,
    overrides: Sequence[str],
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Call `find` with the scenario and the arguments `asked`; print the result."""
    from hopscope.cli.talk import progress

    with progress(what, quiet) as bar:
        found = find(source, set=overrides, progress=bar, **asked)
    show(found.to_json() if as_json else table(found))
    return 0

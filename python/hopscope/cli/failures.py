"""Failed runs among many, in words, and the exit code of the command."""

from collections.abc import Sequence
from typing import Any

from hopscope.cli.talk import say

_MOST_TOLD = 10
CHECK_FAILED = 1
OUR_FAULT = 3
PANIC = "panic"


def tell(failures: Sequence[Any]) -> None:
    """Say on stderr which runs failed, why, and which commands repeat them."""
    say(f"error: {len(failures)} {'run' if len(failures) == 1 else 'runs'} failed")
    for failure in failures[:_MOST_TOLD]:
        say(f"  {failure.name}, seed {failure.seed}: {failure.cause}: {failure.message}")
        say(f"    {failure.command}")
    if len(failures) > _MOST_TOLD:
        say(f"  ... and {len(failures) - _MOST_TOLD} more")


def exit_code(failures: Sequence[Any]) -> int:
    """3 if a bug of hopscope is among the causes, else 1."""
    return OUR_FAULT if any(failure.cause == PANIC for failure in failures) else CHECK_FAILED

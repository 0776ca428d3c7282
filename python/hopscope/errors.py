"""Errors by origin: the scenario, the call, hopscope itself, or an interrupt."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hopscope.numerals import amount


class UsageError(ValueError):
    """An impossible call or command. The hint says what to do instead."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        """`what` is wrong, in one sentence without a full stop; `hint` is the remedy."""
        super().__init__(what if hint is None else f"{what}\nhint: {hint}")
        self.what = what
        self.hint = hint


def none_such(what: str, known: Iterable[str]) -> UsageError:
    """There is no `what`, a kind of thing with its name; `known` are the names there are."""
    return UsageError(f"there is no {what}", f"there are: {', '.join(known)}")


def other_model(verb: str, needed: str, name: str, model: str) -> UsageError:
    """The refusal of a scenario by a verb that works with the models `needed` alone."""
    return UsageError(
        f"`{verb}` needs a scenario of the model {needed}; `{name}` is of the model `{model}`",
        f"`explain` and `sweep` work with the model `{model}`",
    )


class MissingExtraError(UsageError):
    """A library that the plain install lacks: `extra` is the part of hopscope that installs it."""

    def __init__(self, users: str, module: str, extra: str) -> None:
        """`users` is what needs the library, with its verb: "charts need"."""
        super().__init__(f"{users} {module}: pip install 'hopscope[{extra}]'")
        self.extra = extra


class UnknownMetricError(UsageError, LookupError):
    """A metric that the run did not measure."""


class CaptureError(UsageError):
    """The packets of a run could not be written completely; `result` is the run, which is complete."""

    def __init__(self, failure: UsageError, result: Any) -> None:
        """Keep the run despite the failure of its capture."""
        super().__init__(failure.what, failure.hint)
        self.result = result


class InternalError(RuntimeError):
    """A bug in hopscope: an assertion of the simulator failed."""


class RunsFailedError(Exception):
    """Some of many runs failed; all others are kept.

    `failures` has the name, seed, cause, message and command of each; `is_ours` says whether a bug of
    hopscope is among the causes; `where` names the store of the others, if there are any.
    """

    def __init__(self, failures: Sequence[Any], is_ours: bool, where: str | None) -> None:
        """Hold what is known of each."""
        super().__init__(f"{amount(len(failures), 'run', 'runs')} failed")
        self.failures = list(failures)
        self.is_ours = is_ours
        self.where = where


class Interrupted(KeyboardInterrupt):
    """The user stopped a simulation.

    `so_far` holds what had been measured by then: a run, a sweep, or None. `folder` is where a command has
    written it, if it has; if that is not a folder, `left` says in words what is kept or left behind.
    """

    def __init__(self, so_far: Any = None, folder: Path | None = None, left: str | None = None) -> None:
        """Carry the partial result of the engine."""
        super().__init__("interrupted")
        self.so_far = so_far
        self.folder = folder
        self.left = left


def __getattr__(name: str) -> Any:
    """`ScenarioError` belongs to the native module, which is imported only when the name is needed."""
    if name == "ScenarioError":
        from hopscope import _core

        return _core.ScenarioError
    raise AttributeError(f"module 'hopscope.errors' has no attribute {name!r}")

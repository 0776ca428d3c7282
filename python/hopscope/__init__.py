"""hopscope, a packet-network performance laboratory.

Describe a network, its protocols and its traffic; `run` and `sweep` measure throughput and delay with
intervals, and the ledger says which resource holds the network back. Names are imported on first use, so that
the command line starts fast.
"""

from importlib import import_module
from typing import Any

_HOME_OF = {
    "run": "experiment",
    "sweep": "experiment",
    "explain": "explanation",
    "scenarios": "experiment",
    "schema": "experiment",
    "topology": "network",
    "capacity": "planning.capacity",
    "advise": "planning.advice",
    "check": "forwarding_tables",
    "routes": "forwarding_tables",
    "study": "studies.runner",
    "study_names": "studies.definition",
    "read": "results.folder",
    "RunResult": "results.run",
    "SweepResult": "results.sweep",
    "StudyResult": "studies.result",
    "Topology": "network",
    "Capacity": "planning.capacity",
    "Advice": "planning.advice",
    "TableCheck": "forwarding_tables",
    "Explanation": "results.explanation",
    "Estimate": "estimate",
    "ScenarioError": "errors",
    "UsageError": "errors",
    "CaptureError": "errors",
    "InternalError": "errors",
    "Interrupted": "errors",
}

__all__ = ["__version__", *_HOME_OF]  # noqa: PLE0604 - the names are the keys of the table above


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use."""
    if name == "__version__":
        return import_module("hopscope._core").version()
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hopscope' has no attribute {name!r}")
    value = getattr(import_module(f"hopscope.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

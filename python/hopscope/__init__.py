"""hopscope, a packet-network performance laboratory.

Describe a network, its protocols and its traffic; `run` and `sweep` measure throughput and delay with
intervals, and the ledger says which resource limits the network. Names are imported on first use, so that the
command line starts fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope.errors import CaptureError as CaptureError
    from hopscope.errors import InternalError as InternalError
    from hopscope.errors import Interrupted as Interrupted
    from hopscope.errors import MissingExtraError as MissingExtraError
    from hopscope.errors import RunsFailedError as RunsFailedError
    from hopscope.errors import ScenarioError as ScenarioError
    from hopscope.errors import UnknownMetricError as UnknownMetricError
    from hopscope.errors import UsageError as UsageError
    from hopscope.estimate import Estimate as Estimate
    from hopscope.experiments.compare import ComparisonResult as ComparisonResult
    from hopscope.experiments.compare import compare as compare
    from hopscope.experiments.definition import Experiment as Experiment
    from hopscope.experiments.definition import Precision as Precision
    from hopscope.experiments.definition import read_experiment as read_experiment
    from hopscope.experiments.execution import Execution as Execution
    from hopscope.experiments.perform import Shard as Shard
    from hopscope.experiments.perform import perform as perform
    from hopscope.experiments.result import ExperimentResult as ExperimentResult
    from hopscope.explanation import explain as explain
    from hopscope.forwarding_tables import TableCheck as TableCheck
    from hopscope.forwarding_tables import check as check
    from hopscope.forwarding_tables import routes as routes
    from hopscope.network import Topology as Topology
    from hopscope.network import topology as topology
    from hopscope.planning.capacity.advice import Advice as Advice
    from hopscope.planning.capacity.advice import advise as advise
    from hopscope.planning.capacity.capacity import Capacity as Capacity
    from hopscope.planning.capacity.capacity import capacity as capacity
    from hopscope.results.explanation import Explanation as Explanation
    from hopscope.results.folder import read as read
    from hopscope.results.run import RunResult as RunResult
    from hopscope.results.sweep import SweepResult as SweepResult
    from hopscope.scenario_data import network_of as network_of
    from hopscope.scenario_data import pairs_of as pairs_of
    from hopscope.simulation import run as run
    from hopscope.simulation import scenarios as scenarios
    from hopscope.simulation import schema as schema
    from hopscope.simulation import sweep as sweep
    from hopscope.studies.definition import study_names as study_names
    from hopscope.studies.result import StudyResult as StudyResult
    from hopscope.studies.runner import study as study

    __version__: str

_HOME_OF = {
    "run": "simulation",
    "sweep": "simulation",
    "compare": "experiments.compare",
    "perform": "experiments.perform",
    "read_experiment": "experiments.definition",
    "explain": "explanation",
    "scenarios": "simulation",
    "schema": "simulation",
    "network_of": "scenario_data",
    "pairs_of": "scenario_data",
    "topology": "network",
    "capacity": "planning.capacity.capacity",
    "advise": "planning.capacity.advice",
    "check": "forwarding_tables",
    "routes": "forwarding_tables",
    "study": "studies.runner",
    "study_names": "studies.definition",
    "read": "results.folder",
    "RunResult": "results.run",
    "SweepResult": "results.sweep",
    "StudyResult": "studies.result",
    "Topology": "network",
    "Capacity": "planning.capacity.capacity",
    "Advice": "planning.capacity.advice",
    "TableCheck": "forwarding_tables",
    "Explanation": "results.explanation",
    "Experiment": "experiments.definition",
    "Precision": "experiments.definition",
    "Execution": "experiments.execution",
    "Shard": "experiments.perform",
    "ExperimentResult": "experiments.result",
    "ComparisonResult": "experiments.compare",
    "Estimate": "estimate",
    "ScenarioError": "errors",
    "UsageError": "errors",
    "UnknownMetricError": "errors",
    "CaptureError": "errors",
    "InternalError": "errors",
    "MissingExtraError": "errors",
    "RunsFailedError": "errors",
    "Interrupted": "errors",
}

__all__ = ["__version__", *_HOME_OF]  # noqa: PLE0604 - the names are the keys of the table above


if not TYPE_CHECKING:  # a checker would take any name for one of ours

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

"""A scenario's network: its figures, its parts, its drawing."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex

from hopscope import engine
from hopscope.engine import ScenarioSource
from hopscope.errors import other_model
from hopscope.extras import extra
from hopscope.numerals import amount
from hopscope.overrides import Overrides

if TYPE_CHECKING:
    import networkx
    import polars as pl

    from hopscope._core import Scenario

_COUNTED = {
    "switches": "switch",
    "networks": "network",
    "gateways": "gateway",
    "hosts": "host",
    "links": "link",
}
"""The counts of a network, each with its singular: a network has some of these figures."""


class Topology:
    """Switches, hosts and links with the figures of their routes."""

    def __init__(self, title: str, data: Mapping[str, Any]) -> None:
        """Keep the engine's decoded topology object; made by `topology`."""
        self.title = title
        self.data = data

    @property
    def figures(self) -> Mapping[str, Any]:
        """Counts, diameter and mean distance in hops, the root, pairs by distance, the most loaded links."""
        return self.data["figures"]

    @property
    def nodes(self) -> "pl.DataFrame":
        """Switches and hosts: name, kind, role, x, y, level."""
        with extra("frames"):
            import polars as pl

        return pl.DataFrame(self.data["nodes"], infer_schema_length=None)

    @property
    def links(self) -> "pl.DataFrame":
        """Links: from, to, from_port, to_port, up (whether `to` lies up from `from`, where that is known)."""
        with extra("frames"):
            import polars as pl

        return pl.DataFrame(self.data["links"], infer_schema_length=None)

    def svg(self) -> str:
        """A drawing as a standalone SVG document."""
        from hopscope.drawing import svg

        return svg.draw(self.data, heading=self.title)

    def graph(self) -> "networkx.MultiGraph":
        """The network as a networkx graph with the columns of `nodes` and `links` as attributes."""
        with extra("graph"):
            import networkx

        graph = networkx.MultiGraph(name=self.title)
        graph.add_nodes_from((node["name"], node) for node in self.data["nodes"])
        graph.add_edges_from((link["from"], link["to"], link) for link in self.data["links"])
        return graph

    def __repr__(self) -> str:
        """One line: title, switches, hosts, links; of an internet its networks, gateways and hosts."""
        counts = ", ".join(
            amount(self.figures[many], one, many) for many, one in _COUNTED.items() if many in self.figures
        )
        return f"<Topology {self.title}: {counts}>"

    def _repr_html_(self) -> str:
        return self.svg()


def topology(
    source: "ScenarioSource | Scenario",
    *,
    set: Overrides | None = None,  # noqa: A002 - as in `run`
    seed: SupportsIndex | None = None,
    allow_files: bool = False,
) -> Topology:
    """The network of a scenario; `allow_files` as in `run`.

    Raises ScenarioError, or UsageError if its model has no network.

    Examples:
        >>> import hopscope
        >>> network = hopscope.topology("an1-tandem")
        >>> network.figures["switches"]
        5
    """
    scenario = engine.load(source, set, seed, allow_files=allow_files)
    text = scenario.topology_json()
    if text is None:
        raise other_model("topology", "`fabric`, `arpanet` or `pup`", scenario.name, scenario.model)
    return Topology(scenario.title, json.loads(text))

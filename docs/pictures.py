"""The pictures of the documents, from real runs."""

from pathlib import Path

import altair as alt

import hopscope
from hopscope.charts import of_sweep
from hopscope.drawing import svg
from hopscope.drawing.picture import channel_use

FABRIC = Path(__file__).parents[1] / "scenarios/leaf-spine.ibnetdiscover"


def draw(folder: Path) -> None:
    """Write every picture into `folder`."""
    loads = [count / 10 for count in range(1, 10)]
    sweep = hopscope.sweep("an1-mstage", {"traffic.load": loads})
    delays, shares = of_sweep.delays(sweep), of_sweep.shares(sweep)
    look = delays.config
    delays.config = shares.config = alt.Undefined  # charts side by side have one look
    both = alt.hconcat(delays, shares, spacing=40, config=look)
    both.resolve_scale(color="independent", strokeDash="independent").save(folder / "mstage.svg")
    network = hopscope.topology("an1-mstage").svg()
    (folder / "mstage-network.svg").write_text(network, encoding="utf-8")
    ((_, _, phasing),) = hopscope.study("ko/fig7").diagrams
    (folder / "phasing.svg").write_text(phasing, encoding="utf-8")
    slow = hopscope.run(FABRIC)
    use = channel_use(slow.summary.data["resources"])
    drawing = svg.draw(
        hopscope.topology(FABRIC).data, use=use, heading="a leaf-spine fabric with one bad cable"
    )
    (folder / "slow-cable.svg").write_text(drawing, encoding="utf-8")
    loop = hopscope.check("ib-irregular-opensm", roots=["S0"]).svg()
    (folder / "credit-loop.svg").write_text(loop or "", encoding="utf-8")

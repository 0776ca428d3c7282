"""The pictures of the documents, from real runs."""

from pathlib import Path

import hopscope


def draw(folder: Path) -> None:
    """Write every picture into `folder`."""
    loads = [count / 10 for count in range(1, 10)]
    sweep = hopscope.sweep("an1-mstage", {"traffic.load": loads})
    sweep.plot().save(folder / "mstage-latency.svg")
    sweep.plot("shares").save(folder / "mstage-shares.svg")
    for name in ("an1-mstage", "backbone"):
        drawing = hopscope.topology(name).svg()
        (folder / f"{name}-network.svg").write_text(drawing, encoding="utf-8")

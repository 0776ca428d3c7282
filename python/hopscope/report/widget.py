"""A run in a notebook: its answer, its map over time and its blocking chain, as on its page."""

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from hopscope.errors import UsageError
from hopscope.extras import extra
from hopscope.report import run_page

if TYPE_CHECKING:
    from hopscope.results.run import RunResult

with extra("notebook"):
    import anywidget
    import traitlets


@cache
def _script() -> str:
    return resources.files("hopscope.report").joinpath("widget.js").read_text(encoding="utf-8")


class RunWidget(anywidget.AnyWidget):
    """Shows a run by the page's own views. The page is not kept in the notebook's file."""

    _esm = _script()
    title = traitlets.Unicode().tag(sync=True)
    html = traitlets.Unicode().tag(sync=True)


def of(run: "RunResult") -> RunWidget:
    """The widget of a run. Raises UsageError where the page has not been built."""
    return RunWidget(title=run.title, html=run_page.short(run).html())


def bundle(run: "RunResult", otherwise: str) -> dict[str, Any] | None:
    """What a notebook shows of a run, live and static; None if there is no widget."""
    try:
        shown = of(run)._repr_mimebundle_()
    except UsageError:
        return None
    data = shown[0] if isinstance(shown, tuple) else shown
    return None if data is None else {**data, "text/html": otherwise, "text/plain": repr(run)}

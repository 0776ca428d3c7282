"""Results of planning as tables of a notebook."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopscope.escaping import escaped
from hopscope.planning.capacity import words

if TYPE_CHECKING:
    from hopscope.planning.capacity.advice import Advice
    from hopscope.planning.capacity.capacity import Capacity


def of_capacity(result: "Capacity") -> str:
    """The bounds, then what was measured."""
    parts = [_heading(result.title), _table(("bound", "load", "where"), words.bounds(result.bounds))]
    parts += [f"<p>{escaped(line)}</p>" for line in words.outages(result.outages)]
    if result.saturation is not None:
        parts.append(_table(("", ""), words.findings(result)))
        parts.append(_table(("counterfactual", "saturation", "gain"), words.compared(result)))
    return "".join(parts)


def of_advice(result: "Advice") -> str:
    """The routing engines, and the candidates that were simulated."""
    engines = _table(words.ENGINE_COLUMNS, words.engines(result))
    return _heading(result.title) + engines + _table(words.CANDIDATE_COLUMNS, words.candidates(result))


def _heading(text: str) -> str:
    return f"<h4>{escaped(text)}</h4>"


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table."""
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in headers)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

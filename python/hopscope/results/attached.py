"""Drawings beside results that are stored already: if one fails, the results remain."""

import warnings
from collections.abc import Callable

from hopscope.errors import MissingExtraError


def drawn(*pictures: Callable[[], object]) -> str | None:
    """Draw pictures one after the other; returns the error of the first that failed.

    Whatever a drawing library raises counts, a panic of its native code included. An interrupt goes on
    upwards.
    """
    try:
        for draw in pictures:
            draw()
    except (KeyboardInterrupt, SystemExit):
        raise
    except MissingExtraError as missing:
        return f"report.html was not drawn: {missing}"
    except BaseException as failure:
        return f"the report could not be drawn ({type(failure).__name__}: {failure})"
    return None


def warn(complaint: str | None) -> None:
    """Warn a caller from Python; the results are kept."""
    if complaint is not None:
        warnings.warn(f"{complaint}; the results are kept", RuntimeWarning, stacklevel=3)

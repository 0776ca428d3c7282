"""What is drawn beside results that are kept already: a report that cannot be drawn takes nothing with it."""

import warnings
from collections.abc import Callable

from hopscope.errors import MissingExtraError


def drawn(*pictures: Callable[[], object]) -> str | None:
    """Draw pictures one after the other; gives what went wrong with the first that could not be drawn.

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
    """Tell a caller from Python; the results are kept."""
    if complaint is not None:
        warnings.warn(f"{complaint}; the results are kept", RuntimeWarning, stacklevel=3)

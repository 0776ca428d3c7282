"""The text files that the native module carries: studies and published figures."""

from hopscope import _core


def texts(kind: str) -> dict[str, str]:
    """Every file of a kind ("studies", "published") by its path below that folder."""
    return {path: _core.embedded(kind, path) for path in _core.embedded_list(kind)}

"""One SVG element as text."""

from hopscope.escaping import escaped

Attributes = dict[str, str | float]
"""The attributes of an element."""


def element(name: str, content: str = "", /, **attributes: str | float) -> str:
    """`<name ...>content</name>`; an underscore in a name is a dash, numbers keep one decimal."""
    words = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{words}>{content}</{name}>" if content else f"<{name}{words}/>"


def title(words: str) -> str:
    """The tooltip of the surrounding element."""
    return element("title", escaped(words))


def _value(value: str | float) -> str:
    return escaped(value) if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")

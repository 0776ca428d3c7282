"""Quantities of scenarios as text ("50 kbit/s", "0.48 us"): scaled, and times and rates as exact numbers."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_QUANTITY = re.compile(r"^([0-9]+(?:\.[0-9]+)?)( .+)$")
_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12}
_PS |= {"h": 3600 * 10**12}
_BYTES = {"B": Decimal(1), "bit": Decimal("0.125")}
_BIT_S = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12}


def scaled(value: Any, factor: float) -> Any:
    """So many times as much: of a number, of a quantity, or of all quantities within a section.

    Numbers within a section are shares and counts, and stay.
    """
    if isinstance(value, Mapping):
        return {
            key: scaled(inner, factor) if isinstance(inner, str | Mapping) else inner
            for key, inner in value.items()
        }
    if isinstance(value, str) and (parts := _QUANTITY.match(value)):
        return f"{_plain(Decimal(parts[1]) * Decimal(repr(factor)))}{parts[2]}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return round(value * factor) if isinstance(value, int) else value * factor


def whole_ps(time: Any) -> Any:
    """A time rounded to whole picoseconds, which is how time is counted; anything else as it is."""
    if isinstance(time, Mapping):
        return {key: whole_ps(inner) for key, inner in time.items()}
    if isinstance(time, str) and (parts := _QUANTITY.match(time)) and parts[2].strip() in _PS:
        unit = _PS[parts[2].strip()]
        return f"{_plain(Decimal(round(Decimal(parts[1]) * unit)) / unit)}{parts[2]}"
    return time


def in_ps(time: str) -> Decimal:
    """A time such as "12.5 us" in picoseconds."""
    parts = _QUANTITY.match(time)
    assert parts is not None, f"{time} is a time of a canonical scenario"
    return Decimal(parts[1]) * _PS[parts[2].strip()]


def in_bit_s(rate: str) -> Decimal:
    """A rate such as "56 kbit/s" in bits per second."""
    parts = _QUANTITY.match(rate)
    assert parts is not None, f"{rate} is a rate of a canonical scenario"
    return Decimal(parts[1]) * _BIT_S[parts[2].strip()]


def in_bytes(size: str) -> Decimal:
    """An amount of data such as "65536 B", or "1003 bit" where it is no whole bytes, in bytes."""
    parts = _QUANTITY.match(size)
    assert parts is not None, f"{size} is an amount of a canonical scenario"
    return Decimal(parts[1]) * _BYTES[parts[2].strip()]


def in_units(value: Any) -> Decimal:
    """A time in picoseconds, an amount of data in bytes, or a number as it is."""
    if not isinstance(value, str):
        return Decimal(repr(value))
    return in_bytes(value) if value.rpartition(" ")[2] in _BYTES else in_ps(value)


def of_ps(time: Decimal) -> str:
    """A time of so many picoseconds, rounded to whole ones, in the largest unit of which it has one."""
    whole = Decimal(round(time))
    unit = next((unit for unit in ("s", "ms", "us", "ns") if whole >= _PS[unit]), "ps")
    return f"{_plain(whole / _PS[unit])} {unit}"


def of_bit_s(rate: int) -> str:
    """A rate of so many bits per second in the largest unit of which it has one."""
    unit = next((unit for unit in reversed(_BIT_S) if rate >= _BIT_S[unit]), "bit/s")
    return f"{_plain(Decimal(rate) / _BIT_S[unit])} {unit}"


def _plain(value: Decimal) -> str:
    """The number without an exponent or zeros at its end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

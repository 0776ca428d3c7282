"""Quantities of scenarios as text ("50 kbit/s", "0.48 us"): scaled, and times and rates as exact numbers."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hopscope.units import BIT_S, BITS, PS, RATE_UNITS

B_PER_KB = 1000
KB_PER_MB = 1000
_QUANTITY = re.compile(r"^([0-9]+(?:\.[0-9]+)?)( .+)$")


def scaled(value: Any, factor: float) -> Any:
    """A number, a quantity, or all quantities within a section, times a factor.

    Numbers within a section are shares and counts, and stay as they are.
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
    """A time rounded to whole picoseconds, the unit of time; anything else as it is."""
    if isinstance(time, Mapping):
        return {key: whole_ps(inner) for key, inner in time.items()}
    if isinstance(time, str) and (parts := _QUANTITY.match(time)) and parts[2].strip() in PS:
        unit = PS[parts[2].strip()]
        return f"{_plain(Decimal(round(Decimal(parts[1]) * unit)) / unit)}{parts[2]}"
    return time


def in_ps(time: str) -> Decimal:
    """A time such as "12.5 us" in picoseconds."""
    parts = _QUANTITY.match(time)
    assert parts is not None, f"{time} is a time of a canonical scenario"
    return Decimal(parts[1]) * PS[parts[2].strip()]


def in_bit_s(rate: str) -> Decimal:
    """A rate such as "56 kbit/s" in bits per second."""
    parts = _QUANTITY.match(rate)
    assert parts is not None, f"{rate} is a rate of a canonical scenario"
    return Decimal(parts[1]) * BIT_S[parts[2].strip()]


def in_bytes(size: str) -> Decimal:
    """An amount of data in bytes, from text such as "65536 B", or "1003 bit" for fractions of bytes."""
    parts = _QUANTITY.match(size)
    assert parts is not None, f"{size} is an amount of a canonical scenario"
    return Decimal(parts[1]) * BITS[parts[2].strip()] / BITS["B"]


def in_units(value: Any) -> Decimal:
    """A time in picoseconds, an amount of data in bytes, or a number as it is."""
    if not isinstance(value, str):
        return Decimal(repr(value))
    return in_bytes(value) if value.rpartition(" ")[2] in BITS else in_ps(value)


def of_ps(time: Decimal) -> str:
    """A time in picoseconds, rounded to whole ones, as text in the largest unit that is at most it."""
    whole = Decimal(round(time))
    unit = next((unit for unit in ("s", "ms", "us", "ns") if whole >= PS[unit]), "ps")
    return f"{_plain(whole / PS[unit])} {unit}"


def of_kilobytes(kilobytes: float, digits: int = 6) -> str:
    """An amount of data in kilobytes as text, from 1000 of them on in megabytes."""
    unit, size = ("MB", kilobytes / KB_PER_MB) if kilobytes >= KB_PER_MB else ("KB", kilobytes)
    return f"{size:.{digits}g} {unit}"


def readable(value: Any) -> str:
    """A value of a canonical scenario for people: bytes from a thousand on are kilobytes or megabytes."""
    parts = _QUANTITY.match(str(value))
    if parts is None or parts[2].strip() != "B" or Decimal(parts[1]) < B_PER_KB:
        return str(value)
    return of_kilobytes(float(Decimal(parts[1]) / B_PER_KB))


def of_bit_s(rate: int) -> str:
    """A rate in bits per second as text in the largest unit that is at most it."""
    unit = next((unit for unit in reversed(RATE_UNITS) if rate >= BIT_S[unit]), "bit/s")
    return f"{_plain(Decimal(rate) / BIT_S[unit])} {unit}"


def _plain(value: Decimal) -> str:
    """The number without exponent or trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

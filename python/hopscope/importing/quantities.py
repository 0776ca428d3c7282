"""Rates and delays as files of other tools write them: read as hopscope's texts, and compared.

GB/s and GBps are bytes, Gb/s and Gbps bits, as are Ethernet's names (100GbE, 25GBASE-SR) and a bare prefix
(100G). "100GB" and "100GBPS" may mean either, so they are refused. InfiniBand's names are rates too: a cable
has four lanes unless a width says otherwise (2xHDR, HDR100).
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from hopscope.importing.source import Source
from hopscope.units import BIT_S, PS

# As many digits as hopscope reads.
_NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,18})?)"
_RATE = re.compile(rf"\s*{_NUMBER}\s*(?:([kmgtKMGT])\s*(.*?))?\s*$")
# What follows the prefix. The i of a binary one, as in GiB/s, is the group.
_BYTES = re.compile(r"(i)?(?:B|[Bb]ytes?)(?:/s|ps)")
_EITHER = re.compile(r"[iI]?B(?:/S|PS)?")
_BITS = re.compile(r"(?:(i)?b(?:it)?(?:/s|ps)?|be|base.*)?", re.IGNORECASE)
_BARE_BITS = re.compile(rf"\s*{_NUMBER}\s*b(?:its?)?(?:/s|ps)\s*$")
_INFINIBAND = re.compile(
    r"\s*(?:(1|2|4|8|12)x\s*)?([A-Z]+?(?:10)?)(?:[ -]?(100|200|400))?\s*$", re.IGNORECASE
)
# What a lane carries after its line code, in Mbit/s.
LANES = {
    "SDR": 2_000,
    "DDR": 4_000,
    "QDR": 8_000,
    "FDR10": 10_000,
    "FDR": 13_636,
    "EDR": 25_000,
    "HDR": 50_000,
    "NDR": 100_000,
    "XDR": 200_000,
}
_USUALLANES = 4
# Ports that are split in two are called by what each half carries, in Gbit/s.
_OF_SPLIT_PORTS = {("HDR", "100"), ("NDR", "200"), ("XDR", "400")}
_UNITS = {"k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s", "t": "Tbit/s"}
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}
_DELAY = re.compile(rf"\s*{_NUMBER}\s*(ps|ns|us|ms|s)\s*$")


def rate(source: Source, text: str, at: int | str, unit: str = "") -> str:
    """A rate such as "100G", "25GbE", "12.5 GB/s" or "HDR" as hopscope writes it; empty for none.

    A bare number is in `unit`. Raises UsageError for an invalid or ambiguous rate.
    """
    if not text.strip():
        return ""
    if lanes := _infiniband(text):
        return lanes
    if bare := _BARE_BITS.match(text):
        text = f"{Decimal(bare.group(1)).scaleb(-3):f} kbit/s"
    read = _RATE.match(text)
    if read is None or not read.group(1).strip("0."):
        raise _no_rate(source, text, at)
    number, prefix, rest = read.group(1), (read.group(2) or "").lower(), read.group(3) or ""
    if not prefix:
        if not unit:
            raise _no_rate(source, text, at)
        return f"{number} {unit}"
    in_bytes = _BYTES.fullmatch(rest)
    told = in_bytes or _BITS.fullmatch(rest)
    if told is None or (not in_bytes and _EITHER.fullmatch(rest)):
        raise _no_rate(source, text, at)
    if not in_bytes and not told.group(1):
        return f"{number} {_UNITS[prefix]}"
    power = 1024 if told.group(1) else 1000
    bits = Fraction(number) * power ** _POWERS[prefix] * (8 if in_bytes else 1)
    return f"{Decimal(round(bits)).scaleb(-9).normalize():f} Gbit/s"


def _infiniband(text: str) -> str:
    """What a cable of InfiniBand carries; empty for any other name."""
    read = _INFINIBAND.match(text)
    if read is None:
        return ""
    width, name, split = read.group(1), read.group(2).upper(), read.group(3)
    if split:
        return f"{split} Gbit/s" if width is None and (name, split) in _OF_SPLIT_PORTS else ""
    lanes = int(width or _USUALLANES)
    return f"{Decimal(lanes * LANES[name]) / 1000:f} Gbit/s" if name in LANES else ""


def delay(source: Source, text: str, at: int | str) -> str:
    """A delay such as "0.001ms" as hopscope writes it. Raises UsageError for an invalid one."""
    read = _DELAY.match(text)
    if read is None:
        raise source.fault(f'"{text.strip()}" is no delay', "a time such as 1000ns", at)
    return f"{read.group(1)} {read.group(2)}"


@lru_cache(maxsize=1024)
def size_of(text: str) -> Fraction:
    """The size of a rate or delay returned by `rate` or `delay`, in bit/s or ps."""
    number, unit = text.split()
    return Fraction(number) * (PS[unit] if unit in PS else BIT_S[unit])


def _no_rate(source: Source, text: str, at: int | str) -> Exception:
    read = _RATE.match(text)
    unclear = read is not None and _EITHER.fullmatch(read.group(3) or "")
    hint = "it may be in bits or in bytes: write Gbit/s, or GB/s for bytes" if unclear else None
    return source.fault(f'"{text.strip()}" is no rate', "a rate such as 100G, 100 Gbit/s or HDR", at, hint)

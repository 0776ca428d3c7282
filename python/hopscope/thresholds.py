"""The engine's thresholds that planning uses as well: each has its value and its reason in `crates/explain`.

Thresholds that only Python needs are defined where they are used.
"""

from decimal import Decimal

from hopscope import _core, units

_VALUES = _core.thresholds()

ALIKE = _VALUES["ALIKE"]
"""Links are equally full if each is utilised at least this share of the busiest one's utilisation."""
APART_PS = Decimal(repr(_VALUES["APART_S"])) * units.PS["s"]
"""Nodes of one network are at most this far apart, picoseconds of propagation."""
FULL_LINK = _VALUES["FULL_LINK"]
"""A link is full if it sends or is set up for at least this share of the time."""
INTERRUPTED_WAITS = _VALUES["INTERRUPTED_WAITS"]
"""An interruption is a cause if messages wait for at least this share of their lifetime."""
LEAST_WAIT = _VALUES["LEAST_WAIT"]
"""Waiting for less than this share of a lifetime counts as none."""
LONG_TIMEOUT = Decimal(_VALUES["LONG_TIMEOUT"])
"""A timeout is long if it is at least this many times a message's lifetime without waiting."""
MOSTLY_WAITING = _VALUES["MOSTLY_WAITING"]
"""If messages wait for at least this share of their lifetime, a cause is always named."""
NEARLY_FULL = _VALUES["NEARLY_FULL"]
"""From this utilisation on a link or line has nearly no spare time."""
SCARCE = _VALUES["SCARCE"]
"""A resource is scarce if none of it is free for at least this share of the time."""
SHORT_QUEUE = Decimal(_VALUES["SHORT_QUEUE"])
"""A queue of fewer frames than this is no sign of congestion."""
TIMES_SLOWER = Decimal(_VALUES["TIMES_SLOWER"])
"""A link is slower than others of its kind if these have at least this many times its rate."""
WAITS = _VALUES["WAITS"]
"""Messages, or those of a class, wait for much of their lifetime from this share on."""

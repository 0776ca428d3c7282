"""Rows of IMPs: what is planted follows from rates, sizes and tables."""

from dataclasses import dataclass, field
from itertools import pairwise

from hopscope.cause import Cause
from hopscope.planted.case import Case, Draws, at

SATURATED = 'when = "saturated"'

# What a slow processor does beside packets and routing takes as long as on a 516.
_AS_A_516 = 'per_word = "1 us"\noutput = "185 us"\ntick = "500 us"\nbackground = "700 us"\n'


@dataclass(slots=True)
class _Row:
    """IMPs in a row, with one flow from a host at its beginning to one at its end."""

    draws: Draws
    imps: list[str] = field(default_factory=list)
    rates: dict[int, float] = field(default_factory=dict)
    network: str = ""
    protocol: str = ""
    besides: str = ""
    sender: str = ""
    receiver: str = ""
    bits: int = 1000
    when: str = ""
    flows: str = ""
    messages: int = 2500

    def __post_init__(self) -> None:
        names = self.draws.names(self.draws.whole(3, 6) + 2)
        self.imps, self.ends = names[2:], names[:2]

    ends: list[str] = field(default_factory=list)

    def poisson(self, gap_ms: float) -> str:
        return f'when = {{ poisson = "{gap_ms:.1f} ms" }}'

    def text(self) -> str:
        lines = "".join(
            f'[[network.line]]\nbetween = ["{a}", "{b}"]\nrate = "{self.rates.get(n, 50.0):.1f} kbit/s"\n'
            for n, (a, b) in enumerate(zip(self.imps, self.imps[1:], strict=False))
        )
        source, target = self.ends
        return (
            f'model = "arpanet"\n[network]\n{self.network}\n{lines}'
            f"[protocol]\n{self.protocol}\n{self.besides}\n"
            f'[[host]]\nname = "{source}"\nimp = "{self.imps[0]}"\n{self.sender}\n'
            f'[[host]]\nname = "{target}"\nimp = "{self.imps[-1]}"\n{self.receiver}\n'
            f'[[flow]]\nfrom = "{source}"\nto = "{target}"\n'
            f'size = "{self.bits} bit"\n{self.when}\n{self.flows}'
            f'[measure]\nmessages = {self.messages}\nwarmup = "20 s"\n'
        )

    def busy_ms(self, rate_kbit_s: float) -> float:
        """What a single-packet message takes on a line, with 168 bits around it."""
        return (self.bits + 168) / rate_kbit_s


def slow_line(draws: Draws) -> Case:
    """One line is slower than the rest, and nearly always busy."""
    row = _Row(draws)
    slow = draws.whole(0, len(row.imps) - 2)
    rate, used = draws.one_of((7.2, 9.6, 12.0)), draws.between(0.8, 0.92)
    row.rates = {slow: rate}
    # Routing messages and RFNMs take a considerable share of such a slow line.
    row.when = row.poisson(row.busy_ms(rate) / (used - 0.08))
    a, b = row.imps[slow : slow + 2]
    return Case(f"slow line {a} - {b}, {rate} kbit/s", row.text(), Cause.RESOURCE, (at(a, b),))


def slow_line_saturated(draws: Draws) -> Case:
    """One line is slower than the rest, and its source always has another message."""
    row = _Row(draws)
    slow = draws.whole(0, len(row.imps) - 2)
    rate = draws.one_of((4.8, 7.2, 9.6))
    row.rates, row.when = {slow: rate}, SATURATED
    a, b = row.imps[slow : slow + 2]
    return Case(f"slow line {a} - {b}, saturated", row.text(), Cause.RESOURCE, (at(a, b),))


def slow_destination(draws: Draws) -> Case:
    """The receiving host takes a message when it is ready for it."""
    row = _Row(draws)
    busy, used = draws.whole(100, 300), draws.between(0.8, 0.92)
    row.receiver, row.when = f'per_message = "{busy} ms"', row.poisson(busy / used)
    return Case(f"destination takes {busy} ms", row.text(), Cause.RESOURCE, (at(row.ends[1]),))


def slow_destination_saturated(draws: Draws) -> Case:
    """A slow receiving host, and a source that always has another message."""
    row = _Row(draws)
    row.receiver = draws.one_of(
        (f'per_message = "{draws.whole(200, 500)} ms"', f'rate = "{draws.whole(3, 6)} kbit/s"')
    )
    row.when = SATURATED
    return Case(f"destination with {row.receiver}", row.text(), Cause.RESOURCE, (at(row.ends[1]),))


def destination_behind_line(draws: Draws) -> Case:
    """A slow receiving host behind a slowish line."""
    row = _Row(draws)
    busy, used = draws.whole(250, 400), draws.between(0.86, 0.93)
    row.receiver, row.when = f'per_message = "{busy} ms"', row.poisson(busy / used)
    row.rates = {draws.whole(0, len(row.imps) - 2): row.busy_ms(1.0) / busy / 0.6}
    return Case("slow destination behind a slowish line", row.text(), Cause.RESOURCE, (at(row.ends[1]),))


def silent_destination(draws: Draws) -> Case:
    """The receiving host takes nothing for a while, again and again."""
    row = _Row(draws)
    every, length = draws.whole(60, 120), draws.between(15, 25)
    row.receiver = (
        "silent = ["
        + ", ".join(f'{{ from = "{30 + at * every} s", length = "{length:.0f} s" }}' for at in range(12))
        + "]"
    )
    row.when, row.messages = row.poisson(draws.between(400, 700)), 1500
    return Case(f"destination silent for {length:.0f} s", row.text(), Cause.INTERRUPTION, (at(row.ends[1]),))


def interrupted_processor(draws: Draws) -> Case:
    """The processor of an IMP computes routes for long: every 640 ms, and for each neighbour's update."""
    row = _Row(draws)
    imp = draws.one_of(row.imps[1:-1])
    length, leaves = draws.whole(92, 100), draws.whole(1, 2)
    # With this many neighbours it computes for over half of the time, each time far longer than a packet
    # takes.
    lines = [f'\n[[network.line]]\nbetween = ["{imp}", "leaf{each}"]\n' for each in range(leaves)]
    row.network = f'[[network.imp]]\nname = "{imp}"\nprocessor = "316"{"".join(lines)}'
    row.besides = f'[processor.h316]\nper_packet = "0.4 ms"\nrouting = "{length} ms"\n{_AS_A_516}'
    row.when = row.poisson(draws.between(400, 700))
    return Case(f"processor of {imp} interrupted for {length} ms", row.text(), Cause.INTERRUPTION, (at(imp),))


def slow_processor(draws: Draws) -> Case:
    """An IMP's processor takes nearly as long for a packet as there is between two."""
    row = _Row(draws)
    imp = draws.one_of(row.imps[1:-1])
    # The processor handles a message in one direction, its RFNM in the other.
    per_packet = draws.whole(50, 90)
    row.network = f'[[network.imp]]\nname = "{imp}"\nprocessor = "316"'
    row.besides = f'[processor.h316]\nper_packet = "{per_packet} ms"\nrouting = "12 ms"\n{_AS_A_516}'
    row.when = row.poisson(2 * per_packet / draws.between(0.7, 0.8))
    return Case(f"processor of {imp} takes {per_packet} ms", row.text(), Cause.RESOURCE, (at(imp),))


def few_message_numbers(draws: Draws) -> Case:
    """One message number or two, over a long way."""
    row = _Row(draws)
    numbers = draws.whole(1, 2)
    row.protocol, row.when, row.bits = f"message_numbers = {numbers}", SATURATED, draws.one_of((1000, 500))
    return Case(f"{numbers} message numbers", row.text(), Cause.WINDOW, (at(row.imps[0], row.imps[-1]),))


def small_table(draws: Draws) -> Case:
    """A table of one entry, which every message holds until it is answered."""
    row = _Row(draws)
    leaders = draws.one_of((True, False))
    row.protocol = "pending_leaders = 1" if leaders else "pending_packets = 1"
    row.when, row.bits = SATURATED, 8000 if leaders else 1000
    return Case(f"{row.protocol}", row.text(), Cause.RESOURCE, (at(row.imps[0]),))


def few_reassembly_buffers(draws: Draws) -> Case:
    """Two hosts send multipacket messages to IMPs whose reassembly buffers hold one."""
    row = _Row(draws)
    row.protocol, row.when, row.bits = "reassembly_buffers = 8", row.poisson(draws.between(420, 480)), 8000
    row.receiver = 'rate = "40 kbit/s"'
    return Case("reassembly buffers of one message", row.text(), Cause.RESOURCE, (at(row.imps[-1]),))


def few_store_and_forward(draws: Draws) -> Case:
    """One packet may be in store and forward at a time.

    There is one IMP in the middle: two would deadlock.
    """
    row = _Row(draws)
    row.imps = row.imps[:3]
    row.protocol, row.when = "store_and_forward = 1", row.poisson(draws.between(55, 70))
    return Case("one store-and-forward buffer", row.text(), Cause.LOSS, (at(row.imps[1]),))


def errors(draws: Draws) -> Case:
    """Lines that lose packets to errors."""
    row = _Row(draws)
    share = draws.between(0.15, 0.35)
    row.network, row.when = f"errors = {share:.3f}", row.poisson(draws.between(800, 1500))
    return Case(f"errors of {share:.2f}", row.text(), Cause.LOSS)


def bursts(draws: Draws) -> Case:
    """Many hosts send over the same line at the same instants, seldom."""
    senders = draws.whole(14, 28)
    names = draws.names(senders + 2)
    near, far = names[:2]
    sections = "".join(
        f'[[network.line]]\nbetween = ["{name}", "{near}"]\n[[flow]]\nfrom = "{name}"\nto = "{far}"\n'
        f'size = "1000 bit"\nwhen = {{ every = "{draws.whole(4, 4)} s" }}\n'
        for name in names[2:]
    )
    text = (
        f'model = "arpanet"\n[[network.line]]\nbetween = ["{near}", "{far}"]\n{sections}'
        '[measure]\nmessages = 1_000\nwarmup = "20 s"\n'
    )
    return Case(f"{senders} hosts at once", text, Cause.VARIABILITY, (at(near, far),))


def slow_sender(draws: Draws) -> Case:
    """The sending host itself takes long for each message."""
    row = _Row(draws)
    busy, used = draws.whole(100, 300), draws.between(0.82, 0.93)
    row.sender, row.when = f'per_message_sent = "{busy} ms"', row.poisson(busy / used)
    return Case(f"source takes {busy} ms a message", row.text(), Cause.RESOURCE, (at(row.ends[0]),))


def overload(draws: Draws) -> Case:
    """More is offered than any line of the row can carry; all lines are equal."""
    row = _Row(draws)
    row.sender, row.receiver = 'rate = "1000 kbit/s"', 'rate = "1000 kbit/s"'
    row.protocol = "message_numbers = 8\npending_packets = 64"
    row.when = row.poisson(row.busy_ms(50.0) / draws.between(1.3, 2.0))
    return Case("more than a line's rate", row.text(), Cause.OVERLOAD)


def loaded_line(draws: Draws) -> Case:
    """A slow line that is busy with traffic of others, over which a light flow has to go."""
    row = _Row(draws)
    slow = draws.whole(0, len(row.imps) - 2)
    rate, used = draws.one_of((14.4, 19.2, 24.0)), draws.between(0.75, 0.85)
    row.rates, row.when = {slow: rate}, row.poisson(2000)
    size, sides = draws.whole(600, 900), (slow + 1) * (len(row.imps) - 1 - slow)
    # Each IMP sends equally to all others: its messages to the other side cross the line.
    crossing = sides / (len(row.imps) - 1)
    gap_ms = crossing * (size + 168) / rate / (used - 0.1)
    row.besides = f'[background]\ngap = "{gap_ms:.0f} ms"\nsize = "{size} bit"\nlong_share = 0.0\n'
    a, b = row.imps[slow : slow + 2]
    return Case(f"line {a} - {b} loaded by others", row.text(), Cause.RESOURCE, (at(a, b),))


def slow_site(draws: Draws) -> Case:
    """Sites send to one whose host takes its time."""
    row = _Row(draws)
    busy, used = draws.whole(200, 500), draws.between(0.8, 0.92)
    target = row.imps[-1]
    per_minute = 60e3 / busy * used / (len(row.imps) - 1)
    pairs = ", ".join(
        f'{{ from = "{imp}", to = "{target}", per_minute = {per_minute:.1f} }}' for imp in row.imps[:-1]
    )
    lines = "".join(f'[[network.line]]\nbetween = ["{a}", "{b}"]\n' for a, b in pairwise(row.imps))
    text = (
        f'model = "arpanet"\n{lines}[sites]\npair = [{pairs}]\n'
        f'host = [{{ site = "{target}", delay = "{busy} ms" }}]\n'
        "sizes = [{ below_bits = 1000, messages = 1 }]\n"
        "[measure]\nmessages = 2500\n"
    )
    return Case(f"host of {target} takes {busy} ms", text, Cause.RESOURCE, (at(f"{target} host"),))


def one_block(draws: Draws) -> Case:
    """Version 3 with one transmit block an IMP, for which two hosts contend."""
    names = draws.names(6)
    p, q, *imps = names
    gap = draws.whole(500, 800)
    lines = "".join(f'[[network.line]]\nbetween = ["{a}", "{b}"]\n' for a, b in pairwise(imps))
    hosts = "".join(f'[[host]]\nname = "{name}"\nimp = "{imps[0]}"\n' for name in (p, q))
    flows = "".join(
        f'[[flow]]\nfrom = "{a}"\nto = "{b}"\nsize = "600 bit"\nwhen = {{ poisson = "{gap} ms" }}\n'
        for a, b in ((p, imps[-1]), (q, imps[-2]))
    )
    text = (
        f'model = "arpanet"\n{lines}[protocol]\nversion = "3"\nmessage_blocks = 1\n{hosts}{flows}'
        "[measure]\nmessages = 1500\n"
    )
    return Case("one transmit block for two hosts", text, Cause.RESOURCE, (at(imps[0]),))


def healthy_multipacket(draws: Draws) -> Case:
    """A message of eight packets now and then: they come together, but no other message waits."""
    row = _Row(draws)
    row.bits, row.when = draws.one_of((6000, 8000)), row.poisson(draws.between(4000, 9000))
    row.messages = 1000
    return Case("healthy, long messages", row.text(), Cause.HEALTHY)


def healthy(draws: Draws) -> Case:
    """A message now and then."""
    row = _Row(draws)
    row.when = draws.one_of(
        (row.poisson(draws.between(400, 2000)), f'when = {{ every = "{draws.whole(200, 900)} ms" }}')
    )
    return Case("healthy", row.text(), Cause.HEALTHY)


PLANTS = (
    slow_line,
    slow_line_saturated,
    slow_destination,
    slow_destination_saturated,
    destination_behind_line,
    silent_destination,
    interrupted_processor,
    slow_processor,
    few_message_numbers,
    small_table,
    few_reassembly_buffers,
    few_store_and_forward,
    errors,
    bursts,
    slow_sender,
    loaded_line,
    slow_site,
    one_block,
    overload,
    healthy,
    healthy_multipacket,
)

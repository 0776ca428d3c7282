"""`hopscope pup`: speak Pup with emulated Altos, or with another hopscope, over UDP."""

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from hopscope import atomic
from hopscope.cli import options
from hopscope.cli.pup_options import PupPortType, Session, SocketType
from hopscope.cli.pup_options import session as with_session
from hopscope.cli.terminal import show
from hopscope.errors import Interrupted, UsageError
from hopscope.numerals import count, number
from hopscope.pup_link import ENDINGS, Happening, Link, Notice, PupPort

# Sockets below 1000 (octal) are well known; a stream to or from hopscope needs one of its own.
STREAM_SOCKET = 0o1000
EFTP_SOCKET = 0o20
ECHO_SOCKET = 5
_SECONDS_FOR_LAST_ANSWER = 0.05
_CHUNK = 1 << 16


@click.group()
def command() -> None:
    """Speak Pup over UDP, with emulated Altos or another hopscope.

    Frames travel as emulators of the Alto send them: UDP port 42424. The socket is bound to this machine
    alone unless --listen opens it. Pup addresses are octal: NET#HOST#SOCKET.
    """


def _serve(link: Link, seconds: float | None, as_json: bool) -> None:
    """Answer until the time is over or the user stops; both are a normal end."""
    with suppress(KeyboardInterrupt):
        link.drive(lambda: all(True for _ in link.notices()), seconds)
    if as_json:
        show(json.dumps(dict(link.core.counts())))
        return
    for name, found in link.core.counts():
        if found:
            show(f"{name:<18}{count(found)}")


_seconds = click.option(
    "--seconds", type=options.Duration(), help="Duration in seconds.  [default: until Ctrl-C]"
)


@command.command()
@with_session("42")
@click.option(
    "--peer",
    type=PupPortType(with_socket=False),
    metavar="[NET#]HOST",
    help="Ask this host for echoes, and end.",
)
@click.option("--count", "requests", type=options.WholeNumber(1, 1_000_000), default=5, show_default=True)
@click.option(
    "--size", type=options.WholeNumber(0, 532), default=100, show_default=True, help="Bytes of data."
)
@click.option(
    "--timeout",
    type=options.Duration(),
    default=1.0,
    show_default=True,
    help="Seconds an echo may take.",
)
@_seconds
@options.as_json
def echo(
    session: Session,
    peer: PupPort | None,
    requests: int,
    size: int,
    timeout: float,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Answer echo requests; with --peer, send some and time the answers."""
    far = None if peer is None else session.need(peer)
    with session.open() as link:
        session.announce(link, "echoing" if far is None else "asking")
        if far is None:
            _serve(link, seconds, as_json)
            return
        trips = _echoes(link, PupPort(far.net, far.host, ECHO_SOCKET), requests, size, timeout)
    if not trips:
        raise UsageError(
            f"host {far.net:o}#{far.host:o} does not answer",
            "check its host number (--peer) and UDP address (--to)",
        )
    _tell_echoes(trips, requests, as_json)


def _echoes(link: Link, far: PupPort, requests: int, size: int, timeout: float) -> list[float]:
    """The round trips in ms of the requests that came back as they were, one after the other."""
    trips = []
    for request in range(1, requests + 1):
        data = bytes((request + at) & 0xFF for at in range(size))
        came: list[Notice] = []

        def waits(request: int = request, data: bytes = data, came: list[Notice] = came) -> bool:
            came += [
                told
                for told in link.notices()
                if (told.what, told.about, told.data) == (Happening.ECHO, request, data)
            ]
            return not came

        began = time.perf_counter()
        link.core.ask_echo((far.net, far.host, far.socket), request, data, link.now_ns())
        if link.drive(waits, timeout):
            trips.append((time.perf_counter() - began) * 1e3)
    return trips


def _tell_echoes(trips: list[float], requests: int, as_json: bool) -> None:
    if as_json:
        show(json.dumps({"asked": requests, "returned": len(trips), "round_trips_ms": trips}))
        return
    show(f"returned    {len(trips)} of {requests}")
    if trips:
        import statistics

        median, least, most = (number(of(trips), 3) for of in (statistics.median, min, max))
        show(f"round trip  {median} ms median, {least} to {most} ms")


_eftp = click.option("--eftp", is_flag=True, help="Use EFTP instead of a byte stream.")


@command.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@with_session("42")
@click.option(
    "--peer",
    type=PupPortType(with_socket=True),
    metavar="NET#HOST[#SOCKET]",
    help="Where to.  [socket: 1000, EFTP 20]",
)
@_eftp
@options.as_json
def send(
    session: Session,
    file: Path,
    peer: PupPort | None,
    eftp: bool,
    as_json: bool,
) -> None:
    """Send FILE as a byte stream, or by EFTP."""
    far = session.need(peer)
    socket = far.socket or (EFTP_SOCKET if eftp else STREAM_SOCKET)
    far = PupPort(far.net, far.host, socket)
    try:
        content = file.read_bytes()
    except OSError as failure:
        raise UsageError(f"cannot read `{file}` ({failure.strerror})") from failure
    with session.open() as link:
        session.announce(link, f"sending to {far}")
        began = time.perf_counter()
        _transfer(link, far, content, eftp)
        seconds = time.perf_counter() - began
    _tell_transfer("sent", len(content), seconds, as_json)


def _transfer(link: Link, far: PupPort, content: bytes, eftp: bool) -> None:
    conversation = link.core.call((far.net, far.host, far.socket), eftp, link.now_ns())
    done = 0
    ended: list[Notice] = []

    def goes_on() -> bool:
        nonlocal done
        ended.extend(told for told in link.notices() if told.about == conversation and told.what in ENDINGS)
        link.core.read(conversation, link.now_ns())  # replies are not read
        if done < len(content):
            done += link.core.write(conversation, content[done : done + _CHUNK])
        if done == len(content):
            link.core.close(conversation)
        return not ended

    try:
        link.drive(goes_on)
    except KeyboardInterrupt as stopped:
        link.break_off(conversation)
        raise Interrupted(left=f"{far} was told that the transfer is broken off") from stopped
    _refuse_unless_complete(ended[0], str(far))
    link.drive(lambda: True, _SECONDS_FOR_LAST_ANSWER)


def _refuse_unless_complete(ended: Notice, far: str) -> None:
    reasons = {
        Happening.NO_ANSWER: (
            f"{far} does not answer",
            "check --to and --peer; --tries says how long to wait",
        ),
        Happening.NO_SUCH_SOCKET: (
            f"nobody listens at {far}",
            "start the receiver first, or name its socket",
        ),
        Happening.ABORTED: (f"{far} has broken the transfer off", None),
    }
    if ended.what in reasons:
        raise UsageError(*reasons[ended.what])


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@with_session("101")
@click.option("--socket", type=SocketType(), help="Own socket, in octal.  [default: 1000, EFTP 20]")
@_eftp
@_seconds
@options.as_json
def receive(
    session: Session,
    file: Path,
    socket: int | None,
    eftp: bool,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Wait for one transfer, and write it to FILE once it is complete."""
    atomic.check_file(file, "FILE")
    socket = socket or (EFTP_SOCKET if eftp else STREAM_SOCKET)
    with session.open() as link:
        link.core.listen(socket, eftp)
        session.announce(link, f"listening at socket {socket:o}")
        took, received = _received(link, file, seconds)
    _tell_transfer("received", received, took, as_json)


class _Arrival:
    """The first conversation that a peer opens, its bytes as they arrive, and its end."""

    def __init__(self, link: Link, out: Any) -> None:
        self.link, self.out = link, out
        self.opened: Notice | None = None
        self.ended: Notice | None = None
        self.received = 0
        self.began = time.perf_counter()

    def goes_on(self) -> bool:
        for told in self.link.notices():
            if told.what is Happening.OPENED and self.opened is None:
                self.opened, self.began = told, time.perf_counter()
            elif self.opened is not None and told.about == self.opened.about and told.what in ENDINGS:
                self.ended = self.ended or told
        if self.opened is not None:
            data = self.link.core.read(self.opened.about, self.link.now_ns())
            self.out.write(data)
            self.received += len(data)
        return self.ended is None


def _received(link: Link, file: Path, seconds: float | None) -> tuple[float, int]:
    """Seconds and bytes of the transfer that has been written to the file."""
    with atomic.new_file(file, "FILE") as partial, open(partial, "wb") as out:
        arrival = _Arrival(link, out)
        try:
            in_time = link.drive(arrival.goes_on, seconds)
        except KeyboardInterrupt as stopped:
            if arrival.opened is not None:
                link.break_off(arrival.opened.about)
            raise Interrupted(left=f"nothing was written to {file}") from stopped
        if not in_time or arrival.ended is None or arrival.opened is None:
            raise UsageError(f"no transfer was complete within {seconds:g} s", "wait longer with --seconds")
        took = time.perf_counter() - arrival.began
        _refuse_unless_complete(arrival.ended, arrival.opened.words)
        arrival.goes_on()
    name = arrival.opened.about
    link.drive(lambda: all(True for _ in link.notices()) and link.core.knows(name), 10.0)
    return took, arrival.received


def _tell_transfer(what: str, size: int, seconds: float, as_json: bool) -> None:
    rate = 8e-3 * size / seconds
    if as_json:
        show(json.dumps({what: size, "seconds": seconds, "kbit_per_s": rate}))
    else:
        show(f"{what} {count(size)} bytes in {number(seconds, 3)} s, {number(rate, 3)} kbit/s")


@command.command()
@with_session("1#1")
@_seconds
@options.as_json
def gateway(
    session: Session,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Tell hosts the number of their network, on request and every 30 s, and answer echo requests."""
    if session.own.net == 0:
        raise UsageError(
            "a gateway has to know its network", "name it with --own NET#HOST, such as --own 1#1"
        )
    with session.open(gateway=True) as link:
        session.announce(link, "telling routes")
        _serve(link, seconds, as_json)

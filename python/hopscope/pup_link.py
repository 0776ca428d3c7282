"""A Pup host on a UDP socket: the engine's endpoint, driven by the socket and the clock.

The socket is Python's, so that a signal ends every wait at once, and that the system's message for a used
port is available; the endpoint has the protocols and every limit, and uses neither socket nor clock.
"""

import ipaddress
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope import atomic
from hopscope.errors import UsageError

if TYPE_CHECKING:
    from hopscope._core import PupHost

LOOPBACK = "127.0.0.1"
# The number of a process's first connection comes from the clock, so that a new process uses other numbers.
_FIRST_ID_STEP_NS = 1_000_000
_LONGEST_WAIT_S = 0.5
_LONGEST_DATAGRAM = 65_535
_DATAGRAMS_AT_A_TIME = 64
_SOURCE_HOST = 3  # where a datagram has the host that sends the frame


class Happening(StrEnum):
    """The kind of a notice of the endpoint."""

    OPENED = "opened"
    COMPLETE = "complete"
    ABORTED = "aborted"
    NO_ANSWER = "no-answer"
    NO_SUCH_SOCKET = "no-such-socket"
    MARK = "mark"
    INTERRUPT = "interrupt"
    ECHO = "echo"
    UNDELIVERED = "undelivered"
    ROUTES = "routes"


ENDINGS = (Happening.COMPLETE, Happening.ABORTED, Happening.NO_ANSWER, Happening.NO_SUCH_SOCKET)


@dataclass(frozen=True)
class Notice:
    """A notice of the endpoint: about a conversation, or an echo by its number."""

    what: Happening
    about: int
    number: int
    words: str
    data: bytes


@dataclass(frozen=True)
class UdpAddress:
    """Where datagrams go: an IPv4 address and a port."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether it stays on this machine."""
        return ipaddress.IPv4Address(self.host).is_loopback

    def __str__(self) -> str:
        """ADDRESS:PORT."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class PupPort:
    """A port of the Pup internet; numbers are written in octal, as Pup stations wrote them."""

    net: int
    host: int
    socket: int

    def __str__(self) -> str:
        """NET#HOST#SOCKET in octal."""
        return f"{self.net:o}#{self.host:o}#{self.socket:o}"


@contextmanager
def open_link(
    listen: UdpAddress,
    own: PupPort,
    *,
    peers: list[UdpAddress],
    tries: int,
    gateway: bool = False,
    capture: Path | None = None,
) -> Iterator["Link"]:
    """A Pup host on a UDP port; packets are captured completely, even of an interrupted session.

    Raises UsageError if the port is in use, if the socket cannot reach a peer, or if the capture cannot be
    written.
    """
    from hopscope._core import PupHost  # the engine, which --help does without

    for peer in peers:
        if UdpAddress(listen.host, 0).is_loopback and not peer.is_loopback:
            raise UsageError(
                f"{peer} is beyond this machine, and the socket is bound to {listen.host}",
                "open the socket to other machines with --listen 0.0.0.0",
            )
    if capture is not None:
        atomic.check_file(capture, "--capture")
    with _bound(listen) as udp:
        first_id = time.time_ns() // _FIRST_ID_STEP_NS & 0xFFFF_FFFF
        if capture is None:
            yield Link(udp, PupHost(own.net, own.host, first_id, tries, gateway), peers)
            return
        stopped: BaseException | None = None
        with atomic.new_file(capture, "--capture") as partial:
            core = PupHost(own.net, own.host, first_id, tries, gateway, str(partial))
            try:
                yield Link(udp, core, peers)
            except (KeyboardInterrupt, UsageError) as end:
                # The end of a session is raised after its capture is complete.
                stopped = end
            core.finish()
        if stopped is not None:
            raise stopped


@contextmanager
def _bound(listen: UdpAddress) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            udp.bind((listen.host, listen.port))
        except OSError as failure:
            raise UsageError(
                f"cannot use UDP port {listen} ({failure.strerror})",
                "choose another port with --udp, 0 for any free one, or another address with --listen",
            ) from failure
        udp.setblocking(False)
        yield udp


class Link:
    """A Pup host on a UDP socket, and the addresses of hosts that it has heard."""

    def __init__(self, udp: socket.socket, core: "PupHost", peers: list[UdpAddress]) -> None:
        """Join a bound socket and an endpoint; `peers` get frames for hosts not heard yet."""
        self.core = core
        self._udp = udp
        self._peers = [(peer.host, peer.port) for peer in peers]
        self._heard: dict[int, tuple[str, int]] = {}
        self._began_ns = time.monotonic_ns()
        self._notices: deque[Notice] = deque()

    @property
    def address(self) -> UdpAddress:
        """Where it listens."""
        host, port = self._udp.getsockname()
        return UdpAddress(host, port)

    def now_ns(self) -> int:
        """The endpoint's time."""
        return time.monotonic_ns() - self._began_ns

    def notices(self) -> Iterator[Notice]:
        """The notices of the endpoint since the last call."""
        while (told := self.core.notice()) is not None:
            what, about, number, words, data = told
            yield Notice(Happening(what), about, number, words, data)

    def drive(self, goes_on: Callable[[], bool], seconds: float | None = None) -> bool:
        """Send and receive while `goes_on()`, called after each reception.

        False if `seconds` were over first.
        """
        ends_ns = None if seconds is None else self.now_ns() + int(seconds * 1e9)
        while goes_on():
            self._send()
            if not goes_on():
                break
            if ends_ns is not None and self.now_ns() >= ends_ns:
                return False
            self._wait(ends_ns)
            self._receive()
        self._send()
        return True

    def _send(self) -> None:
        while (found := self.core.poll(self.now_ns())) is not None:
            host, datagram = found
            for address in self._where(host):
                try:
                    self._udp.sendto(datagram, address)
                except (BlockingIOError, ConnectionRefusedError):
                    continue  # as a datagram that is lost
                except OSError as failure:
                    raise UsageError(
                        f"cannot send to {address[0]}:{address[1]} ({failure.strerror})",
                        "check the address of --to, and that --listen reaches it",
                    ) from failure

    def _where(self, host: int) -> list[tuple[str, int]]:
        heard = self._heard.get(host)
        if heard is not None:
            return [heard]
        everybody = self._peers + ([*self._heard.values()] if host == 0 else [])
        return list(dict.fromkeys(everybody))

    def _wait(self, ends_ns: int | None) -> None:
        now = self.now_ns()
        timers = [timer for timer in (self.core.next_timer(), ends_ns) if timer is not None]
        wait = min([_LONGEST_WAIT_S, *((timer - now) / 1e9 for timer in timers)])
        select.select([self._udp], [], [], max(wait, 0.0))

    def _receive(self) -> None:
        for _ in range(_DATAGRAMS_AT_A_TIME):
            try:
                datagram, address = self._udp.recvfrom(_LONGEST_DATAGRAM)
            except BlockingIOError:
                return
            except ConnectionError:
                continue  # the receiver of an earlier datagram is not there
            if len(datagram) > _SOURCE_HOST:
                # Frames for this source host are sent to the address that the frame came from.
                self._heard[datagram[_SOURCE_HOST]] = address
            self.core.handle(datagram, self.now_ns())

    def break_off(self, conversation: int) -> None:
        """Tell the other end that the conversation will not go on."""
        self.core.abort(conversation, self.now_ns())
        with suppress(UsageError):
            self.drive(lambda: self.core.next_timer() is not None, 0.05)

"""A Pup station of its own, written from the specification: with hopscope it shares the protocol, no code.

It sends as the Alto does: it asks for the allocation with an empty AData, then sends four Data and one AData,
waits for the acknowledgment, and resends everything that is not acknowledged.
"""

import socket
import struct
import threading
import time
from collections.abc import Callable

ECHO_ME, I_AM_AN_ECHO, ERROR, RFC, ABORT, END, END_REPLY = 1, 2, 4, 8, 9, 10, 11
DATA, A_DATA, ACK = 16, 17, 18
EFTP_DATA, EFTP_ACK, EFTP_END = 24, 25, 26
HEADER = struct.Struct(">HBBIBBIBBI")
CLUMP = 5


def checksum(octets: bytes) -> int:
    """Add in one's complement and cycle left, word by word."""
    total = 0
    for (word,) in struct.iter_unpack(">H", octets):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
        total = (total << 1 & 0xFFFF) | total >> 15
    return 0 if total == 0xFFFF else total


class Peer:
    """A station on a UDP socket of the loopback interface."""

    def __init__(self, host: int = 0o101, drops: int = 0) -> None:
        """`drops`: every so-many-th datagram that it sends is lost; 0: none."""
        self.host = host
        self.drops = drops
        self.sent = 0
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.udp.settimeout(20)
        self.port = self.udp.getsockname()[1]
        self.to = ("127.0.0.1", 0)

    def send(self, kind: int, number: int, there: tuple[int, int], own: int, data: bytes = b"") -> None:
        """Send a Pup from the socket `own` to host and socket `there`."""
        body = HEADER.pack(22 + len(data), 0, kind, number, 1, there[0], there[1], 1, self.host, own) + data
        body += bytes(len(body) % 2)
        pup = body + struct.pack(">H", checksum(body))
        self.sent += 1
        if not self.drops or self.sent % self.drops:
            self.udp.sendto(
                struct.pack(">HBBH", 2 + len(pup) // 2, there[0], self.host, 0o1000) + pup, self.to
            )

    def hear(self, wait_s: float = 20) -> tuple[int, int, tuple[int, int], int, bytes]:
        """The next Pup: type, number, host and socket of its source, own socket, data.

        Raises TimeoutError.
        """
        self.udp.settimeout(wait_s)
        datagram, self.to = self.udp.recvfrom(2_000)
        words, _, _, kind = struct.unpack(">HBBH", datagram[:6])
        assert (2 * words, kind) == (len(datagram) - 2, 0o1000)
        pup = datagram[6:]
        length, _, kind, number, _, _, own, _, host, there = HEADER.unpack(pup[:20])
        assert len(pup) == length + length % 2
        assert struct.unpack(">H", pup[-2:])[0] == checksum(pup[:-2])
        return kind, number, (host, there), own, pup[20 : length - 2]

    def serve_echoes(self, requests: int) -> threading.Thread:
        """Echo `requests` requests in a thread."""

        def serve() -> None:
            for _ in range(requests):
                kind, number, there, own, data = self.hear()
                assert (kind, own) == (ECHO_ME, 5)
                self.send(I_AM_AN_ECHO, number, there, own, data)

        return _begun(serve)

    def receive_stream(self, listening: int, into: bytearray, allowed: int = CLUMP) -> threading.Thread:
        """Take one stream in a thread; whatever is not next is dropped."""

        def serve() -> None:
            own, wanted, ends = 0o7001, 0, False
            while True:
                kind, number, there, socket_, data = self.hear()
                if kind == RFC:
                    assert socket_ == listening
                    host, far = struct.unpack(">xBI", data)
                    wanted = number if not into else wanted
                    contents = struct.pack(">BBI", 1, self.host, own)
                    self.send(RFC, number, (host, far), listening, contents)
                elif kind in (DATA, A_DATA):
                    assert socket_ == own
                    if number == wanted:
                        into.extend(data)
                        wanted += len(data)
                    if kind == A_DATA:
                        self.send(ACK, wanted, there, own, struct.pack(">HHH", 532, allowed, 532 * allowed))
                elif kind == END:
                    ends = True
                    self.send(END_REPLY, number, there, own)
                elif kind == END_REPLY and ends:
                    return

        return _begun(serve)

    def send_stream(self, there: tuple[int, int], content: bytes, port: int) -> None:
        """Call, send everything, end."""
        self.to = ("127.0.0.1", port)
        own, first = 0o7002, 1_000_000
        contents = struct.pack(">BBI", 1, self.host, own)
        answer = self._ask(lambda: self.send(RFC, first, there, own, contents), RFC)
        assert answer[2] == there, "the answer comes from the port that was called"
        host, far = struct.unpack(">xBI", answer[4])
        wanted, end = first, first + len(content)
        allowed = self._allowed(lambda: self.send(A_DATA, wanted, (host, far), own))[1]
        while wanted < end:
            blocks = range(wanted, min(end, wanted + 532 * min(CLUMP, allowed)), 532)

            def clump(blocks: range = blocks) -> None:
                for at in blocks:
                    kind = A_DATA if at == blocks[-1] else DATA
                    block = content[at - first : min(at - first + 532, blocks[-1] - first + 532)]
                    self.send(kind, at, (host, far), own, block)

            wanted, allowed = self._allowed(clump)
        self._ask(lambda: self.send(END, first, (host, far), own), END_REPLY)
        self.send(END_REPLY, first, (host, far), own)

    def _allowed(self, ask: Callable[[], None]) -> tuple[int, int]:
        answer = self._ask(ask, ACK)
        return answer[1], struct.unpack(">HHH", answer[4])[1]

    def send_eftp(self, there: tuple[int, int], content: bytes, port: int) -> None:
        """Send a file block by block."""
        self.to = ("127.0.0.1", port)
        blocks = [content[at : at + 512] for at in range(0, len(content), 512)]
        for number, block in enumerate([*blocks, b""]):
            kind = EFTP_DATA if block else EFTP_END

            def ask(kind: int = kind, number: int = number, block: bytes = block) -> None:
                self.send(kind, number, there, 0o7003, block)

            while self._ask(ask, EFTP_ACK)[1] != number:
                pass
        self.send(EFTP_END, len(blocks) + 1, there, 0o7003)

    def _ask(self, ask: Callable[[], None], wanted: int) -> tuple[int, int, tuple[int, int], int, bytes]:
        """Ask again every 0.3 s until a Pup of the wanted type comes."""
        ends = time.monotonic() + 20
        while time.monotonic() < ends:
            ask()
            try:
                while (heard := self.hear(0.3))[0] != wanted:
                    pass
            except TimeoutError:
                continue
            return heard
        raise TimeoutError(f"no Pup of type {wanted} came")


def _begun(serve: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread

"""`hopscope pup` over UDP on the loopback interface: with an independent peer, with itself, without one."""

import json
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from conftest import PROJECT
from pup_peer import ECHO_ME, HEADER, I_AM_AN_ECHO, Peer, checksum

DISSECTOR = PROJECT / "crates/pup/wireshark/pup.lua"
OWN = 0o42
SOCKET = 0o1000


def content(size: int) -> bytes:
    """Bytes without a pattern."""
    return random.Random(size).randbytes(size)


@contextmanager
def process(here: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A session as a process of its own, once it has said on which UDP port it is."""
    line = [sys.executable, "-m", "hopscope", "pup", *words]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=here
    ) as running:
        try:
            assert running.stderr is not None
            said = running.stderr.readline()
            found = re.search(r"UDP 127\.0\.0\.1:(\d+)", said)
            assert found is not None, said + running.stderr.read()
            yield running, int(found[1])
        finally:
            running.kill()


def finished(running: subprocess.Popen[str]) -> str:
    """What a session that ends well has printed."""
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    return out


def test_a_peer_gets_its_echoes_and_the_server_counts(here: Path):
    with process(here, "echo", "--udp", "0", "--own", "1#42") as (running, port):
        peer = Peer()
        peer.to = ("127.0.0.1", port)
        for number in range(50):
            peer.send(ECHO_ME, number, (OWN, 5), 77, content(10 * number))
            kind, found, there, own, data = peer.hear()
            assert (kind, found, there, own) == (I_AM_AN_ECHO, number, (OWN, 5), 77)
            assert data == content(10 * number)
        peer.udp.sendto(b"\x00\x10no Pup at all", peer.to)
        peer.send(ECHO_ME, 99, (OWN, 5), 77)
        peer.hear()
        running.send_signal(signal.SIGINT)
        out = finished(running)
    assert re.search(r"^datagrams +52$", out, re.MULTILINE)
    assert re.search(r"^malformed +1$", out, re.MULTILINE)
    assert re.search(r"^echoed +51$", out, re.MULTILINE)


def test_echoes_of_a_peer_are_timed(command: Callable[..., Result]):
    peer = Peer()
    peer.serve_echoes(7)
    to = ("--to", f"127.0.0.1:{peer.port}", "--peer", "1#101")
    done = command("pup", "echo", "--udp", "0", "--own", "1#42", *to, "--count", "7", "--json", "--quiet")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["asked"], told["returned"], len(told["round_trips_ms"])) == (7, 7, 7)


@pytest.mark.parametrize(("allowed", "drops"), [(5, 0), (1, 0), (5, 7)])
def test_a_file_reaches_a_peer_byte_by_byte(
    command: Callable[..., Result], here: Path, allowed: int, drops: int
):
    (here / "file").write_bytes(content(40_000))
    peer, got = Peer(drops=drops), bytearray()
    taking = peer.receive_stream(SOCKET, got, allowed)
    to = ("--to", f"127.0.0.1:{peer.port}", "--peer", "1#101#1000")
    done = command("pup", "send", "file", "--udp", "0", "--own", "1#42", *to)
    assert done.exit_code == 0, done.output
    assert re.match(r"sent 40.000 bytes in", done.stdout)
    taking.join(20)
    assert bytes(got) == content(40_000)


@pytest.mark.parametrize("drops", [0, 6])
@pytest.mark.parametrize("eftp", [False, True])
def test_a_file_from_a_peer_is_written_byte_by_byte(here: Path, drops: int, eftp: bool):
    words = ("receive", "file", "--udp", "0", "--own", "1#42", *(["--eftp"] if eftp else []))
    with process(here, *words) as (running, port):
        peer = Peer(drops=drops)
        send = peer.send_eftp if eftp else peer.send_stream
        send((OWN, 0o20 if eftp else SOCKET), content(30_000), port)
        out = finished(running)
    assert re.match(r"received 30.000 bytes in", out)
    assert (here / "file").read_bytes() == content(30_000)


@pytest.mark.parametrize("eftp", [[], ["--eftp"]])
@pytest.mark.parametrize("size", [0, 1, 100_000])
def test_hopscope_sends_to_hopscope(command: Callable[..., Result], here: Path, eftp: list[str], size: int):
    (here / "sent").write_bytes(content(size))
    with process(here, "receive", "got", "--udp", "0", *eftp) as (running, port):
        to = ("--to", f"127.0.0.1:{port}", "--peer", "101", *eftp)
        done = command("pup", "send", "sent", "--udp", "0", *to, "--capture", "pups.pcapng")
        assert done.exit_code == 0, done.output
        finished(running)
    assert (here / "got").read_bytes() == content(size)
    assert sorted(path.name for path in here.iterdir()) == ["got", "pups.pcapng", "sent"]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed (Debian: tshark)")
def test_tshark_reads_a_session(command: Callable[..., Result], here: Path):
    (here / "sent").write_bytes(content(5_000))
    with process(here, "receive", "got", "--udp", "0") as (running, port):
        to = ("--to", f"127.0.0.1:{port}", "--peer", "101")
        assert command("pup", "send", "sent", "--udp", "0", *to, "--capture", "pups.pcapng").exit_code == 0
        finished(running)
    fields = [word for column in ("pup.type", "pup.checksum.good") for word in ("-e", column)]
    line = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", "pups.pcapng", "-T", "fields", *fields]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    rows = [row.split("\t") for row in done.stdout.splitlines()]
    assert {row[1] for row in rows} == {"1"}
    kinds = [row[0] for row in rows]
    assert kinds[:3] == ["8", "8", "17"], "a call, its answer, the question for the allocation"
    assert kinds[-3:] == ["10", "11", "11"], "the end, its answer, and the answer to that"


def test_a_gateway_tells_the_network(here: Path):
    with process(here, "gateway", "--udp", "0", "--own", "1#1") as (running, port):
        peer = Peer()
        peer.to = ("127.0.0.1", port)
        peer.send(0o200, 1, (0, 2), 2)
        kind, _, there, own, data = peer.hear()
        assert (kind, there, own, data) == (0o201, (1, 2), 2, bytes([1, 1, 1, 0]))
        running.send_signal(signal.SIGTERM)
        finished(running)


def test_what_cannot_work_is_told_with_exit_code_2(command: Callable[..., Result], here: Path):
    (here / "file").write_bytes(b"x")
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.bind(("127.0.0.1", 0))
    port = str(taken.getsockname()[1])
    here_to = ("--to", f"127.0.0.1:{port}")
    for words, told in [
        (("echo", "--udp", port), "Address already in use"),
        (("echo", "--udp", "0", "--listen", "203.0.113.9"), "cannot use UDP port"),
        (("echo", "--udp", "0", "--listen", "nowhere"), "is no IPv4 address"),
        (("echo", "--udp", "0", "--to", "192.0.2.1", "--peer", "1#101"), "--listen 0.0.0.0"),
        (("echo", "--udp", "0", "--peer", "1#101"), "nobody is named"),
        (
            ("echo", "--udp", "0", *here_to, "--peer", "1#101", "--count", "1", "--timeout", "0.1"),
            "does not answer",
        ),
        (("echo", "--udp", "0", "--own", "1#0"), "out of range"),
        (("echo", "--udp", "0", "--own", "1#9"), "in octal"),
        (("echo", "--udp", "0", "--to", "127.0.0.1:99999"), "from 1 to 65535"),
        (("echo", "--udp", "0", "--capture", "file"), "exists already"),
        (("send", "file", "--udp", "0", *here_to), "no Pup port is named"),
        (
            ("send", "file", "--udp", "0", *here_to, "--peer", "101", "--tries", "1"),
            "0#101#1000 does not answer",
        ),
        (("send", "nothing", "--udp", "0", *here_to, "--peer", "101"), "does not exist"),
        (("receive", "file", "--udp", "0"), "exists already"),
        (("receive", "new", "--udp", "0", "--socket", "8"), "in octal"),
        (("receive", "new", "--udp", "0", "--seconds", "0.1"), "no transfer was complete"),
        (("gateway", "--udp", "0", "--own", "42"), "has to know its network"),
    ]:
        done = command("pup", *words)
        assert (done.exit_code, done.stdout) == (2, ""), (words, done.output)
        assert told in done.stderr, (words, done.stderr)
        assert "Traceback" not in done.stderr
        assert [path.name for path in here.iterdir()] == ["file"]
    taken.close()


def test_nobody_at_the_socket_is_told(command: Callable[..., Result], here: Path):
    (here / "file").write_bytes(b"x")
    with process(here, "echo", "--udp", "0", "--own", "101") as (_, port):
        to = ("--to", f"127.0.0.1:{port}", "--peer", "0#101#4711")
        done = command("pup", "send", "file", "--udp", "0", *to)
    assert done.exit_code == 2
    assert "nobody listens at" in done.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_transfer_leaves_no_file_and_keeps_its_capture(here: Path, name: str):
    with process(here, "receive", "file", "--udp", "0", "--capture", "pups.pcapng") as (running, port):
        peer = Peer(host=0o77)
        peer.to = ("127.0.0.1", port)
        peer.send(8, 5, (0o101, SOCKET), 77, bytes([1, 0o77, 0, 0, 0, 77]))
        peer.hear()
        running.send_signal(getattr(signal, name))
        _, err = running.communicate(timeout=20)
        assert peer.hear()[0] == 9, "the peer is told"
    assert running.returncode == 130
    assert "interrupted: nothing was written to file" in err
    assert [path.name for path in here.iterdir()] == ["pups.pcapng"]


def pcap(link_type: int, frames: list[bytes]) -> bytes:
    """A capture file of these frames."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, link_type)
    sizes = [struct.pack("<IIII", 0, at, len(each), len(each)) for at, each in enumerate(frames)]
    return head + b"".join(size + each for size, each in zip(sizes, frames, strict=True))


def frame_of(kind: int, data: bytes, spoil: int = 0) -> bytes:
    """A frame of the experimental Ethernet with a Pup; `spoil` changes its checksum."""
    body = HEADER.pack(22 + len(data), 0, kind, 5, 1, OWN, 0o20, 1, 0o101, 77) + data
    return struct.pack(">BBH", OWN, 0o101, 0o1000) + body + struct.pack(">H", checksum(body) ^ spoil)


def in_udp(payload: bytes, port: int) -> bytes:
    """An Ethernet frame with an IPv4 packet with a UDP datagram."""
    udp = struct.pack(">HHHH", port, port, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), bytes(4))
    return bytes(12) + b"\x08\x00" + ip + udp


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed (Debian: tshark)")
def test_the_dissector_takes_all_four_encapsulations_and_names_what_is_in_them(here: Path):
    frames = [frame_of(24, b"ab"), frame_of(17, b"ab", spoil=1)]
    words = [struct.pack(">H", len(each) // 2) + each for each in frames]
    (here / "3mbit.pcap").write_bytes(pcap(2, frames))
    ethernet = [bytes(12) + kind + each for kind in (b"\xbe\xef", b"\x0a\x00") for each in words]
    (here / "emulated.pcap").write_bytes(pcap(1, [*ethernet, *(in_udp(each, 42_424) for each in words)]))
    told = ["EFTP Data id 5, 2 bytes", "[bad checksum] AData id 5, 2 bytes"]
    for file, times in (("3mbit.pcap", 1), ("emulated.pcap", 3)):
        line = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", file]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        rows = done.stdout.splitlines()
        assert len(rows) == 2 * times
        for row, words in zip(rows, told * times, strict=True):
            assert row.endswith(words), (file, done.stdout)
            assert (" EFTP " if words.startswith("EFTP") else " Pup ") in row


@pytest.mark.parametrize("words", [("echo", "--seconds"), ("echo", "--timeout"), ("gateway", "--seconds")])
@pytest.mark.parametrize("seconds", ["nan", "inf", "1e308", "0", "-1", "soon"])
def test_seconds_that_no_clock_counts_are_refused(
    command: Callable[..., Result], words: tuple[str, ...], seconds: str
):
    done = command("pup", words[0], "--udp", "0", words[1], seconds)
    assert done.exit_code == 2
    assert f"`{seconds}`: expected a number of seconds above 0" in done.stderr

"""Has an experiment performed while parts of what performs it are killed, until it is whole.

    python killer.py local|ray '{"worker": 20, "driver": 5}' SEED FOLDER SOCKETS

SOCKETS is an empty folder with a short path, for Ray's own files: what an earlier Ray has left would
mislead it. For `ray` it runs in a network and process namespace of its own, which ends whatever is left. It
prints the kills that it made, as JSON, in its last line.
"""

import fcntl
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

PORT = 6399
SIOCSIFFLAGS = 0x8914
IFF_UP = 1
# Longer than any part takes to stand again on a busy machine.
SECONDS_FOR_ALL_KILLS = 1800


def loopback_up() -> None:
    """Bring up the only interface of this namespace."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))


def answers(port: int) -> None:
    """Wait until a server listens there."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError(f"nobody listens at port {port}")


class Nodes:
    """A Ray of two nodes with one CPU each: a head that stays, and a raylet that may be killed."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        self._folder = folder
        self._sockets = sockets
        # The server of the client port finds the agent by a port that is named.
        ports = (f"--port={PORT}", f"--runtime-env-agent-port={PORT + 1}")
        self.head = self._start("--head", *ports, "--include-dashboard=false")
        self.other: subprocess.Popen | None = None
        answers(PORT)
        self.restart()

    def restart(self) -> None:
        """Start the second node."""
        self.other = self._start(f"--address=127.0.0.1:{PORT}")

    def kill_raylet(self) -> bool:
        """Kill the second node's raylet, which takes its workers with it, and start it again."""
        assert self.other is not None
        raylets = [pid for pid in children(self.other.pid) if "raylet/raylet" in command(pid)]
        if not raylets:
            return False
        os.kill(raylets[0], signal.SIGKILL)
        self.other.wait()
        self.restart()
        return True

    def _start(self, *words: str) -> subprocess.Popen:
        ray = str(Path(sys.executable).with_name("ray"))
        line = [
            ray,
            "start",
            "--block",
            "--num-cpus=1",
            "--node-ip-address=127.0.0.1",
            "--disable-usage-stats",
        ]
        place = [f"--temp-dir={self._sockets}"] if "--head" in words else []
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*line, *place, "--object-store-memory=100000000", *words], **quiet)


def processes() -> list[int]:
    """Every process that is seen from here."""
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def command(pid: int) -> str:
    """Its command line; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def parent(pid: int) -> int:
    """Its parent's process number."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def children(pid: int) -> list[int]:
    """The processes that this one has started, and theirs."""
    own = [each for each in processes() if parent(each) == pid]
    return own + [deeper for each in own for deeper in children(each)]


class Killer:
    """The driver, what it drives, and the kills that are still to be made."""

    def __init__(self, on: str, kills: dict[str, int], seed: int, folder: Path, sockets: Path) -> None:
        self.left = [kind for kind, count in sorted(kills.items()) for _ in range(count)]
        self.made = dict.fromkeys(kills, 0)
        self._random = random.Random(seed)
        self._random.shuffle(self.left)
        self._folder = folder
        self._on = on
        self._nodes = Nodes(folder, sockets) if on == "ray" else None
        self._driver = self._drive()

    def kill_all(self) -> None:
        """Kill until all kills are made and the experiment is whole."""
        deadline = time.monotonic() + SECONDS_FOR_ALL_KILLS
        while time.monotonic() < deadline:
            time.sleep(self._random.uniform(0.02, 0.4))
            code = self._driver.poll()
            if code is None:
                if self.left and self._kill(self.left[-1]):
                    self.made[self.left.pop()] += 1
            elif code == 0 and not self.left:
                return
            else:
                if code == 0:
                    self._lose_half()
                self._driver = self._drive()
        raise TimeoutError(f"{len(self.left)} kills are left")

    def _kill(self, kind: str) -> bool:
        if kind == "driver":
            if self._runs() == 0:
                return False
            self._driver.kill()
            self._driver.wait()
            return True
        if kind == "raylet":
            assert self._nodes is not None
            return self._nodes.kill_raylet()
        mark = "ray::perform" if self._on == "ray" else "hopscope.executors.worker"
        near = processes() if self._on == "ray" else children(self._driver.pid)
        workers = [pid for pid in near if mark in command(pid)]
        if not workers:
            return False
        try:
            os.kill(self._random.choice(sorted(workers)), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def _runs(self) -> int:
        return sum(1 for _ in self._folder.rglob("store/runs/**/*.zip"))

    def _lose_half(self) -> None:
        """It was whole before all kills were made: there is to be more to do."""
        for path in sorted(self._folder.rglob("store/runs/**/*.zip"))[::2]:
            path.unlink()

    def _drive(self) -> subprocess.Popen:
        line = [
            sys.executable,
            "-m",
            "hopscope",
            "experiment",
            "runs.toml",
            "--store",
            "store",
            "--on",
            self._on,
        ]
        known = os.environ | {"RAY_ADDRESS": f"127.0.0.1:{PORT}"}
        return subprocess.Popen(
            [*line, "--jobs", "2", "--quiet"], cwd=self._folder, env=known, stdout=sys.stderr
        )


def main() -> None:
    """Make the kills that the command line says, and print them."""
    on, kills, seed, folder, sockets = sys.argv[1:]
    if on == "ray":
        loopback_up()
    killer = Killer(on, json.loads(kills), int(seed), Path(folder), Path(sockets))
    killer.kill_all()
    print(json.dumps(killer.made))


if __name__ == "__main__":
    main()

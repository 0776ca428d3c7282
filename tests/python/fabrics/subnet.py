"""A simulated InfiniBand subnet on this machine: ibsim, with OpenSM and the diagnostics attached to it."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TOOLS = ("ibsim", "opensm", "ibnetdiscover", "dump_fts", "ibdmchk", "ibtracert")
PRELOAD = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
SECONDS = 60

missing = [tool for tool in TOOLS if shutil.which(tool) is None] + (
    [] if PRELOAD.exists() else ["libumad2sim"]
)
needs_tools = pytest.mark.skipif(
    bool(missing),
    reason=f"not installed: {', '.join(missing)} (apt: opensm ibsim-utils infiniband-diags ibutils)",
)


class Subnet:
    """A running ibsim; every command is attached to it."""

    def __init__(self, folder: Path, socket: str) -> None:
        """Made by `simulated`."""
        self.folder = folder
        self._known = os.environ | {
            "LD_PRELOAD": str(PRELOAD),
            "IBSIM_SOCKNAME": socket,
            "OSM_TMP_DIR": str(folder),
            "OSM_CACHE_DIR": str(folder),
        }

    def run(self, *command: str, code: int | None = 0) -> str:
        """What a command prints; it ends with this exit code (None: with any) within a minute."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._known,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert code is None or done.returncode == code, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def credit_loops(self) -> bool:
        """Whether ibdmchk, OpenSM's sister, finds credit loops in what OpenSM dumped last."""
        files = ("-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs")
        verdict = self.run("ibdmchk", *files, code=None)
        assert "Scanned:" in verdict, verdict
        assert ("-E- credit loops in routing" in verdict) != ("no credit loops found" in verdict), verdict
        return "-E- credit loops in routing" in verdict

    def opensm(self, engine: str, *options: str) -> str:
        """Let OpenSM route the subnet once; gives the tables that it dumps."""
        log = self.folder / "osm.log"
        command = ("opensm", "-R", f"{engine},no_fallback", "-o", "-D", "0x43", "-f", str(log), *options)
        self.run(*command)
        return (self.folder / "opensm-lfts.dump").read_text()

    @contextlib.contextmanager
    def managed(self, engine: str, *options: str) -> Iterator[None]:
        """Let OpenSM route the subnet and answer for it until the block ends."""
        dumped = self.folder / "opensm-sl2vl.dump"
        log = self.folder / "osm.log"
        opensm = subprocess.Popen(
            ["opensm", "-R", f"{engine},no_fallback", "-Q", "-D", "0x43", "-f", str(log), *options],
            cwd=self.folder,
            env=self._known,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + SECONDS
            while not dumped.exists():
                assert opensm.poll() is None, "OpenSM has ended"
                assert time.monotonic() < deadline, "OpenSM is not ready"
                time.sleep(0.05)
            # It answers queries soon after it has dumped its tables.
            time.sleep(1)
            yield
        finally:
            os.killpg(opensm.pid, signal.SIGKILL)
            opensm.wait()


@contextlib.contextmanager
def simulated(net: Path, folder: Path) -> Iterator[Subnet]:
    """Simulate the subnet of a net file until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    socket = f"hopscope-{os.getpid()}-{time.monotonic_ns()}"
    with (folder / "ibsim.out").open("w") as output:
        ibsim = subprocess.Popen(
            ["ibsim", "-s", "-n", "-S", "1024", "-N", "8192", "-P", "65536", str(net)],
            env=os.environ | {"IBSIM_SOCKNAME": socket},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _await_ready(ibsim, folder / "ibsim.out")
        yield Subnet(folder, socket)
    finally:
        os.killpg(ibsim.pid, signal.SIGKILL)
        ibsim.wait()


def _await_ready(ibsim: subprocess.Popen[bytes], output: Path) -> None:
    """Wait until ibsim says that it is ready."""
    deadline = time.monotonic() + SECONDS
    while "ready" not in output.read_text(errors="replace"):
        if ibsim.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"ibsim did not start: {output.read_text(errors='replace')}")
        time.sleep(0.02)

"""The scripts of docs/how-to/cluster on a real Slurm of one node, in namespaces of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PROJECT
from hopscope.experiments.definition import read_experiment
from hopscope.experiments.execution import Execution
from hopscope.experiments.perform import perform
from test_faults import NAMESPACE, has_namespaces
from test_store import tree

SCRIPTS = PROJECT / "docs/how-to/cluster"
RUNS = (
    'scenarios = ["queueing-mm1"]\nseeds = {seeds}\n[set]\n"measure.messages" = 30_000\n'
    '[over]\n"arrivals.load" = [0.3, 0.6]\n'
)

# Slurm looks up addresses only where something besides the loopback is up: virtual links that lead nowhere.
SLURM = """set -eu
ip link set lo up
ip link add v0 type veth peer name v1
ip link set v1 up
ip addr add 10.0.0.1/24 dev v0
ip link set v0 up
mkdir state spool run
head -c 1024 /dev/urandom > munge.key
chmod 400 munge.key
munged --force --key-file="$PWD/munge.key" --socket="$PWD/run/munge.sock" --pid-file="$PWD/run/munged.pid" \\
  --log-file="$PWD/munged.log" --seed-file="$PWD/munge.seed"
cat > slurm.conf <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(10.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/run/munge.sock
CredType=cred/munge
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/run/slurmctld.pid
SlurmdPidFile=$PWD/run/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=$(hostname -s) NodeAddr=10.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$PWD/slurm.conf"
slurmctld -f slurm.conf
slurmd -f slurm.conf
until sinfo --noheader --format=%T 2> /dev/null | grep -q idle; do sleep 0.2; done
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not all(map(shutil.which, ("slurmctld", "slurmd", "munged", "ip"))) or not has_namespaces(),
        reason="Slurm and network namespaces are needed",
    ),
]


def submitted(here: Path, jobs: str, seeds: int) -> str:
    """What the jobs print that are given to a Slurm in this folder."""
    (here / "runs.toml").write_text(RUNS.format(seeds=seeds))
    for script in SCRIPTS.glob("*.sbatch"):
        shutil.copy(script, here)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [*NAMESPACE, "bash", "-c", SLURM + jobs],
        capture_output=True,
        text=True,
        cwd=here,
        env=os.environ | {"PATH": path, "HOME": str(here)},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def peace(here: Path) -> dict[str, bytes]:
    """The store of the same experiment, performed here."""
    perform(read_experiment(here / "runs.toml"), Execution(here / "peace", "threads"))
    return tree(here / "peace")


def test_an_array_performs_the_parts(here: Path):
    submitted(here, "sbatch --wait --array=1-2 --cpus-per-task=1 shards.sbatch runs.toml", seeds=4)
    merge = [sys.executable, "-m", "hopscope", "store", "merge", "whole", "parts/1", "parts/2"]
    subprocess.run(merge, cwd=here, check=True, capture_output=True)
    runs = {name: archive for name, archive in peace(here).items() if name.startswith("runs/")}
    assert {f"runs/{name}": archive for name, archive in tree(here / "whole/runs").items()} == runs


def test_a_job_with_its_own_ray_goes_on_after_sigterm(here: Path):
    """Slurm sends SIGTERM to the batch script, as it does before the time is up."""
    job = "--nodes=1 --cpus-per-task=2 ray.sbatch runs.toml store"
    jobs = f"""
number=$(sbatch --parsable {job})
until [ -n "$(find store -name '*.zip' 2> /dev/null | head -n 1)" ]; do sleep 0.2; done
scancel --batch --signal=TERM "$number"
until scontrol show job "$number" | grep -q -E 'JobState=(FAILED|COMPLETED)'; do sleep 0.2; done
scontrol show job "$number" | grep -o 'ExitCode=[0-9]*'
find store -name '*.zip' | wc -l
sbatch --wait {job} > /dev/null
"""
    code, kept = submitted(here, jobs, seeds=300).split()
    assert code == "ExitCode=130"
    assert 0 < int(kept) < 600
    assert tree(here / "store") == peace(here)

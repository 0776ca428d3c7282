"""Times an experiment of many short runs against the same runs one after another in one process.

    .venv/bin/python benches/many_runs.py [--points N] [--messages N] [--on local|threads|ray] [--jobs N]

Prints the processor time of a run alone, the time of all if nothing but them were done on that many
processors, the time of the experiment, the ratio of the two, the processor time of everything that took part,
and the driver's peak memory. With `--on ray`, a Ray of this number of nodes is started on this machine before
the clock starts: put it in a network namespace of its own (`unshare --net`, then `ip link set lo up`).
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hopscope
from hopscope import Execution, Experiment, perform

ALONE = 200
"""Runs that are timed alone."""


def main() -> None:
    """Time the runs alone, then the experiment."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--points", type=int, default=10_000)
    asked.add_argument(
        "--messages", type=int, default=90_000, help="of an M/M/1 queue, which 40,000 keep for 20 ms"
    )
    asked.add_argument("--on", choices=("local", "threads", "ray"), default="local")
    asked.add_argument("--jobs", type=int, default=2)
    asked.add_argument("--nodes", type=int, default=2, help="of Ray")
    given = asked.parse_args()
    alone = alone_s(given.messages)
    ideal = given.points * alone / given.jobs
    over = {"arrivals.load": [round(0.1 + 0.8 * nth / given.points, 7) for nth in range(given.points)]}
    with tempfile.TemporaryDirectory() as folder, cluster(given.on, given.nodes, given.jobs) as on:
        execution = Execution(str(Path(folder) / "store"), on, given.jobs)
        experiment = Experiment(["queueing-mm1"], over=over, set={"measure.messages": given.messages})
        began, used = time.perf_counter(), processor_s()
        result = perform(experiment, execution)
        took = time.perf_counter() - began
        counted = (len(result), result.tally.done, len(result.failures))
        used = processor_s() - used
    if counted != (given.points, given.points, 0):
        raise SystemExit(f"points, done and failed are {counted}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"a run alone                 {1e3 * alone:.1f} ms of processor time")
    print(f"ideal, {given.jobs} processors         {ideal:.1f} s")
    print(f"experiment                  {took:.1f} s, {took / ideal:.2f} times the ideal")
    if given.on != "ray":
        times = used / (given.points * alone)
        print(f"processor time              {used:.1f} s, {times:.2f} times that of the runs")
    print(f"driver's peak memory        {peak:.0f} MiB")


def alone_s(messages: int) -> float:
    """The mean processor time of a run over the loads of the experiment, alone in this process."""
    loads = [round(0.1 + 0.8 * nth / ALONE, 7) for nth in range(ALONE)]
    common = {"measure.messages": messages}
    ready = [hopscope.engine.load("queueing-mm1", {**common, "arrivals.load": load}) for load in loads]
    began = time.process_time()
    for one in ready:
        hopscope.engine.run(one)
    return (time.process_time() - began) / ALONE


def processor_s() -> float:
    """The processor time of this process and its ended children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def cluster(on: str, nodes: int, jobs: int) -> Iterator[str]:
    """The executor's name; for Ray with a cluster of this size, which ends with the block."""
    if on != "ray":
        yield on
        return
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": jobs // nodes})
    try:
        for _ in range(nodes - 1):
            started.add_node(num_cpus=jobs // nodes)
        os.environ["RAY_ADDRESS"] = started.address
        yield "ray"
    finally:
        started.shutdown()


if __name__ == "__main__":
    main()

"""`proj project` on a local Dask cluster of four workers, one of them killed: the bytes of one core, memory of each worker.

python bench/cluster_killed.py --pairs 100000
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import about, measured
from generate import generate

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}
PROJ = (sys.executable, "-m", "divproj")


def peak(pid: int) -> float:
    """The most memory that a process has had, in MB; 0 when it has ended."""
    try:
        rows = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(row.split()[1]) / 1024 for row in rows if row.startswith("VmHWM")), 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--after", type=float, default=0.3, help="Share of the batches' time after which a worker is killed.")
    chosen = parser.parse_args()
    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        generate(here / "c", chosen.pairs, 1, **RATES)
        command = (*PROJ, "-q", "project", str(here / "c"), "--rules", "deu", "-o")
        alone = measured(*command, str(here / "one.conllu"))
        with LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL") as cluster:
            with Client(cluster) as client:
                pids = list(client.run(os.getpid).values())
            memory = dict.fromkeys(pids, 0.0)
            killed: list[int] = []
            ended = threading.Event()

            def watch() -> None:
                began = time.time()
                while not ended.wait(0.5):
                    memory.update({pid: max(memory[pid], peak(pid)) for pid in pids})
                    if not killed and time.time() - began > chosen.after * alone.seconds / 2:
                        killed.append(pids[0])
                        os.kill(pids[0], signal.SIGKILL)

            watching = threading.Thread(target=watch)
            watching.start()
            spread = measured(*command, str(here / "four.conllu"), "--scheduler", cluster.scheduler_address)
            ended.set()
            watching.join()
        one, four = (hashlib.sha256((here / f"{name}.conllu").read_bytes()).hexdigest()[:16] for name in ("one", "four"))
        print(about())
        print(
            f"{chosen.pairs} pairs; one core: {alone.seconds:.0f} s by the clock, {alone.cpu:.0f} CPU s, {alone.memory:.0f} MB"
        )
        print(f"four workers, one killed ({len(killed)}): {spread.seconds:.0f} s, the command itself {spread.memory:.0f} MB")
        print(f"workers' peaks: {', '.join(f'{mb:.0f}' for mb in memory.values())} MB")
        print(f"same bytes: {one == four} ({one}, {four})")


if __name__ == "__main__":
    main()

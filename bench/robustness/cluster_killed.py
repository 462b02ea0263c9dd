"""`proj run` on a local Dask cluster of four workers, one of them killed: the bytes of one core, memory of each worker.

python bench/robustness/cluster_killed.py --pairs 100000 [--command project]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table, Usage, measure
from bench.tools.generate import generate

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}
PROJ = (sys.executable, "-m", "divproj")


def peak(pid: int) -> float:
    """The most memory that a process has had, in MB; 0 when it has ended."""
    try:
        rows = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(row.split()[1]) / 1024 for row in rows if row.startswith("VmHWM")), 0.0)


def worked(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


CONFIG = """[input]
text = "c/f.conllu"
trees = "c/e.conllu"
links = "c/align.txt"
[project]
system = "s2+"
rules = "deu.json"
"""


def prepared(here: Path, command: str) -> tuple[tuple[str, ...], str]:
    """The command up to the name of its output, and where the trees are in that."""
    if command == "project":
        return (*PROJ, "-q", "project", str(here / "c"), "--rules", "deu", "-o"), ""
    (here / "divproj.toml").write_text(CONFIG)
    shutil.copy(ROOT / "rules" / "deu.json", here)
    return (*PROJ, "-q", "run", str(here / "divproj.toml"), "-o"), "trees.conllu"


def digest(output: Path, trees: str) -> str:
    return hashlib.sha256((output / trees if trees else output).read_bytes()).hexdigest()[:16]


def cells(usage: Usage) -> list[str]:
    return [f"{usage.seconds:.0f}", f"{usage.cpu:.0f}", f"{usage.memory:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--command", choices=("run", "project"), default="run")
    parser.add_argument("--after", type=float, default=3.0, help="CPU seconds of its work after which a worker is killed.")
    chosen = parser.parse_args()
    from distributed import Client, LocalCluster

    caption = f"`proj {chosen.command}` over {chosen.pairs:,} generated pairs, one of four Dask workers killed"
    columns = ("run", "s", "CPU s", "MB of the command", "MB of the workers", "digest of the trees")
    with Table("cluster_killed", caption, *columns, seed=1) as table, tempfile.TemporaryDirectory() as name:
        here = Path(name)
        generate(here / "c", chosen.pairs, 1, **RATES)
        command, trees = prepared(here, chosen.command)
        alone = measure(*command, str(here / "one"), "-j", "1")
        one = digest(here / "one", trees)
        table.add("one core", *cells(alone), "", one)
        with LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL") as cluster:
            with Client(cluster) as client:
                pids = list(client.run(os.getpid).values())
            memory = dict.fromkeys(pids, 0.0)
            killed: list[int] = []
            ended = threading.Event()

            def watch() -> None:
                began = worked(pids[0])
                while not ended.wait(0.5):
                    memory.update({pid: max(memory[pid], peak(pid)) for pid in pids})
                    if not killed and worked(pids[0]) - began > chosen.after:
                        killed.append(pids[0])
                        os.kill(pids[0], signal.SIGKILL)

            watching = threading.Thread(target=watch)
            watching.start()
            spread = measure(*command, str(here / "four"), "--scheduler", cluster.scheduler_address)
            ended.set()
            watching.join()
        four = digest(here / "four", trees)
        peaks = ", ".join(f"{mb:.0f}" for mb in memory.values())
        table.add(f"four workers, {len(killed)} killed", *cells(spread), peaks, four)
        table.note(f"same bytes: {'yes' if one == four else 'NO'}")


if __name__ == "__main__":
    main()

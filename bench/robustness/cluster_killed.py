"""A corpus through `proj project` or `proj run` on one core and on a local Dask cluster of four workers, one of them killed: the same bytes.

python bench/robustness/cluster_killed.py --pairs 100000 [--command project]
python bench/robustness/cluster_killed.py --glossed --pairs 100000 --command project

Memory is that of the command at each tenth of its time, and the most that each worker had. With `--glossed` the corpus is glossed text of an
invented language, projected by the default system, which learns from the text; without, two treebanks and a system that looks at each sentence.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table
from bench.tools.generate import generate, glossed

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}
PROJ = (sys.executable, "-m", "divproj")


def status(pid: int, name: str) -> float:
    """Memory of a process in MB: what it has (VmRSS), or the most that it has had (VmHWM); 0 when it has ended."""
    try:
        rows = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(row.split()[1]) / 1024 for row in rows if row.startswith(name)), 0.0)


def worked(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


TREEBANKS = """[input]
text = "c/f.conllu"
trees = "c/e.conllu"
links = "c/align.txt"
[project]
system = "s2+"
rules = "deu.json"
"""
GLOSSED = """[input]
text = "c/igt.txt"
"""


def prepare(here: Path, command: str, is_glossed: bool) -> tuple[tuple[str, ...], str]:
    """Return the command up to the name of its output, and where the trees are in that."""
    if command == "project":
        return (*PROJ, "-q", "project", str(here / "c"), *(() if is_glossed else ("--rules", "deu")), "-o"), ""
    (here / "divproj.toml").write_text(GLOSSED if is_glossed else TREEBANKS)
    shutil.copy(ROOT / "rules" / "deu.json", here)
    return (*PROJ, "-q", "run", str(here / "divproj.toml"), "-o"), "trees.conllu"


def digest(output: Path, trees: str) -> str:
    return hashlib.sha256((output / trees if trees else output).read_bytes()).hexdigest()[:16]


def measure(*command: str) -> list[str]:
    """Run a command and return the cells of its row: seconds, CPU seconds, most memory, memory at each tenth of its time."""
    start, curve = time.monotonic(), [0.0]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command)
    most = 0.0
    while process.poll() is None:
        curve.append(status(process.pid, "VmRSS"))
        most = max(most, status(process.pid, "VmHWM"))
        time.sleep(0.5)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    tenths = [curve[min(len(curve) - 1, k * len(curve) // 10)] for k in range(1, 11)]
    return [f"{time.monotonic() - start:.0f}", f"{cpu:.0f}", f"{most:.0f}", " ".join(f"{mb:.0f}" for mb in tenths)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--command", choices=("run", "project"), default="run")
    parser.add_argument("--glossed", action="store_true")
    parser.add_argument("--after", type=float, default=3.0, help="CPU seconds of its work after which a worker is killed.")
    chosen = parser.parse_args()
    from distributed import Client, LocalCluster

    corpus = "glossed sentences" if chosen.glossed else "pairs"
    caption = f"`proj {chosen.command}` over {chosen.pairs:,} generated {corpus}, one of four Dask workers killed"
    name = f"cluster_killed-{chosen.command}" if chosen.glossed else "cluster_killed"
    columns = (
        "run",
        "s",
        "CPU s",
        "MB of the command",
        "MB at each tenth of its time",
        "MB of the workers",
        "digest of the trees",
    )
    with Table(name, caption, *columns, seed=1) as table, tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        if chosen.glossed:
            glossed(here / "c", chosen.pairs, 1)
        else:
            generate(here / "c", chosen.pairs, 1, **RATES)
        command, trees = prepare(here, chosen.command, chosen.glossed)
        cells = measure(*command, str(here / "one"), "-j", "1")
        one = digest(here / "one", trees)
        table.add("one core", *cells, "", one)
        with LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL") as cluster:
            with Client(cluster) as client:
                pids = list(client.run(os.getpid).values())
            memory = dict.fromkeys(pids, 0.0)
            killed: list[int] = []
            ended = threading.Event()

            def watch() -> None:
                began = worked(pids[0])
                while not ended.wait(0.5):
                    memory.update({pid: max(memory[pid], status(pid, "VmHWM")) for pid in pids})
                    if not killed and worked(pids[0]) - began > chosen.after:
                        killed.append(pids[0])
                        os.kill(pids[0], signal.SIGKILL)

            watching = threading.Thread(target=watch)
            watching.start()
            cells = measure(*command, str(here / "four"), "--scheduler", cluster.scheduler_address)
            ended.set()
            watching.join()
        four = digest(here / "four", trees)
        peaks = ", ".join(f"{mb:.0f}" for mb in memory.values())
        table.add(f"four workers, {len(killed)} killed", *cells, peaks, four)
        table.note(f"same bytes: {'yes' if one == four else 'NO'}")
        if one != four:
            print(json.dumps({"different": [one, four]}), file=sys.stderr)


if __name__ == "__main__":
    main()

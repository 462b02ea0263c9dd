"""Damaged files through every reader and model loader, for as long as you like: read or refused in words, nothing else.

python bench/fuzz.py --seconds 600 --seed 7
python bench/fuzz.py --seconds 600 --atheris          # guided by coverage; pip install 'divproj[fuzz]'

A process of its own meets the cases, with 4 GB of address space and 5 s of processor time for one case; when it dies, the case is
kept and another goes on. Cases that fail are written to bench/out/fuzz/TARGET~SEED. The same seed gives the same cases.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "bench" / "out" / "fuzz"
ROOM = 4 << 30
SILENT = 120
"""Seconds without a new case after which the process is taken to hang."""
SLICE = 25
"""Cases of one target before the next has its turn."""
sys.path[0] = str(ROOT / "tests")  # in place of this folder, in which this file is called fuzz too


def targets():  # type: ignore[no-untyped-def]
    from fuzz.loaders import LOADERS
    from fuzz.readers import READERS

    return {target.name: target for target in (*READERS, *LOADERS)}


def file_name(target: str, seed: object) -> str:
    return f"{target.replace('/', '+').replace(' ', '_')}~{seed}"


def work(names: list[str], seed: int, first: int, until: float) -> None:
    """The process that meets the cases: a line for each slice, and one for each fault."""
    import resource

    from fuzz.limits import survived
    from fuzz.mutate import damaged

    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    known = targets()
    chosen = {name: known[name] for name in names}
    turn = first
    while time.time() < until:
        for name, target in chosen.items():
            if turn == first:
                for data in target.seeds:  # compiles and imports before any clock runs
                    target.use(data)
            told: Counter[str] = Counter()
            for k in range(SLICE):
                case = f"{seed}.{turn}.{k}"
                data = damaged(target.seeds, random.Random(f"{name}:{case}"), target.kind)
                (OUT / "current").write_bytes(data)
                (OUT / "current.name").write_text(file_name(name, case))
                try:
                    told[survived(target, data)] += 1
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    told["failed"] += 1
                    keep(traceback.format_exc())
            print("slice", turn, told["read"], told["refused"], told["failed"], name, flush=True)
            if time.time() > until:
                break
        turn += 1


def keep(why: str) -> None:
    """The case that is in hand, and what it did."""
    name = (OUT / "current.name").read_text()
    (OUT / name).write_bytes((OUT / "current").read_bytes())
    (OUT / f"{name}.txt").write_text(why)
    print("fault", name, why.strip().rpartition("\n")[2][:200], flush=True)


def drive(names: list[str], seed: int, seconds: float) -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    faults: list[str] = []
    until, turn = time.time() + seconds, 0
    while time.time() < until:
        command = [sys.executable, __file__, "--worker", str(seed), str(turn), str(until), *names]
        with (OUT / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
        started, told = time.time(), 0
        while True:
            ended = process.poll() is not None
            lines = (OUT / "log").read_text().splitlines(keepends=True)
            for line in (line.rstrip("\n") for line in lines[told:] if line.endswith("\n")):
                told += 1
                if line.startswith("slice "):
                    _, said, read, refused, failed, name = line.split(" ", 5)
                    turn = int(said) + 1
                    counts[name].update(read=int(read), refused=int(refused), failed=int(failed))
                elif line.startswith("fault "):
                    faults.append(line)
                    print(line)
            if ended:
                break
            current = OUT / "current"
            if time.time() - max(current.stat().st_mtime if current.exists() else 0, started) > SILENT:
                process.kill()
            time.sleep(0.2)
        if process.returncode:
            keep(f"the process ended with {process.returncode}")
            faults.append((OUT / "current.name").read_text())
            turn += 1
    return report(counts, faults)


def report(counts: dict[str, Counter[str]], faults: list[str]) -> int:
    print(f"\n| target | cases | read | refused | failed |\n|{'---|' * 5}")
    total: Counter[str] = Counter()
    for name, count in counts.items():
        print(f"| {name} | {sum(count.values())} | {count['read']} | {count['refused']} | {count['failed']} |")
        total.update(count)
    print(f"| all {len(counts)} | {sum(total.values())} | {total['read']} | {total['refused']} | {total['failed']} |")
    print(f"\n{len(faults)} faults" + (f", kept in {OUT}" if faults else ""))
    return bool(faults)


def instrumented() -> None:
    """Import all of divproj under the eyes of atheris, kernels as plain Python; it takes a minute, so children are forked from here."""
    import atheris

    with atheris.instrument_imports(include=["divproj"]):
        import divproj

        for module in pkgutil.walk_packages(divproj.__path__, "divproj."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    from divproj.jit import Kernel

    Kernel.compiled = property(lambda kernel: kernel.plain)  # numba cannot compile what is instrumented


def guided(name: str, seconds: int) -> None:
    """One target under atheris, which keeps what reaches new code; never returns."""
    import atheris
    from fuzz.limits import survived
    from fuzz.mutate import damaged

    target = targets()[name]
    corpus = OUT / "corpus" / file_name(name, "corpus")
    corpus.mkdir(parents=True, exist_ok=True)
    for k, data in enumerate(target.seeds):
        target.use(data)
        (corpus / f"seed-{k}").write_bytes(data)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        return damaged([data], random.Random(seed), target.kind)[:most]

    options = [f"-max_total_time={seconds}", "-rss_limit_mb=2500", "-timeout=60", "-print_final_stats=1", "-max_len=100000"]
    options += [f"-artifact_prefix={OUT / file_name(name, '')}", str(corpus)]
    atheris.Setup([sys.argv[0], *options], lambda data: survived(target, data), custom_mutator=mutated)
    atheris.Fuzz()


def forked(name: str, seconds: int, log: Path) -> int:
    """The exit code of a target in a process of its own, what it says in a file."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 1
        try:
            with log.open("wb") as out:
                os.dup2(out.fileno(), 2)
            guided(name, seconds)
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def drive_guided(names: list[str], seconds: float) -> int:
    os.environ["OMP_NUM_THREADS"] = "1"
    OUT.mkdir(parents=True, exist_ok=True)
    each, bad, total = max(1, int(seconds / len(names))), 0, 0
    print(f"| target | cases | outcome |\n|{'---|' * 3}")
    for name in names:
        code = forked(name, each, OUT / "guided")
        said = (OUT / "guided").read_text(errors="replace")
        cases = next((line.split()[-1] for line in said.splitlines() if "number_of_executed_units" in line), "?")
        bad += code != 0
        total += int(cases) if cases.isdecimal() else 0
        print(f"| {name} | {cases} | {'ok' if not code else said.strip()[-300:]} |", flush=True)
    print(f"\n{total} cases, {bad} targets with faults")
    return bool(bad)


def main() -> int:
    if "--worker" in sys.argv:
        _, _, seed, turn, until, *names = sys.argv
        work(names, int(seed), int(turn), float(until))
        return 0
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="targets whose name has this in it")
    options.add_argument("--list", action="store_true", help="the targets")
    options.add_argument("--atheris", action="store_true", help="guided by coverage")
    given = options.parse_args()
    if given.atheris:
        instrumented()  # before anything else imports it
    names = [name for name in targets() if given.only in name]
    if given.list:
        print("\n".join(names))
        return 0
    if not names:
        sys.exit(f"no target has '{given.only}' in its name; --list names them")
    return drive_guided(names, given.seconds) if given.atheris else drive(names, given.seed, given.seconds)


if __name__ == "__main__":
    sys.exit(main())

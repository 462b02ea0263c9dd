"""Damaged files through every reader and model loader, for as long as you like: read or refused in words, nothing else.

python bench/robustness/fuzz.py --seconds 600 --seed 7
python bench/robustness/fuzz.py --seconds 600 --atheris          # guided by coverage; pip install 'divproj[fuzz]'

A process of its own meets the cases, with 4 GB of address space and 5 s of processor time for one case (15 s when guided, which
makes the code slower); when it dies, the case is kept and another goes on. Cases that fail are written to
bench/out/fuzz/TARGET~SEED. The same seed gives the same cases.
Exits with 1 when a case failed or a target met none.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "bench" / "out" / "fuzz"
ROOM = 4 << 30
SILENT = 120
"""Seconds without a new case after which the process is taken to hang."""
SLICE = 25
"""Cases of one target before the next has its turn."""
SLOWER = 3
"""Times as long as alone that a case may take with its branches counted."""
CASES, BRANCHES = r"^(?:#|stat::number_of_executed_units: )(\d+)", r" cov: (\d+)"
"""Where a guided process tells how many cases it met, and how many branches of divproj they reached."""
COLUMNS = ("target", "cases", "read", "refused", "failed")
BEGUN = "the cases begin"
"""What a target says when it has started; one that fails before could not run."""
sys.path[:1] = [str(ROOT / "tests"), str(ROOT)]  # in place of this folder, in which this file is called fuzz too
from bench.common import Table  # noqa: E402


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
                    keep(file_name(name, case), data, traceback.format_exc())
            print("slice", turn, told["read"], told["refused"], told["failed"], name, flush=True)
            if time.time() > until:
                break
        turn += 1


def keep(name: str, data: bytes, why: str) -> None:
    """A case, and what it did."""
    (OUT / name).write_bytes(data)
    (OUT / f"{name}.txt").write_text(why)
    print("fault", name, why.strip().rpartition("\n")[2][:200], flush=True)


def drive(names: list[str], seed: int, seconds: float) -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    faults: list[str] = []
    until, turn = time.time() + seconds, 0
    while time.time() < until:
        for name in ("current", "current.name"):
            (OUT / name).unlink(missing_ok=True)
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
            case = [OUT / "current.name", OUT / "current"]
            name, data = (case[0].read_text(), case[1].read_bytes()) if case[0].exists() else ("start", b"")
            keep(name, data, f"the process ended with {process.returncode}")
            faults.append(name)
            turn += 1
    with Table("fuzz", "Damaged files through every reader and loader", *COLUMNS, seed=seed) as table:
        return report(table, counts, faults)


def report(table: Table, counts: dict[str, Counter[str]], faults: list[str]) -> int:
    """Add a row for each target and one for all; return the exit code."""
    total: Counter[str] = Counter()
    for name, count in counts.items():
        table.add(name, sum(count.values()), count["read"], count["refused"], count["failed"])
        total.update(count)
    table.add(f"all {len(counts)}", sum(total.values()), total["read"], total["refused"], total["failed"])
    silent = [name for name, count in counts.items() if not count.total()]
    table.note(f"{len(faults)} faults; {targets_run(len(counts), silent)}")
    if faults:
        print(f"faults are kept in {OUT}", file=sys.stderr)
    return bool(silent or faults)


def targets_run(count: int, silent: list[str]) -> str:
    """Return how many targets ran, and which did not."""
    return f"{count - len(silent)} of {count} targets ran" + (f"; these did not: {', '.join(silent)}" if silent else "")


def kernel_modules() -> list[str]:
    """The modules that hold kernels, and hardly anything else: numba cannot compile what is instrumented."""
    source = ROOT / "src"
    found = [path for path in source.rglob("*.py") if "\n@kernel(" in path.read_text(encoding="utf-8")]
    return [".".join(path.relative_to(source).with_suffix("").parts) for path in found]


def instrumented() -> None:
    """Import all of divproj under the eyes of atheris, but for its kernels; it takes a minute, so children are forked from here."""
    import atheris

    with atheris.instrument_imports(include=["divproj"], exclude=kernel_modules()):
        import divproj

        for module in pkgutil.walk_packages(divproj.__path__, "divproj."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    importlib.import_module("numba")  # once, and not in each child


def guided(name: str, seconds: int) -> None:
    """One target under atheris, which keeps what reaches new code; never returns."""
    import resource

    import atheris
    from fuzz.limits import SECONDS, survived
    from fuzz.mutate import MOST, damaged

    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    target, seen = targets()[name], set[str]()
    corpus = OUT / "corpus" / file_name(name, "corpus")
    corpus.mkdir(parents=True, exist_ok=True)
    for k, data in enumerate(target.seeds):
        target.use(data)
        (corpus / f"seed-{k}").write_bytes(data)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        return damaged([data], random.Random(seed), target.kind)[:most]

    def met(data: bytes) -> None:
        try:
            survived(target, data, SLOWER * SECONDS)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            where = str(traceback.extract_tb(error.__traceback__)[-1])
            if where not in seen:  # one case for each line that raises, and on
                seen.add(where)
                keep(file_name(name, f"guided.{len(seen)}"), data, traceback.format_exc())

    options = [f"-max_total_time={seconds}", "-rss_limit_mb=2500", "-timeout=60", "-print_final_stats=1", f"-max_len={MOST}"]
    options += [f"-artifact_prefix={OUT / file_name(name, '')}", str(corpus)]
    atheris.Setup([sys.argv[0], *options], met, custom_mutator=mutated)
    print(BEGUN, flush=True)
    atheris.Fuzz()


def forked(name: str, seconds: int, log: Path) -> int:
    """The exit code of a target in a process of its own, what it says in a file."""
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="divproj-fuzz-") as room:  # atheris ends the child, which then leaves its files
        child = os.fork()
        if not child:
            code = 1
            try:
                tempfile.tempdir = room
                with log.open("wb") as out:
                    os.dup2(out.fileno(), 1)
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
    """Every target for its share of the seconds, counted from its first case."""
    os.environ["OMP_NUM_THREADS"] = "1"
    OUT.mkdir(parents=True, exist_ok=True)
    each, total = max(1, int(seconds / len(names))), 0
    silent: list[str] = []
    faults: list[str] = []
    with Table("fuzz-guided", "The same, guided by code coverage (atheris)", "target", "cases", "branches", "outcome") as table:
        for name in names:
            log = OUT / file_name(name, "guided.log")
            code = forked(name, each, log)
            said = log.read_text(errors="replace")
            cases, branches = (max(map(int, re.findall(x, said, re.MULTILINE)), default=0) for x in (CASES, BRANCHES))
            new = re.findall(r"^fault .*", said, re.MULTILINE)
            if code and BEGUN in said:
                new.append(f"fault {name} ended with {code}, see {log}")
            outcome = f"{len(new)} faults" if new else "ok" if cases and branches else f"not run, see {log}"
            table.add(name, cases, branches, outcome)
            silent += [name] if outcome.startswith("not run") else []
            faults += new
            total += cases
        table.note(f"{total:,} cases, {len(faults)} faults; {targets_run(len(names), silent)}")
    print("\n".join(faults))
    return bool(silent or faults)


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

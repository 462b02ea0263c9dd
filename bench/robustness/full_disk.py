"""Commands on disks that are too small for what they write: each output whole, or as before; with space, the bytes of a large disk.

python bench/robustness/full_disk.py --steps 14

The disk is a tmpfs, so only root can run this; `pytest tests/cli/test_jobs.py -k full` tries a few cases with a limit of file size.
Each command runs on disks that hold a growing part of its outputs, every second one with older files of the same names. Afterwards must
hold: exit code 0, or 1 with a line `proj: …`; no traceback; every file as on a large disk, or as it was; of outputs that belong together
all or none are new; nothing left behind. Then the disk is made large, the same command is given again, and must give the bytes of a large disk.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "tests"), str(ROOT)]
from bench.common import Table  # noqa: E402

LARGE = 64 << 20
OLD = b"what was here before\n"
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "project": (
        (
            "{c}",
            "--system",
            "s1-r",
            "-o",
            "{o}/t.conllu",
            "--html",
            "{o}/t.html",
            "--e-out",
            "{o}/e.conllu",
            "--links-out",
            "{o}/l.txt",
        ),
        ("t.conllu", "t.html", "e.conllu", "l.txt"),
    ),
    "project packed": (("{c}/igt.txt", "-o", "{o}/t.conllu.gz"), ("t.conllu.gz",)),
    "analyze": (("{c}", "--html", "{o}/a.html"), ("a.html",)),
    "convert": (("{c}/igt.txt", "{o}/x.xml", "--force"), ("x.xml",)),
    "learn": (("{c}", "-o", "{o}/r.json"), ("r.json",)),
    "words": (("{c}", "--fast", "-o", "{o}/w.txt"), ("w.txt",)),
    "words saved": (("{c}", "--fast", "--save", "{o}/model", "-o", "/dev/null"), ()),
    "parse": (("{c}/e.conllu", "--lang", "en", "-o", "{o}/t.conllu", "--forest", "{o}/f.jsonl"), ("t.conllu", "f.jsonl")),
    "align": (("{c}", "--no-lexical", "-o", "{o}/p.jsonl", "--html", "{o}/p.html"), ("p.jsonl", "p.html")),
    "align corpus": (("{c}", "--no-lexical", "-o", "/dev/null", "--corpus", "{o}/corpus"), ()),
    "align train": (("train", "{c}", "--no-lexical", "--epochs", "1", "-o", "{o}/model"), ()),
    "induce": (("{c}", "-o", "{o}/model", "--sweeps", "2", "--chains", "1", "--checkpoint", "0"), ()),
    "train": (("{c}/f.conllu", "-o", "{o}/model", "--epochs", "1", "--set", "bits=10", "--checkpoint", "0"), ()),
    "tutorial": (("{o}/tutorial",), ()),
    "run": (("{c}/divproj.toml", "-o", "{o}/results", "-j", "1"), ()),
}
"""Options of each command (its name is the first word), and the files that it writes as a set; a folder is a set, too."""
SINGLE = ("tutorial", "run")
"""Commands whose files stand each for itself: what could be written is kept, and the next time the rest is added."""
INNER = ("stages", "log.txt", ".lock", "run.json")
"""What `proj run` keeps for itself, with times."""


@contextmanager
def disk(place: Path, size: int) -> Iterator[None]:
    """A disk of this size as a folder."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)
        place.rmdir()


def files(place: Path) -> dict[str, bytes]:
    names = {str(path.relative_to(place)): path for path in sorted(place.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in names.items() if not set(INNER) & set(Path(name).parts)}


def judge(code: int, said: str, after: dict[str, bytes], before: dict[str, bytes], whole: dict[str, bytes], name: str) -> None:
    """AssertionError where something that must hold does not."""
    assert "Traceback" not in said, said[-1500:]
    assert code in (0, 1), f"exit code {code}: {said[-500:]}"
    assert code == 0 or any(line.startswith("proj: ") for line in said.splitlines()), f"no message: {said[-500:]}"
    if code:  # what has been computed may stay for --resume
        after = {file: data for file, data in after.items() if not re.search(r"\.checkpoint/|chain-\d+\.npz$", file)}
        whole = {file: data for file, data in whole.items() if not re.search(r"chain-\d+\.npz$", file)}
    differ = [file for file in {**whole, **after} if after.get(file) != whole.get(file)]
    assert code or not differ, f"exit code 0, and other files than on a large disk: {differ}"
    odd = [file for file, data in after.items() if data not in (whole.get(file), before.get(file))]
    assert not odd, f"neither whole nor as before, or left behind: {odd}"
    missing = [file for file in before if file not in after]
    assert not missing, f"gone: {missing}"
    together = [] if name in SINGLE else [file for file in whole if not file.endswith(".html")]  # pages come after the data
    new = [file for file in together if after.get(file) == whole[file] != before.get(file)]
    assert len(new) in (0, len(together)), f"of a set, only {new} are new"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=14, help="Disks for each command.")
    parser.add_argument("--only", default="", help="One command of the list.")
    chosen = parser.parse_args()
    from cli.forks import Forks

    if subprocess.run(["mount", "--version"], capture_output=True).returncode or os.geteuid():
        sys.exit("a small disk can only be mounted by root")
    forks, faults = Forks(), 0
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    with (
        Table(
            "full_disk",
            "Commands on disks that hold a part of what they write",
            "command",
            "disks",
            "written",
            "refused",
            "faults",
        ) as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        here, sums = Path(folder), Counter[str]()
        shutil.copytree(ROOT / "corpora" / "deu-eng", here / "c")
        (here / "c" / "divproj.toml").write_text(
            '[input]\ntext = "igt.txt"\n[project]\nsystem = "s1-r"\n[report]\npictures = 2\n'
        )
        place = here / "o"

        def run(name: str) -> tuple[int, str]:
            words = [word.format(c=here / "c", o=place) for word in COMMANDS[name][0]]
            code, _, said = forks.run([name.split()[0], *words], b"", here, environment)
            return code, said.decode("utf-8", "replace")

        for name, (_, outputs) in COMMANDS.items():
            if chosen.only not in ("", name):
                continue
            with disk(place, LARGE):
                code, said = run(name)
                assert code == 0, said
                whole = files(place)
                used = sum(path.stat().st_blocks * 512 + 4096 for path in place.rglob("*"))
            counts = Counter[str]()
            for step in range(chosen.steps):
                before = dict.fromkeys(outputs, OLD) if step % 2 else {}
                size = max(1, used * step // chosen.steps // 4096) * 4096 + len(before) * 4096
                with disk(place, size):
                    for file, data in before.items():
                        (place / file).write_bytes(data)
                    code, said = run(name)
                    counts["refused" if code else "written"] += 1
                    try:
                        judge(code, said, files(place), before, whole, name)
                        subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(place)], check=True)
                        if code:
                            again, said = run(name)
                            assert again == 0, f"with space: {said[-500:]}"
                            judge(0, said, files(place), before, whole, name)
                    except AssertionError as error:
                        counts["faults"] += 1
                        print(
                            f"{name} on {size} bytes of {used}, {'with' if before else 'without'} older files: {error}",
                            flush=True,
                        )
            table.add(name, chosen.steps, counts["written"], counts["refused"], counts["faults"])
            sums.update(counts)
        table.add("all", sums["written"] + sums["refused"], sums["written"], sums["refused"], sums["faults"])
        faults = sums["faults"]
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())

"""A review killed (SIGKILL) again and again while edits arrive: none that was acknowledged is lost.

python bench/robustness/kill_review.py --edits 5000 --kills 50

A review gets edits one after another and is killed while they come, at a moment that chance chooses; then the next one opens the same file, and
must have every edit that was answered with 200. The edit that was on its way may be there or not. At the end the reviewed file must have them all. (Runs and other long work are killed and resumed by `tests/cli/test_resumed.py` and
`tests/unit/run/test_killed.py`; `DIVPROJ_KILLS=15` makes these longer.)
"""

from __future__ import annotations

import argparse
import http.client
import random
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "tests"), str(ROOT)]
from bench.common import Table  # noqa: E402

SENTENCES, WORDS = 60, 8
LOST = (OSError, http.client.HTTPException)
"""What a client meets whose server is gone."""


def text() -> str:
    """Chains of words, each the head of the next."""
    rows = [
        "".join(f"{k}\tw{k}\t_\tX\t_\t_\t{k - 1}\t{'dep' if k > 1 else 'root'}\t_\tProj=guess\n" for k in range(1, WORDS + 1))
    ]
    return "".join(f"# sent_id = s{n}\n{rows[0]}\n" for n in range(SENTENCES))


class Annotator:
    """Edits a review, and knows what was acknowledged."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.relations = [["root", *["dep"] * (WORDS - 1)] for _ in range(SENTENCES)]
        self.versions: dict[int, int] = {}
        self.on_its_way: tuple[int, int, str] | None = None
        self.count = 0
        self.faults: list[str] = []

    def check(self, client: Any) -> None:
        """Compare all sentences with what was acknowledged; the edit on its way may be there or not."""
        for n, expected in enumerate(self.relations):
            status, view = client.get(f"/api/sentence?n={n}")
            actual = list(view["rels"]) if status == 200 else [str(view)]
            self.versions[n] = view.get("version", 0)
            if self.on_its_way and self.on_its_way[0] == n:
                _, word, relation = self.on_its_way
                if len(actual) == WORDS and actual[word - 1] == relation:
                    expected[word - 1] = relation
            if actual != expected:
                self.faults.append(f"sentence {n} after {self.count} edits: {actual}, {expected} expected")
                self.relations[n] = actual
        self.on_its_way = None

    def edit(self, client: Any) -> None:
        n, word = self.chance.randrange(SENTENCES), self.chance.randint(2, WORDS)
        self.on_its_way = n, word, f"r{self.count}"
        status, answer = client.edit(n, self.versions[n], "relation", word=word, relation=f"r{self.count}")
        if status != 200:
            self.faults.append(f"edit {self.count}: {status} {answer}")
        else:
            self.relations[n][word - 1] = f"r{self.count}"
            self.versions[n] += 1
        self.count += 1
        self.on_its_way = None


def reviews(edits: int, kills: int, seed: int) -> tuple[int, int, int, list[str]]:
    """Edits acknowledged, reviews killed, edits on their way at a kill, and faults."""
    from reviewfiles import Client, Command

    annotator, under_way, killed = Annotator(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        trees = Path(folder, "trees.conllu")
        trees.write_text(text(), encoding="utf-8")
        while annotator.count < edits or killed < kills:
            command = Command(trees)
            try:
                client = Client(command.url)
                annotator.check(client)
                goal = annotator.count + annotator.chance.randint(edits // kills // 2, edits * 3 // kills // 2)
                timer = threading.Timer(annotator.chance.random() * 0.01, command.process.kill)
                try:
                    while True:
                        if annotator.count == goal:  # from here on the end may come at any moment
                            timer.start()
                        annotator.edit(client)
                except LOST:
                    killed += 1
                    under_way += annotator.on_its_way is not None
                timer.cancel()
            finally:
                command.end(signal.SIGKILL)
        command = Command(trees)
        annotator.check(Client(command.url))
        code, said = command.end()
        if code or "Traceback" in said:
            annotator.faults.append(f"the last review ended with {code}: {said[-500:]}")
        saved = trees.with_name("trees.reviewed.conllu").read_text(encoding="utf-8")
        written = [
            [row.split("\t")[7] for row in block.split("\n") if row[:1].isdigit()] for block in saved.strip().split("\n\n")
        ]
        annotator.faults += [
            f"the reviewed file: sentence {n}" for n in range(SENTENCES) if written[n] != annotator.relations[n]
        ]
        left = [path.name for path in trees.parent.iterdir() if ".old" in path.name or path.name.endswith(".part")]
        annotator.faults += [f"left behind: {name}" for name in left]
    return annotator.count, killed, under_way, annotator.faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--edits", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with Table(
        "kill_review",
        "Edits of reviews that are killed",
        "edits",
        "killed",
        "on their way at a kill",
        "faults",
        seed=chosen.seed,
    ) as table:
        count, killed, under_way, faults = reviews(chosen.edits, chosen.kills, chosen.seed)
        table.add(count, killed, under_way, len(faults))
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

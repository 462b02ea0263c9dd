"""The shares of s6's voters, chosen on folds: for each group of families the value that is best for the banks of the others.

    python bench/accuracy/vote_shares.py [--work WORK] [--cap 100] [--banks hau_s,pcm] [--jobs 1]

WORK is that of `train/glossed/build.py`. Each number of `divproj.projection.glossed.s6` is varied alone. A row has the mean of UAS and LAS over all banks
for each value (the shipped one in brackets), the values that the groups choose without themselves, and what the banks reach with them.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.glossbanks import WORK, judge
from bench.common import DATA, Table, need

from divproj.projection.glossed import s6
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.systems import AdaptedSystem
from divproj.runtime.vectors import shipped_vectors

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import banks, fold

VALUES = {
    "ROLE_SHARE": (0.0, 0.5),
    "NEAR_SHARE": (0.25, 0.5),
    "TAG_SHARE": (0.45, 0.6),
    "EDGE_SHARE": (0.3, 0.45),
    "RELATION_SHARE": (0.45, 0.6),
    "POOL_SHARE": (0.4, 0.8),
}
"""Values that are tried."""


class VoteScorer(NamedTuple):
    """Accuracy of all banks with one number changed."""

    tested: list[GlossedTreebank]
    models: dict[str, GlossModel]

    def __call__(self, change: tuple[str, float]) -> np.ndarray:
        """UAS, LAS and UPOS [bank, score]; '' changes nothing."""
        name, value = change
        shipped = getattr(s6, name, None)
        if name:
            setattr(s6, name, value)
        rows = []
        for bank in self.tested:
            adapted = AdaptedSystem.to(S6(self.models[fold(bank.family)]), bank.sentences)
            uas, las, _, upos = judge(bank, [adapted.project(b) for b in bank.sentences])
            rows.append((uas, las, upos))
        if name:
            setattr(s6, name, shipped)
        return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--cap", type=int, default=100)
    parser.add_argument("--banks", default="")
    parser.add_argument("--numbers", default=",".join(VALUES))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    tested = banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(","))))
    groups = [fold(bank.family) for bank in tested]
    scorer = VoteScorer(tested, {group: GlossModel.load(need(options.work / group)) for group in {*groups}})
    numbers = options.numbers.split(",")
    changes = [("", 0.0), *((name, value) for name in numbers for value in VALUES[name] if value != getattr(s6, name))]
    with ProcessPoolExecutor(options.jobs, initializer=os.setsid) as pool:
        tries = dict(zip(changes, pool.map(scorer, changes), strict=True))
    caption = (
        f"Means of UAS and LAS, families held out, up to {options.cap} sentences a bank; each number varied alone, (shipped)"
    )
    with Table(
        "vote_shares", caption, "number", "values", "chosen by the other groups", "with these: UAS / LAS / UPOS"
    ) as table:
        table.add("none", "", "", _cell(tries["", 0.0].mean(0)))
        for name in numbers:
            shipped = getattr(s6, name)
            scores = {value: tries.get((name, value), tries["", 0.0]) for value in sorted({*VALUES[name], shipped})}
            chosen = {}
            for group in sorted({*groups}):
                others = [k for k, each in enumerate(groups) if each != group]
                chosen[group] = max(scores, key=lambda value: scores[value][others, :2].mean())
            reached = np.array([scores[chosen[group]][k] for k, group in enumerate(groups)])
            row = ", ".join(f"{f'({v:g})' if v == shipped else f'{v:g}'}: {t[:, :2].mean():.2f}" for v, t in scores.items())
            table.add(name, row, ", ".join(f"{value:g}" for value in chosen.values()), _cell(reached.mean(0)))


def _cell(row: np.ndarray) -> str:
    return " / ".join(f"{number:.2f}" for number in row)


if __name__ == "__main__":
    main()

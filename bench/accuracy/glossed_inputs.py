"""What s5 and s6 gain from more than glosses, and lose without them: glossed treebanks, families held out.

    python bench/accuracy/glossed_inputs.py labels|languages [--work WORK] [--cap 200] [--banks arh,yor] [--wrong 0.1]

WORK is that of `train/glossed/build.py`.
`labels`: part-of-speech labels of interlinear text (n, v, adj …). They are derived from the gold tags of the banks, in the coarse terms of FLEx's own
catalogue, so they agree with the treebank better than those of a real text would; `--wrong` replaces that share of the labels by others of the text.
`languages`: attachments and relations of other languages. Plain s5 and s5 as users have it: with glosses; with glosses hidden; without links
besides; with glosses hidden and the gold tags given as a user's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.glossbanks import WORK, judge
from bench.common import DATA, Table, need

from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.attachments import S5WithPriors
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.phrasal.s5 import S5
from divproj.projection.systems import AdaptedSystem
from divproj.runtime.vectors import shipped_vectors

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import banks, fold

LABELS = {
    "NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "adj", "ADV": "adv", "PRON": "pro", "DET": "det", "NUM": "num", "ADP": "adp",
    "CCONJ": "conj", "SCONJ": "conj", "PART": "prt", "INTJ": "interj",
}  # fmt: skip
"""The coarse label of each gold tag; other words have none."""
VIEWS: dict[str, Callable[[ProjectionInput, DepTree], ProjectionInput]] = {
    "glosses": lambda bitext, gold: bitext,
    "hidden": lambda bitext, gold: replace(bitext, glosses=()),
    "no links": lambda bitext, gold: replace(bitext, glosses=(), links=Links(frozenset(), bitext.links.shape)),
    "tags given": lambda bitext, gold: replace(bitext, glosses=(), tags=gold.upos),
}
"""What the systems see of a sentence."""


def with_labels(bank: GlossedTreebank, wrong: float) -> GlossedTreebank:
    """Return the bank with labels, a share of them drawn from those of the whole bank."""
    chance = np.random.default_rng(1)
    every = [label for tree in bank.gold for tag in tree.upos if (label := LABELS.get(tag))]
    text = []
    for bitext, tree in zip(bank.sentences, bank.gold, strict=True):
        labels = [LABELS.get(tag, "_") for tag in tree.upos]
        labels = [every[chance.integers(len(every))] if label != "_" and chance.random() < wrong else label for label in labels]
        text.append(replace(bitext, labels=tuple(labels)))
    return GlossedTreebank(bank.name, bank.family, text, bank.gold)


def label_runs(bank: GlossedTreebank, model: GlossModel, wrong: float) -> Iterator[tuple[str, GlossedTreebank, Any]]:
    """Yield the column, the bank as it is seen, and the system."""
    for kind, seen in (("", bank), (", labels", with_labels(bank, 0.0)), (", some wrong", with_labels(bank, wrong))):
        yield f"s5{kind}", seen, S5WithPriors.with_model(model)
        yield f"s6{kind}", seen, S6(model)


def language_runs(bank: GlossedTreebank, model: GlossModel, wrong: float) -> Iterator[tuple[str, GlossedTreebank, Any]]:
    """Yield the column, the bank as it is seen, and the system."""
    for name, view in VIEWS.items():
        text = [view(bitext, gold) for bitext, gold in zip(bank.sentences, bank.gold, strict=True)]
        seen = GlossedTreebank(bank.name, bank.family, text, bank.gold)
        yield f"{name}: plain", seen, S5()
        yield f"{name}: s5", seen, S5WithPriors.with_model(model)


COLUMNS = {
    "labels": [f"{system}{kind}" for kind in ("", ", labels", ", some wrong") for system in ("s5", "s6")],
    "languages": [f"{view}: {system}" for view in VIEWS for system in ("plain", "s5")],
}
RUNS = {"labels": label_runs, "languages": language_runs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=RUNS)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--cap", type=int, default=200)
    parser.add_argument("--banks", default="")
    parser.add_argument("--wrong", type=float, default=0.1)
    options = parser.parse_args()
    caption = f"UAS / LAS / UPOS without punctuation, families held out, up to {options.cap} sentences a bank"
    if options.question == "labels":
        caption += f"; {options.wrong:.0%} of the labels wrong in the last columns"
    rows = []
    with Table(f"glossed_inputs-{options.question}", caption, "bank", *COLUMNS[options.question], seed=1) as table:
        for bank in banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(",")))):
            model = GlossModel.load(options.work / fold(bank.family))
            row = []
            for _, seen, system in RUNS[options.question](bank, model, options.wrong):
                uas, las, _, upos = judge(seen, [*map(AdaptedSystem.to(system, seen.sentences).project, seen.sentences)])
                row.append((uas, las, upos))
            rows.append(row)
            table.add(bank.name, *map(_cell, row))
        table.add("mean", *map(_cell, np.mean(rows, 0)))


def _cell(scores: tuple[float, float, float]) -> str:
    return " / ".join(f"{value:.1f}" for value in scores)


if __name__ == "__main__":
    main()

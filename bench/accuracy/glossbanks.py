"""Glossed text without gold trees: models learned from other languages, whole families held out.

    python bench/accuracy/glossbanks.py [--work WORK] [--cap 250] [--banks hau_s,pcm] [--own 5,10,20,50 [--systems s2+,s6+] [--seeds 1,5,6]]

WORK is that of `train/glossed/build.py`, which makes the models: one for each group of families that has seen none of them. Reads
../shared/data/glossbanks and ud-igt-hausa. `--own` gives the curve with gold trees of the language itself instead, of `--systems` that learn: s2+, s6+,
s4+ and s5+ (`s4+:alone` does not start from s6). The shipped model has seen all banks; other benchmarks take s6 without a language's family from
here (`without_family`).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.ud_drafts import Columns
from bench.common import DATA, OUT, Table, need

from divproj.core.pair import Pair
from divproj.evaluation.trees import is_punctuation, score_trees
from divproj.projection import parsers
from divproj.projection.base import AdaptedSystem
from divproj.projection.correction import HeadModel
from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.glossed.attachments import S5WithPriors
from divproj.projection.glossed.corrected import S6Plus
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.phrasal.s5 import S5
from divproj.runtime.vectors import shipped_vectors
from divproj.ud.rows import lemmas_and_features, shipped_grams

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import FAMILIES, banks, fold

WORK = OUT / "held-out-s6"
"""The work folder where none is given: `python train/glossed/build.py DATA --work bench/out/held-out-s6 -o languages/glossed` fills it."""


COLUMNS = ("bank", "FEATS P / R / F1", "the same, words with gold features", "LEMMA right of given")
MANY = 100
"""Gold trees from which on a table of their own is kept: only large banks have so many."""


def model_without(bank: str) -> Path:
    """Return the folder of the model that has not seen the family of a bank."""
    return need(WORK / fold(FAMILIES["hau" if bank == "hausa" else bank]))


def without_family(bank: str) -> S6:
    """Return s6 as it is for a language whose family it has never seen."""
    return S6(GlossModel.load(model_without(bank)))


def judge(bank: GlossedTreebank, projections: list[Projection]) -> list[float]:
    """UAS, LAS, LAS without gold `dep`, UPOS, in percent, without punctuation."""
    pairs = [(gold, p.tree, (), p.confidence) for gold, p in zip(bank.gold, projections, strict=True)]
    scores = score_trees(pairs, punctuation=False, subtypes=False)
    tags = words = labelled = named = 0
    for gold, tree, _, _ in pairs:
        for k, (head, rel, tag) in enumerate(zip(gold.heads, gold.deprels, gold.upos, strict=True)):
            if head < 0 or is_punctuation(gold.forms[k], tag):
                continue
            words += 1
            tags += tree.upos[k] == tag
            if rel.partition(":")[0] != "dep":
                named += 1
                labelled += tree.heads[k] == head and tree.deprels[k] == rel.partition(":")[0]
    return [scores.overall.uas, scores.overall.las, 100 * labelled / max(named, 1), 100 * tags / max(words, 1)]


def columns(bank: GlossedTreebank, projections: list[Projection]) -> list[str]:
    """FEATS and LEMMA of whole rows, by the glosses and the tags that were found."""
    counts, grams = Columns(), shipped_grams()
    for gold, projection in zip(bank.rows, projections, strict=True):
        none = ("_",) * len(gold.forms)
        bare = gold.with_columns({2: none, 5: none})
        lemmas, feats = lemmas_and_features(bare, projection.upos, grams)
        counts.add([bare.with_columns({2: lemmas, 3: projection.upos, 5: feats})], [gold])
    return counts.cells()[1:]


def own_trees(tested: list[GlossedTreebank], work: Path, sizes: list[int], seeds: list[int], systems: list[str]) -> None:
    """Accuracy on the second half of each bank of 100 sentences or more, with gold trees of the first half by chance.

    Means over the draws of `seeds`; a size that the half does not have in a bank is left out there.
    """
    columns = [f"{n}: {system}" for n in sizes for system in systems]
    name = "glossbanks-own" if min(sizes) < MANY else "glossbanks-many"
    caption = "UAS / LAS on half of each bank, families held out: s6, then systems with N gold trees of the language"
    sums = []
    with Table(name, caption, "bank", "s6", *columns, seed=",".join(map(str, seeds))) as table:
        for bank in tested:
            if len(bank.gold) < max(100, 2 * min(sizes)):
                continue
            base = AdaptedSystem.to(S6(GlossModel.load(work / fold(bank.family))), bank.sentences)
            draws = [_draw(bank, base, [n for n in sizes if n <= len(bank.gold) // 2], seed, systems) for seed in seeds]
            rows = np.mean(draws, 0)
            rows = np.concatenate([rows, np.full((1 + len(columns) - len(rows), rows.shape[1]), np.nan)])
            sums.append(rows)
            table.add(bank.name, *map(_both, rows))
        table.add("mean", *map(_both, np.nanmean(sums, 0)))


def _draw(bank: GlossedTreebank, base: AdaptedSystem[S6], sizes: list[int], seed: int, systems: list[str]) -> list[list[float]]:
    """s6, then the systems with each number of own trees."""
    order = np.random.default_rng(seed).permutation(len(bank.gold)).tolist()
    first, rest = order[: len(order) // 2], order[len(order) // 2 :]
    tried = GlossedTreebank(bank.name, bank.family, [bank.sentences[k] for k in rest], [bank.gold[k] for k in rest])
    rows = [judge(tried, [base.project(b) for b in tried.sentences])]
    for size in sizes:
        pairs = [_pair(bank, k) for k in first[:size]]
        rows += [judge(tried, [*map(learned(name, pairs, bank.sentences, base), tried.sentences)]) for name in systems]
    return rows


def learned(system: str, pairs: list[Pair], text: list[ProjectionInput], base: AdaptedSystem[S6]) -> ProjectFunction:
    """A system after learning from pairs; `base` is s6 with its state for the text."""
    if system == "s2+":
        return HeadModel.fit(pairs).project
    if system == "s6+":
        return AdaptedSystem(S6Plus.cross_fit(pairs, base.state, base.system)[0], base.state).project
    name, _, alone = system.partition(":")
    return parsers.fit(name, pairs, text=text, prior=None if alone else base.system).project


def _both(row: list[float]) -> str:
    return "–" if np.isnan(row[0]) else f"{row[0]:.1f} / {row[1]:.1f}"


def _pair(bank: GlossedTreebank, k: int) -> Pair:
    bitext = bank.sentences[k]
    return Pair(bank.gold[k], bitext.e, bitext.links, bitext.sent_id, glosses=bitext.glosses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--cap", type=int, default=250)
    parser.add_argument("--banks", default="")
    parser.add_argument("--own", default="", help="numbers of gold trees of the language itself")
    parser.add_argument("--systems", default="s2+,s6+", help="that learn from them")
    parser.add_argument("--seeds", default="1", help="of the draws of gold trees")
    options = parser.parse_args()
    tested = banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(","))))
    if options.own:
        sizes, seeds = ([int(k) for k in some.split(",")] for some in (options.own, options.seeds))
        own_trees(tested, options.work, sizes, seeds, options.systems.split(","))
        return
    caption = f"UAS / LAS (LAS without gold `dep`) / UPOS, families held out, up to {options.cap} sentences a bank"
    sums, rows, spent = [], [], 0.0
    with Table("glossbanks", caption, "bank", "s1-r", "s5 without the model", "s5", "s6") as table:
        for bank in tested:
            model = GlossModel.load(options.work / fold(bank.family))
            start = time.process_time()
            s6 = AdaptedSystem.to(S6(model), bank.sentences)
            trees = {"s1-r": [s1(b) for b in bank.sentences], "s6": [s6.project(b) for b in bank.sentences]}
            spent += time.process_time() - start
            plain = AdaptedSystem.to(S5(), bank.sentences)
            trees["plain"] = [plain.project(b) for b in bank.sentences]
            attached = AdaptedSystem.to(S5WithPriors.with_model(model), bank.sentences)
            trees["s5"] = [attached.project(b) for b in bank.sentences]
            sums.append([judge(bank, trees[name]) for name in ("s1-r", "plain", "s5", "s6")])
            rows.append((bank.name, *columns(bank, trees["s6"])))
            table.add(bank.name, *map(_cell, sums[-1]))
        table.add("mean", *map(_cell, np.mean(sums, 0).tolist()))
        count = sum(len(bank.gold) for bank in tested)
        table.note(
            f"s6: {count:,} sentences in {spent:.1f} CPU s, {count / spent:.0f} a second, English parse and links not counted"
        )
    with Table("glossbanks-columns", "FEATS and LEMMA of s6 against gold, the same run", *COLUMNS) as table:
        for row in rows:
            table.add(*row)


def _cell(row: list[float]) -> str:
    return f"{row[0]:.1f} / {row[1]:.1f} ({row[2]:.1f}) / {row[3]:.1f}"


if __name__ == "__main__":
    main()

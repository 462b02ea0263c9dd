"""Glossed text without gold trees: models learned from other languages, whole families held out.

    python bench/accuracy/glossbanks.py [--work WORK] [--cap 250] [--banks hau_s,pcm] [--own 5,10,20,50 [--systems s2+,s6+]] [--calibrate languages/glossed]

WORK is that of `train/glossed/build.py`, which makes the models: one for each group of families that has seen none of them. Reads
../shared/data/glossbanks and ud-igt-hausa. `--own` gives the curve with gold trees of the language itself instead, of `--systems` that learn: s2+, s6+,
s4+ and s5+ (`s4+:alone` does not start from s6).
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.ud_drafts import Columns
from bench.common import DATA, OUT, about, need

from divproj.data.pair import Pair
from divproj.evaluation.trees import is_punctuation, score_trees
from divproj.projection import parser_systems
from divproj.projection.calibration import FILE, Sample, calibration_error, crossed, save
from divproj.projection.calibration import learn as fit_map
from divproj.projection.calibration import load as calibrations
from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.loglinear import HeadModel
from divproj.projection.phrasal.projector import PhraseProjector
from divproj.projection.ud_rows import completed, shipped_grams
from divproj.projection.universal.attachments import AttachedProjector, Attachments
from divproj.projection.universal.corrected import Corrected
from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.projector import Universal
from divproj.projection.universal.training import Bank
from divproj.runtime.vectors import shipped as shipped_vectors

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import banks, fold

PLACE = OUT / "held-out-s6"
"""The work folder where none is given; other benchmarks look there (`held_out_s6`)."""


def judged(bank: Bank, projections: list[Projection]) -> list[float]:
    """UAS, LAS, LAS without gold `dep`, UPOS, in percent, without punctuation."""
    pairs = [(gold, p.tree, (), p.confidence) for gold, p in zip(bank.gold, projections, strict=True)]
    found = score_trees(pairs, punctuation=False, subtypes=False)
    tags = words = labelled = named = 0
    for gold, tree, _, _ in pairs:
        for k, (head, rel, tag) in enumerate(zip(gold.heads, gold.rels, gold.upos, strict=True)):
            if head < 0 or is_punctuation(gold.forms[k], tag):
                continue
            words += 1
            tags += tree.upos[k] == tag
            if rel.partition(":")[0] != "dep":
                named += 1
                labelled += tree.heads[k] == head and tree.rels[k] == rel.partition(":")[0]
    return [found.overall.uas, found.overall.las, 100 * labelled / max(named, 1), 100 * tags / max(words, 1)]


def columns(bank: Bank, projections: list[Projection]) -> list[str]:
    """FEATS and LEMMA of whole rows, by the glosses and the tags that were found."""
    counts, grams = Columns(), shipped_grams()
    for gold, projection in zip(bank.sentences, projections, strict=True):
        none = ("_",) * len(gold.forms)
        bare = gold.with_columns({2: none, 5: none})
        lemmas, feats = completed(bare, projection.upos, grams)
        counts.add([bare.with_columns({2: lemmas, 3: projection.upos, 5: feats})], [gold])
    return counts.cells()[1:]


def own_trees(found: list[Bank], work: Path, sizes: list[int], seeds: list[int], systems: list[str]) -> None:
    """Accuracy on the second half of each bank of 100 sentences or more, with gold trees of the first half by chance.

    Means over the draws of `seeds`; a size that the half does not have in a bank is left out there.
    """
    print(f"UAS / LAS on half of each bank; s6, then systems with N own trees; seeds {seeds}; {about()}\n")
    columns = [f"{n}: {system}" for n in sizes for system in systems]
    print(f"| bank | s6 | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
    sums = []
    for bank in found:
        if len(bank.gold) < max(100, 2 * min(sizes)):
            continue
        base = Universal(GlossModel.load(work / fold(bank.family))).observe(bank.bitexts)
        draws = [_draw(bank, base, [n for n in sizes if n <= len(bank.gold) // 2], seed, systems) for seed in seeds]
        rows = np.mean(draws, 0)
        rows = np.concatenate([rows, np.full((1 + len(columns) - len(rows), rows.shape[1]), np.nan)])
        sums.append(rows)
        print(f"| {bank.name} | {' | '.join(map(_both, rows))} |", flush=True)
    print(f"| mean | {' | '.join(map(_both, np.nanmean(sums, 0)))} |")


def _draw(bank: Bank, base: Universal, sizes: list[int], seed: int, systems: list[str]) -> list[list[float]]:
    """s6, then the systems with each number of own trees."""
    order = np.random.default_rng(seed).permutation(len(bank.gold)).tolist()
    first, rest = order[: len(order) // 2], order[len(order) // 2 :]
    tried = Bank(bank.name, bank.family, [bank.bitexts[k] for k in rest], [bank.gold[k] for k in rest])
    rows = [judged(tried, [base.project(b) for b in tried.bitexts])]
    for size in sizes:
        pairs = [_pair(bank, k) for k in first[:size]]
        rows += [judged(tried, [*map(learned(name, pairs, bank.bitexts, base), tried.bitexts)]) for name in systems]
    return rows


def learned(system: str, pairs: list[Pair], text: list[ProjectionInput], base: Universal) -> ProjectFunction:
    """A system after learning from pairs; `base` is s6 that has gone through the text."""
    if system == "s2+":
        return HeadModel.fit(pairs).project
    if system == "s6+":
        return Corrected.fit(pairs, text, base).project
    name, _, alone = system.partition(":")
    return parser_systems.fit(name, pairs, text=text, prior=None if alone else base).project


def _both(row: list[float]) -> str:
    return "–" if np.isnan(row[0]) else f"{row[0]:.1f} / {row[1]:.1f}"


def _pair(bank: Bank, k: int) -> Pair:
    bitext = bank.bitexts[k]
    return Pair(replace(bank.gold[k], glosses=bitext.glosses), bitext.e, bitext.links, bitext.sent_id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=PLACE)
    parser.add_argument("--cap", type=int, default=250)
    parser.add_argument("--banks", default="")
    parser.add_argument("--own", default="", help="numbers of gold trees of the language itself")
    parser.add_argument("--systems", default="s2+,s6+", help="that learn from them")
    parser.add_argument("--calibrate", type=Path, help="a pack whose maps of confidences for s5 and s6 are fitted anew")
    parser.add_argument("--seeds", default="1", help="of the draws of gold trees")
    options = parser.parse_args()
    found = banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(","))))
    if options.own:
        sizes, seeds = ([int(k) for k in some.split(",")] for some in (options.own, options.seeds))
        own_trees(found, options.work, sizes, seeds, options.systems.split(","))
        return
    print(f"UAS / LAS (LAS without gold `dep`) / UPOS; up to {options.cap} sentences a bank; {about()}\n")
    print("| bank | s1-r | s5 without the model | s5 | s6 |\n|---|---|---|---|---|")
    sums, rows, spent = [], [], 0.0
    samples: dict[str, list[Sample]] = {"s5": [], "s6": []}
    for bank in found:
        model = GlossModel.load(options.work / fold(bank.family))
        start = time.process_time()
        s6 = Universal(model).observe(bank.bitexts)
        trees = {"s1-r": [s1(b) for b in bank.bitexts], "s6": [s6.project(b) for b in bank.bitexts]}
        spent += time.process_time() - start
        plain = PhraseProjector().observe(bank.bitexts)
        trees["plain"] = [plain.project(b) for b in bank.bitexts]
        attached = AttachedProjector(table=Attachments(model)).observe(bank.bitexts)
        trees["s5"] = [attached.project(b) for b in bank.bitexts]
        for name, some in samples.items():
            some.append(Sample.of(bank.name, bank.family, zip(bank.gold, trees[name], strict=True)))
        sums.append([judged(bank, trees[name]) for name in ("s1-r", "plain", "s5", "s6")])
        rows.append(f"| {bank.name} | {' | '.join(columns(bank, trees['s6']))} |")
        print(f"| {bank.name} | {' | '.join(_cell(row) for row in sums[-1])} |", flush=True)
    print(f"| mean | {' | '.join(_cell(row) for row in np.mean(sums, 0).tolist())} |")
    print("\ns6\n\n| bank | FEATS P / R / F1 | the same, words with gold features | LEMMA right of given |\n|---|---|---|---|")
    print("\n".join(rows))
    count = sum(len(bank.gold) for bank in found)
    print(f"\ns6: {count} sentences in {spent:.1f} CPU s, {count / spent:.0f} a second, English parse and links not counted")
    for name, some in samples.items():
        held = crossed(some)
        errors = [100 * calibration_error(held[s.name], s.right) for s in some]
        print(
            f"calibration error of {name}, maps of other families: {np.mean(errors):.1f} on average, {max(errors):.1f} at most"
        )
    if options.calibrate:
        place = options.calibrate / FILE
        made = calibrations(place) if place.is_file() else {}
        made |= {name: fit_map(some) for name, some in samples.items()}
        save(made, place, {"made by": "bench/glossbanks.py --calibrate", "licence": "CC BY-SA 4.0"})


def _cell(row: list[float]) -> str:
    return f"{row[0]:.1f} / {row[1]:.1f} ({row[2]:.1f}) / {row[3]:.1f}"


if __name__ == "__main__":
    main()

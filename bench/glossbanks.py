"""Glossed text without gold trees: a model learned from other languages, whole families held out.

    python bench/glossbanks.py [--cap 250] [--banks hau_s,pcm] [--write languages/glossed] [--vectors FILE]

Reads ../shared/data/glossbanks and ud-igt-hausa; `--write` keeps the model of all banks, which is the shipped one.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from common import DATA, about, need

from divproj.data.errors import Faults
from divproj.evaluation.trees import is_punctuation, score_trees
from divproj.io import conllu
from divproj.io.igt_conllu import from_sentence
from divproj.links.gloss.aligner import GlossAligner
from divproj.links.gloss.grams import Grams
from divproj.links.gloss.meaning import Meaning
from divproj.parsing.language import shipped
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.phrasal.projector import PhraseProjector
from divproj.projection.universal.english import English, widened
from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.projector import Universal
from divproj.projection.universal.training import Bank, Fold, calibrate, learn
from divproj.runtime.vectors import WordVectors
from divproj.runtime.vectors import shipped as shipped_vectors
from divproj.text.tokens import tokenize

FAMILIES = {
    "hau": "Chadic", "hau_s": "Chadic", "hau_w": "Chadic", "pcm": "English creole", "arh": "Chibchan", "sab": "Chibchan", "kir": "Turkic",
    "aze": "Turkic", "sah": "Turkic", "ceb": "Austronesian", "myv": "Uralic", "gwi": "Athabaskan", "yor": "Volta-Niger",
    "nhi": "Uto-Aztecan", "xav": "Macro-Je", "san": "Indo-Iranian", "pus": "Indo-Iranian", "lzh": "Sinitic", "ssp": "sign language",
}  # fmt: skip
GROUPS = (
    ("Chadic", "Sinitic"), ("Chibchan", "Uto-Aztecan", "Athabaskan"), ("Turkic", "Uralic"),
    ("English creole", "Austronesian", "Macro-Je", "sign language"), ("Indo-Iranian", "Volta-Niger"),
)  # fmt: skip
"""Families that are held out together where there is little time: less to learn from, so the figures are a little low."""


def banks(cap: int, vectors: WordVectors, only: set[str]) -> list[Bank]:
    """All banks, their translations parsed and linked; every k-th sentence where there are more than `cap`."""
    aligner, parser = GlossAligner(meaning=Meaning(vectors)), shipped("en")
    made = []
    for name, family in FAMILIES.items():
        if only and name not in only:
            continue
        folder = need(DATA / "ud-igt-hausa" if name == "hau" else DATA / "glossbanks" / name)
        found = [
            s for path in sorted(folder.glob("*.conllu*")) for s in conllu.load(path, Faults(strict=False)) if s is not None
        ]
        found = [s for s in found if from_sentence(s).translation.strip()]
        if len(found) > cap:
            found = [found[k * len(found) // cap] for k in range(cap)]
        igts = [from_sentence(s) for s in found]
        trees = parser.parse([tokenize(" ".join(igt.translation.split())) for igt in igts])
        bitexts = [
            ProjectionInput(
                s.forms, e, aligner.align(igt, e.forms, e.tags()).links, igt.glosses if igt.lines_up else (), f"{name}:{k}"
            )
            for k, (s, igt, e) in enumerate(zip(found, igts, trees, strict=True))
        ]
        made.append(Bank(name, family, bitexts, [s.usable_tree()[0] for s in found]))
    return made


def lexicon(vectors: WordVectors) -> English:
    """Usual tags of English words, from EWT and the vectors."""
    [path] = need(DATA / "ewt").glob("*train*")
    tokens = [row for s in conllu.load(path) if s is not None for row in zip(s.forms, s.column(2), s.column(3), strict=True)]
    return widened(English.of(tokens), English.of(tokens, 1), vectors)


Said = list[tuple[float, bool, float]]


def judged(bank: Bank, projections: list[Projection], said: Said | None = None) -> list[float]:
    """UAS, LAS, LAS without gold `dep`, UPOS, calibration error, in percent, without punctuation."""
    pairs = [(gold, p.tree, (), p.confidence) for gold, p in zip(bank.gold, projections, strict=True)]
    found = score_trees(pairs, punctuation=False, subtypes=False)
    tags = words = labelled = named = 0
    rows: Said = []
    for gold, tree, _, sure in pairs:
        for k, (head, rel, tag) in enumerate(zip(gold.heads, gold.rels, gold.upos, strict=True)):
            if head < 0 or is_punctuation(gold.forms[k], tag):
                continue
            words += 1
            tags += tree.upos[k] == tag
            if rel.partition(":")[0] != "dep":
                named += 1
                labelled += tree.heads[k] == head and tree.rels[k] == rel.partition(":")[0]
            if sure:
                rows.append((sure[k], tree.heads[k] == head, 1.0))
    if said is not None:
        said += [(p, right, min(1.0, 1000 / len(rows))) for p, right, _ in rows]
    error = found.calibration_error()
    return [
        found.overall.uas,
        found.overall.las,
        100 * labelled / max(named, 1),
        100 * tags / max(words, 1),
        100 * (error or 0.0),
    ]


def held_out(bank: Bank, fold: Fold, model: GlossModel, grams: Grams) -> Universal:
    """s6 as it is without the bank's family."""
    own = GlossModel(model.english, fold.tagger, fold.plain, fold.linked, fold.labels, model.curves)
    made = Universal(own, grams)
    made.read_ = dict(zip(bank.bitexts, bank.reads, strict=True))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cap", type=int, default=250)
    parser.add_argument("--banks", default="")
    parser.add_argument("--groups", action="store_true", help="hold out five groups of families instead of each family")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--vectors", type=Path)
    options = parser.parse_args()
    start = time.process_time()

    def say(text: str) -> None:
        print(f"<!-- {text}: {time.process_time() - start:.0f} s -->", flush=True)

    vectors = WordVectors.load(options.vectors) if options.vectors else shipped_vectors("en")
    found = banks(options.cap, vectors, set(filter(None, options.banks.split(","))))
    if options.groups:
        for bank in found:
            bank.family = "+".join(next(group for group in GROUPS if bank.family in group))
    say("read and linked")
    grams = Grams.shipped()
    model, folds = learn(found, lexicon(vectors), grams, say)
    said: dict[str, Said] = {"s5": [], "s6": []}
    for bank in found:  # raw chances first: curves are learned from them
        s6 = held_out(bank, folds[bank.family], GlossModel(model.english, *[model.tagger] * 4), grams)
        judged(bank, [s6.project(b) for b in bank.bitexts], said["s6"])
    calibrate(model, {"s6": said["s6"]})
    print(f"UAS / LAS (LAS without gold `dep`) / UPOS / calibration error; up to {options.cap} sentences a bank; {about()}\n")
    print("| bank | s1-r | s5 without model | s6 |\n|---|---|---|---|")
    sums = []
    for bank in found:
        s6 = held_out(bank, folds[bank.family], model, grams)
        plain = PhraseProjector().observe(bank.bitexts)
        rows = [
            judged(bank, [s1(b) for b in bank.bitexts]),
            judged(bank, [plain.project(b) for b in bank.bitexts]),
            judged(bank, [s6.project(b) for b in bank.bitexts]),
        ]
        sums.append(rows)
        print(f"| {bank.name} | {' | '.join(_cell(row) for row in rows)} |", flush=True)
    print(f"| mean | {' | '.join(_cell(row) for row in np.mean(sums, 0).tolist())} |")
    say("judged")
    if options.write:
        model.about = {
            "banks": {bank.name: len(bank.gold) for bank in found},
            "licence": "CC BY-SA 4.0",
            "made by": "bench/glossbanks.py",
        }
        model.save(options.write)


def _cell(row: list[float]) -> str:
    return f"{row[0]:.1f} / {row[1]:.1f} ({row[2]:.1f}) / {row[3]:.1f} / {row[4]:.1f}"


if __name__ == "__main__":
    main()

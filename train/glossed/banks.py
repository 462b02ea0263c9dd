"""The glossed treebanks that the model learns from, read, their translations parsed and linked."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import glossing

from divproj.core.errors import Faults
from divproj.core.sentence import Rows, Sentence
from divproj.core.tree import DepTree
from divproj.io.interlinear.rows import from_sentence
from divproj.io.trees import conllu
from divproj.links.glosses import GlossAligner, WordSimilarity
from divproj.links.grams import Grams
from divproj.parsing.language import load_pack
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.facts import EnglishLexicon, extend_vocabulary
from divproj.projection.glossed.training import GlossedTreebank
from divproj.runtime.vectors import WordVectors
from divproj.text.tokens import tokenize

FAMILIES = {
    "hau": "Chadic", "hau_s": "Chadic", "hau_w": "Chadic", "pcm": "English creole", "arh": "Chibchan", "sab": "Chibchan", "kir": "Turkic",
    "aze": "Turkic", "sah": "Turkic", "ceb": "Austronesian", "myv": "Uralic", "gwi": "Athabaskan", "yor": "Volta-Niger",
    "nhi": "Uto-Aztecan", "xav": "Macro-Je", "san": "Indo-Iranian", "pus": "Indo-Iranian", "lzh": "Sinitic", "ssp": "sign language",
    "tur": "Turkic", "tgl": "Austronesian", "pay": "Chibchan", "wbp": "Pama-Nyungan", "yrk": "Uralic",
}  # fmt: skip
GROUPS = (
    ("Chadic", "Sinitic"), ("Chibchan", "Uto-Aztecan", "Athabaskan"), ("Turkic", "Uralic"),
    ("English creole", "Austronesian", "Macro-Je", "sign language"), ("Indo-Iranian", "Volta-Niger", "Pama-Nyungan"),
)  # fmt: skip
"""Families that are held out together: five models instead of one for each family, so less to learn from, and figures a little low."""


def banks(data: Path, cap: int, vectors: WordVectors, only: set[str]) -> list[GlossedTreebank]:
    """All banks below a folder; every k-th sentence where there are more than `cap`."""
    aligner, parser = GlossAligner(meaning=WordSimilarity(vectors)), load_pack("en")
    made = []
    for name, family in FAMILIES.items():
        if only and name not in only:
            continue
        folder = data / "ud-igt-hausa" if name == "hau" else data / "glossbanks" / name
        if not folder.is_dir():
            sys.exit(f"{folder} is missing")
        found = [
            s for path in sorted(folder.glob("*.conllu*")) for s in conllu.load(path, Faults(strict=False)) if s is not None
        ]
        found = [s for s in found if from_sentence(s).translation.strip()]
        if len(found) > cap:
            found = [found[k * len(found) // cap] for k in range(cap)]
        igts = [from_sentence(s) for s in found]
        trees = parser.parse([tokenize(" ".join(igt.translation.split())) for igt in igts])
        made.append(_bank(name, family, found, igts, trees, aligner))
    return made


def synthetic_banks(data: Path, cap: int, vectors: WordVectors, grams: Grams) -> list[list[GlossedTreebank]]:
    """Banks whose glosses are made (`glossing`), each treebank in two styles: first all in one, then all in the other.

    The family of each is its name in INDEX.tsv.
    """
    aligner, parser = GlossAligner(meaning=WordSimilarity(vectors)), load_pack("en")
    [ewt] = (data / "ewt").glob("*train*")
    lemmas = glossing.lemmatizer(ewt)
    styles: list[list[GlossedTreebank]] = [[], []]
    for k, (name, family, rows) in enumerate(glossing.treebanks(data / "ud-parallel")):
        igts = [from_sentence(s) for s in rows]
        trees = parser.parse([tokenize(" ".join(igt.translation.split())) for igt in igts])
        some = [place * len(rows) // cap for place in range(cap)] if len(rows) > cap else [*range(len(rows))]
        for number, banks_of_style in enumerate(styles):
            glosses = glossing.gloss(rows, trees, lemmas, grams, 2 * k + number)
            glossed = [replace(igts[at], glosses=glosses[at]) for at in some]
            bank = _bank(f"{name}*{number}", family, [rows[at] for at in some], glossed, [trees[at] for at in some], aligner)
            bank.tagged = False
            banks_of_style.append(bank)
    return styles


def _bank(
    name: str, family: str, rows: list[Rows], igts: list[Sentence], trees: list[DepTree], aligner: GlossAligner
) -> GlossedTreebank:
    """The bank with its translations linked through the glosses."""
    sentences = [
        ProjectionInput(
            s.forms, e, aligner.align(igt, e.forms, e.tags()).links, igt.glosses if igt.lines_up else (), f"{name}:{k}"
        )
        for k, (s, igt, e) in enumerate(zip(rows, igts, trees, strict=True))
    ]
    return GlossedTreebank(name, family, sentences, [s.usable_tree()[0] for s in rows], rows=rows)


def lexicon(data: Path, vectors: WordVectors) -> EnglishLexicon:
    """Usual tags of English words, from EWT and the vectors."""
    [path] = (data / "ewt").glob("*train*")
    tokens = [row for s in conllu.load(path) if s is not None for row in zip(s.forms, s.column(2), s.column(3), strict=True)]
    return extend_vocabulary(EnglishLexicon.of(tokens), EnglishLexicon.of(tokens, 1), vectors)


def fold(family: str) -> str:
    """The name of the group of a family: that of its first."""
    return next(group for group in GROUPS if family in group)[0].replace(" ", "-")


def may_see(group: str, bank: GlossedTreebank) -> bool:
    """Whether the models of a group learn from a bank: it is not of the group, and, if synthetic, of no family that is related."""
    return group not in ((bank.family,) if bank.tagged else glossing.FOLDS.get(bank.family, ()))

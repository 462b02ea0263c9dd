"""Parsers from files to model folders: of a language alone (a treebank), or with its translations in view (a corpus)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from divproj.data.errors import Faults, ModelError, ProjError, Where
from divproj.data.limits import LONGEST, too_long
from divproj.io import conllu
from divproj.io.corpus import Corpus
from divproj.io.files import name_of
from divproj.parsing.language import Language
from divproj.projection import parser_files, parser_systems
from divproj.projection.edges import FEATURES
from divproj.projection.parser_systems import Recipe
from divproj.projection.systems import PARSERS, PROJECTIONS
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import Checkpoint

GROUPS = {
    "match": ("proj", "match", "undirected", "distance", "confidence", "reason"),
    "align": ("single", "merge", "together"),
    "pos": (),
}
"""Features of the translation, by a name for each group; `pos` stands for the tags."""


@dataclass(frozen=True)
class Trained:
    """What was learned from."""

    count: int
    unchecked: int = 0
    """Projected trees that were left out, since nobody has looked at them."""


def train_language(
    source: str, output: Path, signature: str, faults: Faults, *, dev: str | None = None, held: Faults | None = None, **options: Any
) -> Trained:  # fmt: skip
    """A parser, tagger and lemmatizer of a treebank, saved in a folder; the best pass by the treebank `dev`."""
    found = [s for s in conllu.load(source, faults) if s is not None]
    gold = [s for s in found if not s.unchecked and _fits(len(s.forms), replace(s.where, sent_id=s.sent_id), faults)]
    if not any(head.isdecimal() for s in gold for head in s.column(6)):
        raise ProjError("no word has a head to learn from", Where(source), "give a treebank in CoNLL-U")
    judges = [s for s in conllu.load(dev, held) if s is not None] if dev else []
    about = {"source": Path(source).name, "sentences": len(gold), "signature": signature}
    Language.train(gold, dev=judges, about=about, **options).save(output)
    return Trained(len(gold), sum(s.unchecked for s in found))


def train_projection(
    corpus: Corpus, output: Path, wanted: Recipe, signature: str, *, keep: Checkpoint, **options: Any
) -> Trained:
    """A parser that sees projections, from a corpus with gold trees of F, saved in a folder."""
    found = list(passing(corpus, f"{corpus.name}: pairs"))
    gold = [pair for pair in found if pair.sentence is None or not pair.sentence.unchecked]
    where = Where(name_of(corpus.path))
    pairs = [p for p in gold if _fits(max(len(p.f), len(p.e)), replace(where, sent_id=p.sent_id), corpus.faults)]
    if not pairs:
        raise ProjError("no usable sentence pair to learn from", where)
    about = {"corpus": corpus.name, "pairs": len(pairs), "signature": signature}
    learned = parser_systems.fit(wanted, pairs, keep=keep, **options)
    parser_files.save(learned.system, output, about)
    return Trained(len(pairs), len(found) - len(gold))


def _fits(words: int, where: Where, faults: Faults) -> bool:
    """Whether a sentence is short enough to learn from; else its fault is noted."""
    if words > LONGEST:
        faults.sentence(too_long(words, where))
    return words <= LONGEST


def recipe(system: str, trees: str | None = None, features: str | None = None, projection: str | None = None) -> Recipe:
    """The recipe of a system, or one of your own: trees to learn from, features of the translation, the projection it sees."""
    able = [name for name in PARSERS if name != "oracle"]
    if system not in able:
        raise ModelError(f"no system {system} to train; there are {', '.join(able)}")
    if not (trees or features or projection):
        return parser_systems.RECIPES[system]
    groups = [name.strip() for name in (features or "match,align,pos").split(",") if name.strip()]
    if unknown := [name for name in groups if name not in GROUPS and name not in FEATURES]:
        raise ModelError(f"no features '{unknown[0]}'; there are {', '.join(dict.fromkeys((*GROUPS, *FEATURES)))}")
    for name in (projection or "s2+", "s2+" if trees in (None, "gold") else trees):
        if name not in PROJECTIONS:
            raise ModelError(f"no projection system {name}; there are {', '.join(PROJECTIONS)}")
    wanted = {name for group in groups for name in GROUPS.get(group, (group,))}
    chosen = tuple(name for name in FEATURES if name in wanted)
    return Recipe(trees or "gold", (projection or "s2+") if chosen else "", chosen, tags="pos" in groups)

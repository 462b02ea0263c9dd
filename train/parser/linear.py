"""The linear parser as a teacher: what it thinks of sentences that it did not learn from."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from data import Lessons, Names, Tree
from divproj.data.errors import Faults
from divproj.data.sentence import Sentence
from divproj.io import conllu
from divproj.parsing.language import Language
from loop import blank, keep

FOLDS = 3
"""Parts of the training part; each is judged by a parser of the others, the development part by the first of them."""
EPOCHS = 8


def think(treebank: Path, lessons: Lessons, names: Names, work: Path, path: Path) -> None:
    """Write the opinion of linear parsers in the form that networks give theirs in. Tags and relations are yes or no."""
    sentences = _sentences(treebank, [lessons.trees[k] for k in lessons.train])
    places = {column: {tag: k for k, tag in enumerate(getattr(names, column))} for column in ("upos", "xpos", "rels")}
    made = blank(lessons.corpus, {column: len(tags) for column, tags in places.items()})
    for fold in range(FOLDS):
        language = _trained(sentences, fold, work / f"linear-{fold}")
        own = [k for k in lessons.train if k % FOLDS == fold]
        if fold == 0:
            own += lessons.both[len(lessons.train) :].tolist()
        own = sorted({*own, *(int(lessons.bare[k]) for k in own)})
        forms = [tuple(lessons.trees[k].forms) for k in own]
        tags = language.tag(forms)
        seen = [language.seen(words, pairs) for words, pairs in zip(forms, tags, strict=True)]
        for k, one, pairs, chances in zip(own, seen, tags, language.parser.marginals(seen), strict=True):
            words = np.arange(lessons.corpus.first[k], lessons.corpus.first[k + 1])
            rels = language.parser.relations(one, lessons.trees[k].heads)
            for column, found in (("upos", [u for u, _ in pairs]), ("xpos", [x for _, x in pairs]), ("rels", rels)):
                made[column][words, [places[column][tag] for tag in found]] = 1
            made["arcs"][made["arc_at"][k] : made["arc_at"][k + 1]] = chances[:, 1:].T.ravel()
    keep(made, path)


def _trained(sentences: list[Sentence], fold: int, folder: Path) -> Language:
    if not (folder / "model.json").exists():
        rest = [sentence for k, sentence in enumerate(sentences) if k % FOLDS != fold]
        Language.train(
            rest, epochs=EPOCHS, progress=lambda stage, state: print("linear", fold, stage, state or "", flush=True)
        ).save(folder)
    return Language.load(folder)


def _sentences(treebank: Path, trees: list[Tree]) -> list[Sentence]:
    found = [s for s in conllu.load(treebank, Faults(strict=True)) if s is not None]
    if [list(s.forms) for s in found] != [tree.forms for tree in trees]:
        sys.exit(f"{treebank} is not read alike by divproj and by this program")
    return found

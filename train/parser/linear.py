"""The linear parser: as a teacher, what it thinks of sentences that it did not learn from; and as a pack of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import thin
from data import Lessons, Names, Tree, chosen
from divproj.core.errors import Faults
from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.parsing.language import Language
from divproj.text.tokenizer import Tokenizer
from recipes import RECIPES

FOLDS = 3
"""Parts of the training part; each is judged by a parser of the others, the development part by the first of them."""
EPOCHS = 8


def think(treebank: Path, lessons: Lessons, names: Names, work: Path, path: Path) -> None:
    """Write the opinion of linear parsers in the form that networks give theirs in. Tags and relations are yes or no."""
    from loop import blank, keep  # which need torch

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


def write_pack(code: str, treebank: Path, dev: Path, work: Path, folder: Path) -> None:
    """Train a linear parser and write it as a language pack, made small, its scale fitted on every other sentence of `dev`."""
    recipe = RECIPES[code]
    sentences = [_tagged(s, recipe.fine) for s in conllu.load(treebank, Faults(strict=False)) if s is not None]
    if not (work / "linear" / "model.json").exists():
        about = {
            "language": recipe.name,
            "source": f"{recipe.source}, training part",
            "licence": recipe.licence,
            "sentences": len(sentences),
            "recipe": {"role": "linear", "epochs": EPOCHS},
        }
        heard = Language.train(
            sentences, epochs=EPOCHS, about=about, progress=lambda stage, state: print(code, stage, state or "", flush=True)
        )
        heard.tokenizer = Tokenizer.learn(sentences, recipe.contractions())
        heard.save(work / "linear")
    thin.main(str(work / "linear"), str(folder))
    calibrate(folder, dev)


def calibrate(folder: Path, dev: Path) -> None:
    """Fit the scale of probabilities on every other sentence of a development part."""
    language = Language.load(folder)
    held = [s for s in conllu.load(dev, Faults(strict=False)) if s is not None][::2]
    forms = [s.forms for s in held]
    seen = [language.seen(words, tags) for words, tags in zip(forms, language.tag(forms), strict=True)]
    path = folder / "model.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["parser"]["scale"] = language.parser.calibrate(seen, [s.usable_tree()[0] for s in held]).scale_
    path.write_text(json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _tagged(sentence: Rows, features: tuple[str, ...]) -> Rows:
    """The sentence with features in the place of XPOS, as the recipe has it."""
    return sentence.with_columns({4: tuple(chosen(feats, features) for feats in sentence.column(5))}) if features else sentence


def _trained(sentences: list[Rows], fold: int, folder: Path) -> Language:
    if not (folder / "model.json").exists():
        rest = [sentence for k, sentence in enumerate(sentences) if k % FOLDS != fold]
        Language.train(
            rest, epochs=EPOCHS, progress=lambda stage, state: print("linear", fold, stage, state or "", flush=True)
        ).save(folder)
    return Language.load(folder)


def _sentences(treebank: Path, trees: list[Tree]) -> list[Rows]:
    found = [s for s in conllu.load(treebank, Faults(strict=True)) if s is not None]
    if [list(s.forms) for s in found] != [tree.forms for tree in trees]:
        sys.exit(f"{treebank} is not read alike by divproj and by this program")
    return found

"""Judge a language pack on the development part, and write its figures into the pack and its model card."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from divproj.core.errors import Faults
from divproj.core.sentence import Rows, misc_value
from divproj.io.trees import conllu
from divproj.parsing.language import Language
from recipes import RECIPES, Recipe

BINS = 10
CARD = """# {name}

Tokenizer, sentence splitter, tagger (UPOS{fine}), lemmatiser and parser (UD relations) for {name}: {kind}.

| | |
|---|---|
| Made by | `{command}` (see `train/parser/README.md`) |
| Learned from | {source}, {sentences:,} sentences |
| Settings | {settings}; that the rule for punctuation marks is not used was seen on 300 Spanish development sentences, and the test part was not used |
| Judged on | the development part, {words:,} words, which it has not learned from, except for the temperature of the probabilities (every other sentence) |
| Heads (UAS) | {uas:.1f} % of all words and marks; {uas_plain:.1f} % without punctuation |
| Heads and relations (LAS) | {las:.1f} %; {las_plain:.1f} % without punctuation |
| UPOS, lemmas | {upos:.1f} %, {lemmas:.1f} % |
| Text cut into tokens | {tokens:.1f} % (F1); multiword tokens {multiword} |
| Calibration error of `ParseConf` | {error:.1f} points, on the sentences that the temperature was not fitted on |
| Size | {size:.1f} MB |

Tags are predicted in all figures, words are those of the treebank (but for the row on tokens).

**Bare sentences.** {bare}

**Limits.** {limits} Text that is unlike the treebank (verse, technical notation, old spelling) is parsed worse, and its
probabilities may be too high. Edges may cross. Wrong tags go with wrong trees.

**Licence.** The treebank is licensed {licence} (Universal Dependencies, universaldependencies.org); so are `model.json` and
`weights.npz`, which were made from it. {vectors}The program that reads them is under the MIT licence.
"""
VECTORS = (
    "The vectors among the weights (`vectors.*`) were made from the word pieces of Google's multilingual universal sentence encoder "
    "(Apache-2.0), for the commonest words in the lists of `wordfreq` (CC BY-SA 4.0). "
)
SETTINGS = {
    True: "those of the English network with two layers; that vectors help was seen on a part of the German training sentences",
    False: "the defaults of `proj train`",
}
LIMITS = {
    "fr": "The treebank is encyclopedic and web text and transcribed speech; marks are rare in the latter.",
    "es": "The treebank is newspaper and web text and transcribed speech of rural Spain.",
    "pt": "The treebank is newspaper and web text, of Brazil and of Portugal.",
    "ru": "The treebank is web text, verse and encyclopedic text.",
    "id": "The treebank is encyclopedic and newspaper text; its parts do not agree on whether `-nya` is a word of its own.",
    "de": "The treebank is small: only the development and test parts of a larger one could be used.",
}


def judge(folder: Path, dev: Path) -> dict[str, Any]:
    """Return the figures of a pack on a development part."""
    language = Language.load(folder)
    gold = [s for s in conllu.load(dev, Faults(strict=False)) if s is not None]
    start = time.process_time()
    parsed = list(language.annotate(gold))
    seconds = time.process_time() - start
    rows = [
        tuple(zip(a, b, strict=True))
        for one, other in zip(gold, parsed, strict=True)
        for a, b in zip(_columns(one), _columns(other), strict=True)
    ]
    plain = [row for row in rows if row[1][0] != "PUNCT"]
    figures: dict[str, Any] = {
        "words": len(rows),
        "uas": _share(row[2][0] == row[2][1] for row in rows),
        "las": _share(row[2][0] == row[2][1] and row[3][0] == row[3][1] for row in rows),
        "uas_plain": _share(row[2][0] == row[2][1] for row in plain),
        "las_plain": _share(row[2][0] == row[2][1] and row[3][0] == row[3][1] for row in plain),
        "upos": _share(row[1][0] == row[1][1] for row in rows),
        "lemmas": _share(row[0][0] == row[0][1] for row in rows if row[0][0] != "_"),
        "error": _calibration_error(gold[1::2], parsed[1::2]),
    }
    print(f"{folder}: {figures}; {len(gold) / seconds:.0f} sentences/s with all columns and probabilities", flush=True)
    return {**figures, **_cutting(language, gold)}


def _columns(sentence: Rows) -> list[tuple[str, ...]]:
    return list(zip(*(sentence.column(k) for k in (2, 3, 6, 7)), strict=True))


def _share(right: Any) -> float:
    values = list(right)
    return round(100 * sum(values) / max(1, len(values)), 2)


def _calibration_error(gold: list[Rows], parsed: list[Rows]) -> float:
    """Expected calibration error of the heads (Naeini et al. 2015), in points."""
    bins = [[0.0, 0, 0] for _ in range(BINS)]
    for one, other in zip(gold, parsed, strict=True):
        for head, guess, misc in zip(one.column(6), other.column(6), other.column(9), strict=True):
            confidence = float(misc_value(misc, "ParseConf"))
            cell = bins[min(BINS - 1, int(confidence * BINS))]
            cell[0] += confidence
            cell[1] += head == guess
            cell[2] += 1
    return round(100 * sum(abs(mass - right) for mass, right, _ in bins) / max(1, sum(count for *_, count in bins)), 2)


def _cutting(language: Language, gold: list[Rows]) -> dict[str, float]:
    """F1 of tokens, and of those that stand for several words, in per cent; both must have the same place and the same words."""
    counts = {"tokens": [0, 0, 0], "multiword": [0, 0, 0]}
    for sentence in gold:
        text = sentence.comment("text")
        if not text or language.tokenizer is None:
            continue
        ours = {(t.start - text[: t.start].count(" "), *_low(t.words)) for t in language.tokenizer.tokens(text)}
        theirs, at, until = set(), 0, 0
        forms = dict(zip(sentence.column(0), sentence.forms, strict=True))
        for row in sentence.lines:
            first, dash, last = row[0].partition("-")
            if dash or (row[0].isdecimal() and int(row[0]) > until):
                until = int(last or first)
                theirs.add((at, *_low(forms[str(k)] for k in range(int(first), until + 1))))
                at += len(row[1].replace(" ", ""))
        for name, least in (("tokens", 2), ("multiword", 3)):
            one, other = ({token for token in some if len(token) >= least} for some in (ours, theirs))
            for k, some in enumerate((one & other, one, other)):
                counts[name][k] += len(some)
    return {name: round(200 * right / max(1, a + b), 2) for name, (right, a, b) in counts.items() if b}


def _low(words: Any) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def write(code: str, folder: Path, dev: Path, command: str) -> None:
    """Write the figures into `model.json`, and the model card beside it."""
    recipe: Recipe = RECIPES[code]
    figures = judge(folder, dev)
    path = folder / "model.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["about"]["figures"] = {**figures, "on": f"the development part of {recipe.source}"}
    path.write_text(json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    neural = "network" in facts
    size = sum(file.stat().st_size for file in folder.iterdir() if file.name != "README.md") / 1e6
    multiword = f"{figures['multiword']:.1f} %" if "multiword" in figures else "do not occur"
    bare = "It has also seen sentences without a capital and without a final mark, as translations are often written."
    card = CARD.format(
        **{**figures, "multiword": multiword},
        name=recipe.name,
        settings=SETTINGS[neural],
        kind="a small neural network whose forward pass is numpy alone" if neural else "a linear model",
        fine=f"; in FEATS {', '.join(sorted(recipe.fine))}" if facts["fine"] else "",
        command=command,
        source=facts["about"]["source"],
        sentences=facts["about"]["sentences"],
        size=size,
        bare=bare if neural else "The treebank has few sentences without a capital and without a final mark.",
        limits=LIMITS.get(code, ""),
        licence=recipe.licence,
        vectors=VECTORS if neural and recipe.vectors == "pieces" else "",
    )
    (folder / "README.md").write_text(card, encoding="utf-8")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("dev", type=Path)
    options = arguments.parse_args()
    judge(options.folder, options.dev)

"""Relations of a tree whose words are glossed: learned from treebanks of other languages."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from divproj.projection.phrasal.chart import RELATIONS
from divproj.projection.ud_names import LABELS as LABELS
from divproj.projection.universal.edges import EdgeInput
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.facts import CASES, TENSES, VERBAL, Word

SIZE = 1 << 15
_NOUNS = ("NOUN", "PROPN", "PRON")


def label_features(sentence: EdgeInput, heads: Sequence[int]) -> NDArray[np.int32]:
    """[word, feature] numbers; `heads` are places among the real words, 0 the root."""
    n = len(sentence)
    words = [sentence.words[k - 1] for k in sentence.real]
    tags = ["ROOT", *(UPOS[k] for k in sentence.chances.argmax(1))] if n else ["ROOT"]
    kids: list[list[int]] = [[] for _ in range(n + 1)]
    for c, h in enumerate(heads, 1):
        kids[h].append(c)
    briefs = ["ROOT", *(_brief(w, tag) for w, tag in zip(words, tags[1:], strict=True))]
    below = ["".join(sorted({tags[k][:3] for k in kids[c] if tags[k] in _TELLING})) for c in range(n + 1)]
    rows = []
    for c, h in enumerate(heads, 1):
        w, t, u = words[c - 1], tags[c], tags[h]
        v = words[h - 1] if h else None
        side = "0" if not h else "<" if h < c else ">"
        far = "0" if not h else str(min(4, abs(h - c)))
        code = RELATIONS[sentence.codes[h, c]]
        mates = [k for k in kids[h] if k != c]
        nouns = sum(tags[k] in _NOUNS for k in mates)
        before = sum(tags[k] in _NOUNS for k in mates if k < c)
        same = sum(tags[k] == t and (k < c) == (h > c) for k in mates)
        rel = w.e_rel if code in ("mother", "out", "top", "top-out") else f"?{w.e_rel}"
        case = w.gloss.first(CASES)
        verbal = f"{w.gloss.first(VERBAL)}{bool(w.gloss.first(TENSES))}"
        g = tags[heads[h - 1]] if h else ""
        alone = w.gloss.grams[:1] if not w.gloss.words else ("",)
        rows.append([
            f"{t}{side}{u}", f"{t}{side}{u}|{far}", f"r={rel}", f"r={rel}|{t}", f"r={rel}|{t}{u}", f"r={rel}|{t}{side}{u}", f"r={w.e_rel}|{code}|{side}",
            f"c={case}|{t}{u}", f"c={case}|{t}{side}{u}|{nouns}", f"c={case}|{below[c]}|{t}{u}", f"b={briefs[c]}|{u}{side}", f"b={briefs[c]}|{briefs[h]}",
            f"b={briefs[c]}|{far}{side}", f"k={below[c]}|{t}{side}{u}", f"k={below[c]}|{rel}|{t}", f"v={verbal}|{t}{side}{u}",
            f"v={verbal}|{below[c]}|{t}{u}", f"s={w.stem}|{t}", f"s={w.stem}|{u}", f"s={w.stem}|{side}", f"h={v.stem if v else ''}|{t}{side}",
            f"g={'.'.join(w.gloss.grams)}|{t}", f"g={alone[0] if alone else ''}|{u}{side}", f"o={before}{nouns}|{t}{side}{u}",
            f"o={before}{nouns}|{t}{side}{u}|{rel}", f"m={same}|{t}{side}{u}", f"p={g}|{t}{u}", f"p={g}{below[h]}|{t}{side}{u}",
            f"e={w.e_tag}|{t}{u}", f"e={w.e_tag}{w.e_rel}|{v.e_tag if v else ''}{v.e_rel if v else ''}", f"l={w.lexical}|{t}{u}{side}",
            f"f={c == 1}{c == n}|{t}{u}", f"x={code}|{t}{u}", f"y={w.gloss.shape}{v.gloss.shape if v else ''}|{t}{side}{u}",
            f"q={bool(w.gloss.persons)}{bool(v.gloss.persons) if v else ''}|{t}{side}{u}|{before}",
        ])  # fmt: skip
    made = np.zeros((n, len(rows[0]) if rows else 0), np.int32)
    for k, row in enumerate(rows):
        made[k] = [crc32(name.encode()) % SIZE for name in row]  # `number`, without its call
    return made


_TELLING = frozenset({"ADP", "SCONJ", "CCONJ", "AUX", "DET", "VERB", "NUM", "PRON"})


def _brief(w: Word, tag: str) -> str:
    return f"{tag}{w.gloss.role}{w.gloss.first(CASES)}"

"""What the tagger sees of words: properties hashed once per word type, and the templates that put them together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from divproj.parsing.settings import CLASSED, RARE_TAG
from divproj.parsing.tagger_kernel import NONE

ATOMS = ("form", "low", "s1", "s2", "s3", "s4", "s5", "p1", "p2", "p3", "p4", "p5", "shape", "flags", "class")
_ALONE = "form low s1 s2 s3 s4 s5 p1 p2 p3 p4 p5 shape flags class"
_AROUND = """
low-1 low+1 low-2 low+2 form-1 form+1 s3-1 s3+1 s2-1 s2+1 s3-2 s3+2 shape-1 shape+1 class-1 class+1 class-2 class+2
"""
_TOGETHER = """
low-1 low, low low+1, low-1 low+1, low-2 low-1, low+1 low+2, shape-1 shape, shape shape+1, shape low-1, class-1 class+1,
class-2 class-1, class+1 class+2, class-1 class class+1, class-1 low, low class+1, s3 class-1, s3 class+1, s2 class-1,
s2 shape, s3 shape, flags flags-1, p1 s3 flags
"""
TEMPLATES = ("", *_ALONE.split(), *_AROUND.split(), *(" ".join(pair.split()) for pair in _TOGETHER.split(",")))
"""What is seen of a word (`low`), of its neighbours (`low-1`), and together; the empty one is always there."""
LINKED = ("", "low", "low+1")
"""Templates that are also seen with the tag of the word before."""
LEXICAL = frozenset(("form", "low", "s4", "s5", "p4", "p5", "class"))
"""Atoms that all but name the word, left out together by chance."""

Sentences = Sequence[Sequence[str]]
Integers = NDArray[np.int64]


def hashed(text: str) -> int:
    """The same number for a string on every machine; 0 to 3 are kept for places without a word."""
    return crc32(text.encode("utf-8", "surrogatepass")) | 4


def plain(word: str) -> str:
    """Lower case, every digit a 0.

    >>> plain("B2B")
    'b0b'
    """
    return no_digits(word.lower())


def no_digits(word: str) -> str:
    return word if word.isalpha() else re.sub(r"\d", "0", word)


def shape(word: str) -> str:
    """
    >>> shape("McDonald's-2019")
    "XxXxx'x-00"
    """
    if word.isalpha() and (word.islower() or word.istitle()):
        return "X" + "xx"[: len(word) - 1] if word[0].isupper() else "xx"[: len(word)]
    kinds = "".join("X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1{2,}", r"\1\1", kinds)


def atoms_of(word: str, classes: Mapping[int, int]) -> list[int]:
    """The hashed properties of a word, in the order of `ATOMS`."""
    low = plain(word)
    flags = (
        not word.isalpha() and any(map(str.isdigit, word)),
        "-" in word,
        word[:1].isupper(),
        word.isupper(),
        word.isalnum(),
        "'" in word,
    )
    marks = "".join(["01"[flag] for flag in flags])
    known = classes.get(hashed(low))
    return [
        hashed("f" + no_digits(word)),
        hashed("w" + low),
        *(hashed("s" + low[-k:]) if len(low) >= k else 3 for k in range(1, 6)),
        *(hashed("p" + low[:k]) if len(low) >= k else 3 for k in range(1, 6)),
        hashed("x" + shape(word)),
        hashed("b" + marks),
        hashed(f"?{low[-3:]}{marks[2]}") if known is None else hashed(f"c{known}"),
    ]


def parts_of(template: str) -> list[tuple[int, str]]:
    """
    >>> parts_of("low-1 shape")
    [(-1, 'low'), (0, 'shape')]
    """
    pairs = (re.split(r"(?=[-+])", part) for part in template.split())
    return [(int(offset[0]) if offset else 0, atom) for atom, *offset in pairs]


def template_array() -> Integers:
    """(template, part, [offset, atom]) as the kernels read them."""
    found = np.full((len(TEMPLATES), 3, 2), NONE, np.int64)
    for f, template in enumerate(TEMPLATES):
        for k, (offset, atom) in enumerate(parts_of(template)):
            found[f, k] = offset, ATOMS.index(atom)
    return found


def linked_array() -> Integers:
    return np.array([TEMPLATES.index(template) for template in LINKED], np.int64)


def lexical_array() -> NDArray[np.bool_]:
    """Which templates look at the word itself through a lexical atom."""
    return np.array([any(not offset and atom in LEXICAL for offset, atom in parts_of(t)) for t in TEMPLATES])


def template_digest() -> int:
    """Changes with the templates, so that weights of others are not taken for these."""
    return hashed(" | ".join((*ATOMS, *TEMPLATES, *LINKED)))


def tag_classes(sentences: Sentences, tags: Sentences) -> dict[int, int]:
    """Number of the set of tags that a word has, for words seen often enough: what it may be, known from afar."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for words, row in zip(sentences, tags, strict=True):
        for word, tag in zip(words, row, strict=True):
            seen[plain(word)][tag] += 1
    numbers: dict[tuple[str, ...], int] = {}
    found = {}
    for word, counts in sorted(seen.items()):
        total = counts.total()
        if total >= CLASSED:
            ranked = sorted(counts, key=lambda tag: (-counts[tag], tag))[:3]
            found[hashed(word)] = numbers.setdefault(tuple(t for t in ranked if counts[t] >= RARE_TAG * total), len(numbers))
    return found


def encode(sentences: Sentences, classes: Mapping[int, int]) -> tuple[Integers, Integers, Integers]:
    """Word types end to end, where each sentence starts, and the atoms of the types."""
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(word, len(numbers)) for sentence in sentences for word in sentence]
    at = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    atoms = np.array([atoms_of(word, classes) for word in numbers], np.int64).reshape(len(numbers), len(ATOMS))
    return np.array(flat, np.int64), at, atoms

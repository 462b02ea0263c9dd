"""Which heads a word of F may have, judging by its projection, and what speaks for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from divproj.projection.s1 import Bitext, s1
from divproj.tagsets import universal

_PIECES = re.compile(r"[-=~.:/+()\[\]<>_]+")


def gloss_pieces(gloss: str) -> tuple[list[str], str]:
    """Grams and the lexical rest of a gloss: a gram is in capitals, has a digit, or follows the stem as `Nom` does.

    >>> gloss_pieces("give-CAUS.PST"), gloss_pieces("box-Top")
    ((['CAUS', 'PST'], 'give'), (['TOP'], 'box'))
    """
    grams: list[str] = []
    rest: list[str] = []
    for piece in _PIECES.split(gloss):
        if not piece:
            continue
        capital = piece.isupper() if not rest else piece[0].isupper()
        if (capital and piece != "I") or any(c.isdigit() for c in piece):
            grams.append(piece.upper())
        else:
            rest.append(piece.lower())
    return grams, ".".join(rest)


@dataclass
class Lexicon:
    """The tag that a word without a link probably has: that of the same word where it is linked, or of its gloss in E."""

    f_tags: dict[str, str] = field(default_factory=dict)
    e_tags: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, bitexts: Iterable[Bitext]) -> Lexicon:
        f_seen: dict[str, Counter[str]] = {}
        e_seen: dict[str, Counter[str]] = {}
        for bitext in bitexts:
            tags = bitext.e.tags()
            for form, anchor in zip(bitext.forms, bitext.anchors[1:], strict=True):
                if anchor:
                    f_seen.setdefault(form.lower(), Counter())[tags[anchor - 1]] += 1
            for form, tag in zip(bitext.e.forms, tags, strict=True):
                e_seen.setdefault(form.lower(), Counter())[tag] += 1
        return cls({w: _most(c) for w, c in f_seen.items()}, {w: _most(c) for w, c in e_seen.items()})

    def tag(self, form: str, gloss: str) -> str:
        if not any(map(str.isalnum, form)):
            return "PUNCT"
        found = self.f_tags.get(form.lower())
        if not found and gloss:
            grams, stem = gloss_pieces(gloss)
            found = self.e_tags.get(stem) or self.e_tags.get(gloss.lower())
            if not found and grams and not stem:
                found = grams[-1]
        return found or "?"


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda tag: (-counts[tag], tag))


@dataclass(frozen=True)
class Lattice:
    """A sentence with its plain projections: the ground that candidates and features are read from."""

    bitext: Bitext
    lexicon: Lexicon = field(default_factory=Lexicon)

    @cached_property
    def right(self) -> tuple[int, ...]:
        """Heads by S1-R with place 0."""
        return (-1, *s1(self.bitext, "right").heads)

    @cached_property
    def left(self) -> tuple[int, ...]:
        return (-1, *s1(self.bitext, "left").heads)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Tags of the anchors with place 0; what is no word is PUNCT, a word without a link `?`."""
        made = ["ROOT"]
        tags = self.bitext.e.tags()
        for form, anchor in zip(self.bitext.forms, self.bitext.anchors[1:], strict=True):
            made.append(tags[anchor - 1] if anchor else "PUNCT" if not any(map(str.isalnum, form)) else "?")
        return (*made, "END")

    @cached_property
    def guesses(self) -> tuple[str, ...]:
        """Coarse tags with place 0; for a word without a link what the lexicon says."""
        bitext = self.bitext
        glosses = bitext.glosses or ("",) * len(bitext)
        made = [
            self.lexicon.tag(form, gloss) if tag == "?" else tag
            for form, gloss, tag in zip(bitext.forms, glosses, self.tags[1:-1], strict=True)
        ]
        return ("ROOT", *map(universal, made))

    @cached_property
    def forms(self) -> tuple[str, ...]:
        return ("", *(form.lower() for form in self.bitext.forms))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """How each word is linked: U not, M shares its anchor, G several E words, S one."""
        made = ["R"]
        for word in range(1, len(self.bitext) + 1):
            anchor = self.bitext.anchors[word]
            if not anchor:
                made.append("U")
            elif len(self.bitext.groups[anchor]) > 1:
                made.append("M")
            else:
                made.append("G" if len(self.bitext.alignment.forward[word]) > 1 else "S")
        return tuple(made)

    @cached_property
    def glosses(self) -> tuple[tuple[list[str], str], ...]:
        if not self.bitext.glosses:
            return ()
        return (([], ""), *map(gloss_pieces, self.bitext.glosses))

    @cached_property
    def rels(self) -> tuple[str, ...]:
        """Relation of each word's anchor, '' for none."""
        rels = self.bitext.e.rels
        return tuple(rels[a - 1] if a and rels else "" for a in self.bitext.anchors)

    @cached_property
    def last(self) -> int:
        """The last word that is no punctuation."""
        return max((k for k, tag in enumerate(self.tags[1:-1], 1) if any(map(str.isalnum, self.forms[k]))), default=0)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Children in either projection."""
        found: dict[int, list[int]] = {}
        for word in range(1, len(self.right)):
            for head in {self.right[word], self.left[word]}:
                found.setdefault(head, []).append(word)
        return found

    def heads(self, word: int) -> list[int]:
        """Candidate heads of a word, 0 among them."""
        right, left, n = self.right, self.left, len(self.bitext)
        found = dict.fromkeys((right[word], left[word], 0))
        for head in (right[word], left[word]):
            if head > 0:
                found[right[head]] = found[left[head]] = None
                siblings = self.children[head]
                at = siblings.index(word) if word in siblings else 0
                found.update(dict.fromkeys(siblings[max(0, at - 1) : at + 2]))
        found.update(dict.fromkeys(self.children.get(word, ())[:6]))
        for step in (-1, 1):
            k, climbed = word + step, 0
            while 0 < k <= n and climbed < 3:
                found[k] = None
                k, climbed = right[k], climbed + 1
            k = word + step
            while 0 < k <= n and not self.bitext.anchors[k]:
                k += step
            if 0 < k <= n:
                found[k] = None
                found[max(right[k], 0)] = None
        found.pop(word, None)
        found.pop(-1, None)
        return list(found)

    def path(self, word: int, head: int) -> str:
        """How the anchor of the head is related to the word's in E."""
        a, b = self.bitext.anchors[word], self.bitext.anchors[head] if head else 0
        up = self.bitext.e_heads
        if not a or not b:
            return "-"
        if a == b:
            return "="
        if up[a] == b:
            return "p"
        if up[b] == a:
            return "c"
        if up[a] == up[b]:
            return "s"
        if up[a] > 0 and up[up[a]] == b:
            return "pp"
        if up[b] > 0 and up[up[b]] == a:
            return "cc"
        return "x"

    def relation(self, word: int, head: int) -> str:
        """What the head is to the word in the projections."""
        right, left = self.right, self.left
        if head == right[word]:
            return "P" if head == left[word] else "PR"
        if head == left[word]:
            return "PL"
        if head == 0:
            return "0"
        if right[head] == word or left[head] == word:
            return "C"
        if head in (right[right[word]], left[left[word]]):
            return "G"
        if right[head] == right[word] or left[head] == left[word]:
            return "S"
        return "N"

    def blocks(self, word: int, head: int) -> list[Block]:
        """What speaks for or against the edge, in blocks that often recur; `names` spells a block out."""
        tags, forms, kinds = self.tags, self.forms, self.kinds
        t, u, form = tags[word], tags[head], forms[word]
        side = "0" if head == 0 else "<" if head < word else ">"
        gap = abs(head - word)
        far = "" if head == 0 else "1" if gap == 1 else "2" if gap == 2 else "3" if gap < 5 else "5"
        r, path = self.relation(word, head), self.path(word, head)
        kind = kinds[word] + kinds[head]
        found: list[Block] = [
            ("shape", r, kind, t, u, side, far),
            ("word", form, side, far, r, u),
            ("head", forms[head], t, kind, side),
        ]
        if path != "-":
            found.append(("path", path, t, u, self.rels[word], side))
        if kinds[word] == "U":
            found.append(("loose", tags[word - 1], tags[word + 1], side, far, u, t))
        c, d = self.guesses[word], self.guesses[head]
        if c != t or d != u:
            found.append(("guess", c, d, side, far, r))
        if word in (1, self.last) or (head and head == self.last):
            found.append(("edge", word == 1, word == self.last, head == self.last, r, side, t, kind))
        if head and self.right[head] == 0:
            found.append(("top", t, kinds[word], form))
        if self.glosses:
            grams, stem = self.glosses[word]
            found.append(("gloss", tuple(grams), stem, side, r, u))
            if self.glosses[head][0]:
                found.append(("grams", tuple(self.glosses[head][0]), side, t))
        return found


Block = tuple[Any, ...]


def names(block: Block) -> list[str]:
    """The indicator features of a block."""
    return _SPELLED[block[0]](*block[1:])


def _shape(r: str, kind: str, t: str, u: str, side: str, far: str) -> list[str]:
    return [
        f"r={r}",
        f"r={r}|{kind}",
        f"r={r}|{kind[0]}|{t}",
        f"r={r}|{t}|{u}",
        f"r={r}|{t}{side}",
        f"r={r}|{side}{far}|{kind}",
        f"t={t}{side}{u}",
        f"t={t}{side}{far}",
        f"t={t}{side}{u}|{far}",
    ]


def _word(form: str, side: str, far: str, r: str, u: str) -> list[str]:
    suffix = form[-3:]
    return [
        f"w={form}|{side}",
        f"w={form}|{r}",
        f"w={form}|{side}{far}",
        f"w={form}|{u}",
        f"x={suffix}|{side}",
        f"x={suffix}|{r}",
    ]


def _head(form: str, t: str, kind: str, side: str) -> list[str]:
    return [f"h={form}|{t}{side}", f"h={form}|{kind}{side}"]


def _path(path: str, t: str, u: str, rel: str, side: str) -> list[str]:
    return [f"e={path}", f"e={path}|{t}|{u}", f"e={path}|{rel}", f"e={path}|{rel}|{u}{side}"]


def _loose(before: str, after: str, side: str, far: str, u: str, t: str) -> list[str]:
    return [
        f"n={before}|{after}|{side}{far}",
        f"n={after}>|{side}{far}",
        f"n={before}<|{side}{far}",
        f"u={u}{side}{far}",
        f"u={u}{side}|{t}",
    ]


def _guess(c: str, d: str, side: str, far: str, r: str) -> list[str]:
    return [f"c={c}{side}{d}|{far}", f"c={r}|{c}|{d}"]


def _edge(first: bool, last: bool, to_last: bool, r: str, side: str, t: str, kind: str) -> list[str]:
    found = [f"first={side}"] if first else []
    if last:
        found += [f"last={r}", f"last={side}"]
    if to_last:
        found += [f"tolast={t}", f"tolast={kind}"]
    return found


def _top(t: str, kind: str, form: str) -> list[str]:
    return [f"top={t}|{kind}", f"top={form}"]


def _gloss(grams: tuple[str, ...], stem: str, side: str, r: str, u: str) -> list[str]:
    found = [name for gram in grams for name in (f"g={gram}{side}", f"g={gram}|{r}", f"g={gram}|{u}")]
    return [*found, f"s={stem}|{side}", f"s={stem}|{r}"] if stem else found


def _grams(grams: tuple[str, ...], side: str, t: str) -> list[str]:
    return [f"gh={gram}{side}|{t}" for gram in grams]


_SPELLED: dict[str, Callable[..., list[str]]] = {
    "shape": _shape, "word": _word, "head": _head, "path": _path, "loose": _loose,
    "guess": _guess, "edge": _edge, "top": _top, "gloss": _gloss, "grams": _grams,
}  # fmt: skip

"""Which heads a word of F may have, judging by its projection, and what speaks for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from divproj.projection.s1 import Bitext, s1
from divproj.tagsets import universal

_PIECES = re.compile(r"[-=~.:/+()\[\]<>_]+")


def gloss_pieces(gloss: str) -> tuple[list[str], str]:
    """Grams and the lexical rest of a gloss: a gram is in capitals, has a digit, or follows the stem as `Nom` does.

    >>> gloss_pieces("give-CAUS.PST"), gloss_pieces("box-Top")
    ((['CAUS', 'PST'], 'give'), (['TOP'], 'box'))
    """
    grams, rest = [], []
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

    def features(self, word: int, head: int) -> Iterator[str]:
        """Names of the indicator features of the edge."""
        tags, forms, kinds = self.tags, self.forms, self.kinds
        t, u, form = tags[word], tags[head], forms[word]
        side = "0" if head == 0 else "<" if head < word else ">"
        gap = abs(head - word)
        far = "" if head == 0 else "1" if gap == 1 else "2" if gap == 2 else "3" if gap < 5 else "5"
        r, path = self.relation(word, head), self.path(word, head)
        kind = kinds[word] + kinds[head]
        yield f"r={r}"
        yield f"r={r}|{kind}"
        yield f"r={r}|{kinds[word]}|{t}"
        yield f"r={r}|{t}|{u}"
        yield f"r={r}|{t}{side}"
        yield f"r={r}|{side}{far}|{kind}"
        yield f"w={form}|{side}"
        yield f"w={form}|{r}"
        yield f"w={form}|{side}{far}"
        yield f"w={form}|{u}"
        yield f"t={t}{side}{u}"
        yield f"t={t}{side}{far}"
        yield f"t={t}{side}{u}|{far}"
        c, d = self.guesses[word], self.guesses[head]
        if c != t or d != u:
            yield f"c={c}{side}{d}|{far}"
            yield f"c={r}|{c}|{d}"
        yield f"h={forms[head]}|{t}{side}"
        yield f"h={forms[head]}|{kind}{side}"
        if path != "-":
            rel = self.rels[word]
            yield f"e={path}"
            yield f"e={path}|{t}|{u}"
            yield f"e={path}|{rel}"
            yield f"e={path}|{rel}|{u}{side}"
        if kinds[word] == "U":
            yield f"n={tags[word - 1]}|{tags[word + 1]}|{side}{far}"
            yield f"n={tags[word + 1]}>|{side}{far}"
            yield f"n={tags[word - 1]}<|{side}{far}"
            yield f"u={u}{side}{far}"
            yield f"u={u}{side}|{t}"
        if word == self.last:
            yield f"last={r}"
            yield f"last={side}"
        if head and head == self.last:
            yield f"tolast={t}"
            yield f"tolast={kind}"
        if word == 1:
            yield f"first={side}"
        suffix = form[-3:]
        yield f"x={suffix}|{side}"
        yield f"x={suffix}|{r}"
        if head and self.right[head] == 0:
            yield f"top={t}|{kinds[word]}"
            yield f"top={form}"
        if self.glosses:
            grams, stem = self.glosses[word]
            for gram in grams:
                yield f"g={gram}{side}"
                yield f"g={gram}|{r}"
                yield f"g={gram}|{u}"
            if stem:
                yield f"s={stem}|{side}"
                yield f"s={stem}|{r}"
            for gram in self.glosses[head][0]:
                yield f"gh={gram}{side}|{t}"

"""Candidate heads of each word of F, and features of candidate edges, for the log-linear models of s2+ and s6+.

A `Lattice` is a sentence with its projections by S1-R and S1-L. `Lattice.heads` returns the candidate heads of a word: its
heads in the two projections, their neighbours there, adjacent words, and the root. `Lattice.blocks` describes an edge by
blocks, tuples of facts that recur so often that their scores can be cached. `names` returns the features of a block, by which
weights are stored:

    ("head", "bellen", "NOUN", "SS", ">")  ->  h=bellen|NOUN>  h=bellen|SS>

(the head is bellen, the dependent a noun on its left, and both have a single link). `TagLexicon` gives words without a link a
tag.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from divproj.projection.direct import ProjectionInput
from divproj.ud.tagsets import universal

Block = tuple[Any, ...] | str
"""Some features of an edge: a kind and the facts that their names are made of, or one name as it is."""


def names(block: Block) -> list[str]:
    """Return the names of the features of a block."""
    return [block] if isinstance(block, str) else _SPELLED[block[0]](*block[1:])


def _shape(
    r: str, path: str, kind: str, t: str, u: str, side: str, far: str, rel: str, place: tuple[bool, bool, bool, bool]
) -> list[str]:
    features = [
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
    if path != "-":
        features += [f"e={path}", f"e={path}|{t}|{u}", f"e={path}|{rel}", f"e={path}|{rel}|{u}{side}"]
    first, last, to_last, to_top = place
    if first:
        features.append(f"first={side}")
    if last:
        features += [f"last={r}", f"last={side}"]
    if to_last:
        features += [f"tolast={t}", f"tolast={kind}"]
    if to_top:
        features.append(f"top={t}|{kind[0]}")
    return features


def _root(
    stands: tuple[bool, bool, bool],
    kind: str,
    tags: tuple[str, str, str],
    last: bool,
    first: bool,
    form: str,
    depth: str,
    gloss: Any,
) -> list[str]:
    t, fine, guess = tags
    where = "".join("01"[x] for x in stands)
    features = [
        f"0s={where}",
        f"0s={where}|{kind}",
        f"0s={where}|{t}",
        f"0s={where}|{last}",
        f"0t={t}",
        f"0t={t}|{kind}",
        f"0f={fine}",
        f"0c={guess}",
        f"0l={last}|{first}",
        f"0w={form}",
        f"0x={form[-3:]}",
        f"0d={depth}",
    ]
    if gloss:
        grams, stem = gloss
        features += [name for gram in grams for name in (f"0g={gram}", f"0g={gram}|{last}")]
        features.append(f"0g={stem}")
    return features


def _word(form: str, side: str, far: str, r: str, u: str, to_top: bool) -> list[str]:
    suffix = form[-3:]
    features = [
        f"w={form}|{side}",
        f"w={form}|{r}",
        f"w={form}|{side}{far}",
        f"w={form}|{u}",
        f"x={suffix}|{side}",
        f"x={suffix}|{r}",
    ]
    return [*features, f"top={form}"] if to_top else features


def _head(form: str, t: str, kind: str, side: str) -> list[str]:
    return [f"h={form}|{t}{side}", f"h={form}|{kind}{side}"]


def _loose(before: str, after: str, side: str, far: str, u: str, t: str) -> list[str]:
    return [
        f"n={before}|{after}|{side}{far}",
        f"n={after}>|{side}{far}",
        f"n={before}<|{side}{far}",
        f"u={u}{side}{far}",
        f"u={u}{side}|{t}",
    ]


def _tags(
    t: str, u: str, word_tags: tuple[str, str], other: tuple[str, str], side: str, far: str, r: str, kind: str
) -> list[str]:
    (fine, guess), (head_fine, head_guess) = word_tags, other
    features = []
    if fine != t or head_fine != u:
        features += [f"F={r}|{kind[0]}|{fine}", f"F={r}|{fine}|{head_fine}", f"F={r}|{fine}{side}"]
        features += [f"F={fine}{side}{head_fine}", f"F={fine}{side}{far}", f"F={fine}{side}{head_fine}|{far}"]
    if guess != t or head_guess != u:
        features += [f"c={guess}{side}{head_guess}|{far}", f"c={r}|{guess}|{head_guess}"]
    return features


def _gloss(gloss: tuple[tuple[str, ...], str], side: str, r: str, u: str, head_grams: tuple[str, ...], t: str) -> list[str]:
    grams, stem = gloss
    features = [name for gram in grams for name in (f"g={gram}{side}", f"g={gram}|{r}", f"g={gram}|{u}")]
    if stem:
        features += [f"s={stem}|{side}", f"s={stem}|{r}"]
    return features + [f"gh={gram}{side}|{t}" for gram in head_grams]


_SPELLED: dict[str, Callable[..., list[str]]] = {
    "root": _root, "shape": _shape, "word": _word, "head": _head, "loose": _loose, "tags": _tags, "gloss": _gloss,
}  # fmt: skip


_FAR = ("", "1", "2", "3", "3")
"""Distances of 1 to 4 words as the features tell them apart."""
_PIECES = re.compile(r"[-=~.:/+()\[\]<>_\\\s]+")
_ALONE = frozenset(
    [
        "Abs",
        "Acc",
        "Aux",
        "Comp",
        "Cop",
        "Dat",
        "Def",
        "Dem",
        "Det",
        "Emph",
        "Erg",
        "Foc",
        "Fut",
        "Gen",
        "Ins",
        "Ipfv",
        "Loc",
        "Neg",
        "Nom",
        "Obj",
        "Perf",
        "Pfv",
        "Pl",
        "Prog",
        "Prs",
        "Pst",
        "Rel",
        "Sg",
        "Sub",
        "Subj",
        "Top",
    ]
)
"""Grams that their authors write with one capital, also where they stand alone."""


@lru_cache(maxsize=100_000)
def gloss_pieces(gloss: str) -> tuple[tuple[str, ...], str]:
    """Grams and the lexical rest of a gloss: a gram is in capitals, has a digit, or follows the stem as `Nom` does.

    >>> gloss_pieces("give-CAUS.PST"), gloss_pieces("box-Top")
    ((('CAUS', 'PST'), 'give'), (('TOP',), 'box'))
    >>> gloss_pieces("say\\\\PFV"), gloss_pieces("Foc"), gloss_pieces("on_top_of")
    ((('PFV',), 'say'), (('FOC',), ''), ((), 'on.top.of'))
    """
    grams: list[str] = []
    rest: list[str] = []
    for piece in _PIECES.split(gloss):
        if not piece:
            continue
        capital = piece.isupper() or piece in _ALONE if not rest else piece[0].isupper()
        if (capital and piece != "I") or any(c.isdigit() for c in piece):
            grams.append(piece.upper())
        else:
            rest.append(piece.lower())
    return tuple(grams), ".".join(rest)


@dataclass
class TagLexicon:
    """Probable tags of words without a link, from their linked occurrences or their gloss in E, and usual relations."""

    f_tags: dict[str, str] = field(default_factory=dict)
    e_tags: dict[str, str] = field(default_factory=dict)
    f_rels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, seen: Iterable[tuple[ProjectionInput, Sequence[str]]]) -> TagLexicon:
        """From sentences with the gold relations of F."""
        f_seen: dict[str, Counter[str]] = {}
        e_seen: dict[str, Counter[str]] = {}
        rels_seen: dict[str, Counter[str]] = {}
        for sentence, deprels in seen:
            tags = sentence.e.tags()
            for form, rel in zip(sentence.forms, deprels, strict=False):
                if rel not in ("root", "_", "dep"):
                    rels_seen.setdefault(form.lower(), Counter())[rel] += 1
            for form, anchor in zip(sentence.forms, sentence.anchors[1:], strict=True):
                if anchor:
                    f_seen.setdefault(form.lower(), Counter())[tags[anchor - 1]] += 1
            for form, tag in zip(sentence.e.forms, tags, strict=True):
                e_seen.setdefault(form.lower(), Counter())[tag] += 1
        return cls(*({w: _most(c) for w, c in counts.items()} for counts in (f_seen, e_seen, rels_seen)))

    def rel(self, form: str) -> str:
        return self.f_rels.get(form.lower(), "")

    def tag(self, form: str, gloss: str) -> str:
        if not any(map(str.isalnum, form)):
            return "PUNCT"
        tag = self.f_tags.get(form.lower())
        if not tag and gloss:
            grams, stem = gloss_pieces(gloss)
            tag = self.e_tags.get(stem) or self.e_tags.get(gloss.lower())
            if not tag and grams and not stem:
                tag = grams[-1]
        return tag or "?"


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda tag: (-counts[tag], tag))


@dataclass(frozen=True)
class Lattice:
    """A sentence with its S1 projections, from which candidate heads and features are computed."""

    sentence: ProjectionInput
    lexicon: TagLexicon = field(default_factory=TagLexicon)
    top: int = 0
    """The assumed root where it differs from the root by S1-R; else 0."""

    def with_top(self, top: int) -> Lattice:
        """Return the sentence with another assumed root; what was computed before is kept."""
        return self._again(replace(self, top=top), ())

    def with_lexicon(self, lexicon: TagLexicon) -> Lattice:
        """Return the sentence with another lexicon; what does not depend on it is kept."""
        return self._again(replace(self, lexicon=lexicon), ("guesses", "more_tags"))

    def _again(self, lattice: Lattice, but: tuple[str, ...]) -> Lattice:
        known = {name: value for name, value in vars(self).items() if name not in vars(lattice) and name not in but}
        vars(lattice).update(known)
        return lattice

    @cached_property
    def right(self) -> tuple[int, ...]:
        """Heads by S1-R with place 0."""
        return (-1, *self.sentence.plain[0])

    @cached_property
    def left(self) -> tuple[int, ...]:
        right, left = self.sentence.plain
        return self.right if left is right else (-1, *left)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Universal tags of the anchors with place 0; what is no word is PUNCT, a word without a link `?`."""
        f_tags = ["ROOT"]
        tags = self.sentence.e.tags()
        for form, anchor in zip(self.sentence.forms, self.sentence.anchors[1:], strict=True):
            f_tags.append(universal(tags[anchor - 1]) if anchor else "PUNCT" if not any(map(str.isalnum, form)) else "?")
        return (*f_tags, "END")

    @cached_property
    def fine(self) -> tuple[str, ...]:
        """Tags of the anchors as E has them, with place 0."""
        tags = self.sentence.e.tags()
        return ("ROOT", *(tags[a - 1] if a else t for a, t in zip(self.sentence.anchors[1:], self.tags[1:-1], strict=True)))

    @cached_property
    def guesses(self) -> tuple[str, ...]:
        """Coarse tags with place 0; for a word without a link what the lexicon says."""
        sentence = self.sentence
        glosses = sentence.glosses or ("",) * len(sentence)
        tags = [
            self.lexicon.tag(form, gloss) if tag == "?" else tag
            for form, gloss, tag in zip(sentence.forms, glosses, self.tags[1:-1], strict=True)
        ]
        return ("ROOT", *map(universal, tags))

    @cached_property
    def forms(self) -> tuple[str, ...]:
        return ("", *(form.lower() for form in self.sentence.forms))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """How each word is linked: U not, M shares its anchor, G several E words, S one."""
        kinds = ["R"]
        for word in range(1, len(self.sentence) + 1):
            anchor = self.sentence.anchors[word]
            if not anchor:
                kinds.append("U")
            elif len(self.sentence.groups[anchor]) > 1:
                kinds.append("M")
            else:
                kinds.append("G" if len(self.sentence.links.forward[word]) > 1 else "S")
        return tuple(kinds)

    @cached_property
    def glosses(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        if not self.sentence.glosses:
            return ()
        return (((), ""), *map(gloss_pieces, self.sentence.glosses))

    @cached_property
    def deprels(self) -> tuple[str, ...]:
        """Relation of each word's anchor, '' for none."""
        deprels = self.sentence.e.deprels
        return tuple(deprels[a - 1] if a and deprels else "" for a in self.sentence.anchors)

    @cached_property
    def last(self) -> int:
        """The last word that is no punctuation."""
        return max((k for k, tag in enumerate(self.tags[1:-1], 1) if any(map(str.isalnum, self.forms[k]))), default=0)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Children in either projection."""
        children: dict[int, list[int]] = {}
        for word in range(1, len(self.right)):
            for head in {self.right[word], self.left[word]}:
                children.setdefault(head, []).append(word)
        return children

    @cached_property
    def more_tags(self) -> tuple[tuple[str, str], ...]:
        """Fine tag and guessed tag of each word; empty when they add nothing to `tags`."""
        if self.fine == self.tags[:-1] == self.guesses:
            return ()
        return tuple(zip(self.fine, self.guesses, strict=True))

    def heads(self, word: int) -> list[int]:
        """Candidate heads of a word, 0 among them."""
        right, left, n = self.right, self.left, len(self.sentence)
        projected_heads = (right[word],) if right[word] == left[word] else (right[word], left[word])
        candidates = [*projected_heads, 0]
        for head in projected_heads:
            if head > 0:
                siblings = self.children[head]
                at = siblings.index(word)
                candidates += (right[head], left[head], *siblings[max(0, at - 1) : at + 2])
        candidates += self.children.get(word, ())[:6]
        for k, linked in ((word - 1, self.linked_before[word]), (word + 1, self.linked_after[word])):
            if 0 < k <= n:
                candidates.append(k)
                up = right[k]
                if up > 0:
                    candidates += (up, right[up])
            if linked:
                candidates += (linked, right[linked])
        if self.top:
            candidates.append(self.top)
        return [head for head in dict.fromkeys(candidates) if head != word]

    @cached_property
    def linked_before(self) -> list[int]:
        """For each place the nearest word with a link on the left, 0 for none."""
        nearest = [0]
        for k, anchor in enumerate(self.sentence.anchors):
            nearest.append(k if anchor else nearest[-1])
        return nearest

    @cached_property
    def linked_after(self) -> list[int]:
        nearest = [0]
        for k in range(len(self.sentence), -1, -1):
            nearest.append(k + 1 if k < len(self.sentence) and self.sentence.anchors[k + 1] else nearest[-1])
        return nearest[::-1]

    def path(self, word: int, head: int) -> str:
        """How the anchor of the head is related to the word's in E."""
        a, b = self.sentence.anchors[word], self.sentence.anchors[head] if head else 0
        up = self.sentence.e_heads
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
        """Return a code for what the head is to the word in the projections; around a changed root there are other codes."""
        right, left = self.right, self.left
        if self.top:
            moved = self._top_relation(word, head)
            if moved:
                return moved
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

    def _top_relation(self, word: int, head: int) -> str:
        old = self.old_top
        if head == self.top and (word == old or self.right[word] == old):
            return "TO" if word == old else "T"
        if head == 0 and word in (self.top, old):
            return "0T" if word == self.top else "0O"
        return "PO" if head == old and self.right[word] == old and word != self.top else ""

    @cached_property
    def old_top(self) -> int:
        """The root of S1-R."""
        return self.right.index(0) if 0 in self.right else 0

    def root_block(self, word: int) -> Block:
        """Return the block of facts about the word as the root of the sentence."""
        up, anchor = self.right[word], self.sentence.anchors[word]
        stands = (up == 0, self.left[word] == 0, up > 0 and self.right[up] == 0)
        depth = min(3, self.sentence.e_depths[anchor]) if anchor else "-"
        tags = (self.tags[word], self.fine[word], self.guesses[word])
        gloss = self.glosses[word] if self.glosses else None
        return ("root", stands, self.kinds[word], tags, word == self.last, word == 1, self.forms[word], depth, gloss)

    def blocks(self, word: int, head: int) -> list[Block]:
        """Return the blocks of facts about an edge; `names` returns the features of a block."""
        return self.all_blocks(word, (head,))[0]

    def all_blocks(self, word: int, heads: Sequence[int]) -> list[list[Block]]:
        """Return `blocks` for each of the heads; what the edges have in common is computed once."""
        tags, forms, kinds, right, last = self.tags, self.forms, self.kinds, self.right, self.last
        t, form, own_kind, rel = tags[word], forms[word], kinds[word], self.deprels[word]
        first, is_last = word == 1, word == last
        loose = (tags[word - 1], tags[word + 1]) if own_kind == "U" else ()
        more, glosses = self.more_tags, self.glosses
        block_lists = []
        for head in heads:
            u = tags[head]
            if head == 0:
                side, far = "0", ""
                place = (first, is_last, False, False)
            else:
                gap = head - word
                side, gap = ("<", -gap) if gap < 0 else (">", gap)
                far = _FAR[gap] if gap < 5 else "5"
                place = (first, is_last, head == last, right[head] == 0)
            r = self.relation(word, head)
            kind = own_kind + kinds[head]
            blocks: list[Block] = [
                ("shape", r, self.path(word, head), kind, t, u, side, far, rel, place),
                ("word", form, side, far, r, u, place[3]),
                ("head", forms[head], t, kind, side),
            ]
            if loose:
                blocks.append(("loose", *loose, side, far, u, t))
            if more:
                blocks.append(("tags", t, u, more[word], more[head], side, far, r, kind))
            if glosses:
                blocks.append(("gloss", glosses[word], side, r, u, glosses[head][0], t))
            block_lists.append(blocks)
        return block_lists

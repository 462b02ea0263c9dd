"""Basic projection (System 1, §2.1): copy the edges of the E tree to F over the word links.

The anchor of an F word is the E word that it is linked to (the highest one of several); F words with the same anchor are a
group. `s1` merges every group under one head, gives group heads the edges of their anchors, and attaches words without a link
to a neighbour. An example, by S1-R:

    E       John     stopped  smoking               heads 2 0 2
    links   Hans–John, hörte–stopped, auf–stopped, rauchen–smoking

    F       Hans        hörte   auf         zu            rauchen
    head    auf         auf     (root)      auf           auf
    reason  projected   merge   projected   spontaneous   projected

hörte and auf are a group, whose rightmost word is its head; zu has no link and takes its left neighbour. `Projection` is the
result of every system, with a reason and a confidence for each edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from divproj.core.links import Links
from divproj.core.pair import Pair, WordAnswer
from divproj.core.tree import DepTree, cycles
from divproj.ud.tagsets import CONTENT, class_of, relation_of, universal

Direction = Literal["left", "right"]
Reason = Literal["projected", "merge", "spontaneous", "swap", "guess", "parsed", "learned"]
REASONS: tuple[Reason, ...] = ("projected", "merge", "spontaneous", "swap", "guess", "parsed", "learned")
POS_ORDER = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "PRON", "DET", "ADP", "CCONJ", "SCONJ", "PART", "NUM", "X")


@dataclass(frozen=True)
class ProjectionInput:
    """A sentence pair as systems see it: the words of F (with glosses), the tree of E, and the links, but no F tree."""

    forms: tuple[str, ...]
    e: DepTree
    links: Links
    glosses: tuple[str, ...] = ()
    sent_id: str = ""
    tags: tuple[str, ...] = ()
    """Universal tags of F that the user has given, `_` where there is none; empty: none at all."""
    labels: tuple[str, ...] = ()
    """Part-of-speech labels of F in the user's own terms (XPOS), `_` where there is none; empty: none at all."""
    e_language: str = ""
    """Code of the language of the translation; '' where it is not known, which is taken for English."""
    answers: tuple[WordAnswer | None, ...] = ()
    """What the user says of each word by its type; empty where nothing."""

    @classmethod
    def of(cls, pair: Pair) -> ProjectionInput:
        given, labels = (
            tags if pair.f.tree is None and any(tag != "_" for tag in tags) else () for tags in (pair.f.upos, pair.f.xpos)
        )
        return cls(pair.f.forms, pair.e, pair.links, pair.glosses, pair.sent_id, given, labels, pair.e_language, pair.answers)

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def e_heads(self) -> tuple[int, ...]:
        """Heads of E, with an entry for the root at 0; a word without a head is attached to the root."""
        return (-1, *(max(h, 0) for h in self.e.heads))

    @cached_property
    def e_depths(self) -> tuple[int, ...]:
        """Edges from each E word up to the root."""
        depth = [0] * (len(self.e) + 1)
        for word in range(1, len(self.e) + 1):
            path = []
            k = word
            while k > 0 and not depth[k]:
                path.append(k)
                k = self.e_heads[k]
            base = depth[k]
            for steps, k in enumerate(reversed(path), 1):
                depth[k] = base + steps
        return tuple(depth)

    @cached_property
    def anchors(self) -> tuple[int, ...]:
        """For F words 0..n the shallowest E word linked to each, the leftmost of equals; 0 for none."""
        depth = self.e_depths
        return tuple(min(images, key=lambda j: (depth[j], j)) if images else 0 for images in self.links.forward)

    @cached_property
    def linked_count(self) -> int:
        """Number of F words with a link."""
        return len(self.anchors) - self.anchors.count(0)

    @cached_property
    def groups(self) -> dict[int, list[int]]:
        """E word → the F words it anchors, in order."""
        groups: dict[int, list[int]] = {}
        for word, anchor in enumerate(self.anchors):
            if anchor:
                groups.setdefault(anchor, []).append(word)
        return groups

    @cached_property
    def plain(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Heads by S1-R and by S1-L, which are the same where no group has two words."""
        right = self.rightmost[0]
        return right, right if all(len(words) == 1 for words in self.groups.values()) else s1(self, "left").heads

    @cached_property
    def rightmost(self) -> tuple[tuple[int, ...], tuple[Reason, ...]]:
        """Heads and reasons by S1-R, which other systems use too."""
        projection = s1(self, "right")
        return projection.heads, projection.reasons

    def anchored_ancestor(self, e_word: int) -> int:
        """The nearest E ancestor that anchors something; 0 for none."""
        up = self.e_heads[e_word]
        while up > 0 and up not in self.groups:
            up = self.e_heads[up]
        return max(up, 0)

    @cached_property
    def upos(self) -> tuple[str, ...]:
        """The tag projected to each F word: that of its anchor, or the highest of its E words' in `POS_ORDER`; '_' for none."""
        tags = [universal(tag) for tag in self.e.tags()]
        return tuple(
            _projected_tag(tags, images, anchor)
            for images, anchor in zip(self.links.forward[1:], self.anchors[1:], strict=True)
        )

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The class of each F word: the projected tag, else what its gloss shows, else '_'; no word with letters is punctuation."""
        glosses = self.glosses or ("",) * len(self)
        rows = zip(self.upos, self.forms, glosses, strict=True)
        return tuple(
            tag if tag != "_" and not (tag == "PUNCT" and any(map(str.isalnum, form))) else class_of(form, gloss) or "_"
            for tag, form, gloss in rows
        )

    @cached_property
    def contents(self) -> tuple[int, ...]:
        """F words that are nouns or verbs by their links, then those whose gloss names a noun or verb of E."""
        linked = [k for k, tag in enumerate(self.upos, 1) if tag in CONTENT]
        named = {form.lower() for form, tag in zip(self.e.forms, self.e.tags(), strict=True) if universal(tag) in CONTENT}
        glosses = self.glosses or ("",) * len(self)
        loose = [
            k
            for k, gloss in enumerate(glosses, 1)
            if not self.anchors[k] and any(piece.lower() in named for piece in gloss.replace("-", ".").split("."))
        ]
        return (*linked, *loose)


def _projected_tag(tags: Sequence[str], images: Sequence[int], anchor: int) -> str:
    if not anchor:
        return "_"
    ranked = [POS_ORDER.index(tags[j - 1]) for j in images if tags[j - 1] in POS_ORDER]
    return POS_ORDER[min(ranked)] if ranked else tags[anchor - 1]


@dataclass(frozen=True)
class Projection:
    """A projected tree of F: head, reason, confidence and relation ('' for none) of words 1..n."""

    sentence: ProjectionInput
    heads: tuple[int, ...]
    reasons: tuple[Reason, ...]
    confidence: tuple[float, ...] = ()
    """The system's confidence in each edge; a probability only once it is `calibrated`."""
    deprels: tuple[str, ...] = field(default=())
    upos: tuple[str, ...] = field(default=())
    """Tags of the words, where the system assigns them; else empty, and tags are projected over the links."""

    calibrated: str = ""
    """The system whose map has turned confidences into probabilities (`divproj.projection.confidence`); '' for none."""
    gloss_language: str = ""
    """Language of the glosses of the text, else of its translations, where the system asked for it and it is not English."""

    @property
    def coverage(self) -> float:
        """Share of words with a link."""
        return self.sentence.linked_count / max(1, len(self.sentence))

    @cached_property
    def tree(self) -> DepTree:
        deprels = tuple(
            "root" if h == 0 else r or "dep" for h, r in zip(self.heads, self.deprels or self.projected_deprels, strict=True)
        )
        return DepTree(self.sentence.forms, self.heads, deprels, self.upos or self.sentence.upos)

    @property
    def projected_deprels(self) -> tuple[str, ...]:
        """Relations of the anchors for projected edges, else the usual relation of the word's class; '' if that is unknown."""
        rels, anchors, classes = self.sentence.e.deprels, self.sentence.anchors, ("", *self.sentence.classes)
        deprels = []
        for k, (reason, head) in enumerate(zip(self.reasons, self.heads, strict=True), 1):
            rel = rels[anchors[k] - 1] if rels and anchors[k] and reason == "projected" else ""
            if rel == "punct" and any(
                map(str.isalnum, self.sentence.forms[k - 1])
            ):  # no word is punctuation, whatever it is linked with
                rel = ""
            above = classes[head] if head > 0 and classes[head] != "_" else ""
            deprels.append(rel if rel not in ("", "root") else relation_of(classes[k], above, k < head) if head else "")
        return tuple(deprels)


ProjectFunction = Callable[[ProjectionInput], Projection]
GroupHead = Callable[[ProjectionInput, int, list[int]], int]
Side = Callable[[ProjectionInput, int], Direction]


def project(sentence: ProjectionInput, group_head: GroupHead, side: Side, *, any_root: bool) -> Projection:
    """Return the projection by System 1, given functions that choose the head of a group and the side of an unlinked word.

    With `any_root` a determiner may be the root, as in the paper.
    """
    n = len(sentence)
    heads = [-1] * (n + 1)
    reasons: list[Reason] = ["guess"] * (n + 1)
    chosen = {e: words[0] if len(words) == 1 else group_head(sentence, e, words) for e, words in sentence.groups.items()}
    for e, words in sentence.groups.items():
        up = sentence.anchored_ancestor(e)
        for word in words:
            if word == chosen[e]:
                heads[word], reasons[word] = chosen.get(up, 0), "projected"
            else:
                heads[word], reasons[word] = chosen[e], "merge"
    attach_spontaneous(sentence, heads, reasons, side)
    one_root(heads, reasons, may_loop=sentence.linked_count < n)  # where every word has an anchor, the tree of E has no cycle
    if not any_root:
        content_root(sentence, heads, reasons)
    return Projection(sentence, tuple(heads[1:]), tuple(reasons[1:]))


def attach_spontaneous(sentence: ProjectionInput, heads: list[int], reasons: list[Reason], side: Side) -> None:
    """Each unaligned word takes its neighbour on its side, the other neighbour at the sentence's edge or against a loop.

    Departs: s1-r attaches to the left. The text of the paper says right, but its numbers are those of left; `paper` attaches as the text says.
    """
    n = len(heads) - 1
    loose = [k for k in range(1, n + 1) if heads[k] < 0]
    if len(loose) == n:
        for k in loose:
            heads[k] = k - 1
        return
    for k in loose:
        heads[k] = k - 1 if side(sentence, k) == "left" else k + 1
        reasons[k] = "spontaneous"
    first = next(k for k in range(1, n + 1) if sentence.anchors[k])
    last = next(k for k in range(n, 0, -1) if sentence.anchors[k])
    for k in loose:
        if k < first:
            heads[k] = k + 1
        elif k > last:
            heads[k] = k - 1
    for (
        k
    ) in loose:  # neighbours that hold each other: the right one goes on to the right, and so does the next if it leans left
        if first < k < last and heads[k] == k - 1 and heads[k - 1] == k:
            heads[k] = k + 1


def one_root(heads: list[int], reasons: list[Reason], *, may_loop: bool = True) -> None:
    """Make `heads` a tree: a cycle is cut at its first word, and all roots but the first are attached to the first."""
    for cycle in cycles(heads[1:]) if may_loop else ():
        heads[cycle[0]] = 0
        reasons[cycle[0]] = "guess"
    roots = [k for k in range(1, len(heads)) if heads[k] <= 0]
    for k in roots[1:]:
        heads[k] = roots[0]
        reasons[k] = "guess"
    if roots:
        heads[roots[0]] = 0


def content_root(sentence: ProjectionInput, heads: list[int], reasons: list[Reason]) -> None:
    """Replace a determiner as root by a noun or verb: the first one that depends on it, or else the first of the sentence.

    Departs: the paper's S1 lets it. On ODIN this touches German alone (+0.4 points).
    """
    if not sentence.contents:
        return
    root = heads.index(0, 1)
    if sentence.upos[root - 1] != "DET":
        return
    if any(universal(sentence.e.tags()[j - 1]) != "DET" for j in sentence.links.forward[root]):
        return  # a word for `in the` is no determiner
    below = [k for k in sentence.contents if heads[k] == root]
    new = below[0] if below else sentence.contents[0]
    for k in range(1, len(heads)):
        if heads[k] == root:
            heads[k] = new
    heads[new], heads[root] = 0, new
    reasons[new] = reasons[root] = "swap"


def s1(
    sentence: ProjectionInput, merge: Direction = "right", spontaneous: Direction = "left", *, any_root: bool = False
) -> Projection:
    """Systems S1-R (`merge="right"`) and S1-L.

    Of several words on one E word the rightmost (leftmost) is the head; unaligned words attach to the left (§4.5).
    """
    return project(
        sentence, lambda _, __, words: words[-1 if merge == "right" else 0], lambda _, __: spontaneous, any_root=any_root
    )

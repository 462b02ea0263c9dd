"""`PhraseAlignment`: the nested phrase pairs of two sentences, as a value that prints, compares and goes to JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from divproj.forest.hypergraph import Forest
    from divproj.phrases.problem import PairPosteriors, PhraseSet, Problem


Span = tuple[int, int]
UNKNOWN = math.nan
TINY = 1e-6
"""Probability below which a pair counts as one that the model does not know."""
DIGITS = 6
"""Decimal places of probabilities in files; projection rounds alike, so that a file says all that it would use."""
WORD, LEAF, PHRASE, NONCOMP, FORCED = "word", "word-phrase", "phrase", "non-compositional", "forced"


@dataclass(frozen=True)
class PhrasePair:
    """A source and a target phrase, words [start, end) counted from 0."""

    src: Span
    tgt: Span
    src_label: str
    tgt_label: str
    kind: str
    """`word`, `word-phrase` (one side is a word), `phrase`, `non-compositional` (not two kids), `forced` (added root pair)."""
    posterior: float
    """Probability under all compositional sets; nan when it was not computed, or when only non-compositional sets have the pair."""
    kids: tuple[int, ...]
    """Its supports: indices of the pairs next below it."""
    src_node: int
    tgt_node: int
    virtual: bool = False
    """Made by binarisation on either side: not shown."""

    @property
    def words(self) -> int:
        """Words of the longer side."""
        return max(self.src[1] - self.src[0], self.tgt[1] - self.tgt[0])


@dataclass(frozen=True)
class NullPhrase:
    """A phrase left alone."""

    span: Span
    label: str
    posterior: float
    node: int
    virtual: bool = False


@dataclass(frozen=True)
class PhraseAlignment:
    """The best legitimate set of phrase pairs; mothers stand before their kids."""

    src: Forest = field(repr=False)
    tgt: Forest = field(repr=False)
    pairs: tuple[PhrasePair, ...]
    src_nulls: tuple[NullPhrase, ...]
    tgt_nulls: tuple[NullPhrase, ...]
    log_alpha: float
    reachable: bool = True
    """False: no legitimate set has the root pair; it was added on top of the best set without it."""
    truncated: bool = False
    """True: time or a bound of the search ran out somewhere."""
    src_tree: tuple[int, ...] = field(default=(), repr=False)
    """Nodes of the source forest that make the tree chosen."""
    tgt_tree: tuple[int, ...] = field(default=(), repr=False)

    @property
    def sent_id(self) -> str:
        return self.src.sent_id or self.tgt.sent_id

    @cached_property
    def visible(self) -> tuple[PhrasePair, ...]:
        """Pairs without virtual nodes, supports renumbered (through virtual pairs)."""
        number: dict[int, int] = {}
        for k, pair in enumerate(self.pairs):
            if not pair.virtual:
                number[k] = len(number)
        visible_pairs = []
        for pair in self.pairs:
            if pair.virtual:
                continue
            kids = sorted(number[k] for k in self._real(pair.kids))
            visible_pairs.append(PhrasePair(pair.src, pair.tgt, pair.src_label, pair.tgt_label, pair.kind, pair.posterior, tuple(kids), pair.src_node, pair.tgt_node))  # fmt: skip
        return tuple(visible_pairs)

    def _real(self, kids: tuple[int, ...]) -> Iterator[int]:
        stack = list(kids)
        while stack:
            k = stack.pop()
            if self.pairs[k].virtual:
                stack += self.pairs[k].kids
            else:
                yield k

    @property
    def links(self) -> tuple[Span, ...]:
        """Word links in use, counted from 0."""
        return tuple(sorted((pair.src[0], pair.tgt[0]) for pair in self.pairs if pair.kind == WORD))

    def unaligned_nodes(self, side: str = "src") -> tuple[int, ...]:
        """Real phrases of the chosen tree that have no partner, inside nulls and passed through alike."""
        forest, tree = (self.src, self.src_tree) if side == "src" else (self.tgt, self.tgt_tree)
        held = {pair.src_node if side == "src" else pair.tgt_node for pair in self.pairs if not pair.virtual}
        return tuple(k for k in tree if k not in held and not forest.nodes[k].virtual)

    def to_json(self) -> dict[str, Any]:
        """A dictionary for one JSON line; spans are [start, end) in words from 0.

        `heads` are the words that head the two phrases, None where a forest does not know them. Pairs that are not shown, with
        phrases made by binarisation, stand apart under `virtual`: projection uses them, too.
        """
        texts = (self.src.forms, self.tgt.forms)
        return {
            "id": self.sent_id,
            "source": list(self.src.forms),
            "target": list(self.tgt.forms),
            "pairs": [
                {
                    "source": list(pair.src),
                    "target": list(pair.tgt),
                    "text": [" ".join(words[a:b]) for words, (a, b) in zip(texts, (pair.src, pair.tgt), strict=True)],
                    "labels": [pair.src_label, pair.tgt_label],
                    "heads": self._heads(pair),
                    "kind": pair.kind,
                    "posterior": _number(pair.posterior),
                    "supports": list(pair.kids),
                }
                for pair in self.visible
            ],
            "virtual": [
                {"source": list(pair.src), "target": list(pair.tgt), "heads": self._heads(pair), "posterior": _number(pair.posterior)}
                for pair in self.pairs
                if pair.virtual
            ],
            "nulls": {
                name: [
                    {"span": list(x.span), "text": " ".join(words[x.span[0] : x.span[1]]), "label": x.label, "posterior": _number(x.posterior)}
                    for x in nulls
                ]
                for name, words, nulls in (("source", texts[0], self.src_nulls), ("target", texts[1], self.tgt_nulls))
            },
            "log_alpha": _number(self.log_alpha),
            "reachable": self.reachable,
            "truncated": self.truncated,
        }  # fmt: skip

    def _heads(self, pair: PhrasePair) -> list[int | None]:
        heads = self.src.nodes[pair.src_node].head, self.tgt.nodes[pair.tgt_node].head
        return [head if head >= 0 else None for head in heads]

    def to_text(self, null: str = "---") -> str:
        """Surface strings of the pairs and, against `null`, of every real phrase without a partner: source, tab, target."""
        rows = [f"{self._text(self.src, p.src)}\t{self._text(self.tgt, p.tgt)}" for p in self.visible]
        rows += [f"{self.src.text(k)}\t{null}" for k in self.unaligned_nodes("src")]
        rows += [f"{null}\t{self.tgt.text(k)}" for k in self.unaligned_nodes("tgt")]
        return "\n".join(rows)

    @staticmethod
    def _text(forest: Forest, span: Span) -> str:
        return " ".join(forest.forms[span[0] : span[1]])


def _number(value: float) -> float | None:
    return round(value, DIGITS) if math.isfinite(value) else None


def alignment_of(
    src: Forest, tgt: Forest, given: Problem, phrase_set: PhraseSet, sums: PairPosteriors | None
) -> PhraseAlignment:
    """A found set as phrases."""
    pairs = []
    beyond = any(
        len(kids) not in (0, 2) for kids in phrase_set.kids
    )  # then pairs may be there of which the chart knows nothing
    for k, (u, v) in enumerate(phrase_set.pairs):
        a, b = src.nodes[u], tgt.nodes[v]
        forced = not phrase_set.reachable and phrase_set.mothers[k] < 0
        virtual = (a.virtual or b.virtual) and not forced
        probability = float(min(1.0, sums.pair[u, v])) if sums else UNKNOWN
        probability = UNKNOWN if beyond and probability < TINY else probability
        pairs.append(PhrasePair(a.span, b.span, a.label, b.label, FORCED if forced else _kind(src, tgt, phrase_set, k), probability, phrase_set.kids[k], u, v, virtual))  # fmt: skip
    trees = tuple(tuple(np.flatnonzero(side.tree(edges) > -2).tolist()) for side, edges in ((given.src, phrase_set.edges_s), (given.tgt, phrase_set.edges_t)))  # fmt: skip
    nulls = [
        tuple(_nulls(forest, side.tree(edges), hanging, probabilities))
        for forest, side, edges, hanging, probabilities in (
            (src, given.src, phrase_set.edges_s, phrase_set.null_s, sums.null_s if sums else None),
            (tgt, given.tgt, phrase_set.edges_t, phrase_set.null_t, sums.null_t if sums else None),
        )
    ]
    return PhraseAlignment(
        src, tgt, tuple(pairs), nulls[0], nulls[1], phrase_set.score, phrase_set.reachable, phrase_set.truncated, *trees
    )


def _kind(src: Forest, tgt: Forest, phrase_set: PhraseSet, k: int) -> str:
    u, v = phrase_set.pairs[k]
    words = [x.end - x.start == 1 for x in (src.nodes[u], tgt.nodes[v])]
    if any(words):
        return WORD if all(words) else LEAF
    return PHRASE if len(phrase_set.kids[k]) == 2 else NONCOMP


def _nulls(forest: Forest, edge_of: Any, hanging: tuple[tuple[int, int], ...], probabilities: Any) -> Iterator[NullPhrase]:
    """Phrases left alone from left to right; a virtual one gives way to the real ones it is made of."""
    a = forest.arrays
    for node, _ in sorted(hanging, key=lambda item: forest.nodes[item[0]].span):
        probability = float(min(1.0, probabilities[node])) if probabilities is not None else UNKNOWN
        stack = [node]
        while stack:
            k = stack.pop()
            phrase = forest.nodes[k]
            if phrase.virtual:
                stack += [int(a.edge_right[edge_of[k]]), int(a.edge_left[edge_of[k]])]
            else:
                yield NullPhrase(phrase.span, phrase.label, probability, k)

"""`NeuralParser` and `NeuralTagger`: the network behind the interfaces of `MstParser` and `Tagger`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divproj.data.tree import DepTree
from divproj.parsing import marginals
from divproj.parsing.atoms import ParserInput
from divproj.parsing.decode import chu_liu_edmonds
from divproj.parsing.neural.network import Ints, Network, Scores
from divproj.parsing.parser import Tables, check_heads
from divproj.runtime.threads import one_blas_thread

BATCH_WORDS = 1600
"""Words that go through the network at once."""
KEPT = 4_000_000
"""Numbers of scores that are remembered (eight bytes each), so that tags, trees and probabilities cost one pass."""
STEPS = 2.0 ** np.arange(-2, 2.01, 0.0625)
"""Scales that `calibrate` tries."""
Doubles = NDArray[np.float64]
Key = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass
class Reader:
    """Scores of sentences, batched by length; those just made are remembered."""

    network: Network
    kept: dict[Key, Scores] = field(default_factory=dict, repr=False)
    size: int = 0

    def read(self, sentences: Sequence[ParserInput]) -> list[Scores]:
        """Scores of the sentences, in their order. Tags that a sentence has replace those that the network would find."""
        keys = [_key(sentence) for sentence in sentences]
        if self.size > KEPT:
            self.kept, self.size = {}, 0
        found = {key: self.kept[key] for key in set(keys) if key in self.kept}
        lengths: dict[int, list[Key]] = {}
        for key in dict.fromkeys(keys):
            if key not in found:
                lengths.setdefault(len(key[0]), []).append(key)
        for length, some in lengths.items():
            each = max(1, BATCH_WORDS // max(1, length))
            for start in range(0, len(some), each):
                part = some[start : start + each]
                for key, scores in zip(part, self._batch(part), strict=True):
                    found[key] = scores
                    self._keep(key, scores)
        return [found[key] for key in keys]

    def _keep(self, key: Key, scores: Scores) -> None:
        """Remember scores under the tags that were given, and under those that were found."""
        upos = tuple(self.network.upos.names[k] for k in scores.upos.tolist())
        xpos = tuple(self.network.xpos.names[k] for k in scores.xpos.tolist())
        if key not in self.kept:
            self.size += scores.size
        self.kept[key] = scores
        if not key[1]:
            self.kept[key[0], upos, xpos] = scores

    def _batch(self, keys: list[Key]) -> list[Scores]:
        if not keys[0][0]:
            none = np.zeros(0, np.int64)
            rel = np.zeros((1, len(self.network.rel)), np.float32)
            return [Scores(none, none, np.zeros((0, 1)), rel[:0], rel)] * len(keys)
        with one_blas_thread():
            return self.network.scores([key[0] for key in keys], [self._given(key) for key in keys])

    def _given(self, key: Key) -> tuple[Ints, Ints] | None:
        if not key[1]:
            return None
        upos = {tag: k for k, tag in enumerate(self.network.upos.names)}
        xpos = {tag: k for k, tag in enumerate(self.network.xpos.names)}
        fine = key[2] or ("",) * len(key[1])
        return np.array([upos.get(t, -1) for t in key[1]], np.int64), np.array([xpos.get(t, -1) for t in fine], np.int64)


@dataclass
class NeuralTagger:
    """UPOS and XPOS of words."""

    reader: Reader

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Tags of each word as `UPOS+XPOS`."""
        upos, xpos = self.reader.network.upos.names, self.reader.network.xpos.names
        found = self.reader.read([ParserInput(tuple(forms), ()) for forms in sentences])
        return [
            tuple(f"{upos[u]}+{xpos[x]}" for u, x in zip(own.upos.tolist(), own.xpos.tolist(), strict=True)) for own in found
        ]


@dataclass
class NeuralParser:
    """Trees, relations, probabilities and scores of edges. Edges may cross.

    Heads are the best of each word where these make one tree with one root, else the best tree (Chu-Liu/Edmonds).
    """

    reader: Reader
    scale_: float = 1.0
    """What scores are multiplied with before they are turned into probabilities."""
    crossing_: bool = True
    columns_: int = 1
    slots_: int = 0

    @property
    def rels_(self) -> tuple[str, ...]:
        return self.reader.network.rels

    def predict(self, sentences: Sequence[ParserInput | DepTree]) -> list[DepTree]:
        """The best tree of each sentence, with relations."""
        seen = [_seen(s) for s in sentences]
        scores = self.reader.read(seen)
        total = sum(map(len, seen))
        heads = [best_heads(own, total) for own in scores]
        rels = self._relations(scores, heads)
        made = [DepTree(s.forms, tuple(tree.tolist()), names, s.tags) for s, tree, names in zip(seen, heads, rels, strict=True)]
        return [
            tree if isinstance(s, ParserInput) else s.with_heads(tree.heads, tree.rels)
            for s, tree in zip(sentences, made, strict=True)
        ]

    def relations(self, sentence: ParserInput, heads: Sequence[int]) -> tuple[str, ...]:
        """The best relations for a tree that is given."""
        check_heads("the sentence", len(sentence), heads)
        [names] = self._relations(self.reader.read([sentence]), [np.array(heads, np.int64)])
        return names

    def _relations(self, scores: Sequence[Scores], heads: Sequence[Ints]) -> list[tuple[str, ...]]:
        made: list[tuple[str, ...]] = []
        start = size = 0
        for k, tree in enumerate([*heads, None]):
            if tree is None or (k > start and size + len(tree) > BATCH_WORDS):
                part = slice(start, k)
                if size:
                    found = self.reader.network.relations(scores[part], heads[part])
                    made += [tuple(self.rels_[r] for r in own.tolist()) for own in found]
                else:
                    made += [()] * (k - start)
                start, size = k, 0
            size += 0 if tree is None else len(tree)
        return made

    def edge_scores(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[Doubles]:
        """scores[h, c] of every edge of each sentence."""
        for own in self.reader.read([_seen(s) for s in sentences]):
            yield _square(own)

    def marginals(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[Doubles]:
        """chances[h, c]: the probability of every edge, over all trees with one root."""
        for scores in self.edge_scores(sentences):
            yield chances_of(scores * self.scale_)

    @staticmethod
    def projective_marginals(scores: Doubles) -> Doubles:
        """The probability of every edge over projective trees, from scaled scores."""
        chances = np.zeros_like(scores)
        marginals.projective.for_work(len(scores), len(scores))(scores, chances)
        return chances

    def tables(self, sentence: ParserInput | DepTree) -> Tables:
        """Scores of all edges; the network scores no larger parts."""
        [scores] = self.edge_scores([sentence])
        return Tables(scores, None, np.zeros((0, *scores.shape), np.float32))

    def calibrate(self, sentences: Sequence[ParserInput | DepTree], trees: Sequence[DepTree]) -> NeuralParser:
        """Scale scores so that the edges of these trees (which were not learned from) are as probable as can be."""
        kept = list(zip(self.edge_scores(sentences), trees, strict=True))
        gains = []
        for scale in STEPS:
            total = 0.0
            for scores, tree in kept:
                heads = np.array(tree.heads, np.int64)
                known = np.flatnonzero(heads >= 0)
                total += float(np.log(chances_of(scores * scale)[heads[known], known + 1] + 1e-6).sum())
            gains.append(total)
        self.scale_ = float(STEPS[int(np.argmax(gains))])
        return self


def best_heads(scores: Scores, words: int = 0) -> Ints:
    """Heads of words 1 to n: each word's best where that is a tree, else the best tree; `words` are those of the whole job."""
    best = np.asarray(scores.edges.argmax(1), np.int64)
    if is_tree(best):
        return best
    heads = np.zeros(len(best) + 1, np.int64)
    chu_liu_edmonds.for_work(words, 2 * len(best))(_square(scores), heads)
    return heads[1:]


def is_tree(heads: Ints) -> bool:
    """Whether heads of words 1 to n make one tree with one root.

    >>> [is_tree(np.array(heads)) for heads in ((2, 0), (2, 1), (0, 0), (2, 3, 0))]
    [True, False, False, True]
    """
    above = np.concatenate([[0], heads])
    if (heads == 0).sum() != (len(heads) > 0):
        return False
    for _ in range(len(heads).bit_length()):  # twice as far up each time
        above = above[above]
    return not above.any()


def chances_of(scores: Doubles) -> Doubles:
    """The probability of every edge over all trees with one root, from scaled scores."""
    chances = np.zeros_like(scores)
    marginals.nonprojective(scores, chances)  # type: ignore[no-untyped-call]
    return chances


def _square(scores: Scores) -> Doubles:
    """scores[h, c], with a column for the root as a child."""
    made = np.zeros((len(scores.edges) + 1,) * 2)
    made[:, 1:] = scores.edges.T
    return made


def _seen(sentence: ParserInput | DepTree) -> ParserInput:
    return sentence if isinstance(sentence, ParserInput) else ParserInput.of(sentence)


def _key(sentence: ParserInput) -> Key:
    return sentence.forms, sentence.tags, sentence.more[0] if sentence.more else ()

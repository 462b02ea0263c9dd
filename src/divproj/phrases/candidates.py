"""Word candidates W: which words of two sentences may be linked, and what says so (section 3.1 and 6.1 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import AlignmentError
from divproj.data.links import Links
from divproj.forest.categories import category
from divproj.forest.hypergraph import Forest
from divproj.phrases.lexicon import CONTEXT, LINK, NEAR, POSTERIOR, Lexicon, Word


@dataclass(frozen=True, eq=False)
class Candidates:
    """Links (source word, target word), counted from 0 and sorted, and for each the bits of its sources."""

    links: NDArray[np.int32]
    sources: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.links)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return ((int(i), int(j), int(bits)) for (i, j), bits in zip(self.links, self.sources, strict=True))

    @property
    def pairs(self) -> frozenset[tuple[int, int]]:
        return frozenset((i, j) for i, j, _ in self)

    def matrix(self, shape: tuple[int, int]) -> NDArray[np.uint16]:
        """Bits of sources of every word pair, 0 where it is no candidate."""
        dense = np.zeros(shape, np.uint16)
        dense[self.links[:, 0], self.links[:, 1]] = self.sources
        return dense

    @classmethod
    def of(cls, matrix: NDArray[np.uint16]) -> Candidates:
        links = np.argwhere(matrix).astype(np.int32).reshape(-1, 2)
        return cls(links, matrix[links[:, 0], links[:, 1]].astype(np.uint16))


def candidates(
    src: Forest,
    tgt: Forest,
    lexicon: Lexicon | None = None,
    *,
    links: Links | None = None,
    posteriors: NDArray[np.floating] | None = None,
    at_least: float = 0.1,
) -> Candidates:
    """All candidates that the lexicon, given links and word posteriors (shape words x words, from `at_least` on) make.

    Links and posteriors are taken as they stand; rules about punctuation and function words are for the lexicon.
    """
    shape = (len(src.forms), len(tgt.forms))
    found = np.zeros(shape, np.uint16)
    if lexicon is not None:
        one, two = lexicon.words(src, 0), lexicon.words(tgt, 1)
        found[:] = [[lexicon.sources(a, b) for b in two] for a in one]
        found[lexicon.near_matrix(one, two)] |= NEAR
        if lexicon.context and lexicon.languages[0] == lexicon.languages[1]:
            found[contexts(found > 0, one, two, lexicon)] |= CONTEXT
    if links is not None:
        if links.shape != shape:
            raise AlignmentError(f"links of sentences of {links.shape} words, but the trees have {shape}")
        for i, j in links.links:
            found[i - 1, j - 1] |= LINK
    if posteriors is not None:
        if posteriors.shape != shape:
            raise AlignmentError(f"posteriors of shape {posteriors.shape}, but the trees have {shape} words")
        found[posteriors >= at_least] |= POSTERIOR
    return Candidates.of(found)


def contexts(linked: NDArray[np.bool_], src: Sequence[Word], tgt: Sequence[Word], lexicon: Lexicon) -> NDArray[np.bool_]:
    """Content words without any candidate that stand where a link is expected.

    So they do when the words before them are candidates of one another, or those after them, and the other two neighbours are so too
    or the ends of both sentences are there; or else when they are of one class.
    """
    padded = np.zeros((len(src) + 2, len(tgt) + 2), bool)
    padded[1:-1, 1:-1] = linked
    before, after = padded[:-2, :-2], padded[2:, 2:]
    one = before | after
    padded[0, 0] = padded[-1, -1] = True
    free = [
        np.array([lexicon.is_content(word, side) for word in words], bool) & ~linked.any(axis=1 - side)
        for side, words in enumerate((src, tgt))
    ]
    classes = [np.array([category(word.tag) for word in words]) for words in (src, tgt)]
    alike = classes[0][:, None] == classes[1][None, :]
    expected: NDArray[np.bool_] = one & ((before & after) | alike) & free[0][:, None] & free[1][None, :]
    return expected

"""Word links between two sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from divproj.core.errors import AlignmentError

if TYPE_CHECKING:
    import nltk
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Links:
    """Word links (i, j), both counted from 1, between a sentence of `shape[0]` words and one of `shape[1]`.

    `possible` marks links that an annotator was not sure of; they are links too.

    >>> links = Links.of([(1, 2), (2, 1)], (2, 2))
    >>> (1, 2) in links, links.forward[1], links.transpose.shape
    (True, (2,), (2, 2))
    """

    links: frozenset[tuple[int, int]]
    shape: tuple[int, int]
    possible: frozenset[tuple[int, int]] = frozenset()
    weights: tuple[tuple[tuple[int, int], float], ...] = field(default=(), compare=False)
    """(link, probability), where the links came with one."""
    known: bool = field(default=True, compare=False)
    """False for a pair whose words nobody has linked yet."""

    @classmethod
    def of(cls, links: Iterable[tuple[int, int]], shape: tuple[int, int]) -> Links:
        """Links from any collection of pairs.

        >>> len(Links.of([(1, 2), (2, 1)], (2, 2)))
        2
        """
        return cls(frozenset(links), shape)

    def __post_init__(self) -> None:
        n, m = self.shape
        for i, j in self.links:
            if not (0 < i <= n and 0 < j <= m):
                raise AlignmentError(f"link {i}-{j} (counted from 1) is out of range: the sentences have {n} and {m} words")

    def __len__(self) -> int:
        return len(self.links)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The links in order.

        >>> list(Links.of([(2, 1), (1, 2)], (2, 2)))
        [(1, 2), (2, 1)]
        """
        return iter(sorted(self.links))

    def __contains__(self, link: object) -> bool:
        return link in self.links

    def weight(self, i: int, j: int) -> float:
        """Probability of a link: 1 if none was given, 0 if the words are not linked."""
        return dict(self.weights).get((i, j), 1.0) if (i, j) in self.links else 0.0

    @property
    def sure(self) -> frozenset[tuple[int, int]]:
        return self.links - self.possible

    @cached_property
    def matrix(self) -> NDArray[np.bool_]:
        """Shape (n+1, m+1); row and column 0 are empty."""
        import numpy as np  # most who make links have no use for arrays

        dense = np.zeros((self.shape[0] + 1, self.shape[1] + 1), dtype=bool)
        if self.links:
            dense[tuple(np.array(sorted(self.links)).T)] = True
        return dense

    @cached_property
    def forward(self) -> tuple[tuple[int, ...], ...]:
        """R_{F→E} (eq. 8): for each word 0..n its images in order."""
        images: list[list[int]] = [[] for _ in range(self.shape[0] + 1)]
        for i, j in sorted(self.links):
            images[i].append(j)
        return tuple(map(tuple, images))

    @cached_property
    def backward(self) -> tuple[tuple[int, ...], ...]:
        """R_{E→F} (eq. 9)."""
        return self.transpose.forward

    @cached_property
    def transpose(self) -> Links:
        """The same links seen from the other side.

        >>> Links(frozenset({(1, 2)}), (1, 2)).transpose.links
        frozenset({(2, 1)})
        """
        flip = frozenset((j, i) for i, j in self.links)
        return Links(flip, (self.shape[1], self.shape[0]), frozenset((j, i) for i, j in self.possible))

    def to_nltk(self) -> nltk.translate.Alignment:
        """The links as NLTK counts them, from 0."""
        from nltk.translate import Alignment as NltkAlignment

        return NltkAlignment((i - 1, j - 1) for i, j in self.links)

    @classmethod
    def from_nltk(cls, links: nltk.translate.Alignment, shape: tuple[int, int]) -> Links:
        return cls(frozenset((i + 1, j + 1) for i, j, *_ in links if j is not None), shape)

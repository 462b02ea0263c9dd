"""From trees and bitext to what induction reads: tags without punctuation, links renumbered, gold constituents.

Constituents of a dependency tree are its maximal projections: the words under each word, itself included, where they stand
together and are two or more. Words under one head are not grouped further, so such trees are flat, and a binary tree over
them has a precision of less than 100 even at best (`evaluate.brackets` reports that bound).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from divproj.data.errors import AlignmentError, ModelError
from divproj.data.pair import Pair
from divproj.data.tree import DepTree
from divproj.forest.heads import PUNCTUATION
from divproj.forest.trees import PhraseTree
from divproj.induction.spans import Span

KINDS = ("auto", "upos", "xpos", "projected")
UNLINKED_TAG = "X"
"""Tag of a word without a link where tags are projected."""


@dataclass(frozen=True)
class TagPair:
    """Two tag sequences and links (i, j), counted from 1, with weights from 0 to 1."""

    f: tuple[str, ...]
    e: tuple[str, ...]
    links: Mapping[tuple[int, int], float] = field(default_factory=dict)
    sent_id: str = ""

    def __post_init__(self) -> None:
        for i, j in self.links:
            if not (0 < i <= len(self.f) and 0 < j <= len(self.e)):
                raise AlignmentError(
                    f"link {i}-{j} (counted from 1) is out of range: the sentences have {len(self.f)} and {len(self.e)} words"
                    + (f" (sent_id {self.sent_id})" if self.sent_id else "")
                )


def kept_words(tree: DepTree) -> list[int]:
    """Words that are neither punctuation nor symbols, from 1: by the tag where there is one, else by the form.

    >>> kept_words(DepTree(("Stop", "!"), (0, 1)))
    [1]
    """
    upos = tree.upos or ("_",) * len(tree)
    return [
        k
        for k, (form, tag) in enumerate(zip(tree.forms, upos, strict=True), 1)
        if (tag not in ("PUNCT", "SYM") if tag != "_" else any(map(str.isalnum, form)))
    ]


def tags_of(tree: DepTree, kind: str = "auto") -> tuple[str, ...]:
    """Tags of the kept words.

    >>> tags_of(DepTree(("Stop", "!"), (0, 1), upos=("VERB", "PUNCT")))
    ('VERB',)
    """
    if kind not in KINDS[:3]:
        raise ModelError(f"no tags '{kind}' on one side alone", remedy=f"choose one of {', '.join(KINDS[:3])}")
    tags = tree.tags(kind)
    return tuple(tags[k - 1] for k in kept_words(tree))


def constituents(tree: DepTree) -> frozenset[Span]:
    """Maximal projections over the kept words, spans (i, j) of two words or more.

    >>> tree = DepTree(("the", "old", "dog", "barks", "."), (3, 3, 4, 0, 4), upos=("DET", "ADJ", "NOUN", "VERB", "PUNCT"))
    >>> sorted(constituents(tree))
    [(0, 3), (0, 4)]
    """
    place = {word: k for k, word in enumerate(kept_words(tree))}
    under: dict[int, set[int]] = {k: {place[k]} if k in place else set() for k in range(1, len(tree) + 1)}
    for word in range(1, len(tree) + 1):
        head = tree.heads[word - 1]
        while head > 0:
            if word in place:
                under[head].add(place[word])
            head = tree.heads[head - 1]
    spans = {(min(words), max(words) + 1) for words in under.values() if words and max(words) - min(words) + 1 == len(words)}
    return frozenset((i, j) for i, j in spans if j - i > 1)


def tag_pair(pair: Pair, tags: str = "auto", weights: Mapping[tuple[int, int], float] | None = None) -> TagPair:
    """Tags of both sides without punctuation, links renumbered and one-to-one.

    `weights` replace the pair's own links (as `proj words --probs` gives them). A word with several links keeps the one with
    the largest weight, then the one nearest the diagonal. With tags "projected" F has the tags of the E words it is linked to.
    """
    if tags not in KINDS:
        raise ModelError(f"no tags '{tags}'", remedy=f"choose one of {', '.join(KINDS)}")
    f_words, e_words = ({word: k for k, word in enumerate(kept_words(tree), 1)} for tree in (pair.f, pair.e))
    given = weights if weights is not None else dict.fromkeys(pair.links.links, 1.0)
    links = {(f_words[i], e_words[j]): w for (i, j), w in given.items() if i in f_words and j in e_words}
    e_tags = tags_of(pair.e, "auto" if tags == "projected" else tags)
    one = one_to_one(links, (len(f_words), len(e_words)))
    if tags == "projected":
        by_word = {i: e_tags[j - 1] for i, j in one}
        f_tags = tuple(by_word.get(i, UNLINKED_TAG) for i in range(1, len(f_words) + 1))
    else:
        f_tags = tags_of(pair.f, tags)
    return TagPair(f_tags, e_tags, one, pair.sent_id)


def one_to_one(links: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> dict[tuple[int, int], float]:
    """Greedy: the largest weight first, then the nearest to the diagonal, then the leftmost.

    >>> one_to_one({(1, 1): 1.0, (1, 2): 1.0, (2, 2): 1.0}, (2, 2))
    {(1, 1): 1.0, (2, 2): 1.0}
    """

    def order(link: tuple[int, int]) -> tuple[float, float, tuple[int, int]]:
        return -links[link], abs(link[0] / max(shape[0], 1) - link[1] / max(shape[1], 1)), link

    rows: set[int] = set()
    columns: set[int] = set()
    found: dict[tuple[int, int], float] = {}
    for i, j in sorted(links, key=order):
        if i not in rows and j not in columns:
            found[i, j] = links[i, j]
            rows.add(i)
            columns.add(j)
    return dict(sorted(found.items()))


def kept_leaves(tree: PhraseTree) -> tuple[int, ...]:
    """Words that are neither punctuation nor symbols, from 0."""
    tags = tree.tags or ("_",) * len(tree.forms)
    marks = PUNCTUATION | {"SYM", "PUNCT", "--"}
    return tuple(
        k
        for k, (form, tag) in enumerate(zip(tree.forms, tags, strict=True))
        if tag not in marks and not (tag in ("_", "") and not any(map(str.isalnum, form)))
    )

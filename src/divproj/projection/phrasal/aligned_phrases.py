"""Phrase pairs made here: the aligner on the forest of F and the forest of E, both alive, so that it also chooses E's tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from divproj.data.errors import AlignmentError, Faults, Where
from divproj.data.links import Links
from divproj.data.tree import DepTree
from divproj.forest.dependencies import from_dependencies
from divproj.forest.hypergraph import Forest, Node
from divproj.forest.pack import Packer
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.candidates import candidates
from divproj.phrases.lexicon import Lexicon
from divproj.phrases.results import PhraseAlignment
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal.paraphrases import dependencies
from divproj.projection.phrasal.phrase_pairs import PhraseBook, SentencePairs, load
from divproj.projection.phrasal.phrase_sources import AUTO
from divproj.projection.settings import BARE_PAIR_SHARE, PAIR_SHARE, PARSE_SHARE

if TYPE_CHECKING:
    from divproj.parsing.language import Language

ALL_UP_TO = 40
"""Words up to which all bracketings of an F sentence without a forest are aligned; a longer one has no phrase pairs."""

EForest = Callable[[DepTree], Forest]
"""From E's tree to the forest of its parser."""
MoreLinks = Callable[[Forest, Forest], Iterable[tuple[int, int]]]
"""Word candidates beside the links, counted from 0: a lexicon's."""


@dataclass
class PhraseFinder:
    """Runs `PhraseAligner` on the sentences of a text.

    F's forest is that of `forests` with the same words, or all bracketings; E's is what `e_forest` makes of its tree, or the tree
    alone. With E's forest, E's tree becomes the one that the alignment chose.
    """

    forests: Mapping[tuple[str, ...], Forest] = field(default_factory=dict)
    e_forest: EForest | None = None
    more_links: MoreLinks | None = None
    aligner: PhraseAligner = field(default_factory=PhraseAligner)
    all_up_to: int = ALL_UP_TO

    def find(self, bitexts: Sequence[ProjectionInput]) -> tuple[list[ProjectionInput], PhraseBook]:
        """The sentences, with E's tree where the alignment chose one, and their phrase pairs."""
        ready = [k for k, bitext in enumerate(bitexts) if self._usable(bitext)]
        pairs = [(self._f(bitexts[k]), self._e(bitexts[k].e)) for k in ready]
        links = [self._links(bitexts[k], s, t) for k, (s, t) in zip(ready, pairs, strict=True)]
        aligner = self.aligner
        if self.e_forest and not aligner.parse_share:
            aligner = replace(aligner, parse_share=PARSE_SHARE)
        made, book = list(bitexts), []
        for k, found in zip(ready, aligner.align(pairs, links), strict=True):
            if self.e_forest and found.reachable:
                made[k] = _with_tree(bitexts[k], found)
            own = self.forests.get(bitexts[k].forms)
            book.append(SentencePairs.of(found, heads=_headed(own), hold=PAIR_SHARE if own else BARE_PAIR_SHARE))
        return made, PhraseBook.of(book)

    def _usable(self, bitext: ProjectionInput) -> bool:
        if not bitext.forms or not len(bitext.e) or not bitext.links.links:
            return False
        return bitext.forms in self.forests or len(bitext) <= self.all_up_to

    def _f(self, bitext: ProjectionInput) -> Forest:
        found = self.forests.get(bitext.forms)
        return found if found is not None else all_bracketings(bitext)

    def _e(self, tree: DepTree) -> Forest:
        return self.e_forest(tree) if self.e_forest else from_dependencies(tree)

    def _links(self, bitext: ProjectionInput, src: Forest, tgt: Forest) -> list[tuple[int, int]]:
        given = {(i - 1, j - 1) for i, j in bitext.links.links}
        if self.more_links:
            f, e = ({link[side] for link in given} for side in (0, 1))
            given |= {(i, j) for i, j in self.more_links(src, tgt) if i not in f and j not in e}
        return sorted(given)


def _headed(forest: Forest | None) -> bool:
    return forest is not None and all(node.head >= 0 for node in forest.nodes)


def _with_tree(bitext: ProjectionInput, found: PhraseAlignment) -> ProjectionInput:
    """The bitext with the E tree that the alignment chose; tags stay, relations where the head stays."""
    chosen = dependencies(found.tgt, found.tgt_tree).heads
    rels = bitext.e.rels or ("_",) * len(chosen)
    kept = tuple(
        rel if new == old else "root" if new == 0 else rel if rel != "root" else "dep"
        for rel, new, old in zip(rels, chosen, bitext.e.heads, strict=True)
    )
    return replace(bitext, e=bitext.e.with_heads(chosen, kept))


def all_bracketings(bitext: ProjectionInput) -> Forest:
    """All binary trees over the words of F, each as likely; a phrase's semantic head is its word linked highest in E's tree.

    Phrases are virtual: no parser vouches for any of them.

    >>> from divproj.data.links import Links
    >>> e = DepTree(("a", "b", "c"), (2, 0, 2), upos=("X", "X", "X"))
    >>> forest = all_bracketings(ProjectionInput(("x", "y", "z"), e, Links(frozenset({(1, 2)}), (3, 3))))
    >>> len(forest), len(forest.edges)
    (6, 4)
    """
    n, packer = len(bitext), Packer()
    depth = [bitext.e_depths[anchor] if anchor else n + len(bitext.e) for anchor in bitext.anchors[1:]]
    number: dict[tuple[int, int], int] = {}
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            head = i + int(np.argmin(depth[i:j]))
            tag = bitext.upos[head]
            number[i, j] = packer.node(Node(i, j, tag if tag != "_" else "X", -1, head, width > 1), (i, j))
            for k in range(i + 1, j):
                packer.edge(number[i, j], number[i, k], number[k, j])
    return packer.forest(bitext.forms, number[0, n], tags=bitext.upos, sent_id=bitext.sent_id)


def phrase_book(
    source: str, text: Sequence[ProjectionInput], finder: PhraseFinder | None = None, faults: Faults | None = None
) -> tuple[list[ProjectionInput], PhraseBook]:
    """Phrase pairs of a text: of the file `source`, or by the aligner (`finder`) where it is "auto".

    Sentences of which a file has no pairs are named to `faults`.
    """
    if source == AUTO:
        return (finder or PhraseFinder()).find(text)
    book = PhraseBook.of(load(source, faults))
    for k, bitext in enumerate(text, 1):
        if faults and book.find(bitext) is None:
            what = f"no phrase pairs have the words of sentence {k}, '{' '.join(bitext.forms[:6])} …'"
            faults.word(AlignmentError(what, Where(source, 0, bitext.sent_id), "it is projected without"))
    return list(text), book


def linked_paraphrases(
    text: Sequence[ProjectionInput], lexicon: Lexicon, finder: PhraseFinder | None = None
) -> tuple[list[ProjectionInput], PhraseBook]:
    """Paraphrases linked by aligning phrases: candidates by form, lemma and WordNet, of which the best set of phrase pairs keeps
    some. Sentences that have links keep them."""
    ready = [bitext if bitext.links.links else _with_candidates(bitext, lexicon) for bitext in text]
    made, book = replace(finder or PhraseFinder(), aligner=PhraseAligner(relation=lexicon.relation)).find(ready)
    for k, bitext in enumerate(text):
        found = book.find(made[k])
        if found and not bitext.links.links:
            made[k] = replace(made[k], links=Links(frozenset(found.links), made[k].links.shape))
    return made, book


def _with_candidates(bitext: ProjectionInput, lexicon: Lexicon) -> ProjectionInput:
    sides = (_leaves(bitext.forms, ()), _leaves(bitext.e.forms, bitext.e.tags()))
    found = candidates(sides[0], sides[1], lexicon).links
    return replace(bitext, links=Links(frozenset((int(i) + 1, int(j) + 1) for i, j in found), (len(bitext), len(bitext.e))))


def _leaves(forms: tuple[str, ...], tags: tuple[str, ...]) -> Forest:
    """Words alone: all that a lexicon looks at."""
    return Forest(forms, tuple(Node(k, k + 1, tag) for k, tag in enumerate(tags or ("X",) * len(forms))), (), 0, tags=tags)


def forests_by_words(forests: Iterable[Forest]) -> dict[tuple[str, ...], Forest]:
    """Forests found by their words; of several the first."""
    made: dict[tuple[str, ...], Forest] = {}
    for forest in forests:
        made.setdefault(forest.forms, forest)
    return made


def e_forests_of(language: Language) -> EForest:
    """What makes packed forests of E's trees by the parser that parsed them."""
    from divproj.data.sentence import Sentence
    from divproj.parsing.alternatives import forest_of

    def make(tree: DepTree) -> Forest:
        blank = ("_",) * len(tree)
        numbers = tuple(str(k) for k in range(1, len(tree) + 1))
        heads = tuple(map(str, tree.heads))
        columns = (numbers, tree.forms, blank, tree.upos, tree.xpos or blank, blank, heads, tree.rels or blank, blank, blank)
        return forest_of(language, Sentence((), columns))

    return make

"""Phrase pairs as evidence for projection: the output of `proj align`, read from a file or taken from the aligner.

A paired phrase of F should be a constituent: one word of it, its head, depends on a word outside, and only this word governs
words outside. Its head is the word linked with the head of the E phrase. So words without links attach inside the smallest
paired phrase that contains them. `scores` turns this into log weights of edges for the chart of s5. Pairs of single words
become links with probabilities (`PhraseBook.links`). `PhraseSources` says where the phrases of a text come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import Faults, FormatError, Where
from divproj.io.files import Source, name_of, reading
from divproj.io.interlinear.parts import lines
from divproj.projection.direct import ProjectionInput

if TYPE_CHECKING:
    from divproj.phrases.results import PhraseAlignment

PAIR_SHARE = 1.0
"""What the logarithm of a head's probability counts beside the weights of the chart; not tuned."""
UNKNOWN_PAIR = 0.5
"""Probability of a pair that comes without one."""
OTHER_HEAD = 0.05
"""Probability that a word heads a phrase of which another word is known to be the head."""


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PhraseLink:
    """Paired words of F and words of E, counted from 1, gaps allowed; a head is 0 where it is unknown."""

    f: tuple[int, ...]
    e: tuple[int, ...]
    probability: float = 1.0
    f_head: int = 0
    e_head: int = 0


@dataclass(frozen=True)
class SentencePairs:
    """The phrase pairs of one sentence, and the words they are of."""

    f_forms: tuple[str, ...]
    e_forms: tuple[str, ...]
    pairs: tuple[PhraseLink, ...]
    hold: float = PAIR_SHARE
    """Weight of the pairs in the scores of edges."""

    @classmethod
    def of(cls, alignment: PhraseAlignment, *, hold: float = PAIR_SHARE) -> SentencePairs:
        """The pairs of an alignment whose source is F and whose target is E, as its JSON line would give them.

        A pair without probability, one that no compositional set has, is taken as `UNKNOWN_PAIR`.
        """
        from divproj.phrases.results import DIGITS

        phrase_links = []
        for pair in alignment.pairs:
            f, e = alignment.src.nodes[pair.src_node], alignment.tgt.nodes[pair.tgt_node]
            probability = round(pair.posterior, DIGITS) if pair.posterior == pair.posterior else UNKNOWN_PAIR
            words = [tuple(range(start + 1, end + 1)) for start, end in (pair.src, pair.tgt)]
            phrase_links.append(PhraseLink(words[0], words[1], min(1.0, probability), f.head + 1, e.head + 1))
        return cls(alignment.src.forms, alignment.tgt.forms, _order_pairs(phrase_links), hold)

    @property
    def transpose(self) -> SentencePairs:
        """The same pairs with F and E exchanged."""
        pairs = tuple(PhraseLink(p.e, p.f, p.probability, p.e_head, p.f_head) for p in self.pairs)
        return replace(self, f_forms=self.e_forms, e_forms=self.f_forms, pairs=pairs)

    @property
    def links(self) -> dict[tuple[int, int], float]:
        """Pairs of two words with their probabilities."""
        return {(p.f[0], p.e[0]): p.probability for p in self.pairs if len(p.f) == len(p.e) == 1}


def _order_pairs(pairs: Iterable[PhraseLink]) -> tuple[PhraseLink, ...]:
    """The pairs in an order of their own, so that sums over them are the same to the last bit wherever they come from."""
    return tuple(sorted(pairs, key=lambda pair: (pair.f, pair.e)))


def scores(sentence_pairs: SentencePairs, sentence: ProjectionInput) -> Floats:
    """Scores of all edges [h, c], words counted from 1, place 0 the root.

    For a phrase with probability p and a word w that heads it with probability q(w), an edge that leaves or enters the phrase at
    w scores  hold · p · log q(w);  so a second such edge, and one at a word that is not the head, costs.
    """
    size = len(sentence) + 1
    edge_scores = np.zeros((size, size))
    for pair in sentence_pairs.pairs:
        if not 1 < len(pair.f) < len(sentence) or pair.probability <= 0:
            continue
        inside = np.zeros(size, bool)
        inside[list(pair.f)] = True
        at = np.zeros(size)
        at[list(pair.f)] = sentence_pairs.hold * pair.probability * np.log(_heads(pair, sentence))
        edge_scores[np.ix_(~inside, inside)] += at[inside][None, :]
        out = ~inside
        out[0] = False
        edge_scores[np.ix_(inside, out)] += at[inside][:, None]
    edge_scores[:, 0] = 0.0
    return edge_scores


def _heads(pair: PhraseLink, sentence: ProjectionInput) -> Floats:
    """For each word of an F phrase how probable it is as its head: as its own tree says, else as the links say of E's head."""
    chosen = {pair.f_head} if pair.f_head in pair.f else set(_images(pair, sentence)) & set(pair.f)
    if not chosen:
        return np.full(len(pair.f), 1.0 / len(pair.f))
    other = OTHER_HEAD / max(1, len(pair.f) - len(chosen))
    return np.array([(1.0 - OTHER_HEAD) / len(chosen) if word in chosen else max(other, 1e-3) for word in pair.f])


def _images(pair: PhraseLink, sentence: ProjectionInput) -> Sequence[int]:
    """F words linked with the head of the E phrase, or with the nearest word below it that has links."""
    within = set(pair.e)
    tops = [pair.e_head] if pair.e_head in within else [j for j in pair.e if sentence.e_heads[j] not in within]
    while tops:
        images = [i for j in tops for i in sentence.links.backward[j]]
        if images:
            return images
        tops = [j for j in pair.e if sentence.e_heads[j] in tops]
    return ()


@dataclass
class PhraseBook:
    """Phrase pairs of a text, found by the words of the sentence and of its translation."""

    sentences: Mapping[tuple[tuple[str, ...], tuple[str, ...]], SentencePairs] = field(default_factory=dict)

    @classmethod
    def of(cls, sentences: Iterable[SentencePairs]) -> PhraseBook:
        return cls({(pairs.f_forms, pairs.e_forms): pairs for pairs in sentences})

    def __len__(self) -> int:
        return len(self.sentences)

    def find(self, sentence: ProjectionInput) -> SentencePairs | None:
        """The pairs of a sentence, whichever side the aligner called the source."""
        pairs = self.sentences.get((sentence.forms, sentence.e.forms))
        if pairs is None:
            turned = self.sentences.get((sentence.e.forms, sentence.forms))
            pairs = turned.transpose if turned else None
        return pairs

    def scores(self, sentence: ProjectionInput, *, vouched: bool = False) -> Floats | None:
        """Scores of edges for a sentence; None where no pairs are known, or with `vouched` none that a tree or the user vouches for."""
        pairs = self.find(sentence)
        return None if pairs is None or (vouched and pairs.hold < PAIR_SHARE) else scores(pairs, sentence)

    def links(self, sentence: ProjectionInput) -> dict[tuple[int, int], float]:
        """Links that pairs of two words make, with their probabilities."""
        pairs = self.find(sentence)
        return {} if pairs is None else pairs.links


def load(source: Source, faults: Faults | None = None) -> Iterator[SentencePairs]:
    """Pairs of a file of JSON lines as `proj align` writes them: those of `pairs` and, where they are given, of `virtual`.

    `source` and `target` of a pair are [start, end) counted from 0, or, for phrases with gaps, a list of such spans; `heads` are
    their two heads, counted from 0, null where unknown. What cannot be read goes to `faults` (None: raise).
    """
    faults = faults or Faults()
    path = name_of(source)
    with reading(source) as stream:
        for number, line in lines(stream, path, faults):
            if not line.strip():
                continue
            try:
                yield _read(line, Where(path, number))
            except FormatError as error:
                faults.sentence(error)


def _read(line: str, where: Where) -> SentencePairs:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise FormatError("the line is not JSON", where, "write it with `proj align -o FILE`") from None
    if not isinstance(row, dict) or not all(isinstance(row.get(key), list) for key in ("source", "target", "pairs")):
        raise FormatError("no object with source, target and pairs", where, "write it with `proj align -o FILE`")
    sides = [tuple(map(str, row[key])) for key in ("source", "target")]
    phrase_links = []
    virtual = row.get("virtual", [])
    if not isinstance(virtual, list):
        raise FormatError(f"virtual is {virtual!r:.20}, a list of pairs expected", where)
    for pair in (*row["pairs"], *virtual):
        if not isinstance(pair, dict):
            raise FormatError("a pair is no object with source and target", where)
        words = [_words(pair.get(key), len(side), key, where) for key, side in zip(("source", "target"), sides, strict=True)]
        probability = pair.get("posterior")
        probability = UNKNOWN_PAIR if probability is None else probability
        if not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise FormatError(f"posterior is {probability!r:.20}, a number from 0 to 1 expected", where)
        phrase_links.append(PhraseLink(words[0], words[1], float(probability), *_head_words(pair, words, where)))
    return SentencePairs(sides[0], sides[1], _order_pairs(phrase_links))


def _head_words(pair: Mapping[str, object], words: Sequence[tuple[int, ...]], where: Where) -> tuple[int, int]:
    """The two heads of a pair, counted from 1; 0 where they are unknown."""
    given = pair.get("heads", [None, None])
    heads = (
        [0 if head is None else head + 1 if isinstance(head, int) else -1 for head in given] if isinstance(given, list) else []
    )
    if len(heads) != 2 or not all(head == 0 or head in phrase for head, phrase in zip(heads, words, strict=True)):
        message = f"heads of a pair are {given!r:.40}, a word of each phrase, counted from 0, or null expected"
        raise FormatError(message, where)
    return heads[0], heads[1]


def _words(spans: object, length: int, key: str, where: Where) -> tuple[int, ...]:
    """Words counted from 1 of one span or several."""
    parts = [spans] if isinstance(spans, list) and all(isinstance(x, int) for x in spans) else spans
    if not isinstance(parts, list) or not parts:
        raise FormatError(f"{key} of a pair is {spans!r:.40}, [start, end) or a list of such expected", where)
    words: set[int] = set()
    for part in parts:
        right = isinstance(part, list) and len(part) == 2 and all(isinstance(x, int) for x in part)
        if not right or not 0 <= part[0] < part[1] <= length:
            message = f"{key} of a pair is {part!r:.40}, [start, end) within {length} words expected"
            raise FormatError(message, where)
        words.update(range(part[0] + 1, part[1] + 1))
    return tuple(sorted(words))


AUTO = "auto"
"""Used instead of a file name: the phrases of the text are aligned."""


@dataclass(frozen=True)
class PhraseSources:
    """Phrase pairs and forests for projection; by default none."""

    phrases: str | None = None
    """A file of `proj align` with phrase pairs, or auto: they are aligned here."""
    paraphrases: bool = False
    """Whether F and E are the same language; with phrases `auto` this is detected."""
    f_forests: str | None = None
    """A file with trees or forests of F."""

    @property
    def has_phrases(self) -> bool:
        """Whether phrases are to be aligned, or were."""
        return bool(self.phrases or self.paraphrases)

    def __bool__(self) -> bool:
        return self.has_phrases or self.f_forests is not None

    @property
    def first_option(self) -> str:
        """The first option that was given, as users write it.

        >>> PhraseSources("auto").first_option
        'phrases'
        """
        return "phrases" if self.phrases else "paraphrases" if self.paraphrases else "f-forests"

"""Input of the phrase aligner: pairs of forests from files and their word candidates; alignment in workers.

`ForestPairs` reads two parsed texts, a corpus folder, or JSON lines of pairs. `candidates` makes the word candidates W:
which words of two sentences may be linked, and the sources that say so (sections 3.1 and 6.1 of the paper).
`align_forests` shares the pairs out to workers, which rebuild the aligner from a `PhrasePlan`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import AlignmentError, Faults, FormatError, ProjError, Where, why
from divproj.core.links import Links
from divproj.core.options import AlignOptions
from divproj.forest.heads import category
from divproj.forest.hypergraph import Forest
from divproj.io.corpus import SentenceIds, different_numbers, read
from divproj.io.files import locate, name_of, reading
from divproj.io.trees import pharaoh
from divproj.io.trees.forests import ForestOptions, forests_from, forests_of
from divproj.links.word_model import WordAligner
from divproj.phrases import lexicon as embeddings
from divproj.phrases import wordnet
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.lexicon import (
    CONTEXT,
    ENCODER,
    LINK,
    NEAR,
    POSTERIOR,
    TABLE,
    TWO_LANGUAGES,
    LexicalWord,
    Lexicon,
    read_table,
)
from divproj.phrases.results import PhraseAlignment
from divproj.runtime.engine import HERE, Say, Workers, run, stamp
from divproj.text.encoder import load_encoder


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

    Links and posteriors are taken unchanged; rules about punctuation and function words apply to the lexicon only.
    """
    shape = (len(src.forms), len(tgt.forms))
    source_bits = np.zeros(shape, np.uint16)
    if lexicon is not None:
        one, two = lexicon.words(src, 0), lexicon.words(tgt, 1)
        source_bits[:] = [[lexicon.sources(a, b) for b in two] for a in one]
        source_bits[lexicon.near_matrix(one, two)] |= NEAR
        alike = lexicon.encoder_matrix(src.forms, tgt.forms)
        if alike is not None:
            source_bits[~alike] &= TABLE
            source_bits[alike] |= ENCODER
        elif lexicon.context and lexicon.languages[0] == lexicon.languages[1]:
            source_bits[contexts(source_bits > 0, one, two, lexicon)] |= CONTEXT
    if links is not None:
        if links.shape != shape:
            raise AlignmentError(f"links of sentences of {links.shape} words, but the trees have {shape}")
        for i, j in links.links:
            source_bits[i - 1, j - 1] |= LINK
    if posteriors is not None:
        if posteriors.shape != shape:
            raise AlignmentError(f"posteriors of shape {posteriors.shape}, but the trees have {shape} words")
        source_bits[posteriors >= at_least] |= POSTERIOR
    return Candidates.of(source_bits)


def contexts(
    linked: NDArray[np.bool_], src: Sequence[LexicalWord], tgt: Sequence[LexicalWord], lexicon: Lexicon
) -> NDArray[np.bool_]:
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


Row = tuple[Forest, Forest, Any]
"""Two forests and the word candidates."""
TREES = (("stree", "ttree"), ("source_tree", "target_tree"))
"""Keys of the two trees (Penn brackets) in JSON lines of pairs."""
SHIPPED_VECTORS, NO_VECTORS = "en", "none"
"""Names of vectors that are no files."""


def forest_files(source: str, target: str | None, links: str | None) -> tuple[str, str | None, str | None]:
    """Files of the two sides and of links; those of a corpus folder, or of a sample corpus, where one is given."""
    if target is not None or source == "-" or not locate(source).is_dir():
        return source, target, links
    corpus = read(source, links=links)
    corpus.need("e")
    f, e, align = (str(files[0]) if files else None for files in (corpus.f, corpus.e, corpus.links))  # type: ignore[index]
    return str(f), e, align


@dataclass
class ForestPairs:
    """Pairs of forests with their candidates, in order; bad pairs are reported to `faults` and left out."""

    source: str
    target: str | None
    lexicon: Lexicon
    by_lexicon: bool
    words: str | None
    options: ForestOptions
    file_format: str | None
    faults: Faults
    same_ids: bool = True
    """Whether ids tell which trees belong together; else their order does."""
    places: list[int] = field(default_factory=list)
    """Place in the input (from 0) of every pair given so far."""
    ends: str = ""
    """Message at the end if one side is longer."""

    @property
    def digest(self) -> str:
        """12 hex digits that stand for the bytes of the files."""
        words = self.words if self.words != "auto" else None
        return _digest([path for path in (self.source, self.target, words) if path and path != "-"])

    def pairs(self) -> Iterator[Row]:
        """The usable pairs."""
        rows = self._json() if self.target is None else self._files()
        if self.words == "auto":
            rows = self._with_links(list(rows))
        lines = self._lines() if self.words not in (None, "auto") else None
        for place, (src, tgt, links) in enumerate(rows):
            line = next(lines, None) if lines else None
            if lines and line is None and not self.ends:
                self.ends = f"{self.words} has {place} lines, but there are more pairs"
            if src is None or tgt is None:
                continue
            shape = (len(src.forms), len(tgt.forms))
            if line is not None:
                links = pharaoh.parse(line[1], shape, line[0], self.faults)
            elif lines:
                continue
            src, tgt = self.lexicon.with_lemmas(src, 0), self.lexicon.with_lemmas(tgt, 1)
            self.places.append(place)
            yield src, tgt, candidates(src, tgt, self.lexicon if self.by_lexicon else None, links=links)

    @property
    def signature_facts(self) -> dict[str, str]:
        """What a signature says of the candidates: the encoder, where one is used."""
        encoder = self.lexicon.encoder
        return {"encoder": encoder.name} if encoder and self.by_lexicon else {}

    def need(self, rows: list[Row]) -> None:
        """AlignmentError when there is no usable pair."""
        if not rows:
            raise AlignmentError("no usable pair of trees", Where(self.source))

    def finish(self) -> None:
        """AlignmentError, after all pairs are done, when one side had more."""
        if self.ends:
            raise AlignmentError(self.ends, Where(name_of(self.source)), "the pairs up to the end of the shortest are done")

    def _files(self) -> Iterator[tuple[Any, Any, Any]]:
        assert self.target is not None
        sides = [
            forests_from(path, self.file_format, self.faults, self.options, keep_places=True)
            for path in (self.source, self.target)
        ]
        missing, counts, ids = object(), [0, 0], SentenceIds(self.same_ids)
        for src, tgt in zip_longest(*sides, fillvalue=missing):
            counts[0] += src is not missing
            counts[1] += tgt is not missing
            if not (isinstance(src, Forest) and isinstance(tgt, Forest)):
                if src is not missing and tgt is not missing:
                    yield None, None, None
            elif ids.same((src.sent_id, tgt.sent_id), (src.where, tgt.where), self.faults):
                yield src, tgt, None
            else:
                yield None, None, None
        if counts[0] != counts[1]:
            self.ends = different_numbers(((self.source,), (self.target,)), counts, "").message

    def _json(self) -> Iterator[tuple[Any, Any, Any]]:
        """Lines with two trees in Penn brackets, and perhaps `links` (pairs of words counted from 0)."""
        with reading(self.source) as stream:
            for number, raw in enumerate(stream, 1):
                where = Where(name_of(self.source), number)
                if not raw.strip():
                    continue
                try:
                    yield self._pair(raw, where)
                except ProjError as error:
                    self.faults.sentence(FormatError(error.message, error.where or where, error.remedy))
                    yield None, None, None

    def _pair(self, raw: bytes, where: Any) -> tuple[Any, Any, Any]:
        try:
            row = json.loads(raw)
        except (ValueError, RecursionError) as error:
            remedy = "or give two files of trees: SOURCE TARGET"
            raise FormatError(f"not JSON: {why(error)}", where, remedy) from None
        keys = next((pair for pair in TREES if isinstance(row, dict) and all(isinstance(row.get(k), str) for k in pair)), None)
        if keys is None:
            raise FormatError(f"the line has no two trees, keys {' and '.join(TREES[0])} expected", where)
        trees = []
        for key in keys:
            forests = forests_of(row[key], "brackets", Faults(), self.options)
            if len(forests) != 1:
                raise FormatError(f"{key} has {len(forests)} trees, one expected", where)
            trees.append(replace(forests[0], sent_id=str(row.get("id", "")), where=where))
        links, shape = None, (len(trees[0].forms), len(trees[1].forms))
        if isinstance(row.get("links"), list):
            try:
                links = Links(frozenset((int(i) + 1, int(j) + 1) for i, j in row["links"]), shape)
            except (TypeError, ValueError):
                raise FormatError("links are not pairs of words counted from 0", where) from None
        return trees[0], trees[1], links

    def _lines(self) -> Iterator[tuple[Any, str]]:
        assert self.words is not None
        return pharaoh.load(self.words)

    def _with_links(self, rows: list[tuple[Any, Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
        """Links made by `WordAligner` on these very pairs."""
        texts = [(src.forms, tgt.forms) if src and tgt else ((), ()) for src, tgt, _ in rows]
        for (src, tgt, _), linked in zip(rows, WordAligner().fit_align(texts), strict=True):
            yield src, tgt, linked.links


def load_lexicon(
    languages: tuple[str, str], folder: Path | None, table: Path | None, vectors: str | None, threshold: float, faults: Faults,
    *, with_encoder: bool = False,
) -> Lexicon:  # fmt: skip
    """What makes words candidates of each other: WordNet where it is installed, a table of translations, word vectors.

    Of two English texts the vectors are those of the English parser, unless others are named; "none" is for none. With the encoder, where it
    is installed and no vectors are named, candidates of two English texts are words that mean the same in their sentences.
    """
    english = languages == ("en", "en")
    english_wordnet = wordnet.find(folder) if folder or english else None
    pairs = read_table(table, faults) if table else frozenset()
    encoder = load_encoder() if with_encoder and english and not vectors else None
    named = vectors or (SHIPPED_VECTORS if english else NO_VECTORS)
    return Lexicon(languages, english_wordnet, _vectors(named), threshold, pairs, encoder=encoder)


def _vectors(name: str) -> embeddings.Embeddings | None:
    if name == NO_VECTORS:
        return None
    return embeddings.shipped_vectors(name) if name == SHIPPED_VECTORS else embeddings.load(name)


def _digest(paths: list[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            digest.update(Path(path).read_bytes())
        except OSError:
            digest.update(path.encode())
    return digest.hexdigest()[:12]


def read_pairs(
    source: str, target: str | None, how: AlignOptions, faults: Faults, *, same_ids: bool = True, with_encoder: bool = True
) -> ForestPairs:
    """Return the pairs of forests of two files, of a corpus folder, or of JSON lines, read as the options say."""
    source, target, links = forest_files(source, target, how.links)
    languages = how.language_pair if how.languages else TWO_LANGUAGES if links else ("en", "en")
    by_lexicon = links is None if how.lexical is None else how.lexical
    files = (how.wordnet, how.candidates, how.embeddings)
    words = load_lexicon(languages, *files, how.threshold, faults, with_encoder=with_encoder and by_lexicon)
    options = ForestOptions(how.binarise, punctuation=how.punctuation, constituents=True)
    return ForestPairs(source, target, words, by_lexicon, links, options, how.tree_format, faults, same_ids)


BATCH = 20
"""Pairs that are aligned at a time."""


@dataclass(frozen=True)
class PhrasePlan:
    """How phrases are aligned: what is known of words, the model, and its parameters by name."""

    languages: tuple[str, str]
    wordnet: Path | None
    table: Path | None
    vectors: str | None
    threshold: float
    model: Path | None
    params: tuple[tuple[str, Any], ...]
    stamps: tuple[str, ...] = ()


phrase_aligners: dict[PhrasePlan, PhraseAligner] = {}
"""The aligner of this process, by its plan."""


def _phrase_aligner(how: PhrasePlan) -> PhraseAligner:
    if how not in phrase_aligners:
        known = load_lexicon(how.languages, how.wordnet, how.table, how.vectors, how.threshold, Faults(strict=False))
        aligner = PhraseAligner.load(how.model, known.relation) if how.model else PhraseAligner(relation=known.relation)
        phrase_aligners.clear()
        phrase_aligners[how] = aligner.set_params(**dict(how.params))
    return phrase_aligners[how]


def align_rows(how: PhrasePlan, rows: list[Any], faults: Faults) -> list[PhraseAlignment]:
    """Phrase pairs of forests with their word candidates."""
    return _phrase_aligner(how).predict([(src, tgt) for src, tgt, _ in rows], [links for _, _, links in rows])


def plan_of(
    aligner: PhraseAligner, given: ForestPairs, model: Path | None, wordnet: Path | None, table: Path | None, vectors: str | None,
    threshold: float,
) -> PhrasePlan:  # fmt: skip
    """The plan of an aligner, for workers; this process has it already."""
    params = tuple((name, value) for name, value in aligner.get_params().items() if name != "relation")
    files = [path.absolute() if path else None for path in (wordnet, table, model)]
    stamps = tuple(stamp(path) for path in (*files, vectors) if path and path not in ("en", "none"))
    plan = PhrasePlan(given.lexicon.languages, files[0], files[1], vectors, threshold, files[2], params, stamps)
    phrase_aligners[plan] = aligner
    return plan


def align_forests(
    plan: PhrasePlan, given: ForestPairs, workers: Workers = HERE, on_message: Say | None = None
) -> Iterator[PhraseAlignment]:
    """Phrase pairs of all pairs of forests, shared out to workers, in order."""

    def read(faults: Faults) -> Iterator[list[Any]]:
        rows = replace(given, faults=faults)
        pairs = rows.pairs()
        while some := list(islice(pairs, BATCH)):
            yield some
        given.ends = rows.ends

    return chain.from_iterable(run(partial(align_rows, plan), read, given.faults, workers, on_message))

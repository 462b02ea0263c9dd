"""Word alignment of texts of any length, in two passes over shards.

`word_rows` reads sentence pairs from text, CoNLL-U or interlinear text. A `WordText` is read again for each pass rather
than held in memory, and cut into shards that are small enough to be sent to workers. `align_text` yields the links of one
shard after another:

    first pass     each shard is learned from by itself, on any worker, and returns its counts of linked words
    second pass    each shard is aligned, with the counts of all other shards as prior
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import AlignmentError, Faults
from divproj.core.options import ReaderOptions, WordsOptions
from divproj.core.sentence import Rows, Sentence
from divproj.io.corpus import LINES, Corpus
from divproj.io.files import is_pipe, reading
from divproj.io.interlinear import formats as interlinear
from divproj.io.interlinear.rows import from_sentence
from divproj.io.trees.conllu import is_conllu
from divproj.links.glosses import GlossAligner
from divproj.links.word_direction import Watch
from divproj.links.word_model import (
    LONGEST,
    Counts,
    Known,
    KnownCounts,
    ScoredLinks,
    Sides,
    Tally,
    Vocabulary,
    WordAligner,
    WordPair,
    from_dictionary,
    from_links,
    stem,
)
from divproj.runtime import engine
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.engine import HERE, Workers
from divproj.text.tokens import tokenize


class WordRow(NamedTuple):
    """A sentence pair: words, and of all of them the lemmas and tags where there are any."""

    f: list[str]
    e: list[str]
    lemmas: tuple[list[str], list[str]] | None = None
    tags: tuple[list[str], list[str]] | None = None


@dataclass(frozen=True)
class WordText:
    """A bitext that is read from the beginning whenever its rows are asked for, and what one reading tells of it."""

    rows: Iterable[WordRow]
    size: int
    pairs: int
    usable: int
    """Pairs with words on both sides, and not too many."""
    too_long: int
    lemmas: bool
    tags: bool
    """Whether both sides have them."""
    digest: str

    @classmethod
    def of(cls, rows: Iterable[WordRow], size: int = WordsOptions.shard) -> WordText:
        """Reads it once; `size` is how many pairs make a shard."""
        digest = hashlib.blake2b(digest_size=16)
        pairs = usable = too_long = 0
        seen = {"lemmas": [False, False], "tags": [False, False]}
        for row in rows:
            pairs += 1
            longest = max(len(row.f), len(row.e))
            filled = bool(row.f and row.e)
            usable += filled and longest <= LONGEST
            too_long += filled and longest > LONGEST
            digest.update(repr(row).encode("utf-8", "replace"))
            for name, column in (("lemmas", row.lemmas), ("tags", row.tags)):
                for k, side in enumerate(column or ()):
                    seen[name][k] = seen[name][k] or any(value != "_" for value in side)
        return cls(rows, size, pairs, usable, too_long, all(seen["lemmas"]), all(seen["tags"]), digest.hexdigest())

    @property
    def shard_count(self) -> int:
        return -(-self.pairs // self.size)

    def shards(self) -> Iterator[Shard]:
        rows = iter(self.rows)
        for k in range(self.shard_count):
            shard_rows = [*islice(rows, self.size)]
            if len(shard_rows) < min(self.size, self.pairs - k * self.size):
                raise AlignmentError("the text is shorter than when it was read first", remedy="leave it as it is meanwhile")
            yield Shard.of(shard_rows, self.lemmas, self.tags)


class Column(NamedTuple):
    """Words of sentences as numbers, end to end: small, and quickly sent."""

    names: list[str]
    numbers: NDArray[np.int32]
    at: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Iterable[list[str]]) -> Column:
        book = Vocabulary()
        numbers, at = book.encode(sentences)
        return cls([*book.numbers], numbers, at)

    def sentences(self) -> list[list[str]]:
        words = [self.names[k] for k in self.numbers.tolist()]
        bounds = self.at.tolist()
        return [words[start:end] for start, end in pairwise(bounds)]


def sides(columns: tuple[Column, Column] | None) -> Sides | None:
    """Their sentences."""
    return (columns[0].sentences(), columns[1].sentences()) if columns else None


class Shard(NamedTuple):
    """Pairs that are learned from together."""

    f: Column
    e: Column
    lemmas: tuple[Column, Column] | None
    tags: tuple[Column, Column] | None

    @classmethod
    def of(cls, rows: list[WordRow], lemmas: bool, tags: bool) -> Shard:
        def both(name: str) -> tuple[Column, Column]:
            sides = [getattr(row, name) for row in rows]
            return Column.of(x[0] for x in sides), Column.of(x[1] for x in sides)

        given = [both(name) if there else None for name, there in (("lemmas", lemmas), ("tags", tags))]
        return cls(Column.of(row.f for row in rows), Column.of(row.e for row in rows), *given)

    def pairs(self) -> list[WordPair]:
        return [*zip(self.f.sentences(), self.e.sentences(), strict=True)]


Arrays = Mapping[str, NDArray[Any]]


def align_text(
    aligner: WordAligner,
    text: WordText,
    known: Known | None = None,
    *,
    learn: bool = True,
    workers: Workers = HERE,
    watch: Watch | None = None,
    checkpoint: Checkpoint = NOTHING,
    on_message: Callable[[str], None] | None = None,
) -> Iterator[list[ScoredLinks]]:
    """Links of all pairs, shard by shard; with `learn` the aligner remembers in the end what was learned.

    A text of one shard is aligned here as `fit_align` does. Of a longer one each shard is learned from by itself first, then
    aligned with the counts of the others as prior. Departs: an exact sampler would see each new link in all shards at once.
    The same bytes come out wherever the shards are worked on; those that are done are kept in the checkpoint.
    """
    if text.shard_count > 1:
        yield from _Passes(aligner, text, aligner.prior(known), learn, workers, watch, checkpoint, on_message).run()
        return
    for shard in text.shards():
        lemmas, tags = sides(shard.lemmas), sides(shard.tags)
        learned = aligner.learn(
            shard.pairs(), aligner.prior(known), lemmas=lemmas, tags=tags, watch=watch, checkpoint=checkpoint
        )
        if learn:
            aligner.remember(learned.words)
        yield learned.links


@dataclass(frozen=True)
class _Task:
    """What a worker is sent: a shard, and what is known beforehand of its words and stems."""

    shard: Shard
    words: Counts
    stems: Counts


def _work(aligner: WordAligner, pairs: int, threads: int, linked: bool, task: _Task, _: Faults) -> dict[str, NDArray[Any]]:
    """What a shard teaches or, with `linked`, its links and the words there; all shards have so many `pairs`."""
    prior, shard = (task.words.to_dict(), task.stems.to_dict()), task.shard
    lemmas, tags = sides(shard.lemmas), sides(shard.tags)
    learned = aligner.learn(shard.pairs(), prior, lemmas=lemmas, tags=tags, threads=threads, of=pairs)
    if linked:
        return {**_pack_links(learned.links), **learned.words.arrays("words")}
    return {**learned.words.arrays("words"), **learned.stems.arrays("stems")}


def _pack_links(links: list[ScoredLinks]) -> dict[str, NDArray[Any]]:
    places = [place for linked in links for place in linked.probabilities]
    return {
        "shapes": np.array([linked.shape for linked in links], np.int32).reshape(-1, 2),
        "sizes": np.array([len(linked.probabilities) for linked in links], np.int32),
        "places": np.array(places, np.int32).reshape(-1, 2),
        "chances": np.array([probability for linked in links for probability in linked.probabilities.values()], float),
    }


def _unpack_links(arrays: Arrays) -> list[ScoredLinks]:
    """What `_pack_links` made; ValueError or KeyError where it cannot be that."""
    shapes, sizes, places, probabilities = (arrays[name].tolist() for name in ("shapes", "sizes", "places", "chances"))
    if not (len(shapes) == len(sizes) and min(sizes, default=0) >= 0 and sum(sizes) == len(places) == len(probabilities)):
        raise ValueError("links that do not fit the pairs")
    links = zip(map(tuple, places), probabilities, strict=True)
    return [ScoredLinks(dict(islice(links, size)), (n, m)) for size, (n, m) in zip(sizes, shapes, strict=True)]


class _Tallies(NamedTuple):
    """What is known beforehand in part 0, and in part k what shard k has taught."""

    words: Tally
    stems: Tally


@dataclass
class _Passes:
    """Two passes over the shards of a long text."""

    aligner: WordAligner
    text: WordText
    prior: tuple[Known, Known]
    learn: bool
    workers: Workers
    watch: Watch | None
    checkpoint: Checkpoint
    on_message: Callable[[str], None] | None

    def run(self) -> Iterator[list[ScoredLinks]]:
        self._identify()
        before, taught, learned = self._prior_tallies(), self._prior_tallies(), Tally()
        for shard in self._each("learned", partial(self._task, before, False)):
            taught.words.add(shard.counts("words"))
            taught.stems.add(shard.counts("stems"))
        for shard in self._each("linked", partial(self._task, taught, True)):
            yield shard.links()
            if self.learn:
                learned.add(shard.counts("words"))
        if self.learn:
            self.aligner.remember(learned.counts())

    def _prior_tallies(self) -> _Tallies:
        return _Tallies(*(Tally.of(known) for known in self.prior))

    def _identify(self) -> None:
        about = asdict(replace(self.aligner, counts_={}))
        self.checkpoint.identify(about, self.text.digest, self.text.size, *(sorted(known.items()) for known in self.prior))

    def _task(self, known: _Tallies, second: bool, k: int, shard: Shard) -> _Task:
        """With what is known beforehand and, in the second pass, what the other shards have taught; this one knows its own."""
        without = k + 1 if second else None
        forms = [[self.aligner.form(name) for name in column.names] for column in (shard.f, shard.e)]
        falls = [{stem(form, self.aligner.stem_length) for form in side} for side in forms]
        for fall, lemmas in zip(falls, shard.lemmas or (), strict=False):
            fall.update(name.lower() for name in lemmas.names)
        words, stems = known.words.between(forms, without), known.stems.between(falls, without)
        return _Task(shard, words, stems)

    def _each(self, stage: str, task: Callable[[int, Shard], _Task]) -> Iterator[_Result]:
        """The results of a pass, in order; those that an earlier run has kept are not made again."""
        keep, count = self.checkpoint, self.text.shard_count
        names = [f"{stage}-{k + 1}" for k in range(count)]
        kept = {name for name in names if keep.has(name)}

        def read(_: Faults) -> Iterator[_Task]:
            for k, shard in enumerate(self.text.shards()):
                if names[k] not in kept:
                    yield task(k, shard)

        bare = replace(self.aligner, counts_={})
        work = partial(_work, bare, self.text.usable, 2 if self.workers.here else 1, stage == "linked")
        with closing(engine.run(work, read, None, self.workers, self.on_message)) as results:
            for k, name in enumerate(names):
                arrays = keep.read(name) if name in kept else None
                if arrays is None:
                    arrays = next(results)
                    keep.finish(name, arrays)
                if self.watch:
                    self.watch(stage, k + 1, float("nan"))
                yield _Result(name, arrays, keep)


@dataclass(frozen=True)
class _Result:
    """What a worker made of a shard, or an earlier run's worker."""

    name: str
    arrays: Arrays
    checkpoint: Checkpoint

    def counts(self, name: str) -> Counts:
        with self._whole():
            return Counts.from_arrays(self.arrays, name)

    def links(self) -> list[ScoredLinks]:
        with self._whole():
            return _unpack_links(self.arrays)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, ValueError, TypeError) as error:
            raise self.checkpoint.broken(self.name, str(error)) from None


def word_rows(
    source: str, target: str | None, faults: Faults, reader: ReaderOptions | None = None, *, same_ids: bool = True
) -> tuple[Iterable[WordRow], KnownCounts]:
    """The words of sentence pairs, and links of their glosses where they have glosses."""
    lines = LINES if target is not None and not is_conllu(source) else None
    corpus = Corpus(source, target, format=lines, reader=reader or ReaderOptions(), same_ids=same_ids, faults=faults)
    corpus = replace(corpus, links=())  # those of a folder are not looked at
    if target is None and not corpus.e:
        instances = [from_sentence(row.f) if isinstance(row.f, Rows) else row.f or Sentence(()) for row in corpus.rows()]
        return [WordRow(list(x.words), list(x.e_words or tokenize(x.translation))) for x in instances], _gloss_counts(instances)
    rows = CorpusRows(corpus)
    return (rows if not any(map(is_pipe, (source, target or ""))) else [*rows]), {}


@dataclass
class CorpusRows:
    """The words of the pairs of a corpus, read whenever they are asked for; faults are reported at the first reading."""

    corpus: Corpus
    _reported: bool = field(default=False, init=False)

    def __iter__(self) -> Iterator[WordRow]:
        corpus = replace(self.corpus, faults=Faults(strict=False)) if self._reported else self.corpus
        for f, e, _ in corpus.rows():
            if f is None:  # keeps its place
                yield WordRow([], [], ([], []), ([], []))
            elif isinstance(f, Sentence):
                yield WordRow(list(f.words), list(e.forms) if e else f.translation.split())
            else:
                forms, columns = (list(e.forms), (list(e.column(2)), list(e.column(3)))) if e else ([], ([], []))
                yield WordRow(list(f.forms), forms, (list(f.column(2)), columns[0]), (list(f.column(3)), columns[1]))
        self._reported = True


def known_pairs(known: KnownCounts, dictionaries: Iterable[Path], glossed: Iterable[Path], faults: Faults) -> KnownCounts:
    """What is known beforehand, with the word pairs of dictionaries (TSV) and those that glossed texts link."""
    counts = dict(known)
    for path in dictionaries:
        with reading(path) as stream:
            entries = from_dictionary(stream.read().decode("utf-8", "replace").splitlines(), str(path))
        _add(counts, entries)
    for path in glossed:
        _add(counts, from_glosses(str(path), faults))
    return counts


def _add(known: KnownCounts, more: KnownCounts) -> None:
    for pair, count in more.items():
        known[pair] = known.get(pair, 0.0) + count


def from_glosses(path: str, faults: Faults) -> KnownCounts:
    """Word pairs that the glosses of interlinear text link."""
    return _gloss_counts(list(interlinear.load(path, None, faults)))


def _gloss_counts(instances: list[Sentence]) -> KnownCounts:
    aligner = GlossAligner()
    linked = []
    for igt in instances:
        e_words = igt.e_words or tokenize(igt.translation)
        links = aligner.align(igt, e_words).scored if igt.glosses and aligner.takes(igt, e_words) else ()
        linked.append((igt.words, e_words, [(x.f, x.e, x.score) for x in links]))
    return from_links(linked)

"""A corpus of tree pairs: a folder with `f.conllu`, `e.conllu` and `align.txt`, or the three files by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from divproj.data.errors import AlignmentError, Faults, FormatError, ProjError, Where
from divproj.data.pair import Pair
from divproj.data.pair_arrays import PairBatch, batched
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.io import conllu, pharaoh
from divproj.io.chunks import Blocks, Lines, Part, side_by_side
from divproj.io.files import Source, in_folder, located, name_of, reading, samples

Streams = Sequence[BinaryIO]
Starts = tuple[int, int, int]
FAST = 300_000
"""Bytes of CoNLL-U from which the fast lane pays for loading its compiled code."""


@dataclass(frozen=True)
class Corpus:
    """The files of a corpus; each iteration reads it from the start, pair by pair.

    >>> corpus = Corpus.at("deu-eng")
    >>> corpus.name, len(corpus.find("deu-001").f)
    ('deu-eng', 7)
    """

    f: Source
    e: Source
    align: Source
    name: str = "corpus"
    same_ids: bool = True
    """Whether sentence ids must be equal on both sides."""
    faults: Faults = field(default_factory=Faults, compare=False)
    digests: list[str] = field(default_factory=list, compare=False)
    """Of each complete reading: 24 hex digits that stand for the bytes of the three files."""
    style: str = "as-is"
    """What the trees of E are turned to (`data.head_style`)."""
    checked: bool = False
    """Whether `pairs` leaves out projected F trees that nobody has marked gold: they are nothing to learn from."""
    left_out: list[str] = field(default_factory=list, compare=False)
    """Ids of the sentences that `checked` left out."""

    @classmethod
    def at(cls, folder: Source, *, faults: Faults | None = None, same_ids: bool = True, style: str = "as-is") -> Corpus:
        """The corpus in a folder, or a sample corpus by its name; its files may be gzipped (`.gz`)."""
        path = located(str(folder))
        if not path.is_dir():
            what = "this is a file, a corpus folder was expected" if path.exists() else "no such folder"
            remedy = (
                f"give a folder with f.conllu, e.conllu and align.txt, `f`, `e` and `links`, or a sample corpus: {samples()}"
            )
            raise ProjError(what, Where(str(path)), remedy)
        files = []
        for name in ("f.conllu", "e.conllu", "align.txt"):
            files.append(in_folder(path, name))
            if files[-1] is None:
                raise ProjError(f"the folder has no {name}", Where(str(path)), "or name the files with `f`, `e` and `links`")
        f, e, align = files
        assert f
        assert e
        assert align
        return cls(f, e, align, path.resolve().name, same_ids, faults or Faults(), style=style)

    def _repr_html_(self) -> str:
        from divproj.drawing.notebook import corpus_html  # the one arrow that bends: a notebook shows the picture

        return corpus_html(self)

    def find(self, sent: str | None = None) -> Pair:
        """The pair with this sent_id, or with this number (from 1); None: the first."""
        number = int(sent) if sent and sent.isdecimal() else 1 if sent is None else 0
        by_number = None
        for k, pair in enumerate(self, 1):
            if pair.sent_id == sent:
                return pair
            if k == number:
                by_number = pair
                if sent is None:
                    break
        if by_number is None:
            what = f"no sentence with id or number {sent}"
            raise ProjError(what, Where(str(self.f)), "`proj analyze --edges` lists the ids")
        return by_number

    def __iter__(self) -> Iterator[Pair]:
        return self.pairs()

    def pairs(self) -> Iterator[Pair]:
        """The usable pairs in order; faults go to `faults`."""
        counts = [0, 0, 0]
        with self._open() as streams:
            yield from self._careful(streams, (1, 1, 1), SentenceIds(self.same_ids), counts)
        self._closing(counts)

    def batches(self) -> Iterator[PairBatch]:
        """The same pairs as arrays; for large files, by the fast reader."""
        return self._fast_batches() if self._is_large() else batched(self.pairs())

    def pieces(self) -> Iterator[Piece]:
        """The same pairs in pieces that are not read yet; `Piece.batches` reads one, in any process."""
        fast, ids, counts = self._is_large(), SentenceIds(self.same_ids), [0, 0, 0]
        bare = replace(self, f=name_of(self.f), e=name_of(self.e), align=name_of(self.align), faults=Faults(), digests=[])
        with self._open() as streams:
            sides = Blocks(streams[0], name_of(self.f)), Blocks(streams[1], name_of(self.e)), Lines(streams[2])
            for parts in side_by_side(*sides):
                piece = Piece(bare, parts, ids.copy(), fast)
                piece.look_at_ids(ids)
                yield piece
                counts = [count + part.count for count, part in zip(counts, parts, strict=True)]
                if counts[2] > max(counts[:2]):  # blank lines at the end are no sentences
                    counts[2] -= piece.blank_lines(counts[2] - max(counts[:2]))
        self._closing(counts)

    @contextmanager
    def _open(self) -> Iterator[list[BinaryIO]]:
        """The three files; when they have been read to their ends, the digest of what was read is kept."""
        hashes = [hashlib.sha256() for _ in range(3)]
        with ExitStack() as files:
            sources = zip((self.f, self.e, self.align), hashes, strict=True)
            yield [files.enter_context(reading(source, digest)) for source, digest in sources]
        self.digests.append("".join(x.hexdigest()[:8] for x in hashes))

    def _is_large(self) -> bool:
        sources = (self.f, self.e, self.align)
        if self.style != "as-is" or not all(Path(s).is_file() for s in sources):
            return False
        return sum(Path(s).stat().st_size for s in sources[:2]) >= FAST

    def _careful(self, streams: Streams, lines: Starts, ids: SentenceIds, counts: list[int]) -> Iterator[Pair]:
        """Pairs by the reader that can tell what is wrong; the streams start at these lines of their files."""
        f_side, e_side = (
            conllu.read(stream, name_of(source), self.faults, keep_places=True, line=line)
            for stream, source, line in zip(streams[:2], (self.f, self.e), lines[:2], strict=True)
        )
        end = object()
        for f, e, links in zip_longest(f_side, e_side, pharaoh.read(streams[2], name_of(self.align), lines[2]), fillvalue=end):
            blank = links is not end and not links[1].strip()  # type: ignore[index]
            if links is end or not (f is end and e is end and blank):
                for k, side in enumerate((f, e, links)):
                    counts[k] += side is not end
            if f is end or e is end or links is end:
                continue
            if f is None or e is None:
                continue  # noted by the reader
            if self.checked and f.unchecked:  # type: ignore[attr-defined]
                self.left_out.append(f.sent_id)  # type: ignore[attr-defined]
            elif ids.pair(f, e, self.faults):  # type: ignore[arg-type]
                yield self._pair(f, e, *links)  # type: ignore[arg-type,misc]

    def _fast_batches(self) -> Iterator[PairBatch]:
        counts = [0, 0, 0]
        with self._open() as streams:
            yield from self._quick(streams, (1, 1, 1), SentenceIds(self.same_ids), counts)
        self._closing(counts)

    def _quick(self, streams: Streams, lines: Starts, ids: SentenceIds, counts: list[int]) -> Iterator[PairBatch]:
        """Batches by the scanner; the streams start at these lines of their files."""
        from divproj.io import fast

        def careful(f: bytes, f_line: int, e: bytes, e_line: int, line: str, number: int) -> Pair | None:
            sides = [self._sentence(f, self.f, f_line), self._sentence(e, self.e, e_line)]
            if sides[0] is None or sides[1] is None or not ids.pair(sides[0], sides[1], self.faults):
                return None
            return self._pair(sides[0], sides[1], Where(name_of(self.align), number), line)

        book = fast.ScanBook()
        f, e = (fast.Table(stream, book, line) for stream, line in zip(streams[:2], lines[:2], strict=True))
        for batch in fast.batches(f, e, fast.LinkTable(streams[2], lines[2]), careful, self.same_ids, counts):
            if ids.shared is None:
                batch.pair(0)  # tells whether the sides share their ids
            yield batch

    def _sentence(self, block: bytes, source: Source, line: int) -> Sentence | None:
        try:
            return conllu.parse(block, name_of(source), line)
        except FormatError as error:
            self.faults.sentence(error)
            return None

    def _pair(self, f: Sentence, e: Sentence, where: Where, line: str) -> Pair:
        f_tree, e_tree = self._tree(f), self._tree(e)
        if self.style != "as-is":
            from divproj.data.head_style import in_style

            e_tree = in_style(e_tree, self.style)
        shape = (len(f_tree), len(e_tree))
        sent_id = f.sent_id or e.sent_id or str(where.line)
        place = Where(where.path, where.line, f.sent_id)
        return Pair(f_tree, e_tree, pharaoh.parse(line, shape, place, self.faults), sent_id)

    def _tree(self, sentence: Sentence) -> DepTree:
        tree, faults = sentence.usable_tree()
        for fault in faults:
            self.faults.word(fault)
        return tree

    def _closing(self, counts: list[int]) -> None:
        for count, source in zip(counts, (self.f, self.e, self.align), strict=True):
            if not count:
                raise FormatError("no sentence in the file", Where(name_of(source)), "is it empty?")
        if len(set(counts)) > 1:
            names = (name_of(s) for s in (self.f, self.e, self.align))
            told = ", ".join(f"{name} has {count}" for name, count in zip(names, counts, strict=True))
            self.faults.file(
                AlignmentError(f"different numbers of sentences: {told}", None, "pairs after the shortest were not read")
            )


@dataclass(frozen=True)
class Piece:
    """Pairs that stand side by side in the files of a corpus, not read yet."""

    corpus: Corpus
    """Names of the files, and how to read them."""
    parts: tuple[Part, Part, Part]
    ids: SentenceIds
    """What is known of the ids from the pieces before."""
    fast: bool

    def batches(self, faults: Faults) -> Iterator[PairBatch]:
        """The pairs as arrays; what is not usable goes to `faults`."""
        streams = [BytesIO(part.text) for part in self.parts]
        f, e, links = (part.line for part in self.parts)
        corpus, ids = replace(self.corpus, faults=faults), self.ids.copy()
        if self.fast:
            return corpus._quick(streams, (f, e, links), ids, [0, 0, 0])
        return batched(corpus._careful(streams, (f, e, links), ids, [0, 0, 0]))

    def look_at_ids(self, ids: SentenceIds) -> None:
        """Bring what is known of the ids past this piece; as a rule its first pair tells all that there is to know."""
        if not ids.check or ids.shared:
            return
        unheard = Faults(strict=False)
        sides = (conllu.read(BytesIO(part.text), "", unheard, keep_places=True) for part in self.parts[:2])
        for f, e, _ in zip(*sides, range(self.parts[2].count), strict=False):
            if f is not None and e is not None:
                ids.pair(f, e, unheard)
            if ids.shared:
                return

    def blank_lines(self, last: int) -> int:
        """How many of the last lines of links are blank."""
        return sum(1 for line in self.parts[2].text.splitlines()[-last:] if not line.strip())


class SentenceIds:
    """Whether sentences of the two sides belong together by their ids.

    Two files may number their sentences in two ways; then order pairs them, until an id shows up on both sides.
    """

    def __init__(self, check: bool) -> None:
        self.check = check
        self.shared: bool | None = None
        self.recent: tuple[dict[str, None], dict[str, None]] = ({}, {})

    def copy(self) -> SentenceIds:
        made = SentenceIds(self.check)
        made.shared = self.shared
        if not self.shared:  # once shared they stay so
            made.recent = self.recent[0].copy(), self.recent[1].copy()
        return made

    def pair(self, f: Sentence, e: Sentence, faults: Faults) -> bool:
        if not self.check or not f.sent_id or not e.sent_id:
            return True
        if f.sent_id == e.sent_id:
            self.shared = True
            return True
        what = f"F has sent_id {f.sent_id} where E ({e.where.path}:{e.where.line}) has {e.sent_id}, the same expected"
        error = AlignmentError(what, f.where, "put the sentences in one order, or `ignore_ids` to pair them by order")
        if self.shared is None:
            self.shared = False
            faults.file(error)
        for own, other, sent_id in ((0, 1, f.sent_id), (1, 0, e.sent_id)):
            self.recent[own][sent_id] = None
            if len(self.recent[own]) > 1000:
                del self.recent[own][next(iter(self.recent[own]))]
            self.shared = self.shared or sent_id in self.recent[other]
        if self.shared:
            faults.sentence(error)
        return not self.shared

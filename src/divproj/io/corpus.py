"""A corpus of tree pairs: a folder with `f.conllu`, `e.conllu` and `align.txt`, or the three files by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from divproj.batches import PairBatch, batched
from divproj.errors import AlignmentError, Faults, FormatError, ProjError, Where
from divproj.io import conllu, pharaoh
from divproj.io.files import Source, name_of, reading
from divproj.types import DepTree, Sentence, TreePair

FAST = 300_000
"""Bytes of CoNLL-U from which the fast lane pays for loading its compiled code."""


@dataclass(frozen=True)
class Corpus:
    """Where a corpus lies; iterating reads it anew, a pair at a time.

    >>> Corpus.at("corpora/deu-eng").name          # doctest: +SKIP
    'deu-eng'
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
    manner: str = "as-is"
    """What the trees of E are turned to (`manners`)."""

    @classmethod
    def at(cls, folder: Source, *, faults: Faults | None = None, same_ids: bool = True, manner: str = "as-is") -> Corpus:
        """The corpus in a folder; each file may also be there as `.gz`."""
        path = Path(folder)
        if not path.is_dir():
            what = "this is a file, a corpus folder was expected" if path.exists() else "no such folder"
            raise ProjError(what, Where(str(path)), "give a folder with f.conllu, e.conllu and align.txt, or --f --e --align")
        files = []
        for name in ("f.conllu", "e.conllu", "align.txt"):
            found = [path / name, path / f"{name}.gz"]
            files.append(next((p for p in found if p.exists()), None))
            if files[-1] is None:
                raise ProjError(f"the folder has no {name}", Where(str(path)), "or name the files with --f --e --align")
        f, e, align = files
        assert f
        assert e
        assert align
        return cls(f, e, align, path.resolve().name, same_ids, faults or Faults(), manner=manner)

    def __iter__(self) -> Iterator[TreePair]:
        return self.pairs()

    def pairs(self) -> Iterator[TreePair]:
        """Usable pairs in order; what is not usable goes to `faults`."""
        hashes = [hashlib.sha256() for _ in range(3)]
        f_side = conllu.load(self.f, self.faults, keep_places=True, digest=hashes[0])
        e_side = conllu.load(self.e, self.faults, keep_places=True, digest=hashes[1])
        lines = pharaoh.load(self.align, digest=hashes[2])
        end = object()
        counts = [0, 0, 0]
        ids = _Ids(self.same_ids)
        for f, e, links in zip_longest(f_side, e_side, lines, fillvalue=end):
            blank = links is not end and not links[1].strip()  # type: ignore[index]
            if links is end or not (f is end and e is end and blank):
                counts = [c + (side is not end) for c, side in zip(counts, (f, e, links), strict=True)]
            if f is end or e is end or links is end:
                continue
            if f is None or e is None:
                continue  # noted by the reader
            if ids.pair(f, e, self.faults):  # type: ignore[arg-type]
                yield self._pair(f, e, *links)  # type: ignore[arg-type,misc]
        self.digests.append("".join(x.hexdigest()[:8] for x in hashes))
        self._closing(counts)

    def batches(self) -> Iterator[PairBatch]:
        """The same pairs as arrays: large files take the fast lane."""
        sources = (self.f, self.e, self.align)
        if self.manner != "as-is":
            return batched(self.pairs())
        if not all(Path(s).is_file() for s in sources) or sum(Path(s).stat().st_size for s in sources[:2]) < FAST:
            return batched(self.pairs())
        return self._fast_batches()

    def _fast_batches(self) -> Iterator[PairBatch]:
        from divproj.io import fast

        hashes = [hashlib.sha256() for _ in range(3)]
        ids = _Ids(self.same_ids)
        counts = [0, 0, 0]

        def careful(f: bytes, f_line: int, e: bytes, e_line: int, line: str, number: int) -> TreePair | None:
            sides = [self._sentence(f, self.f, f_line), self._sentence(e, self.e, e_line)]
            if sides[0] is None or sides[1] is None or not ids.pair(sides[0], sides[1], self.faults):
                return None
            return self._pair(sides[0], sides[1], Where(name_of(self.align), number), line)

        with ExitStack() as open_files:
            sources = zip((self.f, self.e, self.align), hashes, strict=True)
            streams = [open_files.enter_context(reading(source, digest)) for source, digest in sources]
            book = fast.ScanBook()
            tables = fast.Table(streams[0], book), fast.Table(streams[1], book), fast.LinkTable(streams[2])
            for batch in fast.batches(*tables, careful, self.same_ids, counts):
                if ids.shared is None:
                    batch.pair(0)  # tells whether the sides share their ids
                yield batch
        self.digests.append("".join(x.hexdigest()[:8] for x in hashes))
        self._closing(counts)

    def _sentence(self, block: bytes, source: Source, line: int) -> Sentence | None:
        try:
            return conllu.parse(block, name_of(source), line)
        except FormatError as error:
            self.faults.sentence(error)
            return None

    def _pair(self, f: Sentence, e: Sentence, where: Where, line: str) -> TreePair:
        f_tree, e_tree = self._tree(f), self._tree(e)
        if self.manner != "as-is":
            from divproj.manners import in_manner

            e_tree = in_manner(e_tree, self.manner)
        shape = (len(f_tree), len(e_tree))
        sent_id = f.sent_id or e.sent_id or str(where.line)
        place = Where(where.path, where.line, f.sent_id)
        return TreePair(f_tree, e_tree, pharaoh.parse(line, shape, place, self.faults), sent_id)

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


class _Ids:
    """Whether sentences of the two sides belong together by their ids.

    Two files may number their sentences in two manners; then order pairs them, until an id shows up on both sides.
    """

    def __init__(self, check: bool) -> None:
        self.check = check
        self.shared: bool | None = None
        self.recent: tuple[dict[str, None], dict[str, None]] = ({}, {})

    def pair(self, f: Sentence, e: Sentence, faults: Faults) -> bool:
        if not self.check or not f.sent_id or not e.sent_id:
            return True
        if f.sent_id == e.sent_id:
            self.shared = True
            return True
        what = f"F has sent_id {f.sent_id} where E ({e.where.path}:{e.where.line}) has {e.sent_id}, the same expected"
        error = AlignmentError(what, f.where, "put the sentences in one order, or --ignore-ids to pair them by order")
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

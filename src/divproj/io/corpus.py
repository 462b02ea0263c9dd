"""Read sentence pairs: the one reader for every kind of input.

A text may be a corpus folder (`f.conllu`, `e.conllu`, `align.txt`), the name of a sample corpus, files, or text in memory:

    read("my-corpus")                                  a corpus folder
    read("deu-eng")                                    a sample corpus
    read("text.flextext")                              interlinear text in any format
    read("f.conllu", e="e.conllu", links="align.txt")  trees of both sides, and word links
    read("f.txt", e="e.txt")                           bitext: one sentence per line in each file

`f` is the language you study (F), `e` the translation (E). Each call returns a `Corpus`. It holds the names of the files and
the options for reading them, but no sentences: every iteration reads the files again from the start and yields one `Pair` at
a time. A sentence that cannot be used is reported to `faults` and left out.

Reading has two steps, so that worker processes can do most of it:

    Corpus.chunks    cuts the files between sentences       Chunk(f=bytes of 200 sentences, e=…, links=…)
    pairs_of         parses one chunk, here or in a worker  Pair, Pair, …
    Chunk.batches    the same as arrays; for large files through the compiled scanner of `io.fast`

`SentenceIds` decides which sentences of the two sides form a pair: those with the same id; or, where the ids of the two sides
never coincide, those at the same position (with one warning).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import chain, islice, zip_longest
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, overload

from divproj.core.errors import AlignmentError, Faults, FormatError, ProjError, Where
from divproj.core.links import Links
from divproj.core.options import ReaderOptions
from divproj.core.pair import Pair, PairBatch, in_batches
from divproj.core.sentence import Rows, Sentence
from divproj.core.tree import DepTree
from divproj.io.files import (
    E_FILE,
    F_FILE,
    IGT_FILE,
    LINKS_FILE,
    Digest,
    Source,
    in_folder,
    locate,
    name_of,
    reading,
    samples,
    unzip,
)
from divproj.io.interlinear.languages import text_language, with_codes
from divproj.io.interlinear.rows import from_sentence, to_sentence
from divproj.io.output import NOTHING
from divproj.io.trees import conllu, pharaoh
from divproj.io.trees.conllu import LONGEST
from divproj.text.tokens import tokenize


def bitext(
    f: Sequence[Source], e: Sequence[Source], faults: Faults, digests: tuple[Digest | None, Digest | None] = (None, None)
) -> Iterator[Sentence]:
    """Yield the sentences of `f` with the translations of `e`; one that cannot be read has no words."""
    sides = chain.from_iterable(_side(path, faults, digests[0]) for path in f)
    if not e:
        yield from sides
        return
    counts = [0, 0]
    translations = chain.from_iterable(_translations(path, faults, digests[1]) for path in e)
    for igt, translation in zip_longest(sides, translations):
        counts[0] += igt is not None
        counts[1] += translation is not None
        if igt is not None and translation is not None:
            yield replace(igt, translation=translation, translations=())
    if counts[0] != counts[1]:
        raise different_numbers((f, e), counts, "lines after a missing one would get the wrong partner: mend the files")


def different_numbers(files: Sequence[Sequence[Source]], counts: Sequence[int], remedy: str) -> AlignmentError:
    """The error of files that should have the same number of sentences.

    >>> str(different_numbers((["f.txt"], ["e.txt"]), (3, 2), "mend them"))
    'different numbers of sentences: f.txt has 3, e.txt has 2; mend them'
    """
    sides = (f"{' + '.join(map(name_of, paths))} has {count}" for paths, count in zip(files, counts, strict=True) if paths)
    return AlignmentError(f"different numbers of sentences: {', '.join(sides)}", None, remedy)


def _side(path: Source, faults: Faults, digest: Digest | None) -> Iterator[Sentence]:
    if conllu.is_conllu(path):
        for sentence in conllu.load(path, faults, keep_places=True, digest=digest):
            yield Sentence(()) if sentence is None else from_sentence(sentence, faults)
        return
    for where, line in lines(path, faults, digest):
        yield Sentence(tuple(line.split()), where=where)


def _translations(path: Source, faults: Faults, digest: Digest | None) -> Iterator[str]:
    if conllu.is_conllu(path):
        sentences = conllu.load(path, faults, keep_places=True, digest=digest)
        yield from (" ".join(row.forms) if row else "" for row in sentences)
    else:
        yield from (line for _, line in lines(path, faults, digest))


def lines(path: Source, faults: Faults, digest: Digest | None = None) -> Iterator[tuple[Where, str]]:
    """(place, line) of plain text; a line that is not UTF-8 is reported and counts as an empty one."""
    with reading(path, digest) as stream:
        for number, raw in enumerate(stream, 1):
            where = Where(name_of(path), number)
            try:
                yield where, " ".join(raw.decode("utf-8-sig").replace("\0", "").split())
            except UnicodeDecodeError:
                faults.sentence(FormatError("the line is not UTF-8 text", where, "save the file as UTF-8"))
                yield where, ""


CHUNK = 1 << 20
"""Bytes of CoNLL-U read at a time: enough work for a worker, few enough to keep many in memory."""
_BLANK = re.compile(rb"\n(?:\r?\n)+")
_LEADING = re.compile(rb"(?:\xef\xbb\xbf)?(?:\r?\n)*")


@dataclass(frozen=True)
class FilePart:
    """Consecutive sentences, or lines of links, of a file, as bytes; `line` is the number of the first line."""

    text: bytes = b""
    line: int = 1
    count: int = 0
    path: str = ""
    """Name of the file, for messages."""


class Blocks:
    """A CoNLL-U file from which sentences are taken in parts; they are counted, not parsed."""

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._stream, self._path = stream, path
        self._text, self._line, self._ended = b"", 1, False
        self._ends: list[int] = []  # of the sentences in the text, with the blank lines after each

    def fill(self) -> int:
        """Return the number of sentences in memory, reading on if there are none; 0 at the end of the file."""
        while not self._ends and not self._ended:
            new = self._stream.read(CHUNK)
            self._text += new
            self._ended = len(new) == 0
            self._find()
            if not self._ends and len(self._text) > LONGEST:
                problem = f"no blank line in {LONGEST >> 20} MB"
                raise FormatError(problem, Where(self._path, self._line), "is this a CoNLL-U file?")
        return len(self._ends)

    def _find(self) -> None:
        text = self._text
        leading = _LEADING.match(text)
        start = leading.end() if leading and self._line == 1 else 0
        last = len(text) if self._ended else len(text) - 2  # blank lines at the end may go on in the next chunk
        self._ends = [end for end in _blanks(text, start) if end <= last]
        if self._ended and text[self._ends[-1] if self._ends else start :].strip(b"\n"):
            self._ends.append(len(text))

    def take(self, count: int) -> FilePart:
        """Return the next `count` sentences, fewer at the end of the file; the parts together are the whole file."""
        texts, taken, line = [], 0, self._line
        while taken < count and self.fill():
            some = min(count - taken, len(self._ends))
            cut = self._ends[some - 1]
            texts.append(self._text[:cut])
            self._text = self._text[cut:]
            self._ends = [end - cut for end in self._ends[some:]]
            self._line += texts[-1].count(b"\n")
            taken += some
        return FilePart(b"".join(texts), line, taken, self._path)


def _blanks(text: bytes, start: int) -> list[int]:
    """Where the blank lines between sentences end."""
    if b"\r" in text:
        return [match.end() for match in _BLANK.finditer(text, start)]
    ends, end = [], text.find(b"\n\n") + 2
    while end > 1:
        while text.startswith(b"\n", end):
            end += 1
        if end > start:
            ends.append(end)
        end = text.find(b"\n\n", end) + 2
    return ends


class Lines:
    """The lines of a file, to be taken in parts."""

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._stream, self._path, self._line = stream, path, 1

    def take(self, count: int) -> FilePart:
        lines = list(islice(self._stream, count))
        self._line += len(lines)
        return FilePart(b"".join(lines), self._line - len(lines), len(lines), self._path)


class FileSequence:
    """Several files, read one after the other; each part comes from one file."""

    def __init__(self, files: Sequence[Blocks | Lines]) -> None:
        self._files, self._now = files, 0

    def take(self, count: int) -> tuple[FilePart, ...]:
        """Return the next `count` sentences or lines, fewer at the end of the last file."""
        parts: list[FilePart] = []
        while count and self._now < len(self._files):
            part = self._files[self._now].take(count)
            if part.count < count:
                self._now += 1
            if part.count:
                parts.append(part)
            count -= part.count
        return tuple(parts)


SIZE = 200
"""Sentences in a chunk."""
FAST = 300_000
"""Bytes of CoNLL-U from which on loading the compiled scanner pays off."""
LINES = "lines"
"""Format of a text with one sentence per line."""
SHOWN = 3
"""Sentences shown by `repr` of a corpus."""
COUNTED = 1000
"""Sentences counted at most by `repr` of a corpus."""
TELLING = 10
"""Sentences from which on `repr` names the language of the translations."""


Files = Source | Sequence[Source] | None
Parse = Callable[[list[Sentence]], list[tuple[str, str, DepTree | None]]]
"""Trees of translations; None for an empty one."""


def read(
    source: Source | BinaryIO | TextIO | Sequence[Source],
    *,
    e: Files = None,
    links: Files = None,
    format: str | None = None,  # noqa: A002
    same_ids: bool = True,
    faults: Faults | None = None,
    **options: Any,
) -> Corpus:
    """Read sentence pairs; the result can be looped over again and again, and indexed.

    `source` is a file of any format that divproj reads, a corpus folder (`f.conllu`, `e.conllu`, `align.txt`, or `igt.txt`),
    the name of a sample corpus, an open file, or text (a string with a line end). `e` names CoNLL-U with trees of the
    translations, or plain text with one translation per line (then `source` is CoNLL-U, or has one sentence per line too);
    `links` names a Pharaoh file. Each may be a list of files, which are read one after the other. Without `same_ids`
    sentences are paired by their order, whatever their ids. Faults go to `faults`; by default they are noted there, and
    `Faults(strict=True)` raises the first one. Further options are those of the readers (`lang`, `tiers`, `markers`,
    `encoding` …).

    >>> pairs = read("Hunde bellen\\ndog.PL bark\\n'Dogs bark.'\\n")
    >>> pairs[0].f.forms, pairs[0].glosses, pairs[0].e.forms
    (('Hunde', 'bellen'), ('dog.PL', 'bark'), ('Dogs', 'bark', '.'))
    >>> read("deu-eng")[0].f.tree is not None
    True
    """
    faults = Faults(strict=False) if faults is None else faults
    how: dict[str, Any] = {"format": format, "same_ids": same_ids, "faults": faults, "reader": ReaderOptions.of(options)}
    if not isinstance(source, str | PathLike | Sequence):
        if not hasattr(source, "read"):
            raise TypeError(f"`source` is {source!r}, a file, a folder, a name, an open file or text expected")
        data: bytes | str = source.read()
        source = f"{unzip(data).decode('utf-8', 'replace') if isinstance(data, bytes) else data}\n"
    if isinstance(source, str) and "\n" in source:
        if plain := [path for path in _names(e) if not conllu.is_conllu(path)]:
            raise ProjError("is no CoNLL-U, which goes with a text in memory", Where(plain[0]), "give the text as a file, too")
        return Corpus((), _names(e), _names(links), text=source, **how)
    files = _names(source)
    for path in files:
        if path != "-" and not locate(path).exists():
            raise ProjError("no such file, folder or sample corpus", Where(path), f"sample corpora are {samples()}")
    return Corpus(files, e, links, **how)


@dataclass(frozen=True, repr=False)
class Corpus:
    """The files of a text and how to read them; each iteration reads them from the start and yields pairs.

    >>> corpus = Corpus.at("deu-eng")
    >>> corpus.name, len(corpus.find("deu-001").f), corpus[2].sent_id
    ('deu-eng', 7, 'deu-003')
    >>> print(str(corpus)[:102], "…")
    Corpus deu-eng, 66 pairs, translations in en: Der Haustürschlüssel liegt auf dem Küchentisch . | Meine …
    """

    f: Files
    """Files of the language you study (F); a folder or the name of a sample corpus stands for its files."""
    e: Files = ()
    """Files with trees of the translations (E), CoNLL-U; or plain text with a translation per line."""
    links: Files = ()
    """Word links in Pharaoh format."""
    name: str = ""
    same_ids: bool = True
    """Whether ids tell which sentences belong together; else their order does."""
    faults: Faults = field(default_factory=Faults, compare=False)
    complete: bool = False
    """Whether pairs without a tree on each side, or without links, are left out."""
    format: str | None = None
    """Format of the text of F; by default its content tells."""
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    """How interlinear text is read."""
    translations: Source | None = None
    """Plain text with a translation per line, or CoNLL-U of which the words alone are wanted, where `e` has the trees."""
    text: str = ""
    """Text in memory, in the place of files of F."""
    path: str = ""
    """The folder or file that messages name."""
    digests: list[str] = field(default_factory=list, compare=False)
    """Of each complete reading: 24 hex digits that stand for the bytes of F, E and links."""

    def __post_init__(self) -> None:
        f, e, links = (_names(given) for given in (self.f, self.e, self.links))
        if len(f) == 1 and not self.text and f[0] != "-" and (folder := locate(f[0])).is_dir():
            self._set("path", self.path or str(folder))
            self._set("name", self.name or folder.resolve().name)
            text, trees, align = (in_folder(folder, name) for name in (F_FILE, E_FILE, LINKS_FILE))
            text = text or in_folder(folder, IGT_FILE)
            if text is None:
                problem = "the folder has neither f.conllu nor igt.txt"
                raise ProjError(problem, Where(str(folder)), "name the files of F, E and the links")
            f, e, links = (str(text),), e or _names(trees), links or _names(align)
        for name, files in (("f", f), ("e", e), ("links", links)):
            self._set(name, files)
        self._set("path", self.path or (f[0] if f else "<text>"))
        self._set("name", self.name or (Path(f[0]).stem if f and f[0] != "-" else "") or "corpus")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def at(
        cls, source: Source, e: Files = None, links: Files = None, *, faults: Faults | None = None, same_ids: bool = True
    ) -> Corpus:
        """The tree pairs of a folder, of a sample corpus by its name, or of files; they may be gzipped (`.gz`)."""
        path = locate(fspath(source))
        remedy = f"give a folder with f.conllu, e.conllu and align.txt, or the files of F, E and the links, or the name of a sample corpus: {samples()}"
        if not path.exists() and fspath(source) != "-":
            raise ProjError("no such file or folder" if e or links else "no such folder", Where(str(path)), remedy)
        corpus = cls(fspath(source), e, links, same_ids=same_ids, faults=Faults() if faults is None else faults, complete=True)
        if path.is_dir():
            corpus.need("e", "links")
        elif not (corpus.e and corpus.links) and conllu.is_conllu(source):
            raise ProjError("this is a file, a corpus folder was expected", Where(str(path)), remedy)
        return corpus

    def need(self, *sides: str, remedy: str = "name the files of F, E and the links") -> None:
        """ProjError that says what to do where there is no file for one of these sides."""
        for side in sides:
            if not getattr(self, side):
                name = {"e": E_FILE, "links": LINKS_FILE}[side]
                problem = (
                    f"the folder has no {name}"
                    if Path(self.path).is_dir()
                    else f"there is no file of {'links' if side == 'links' else 'E'} for this text"
                )
                raise ProjError(problem, Where(name_of(self.path)), remedy)

    @property
    def has_trees(self) -> bool:
        """Whether there are files with trees of the translations."""
        return bool(self._e_files()[0])

    def __repr__(self) -> str:
        """The name, the number of pairs, the language of the translations, the first sentences."""
        try:
            pairs = list(islice(self._again(), COUNTED + 1))
        except ProjError as error:
            return f"Corpus {self.name}: {error}"
        count = f"{len(pairs)} pair{'s' * (len(pairs) != 1)}" if len(pairs) <= COUNTED else f"more than {COUNTED:,} pairs"
        languages = dict.fromkeys(pair.sentence.language for pair in pairs if pair.sentence and pair.sentence.language)
        texts = [Sentence((), translation=pair.translation or " ".join(pair.e.forms)) for pair in pairs]
        code = text_language(texts) if len(texts) >= TELLING else ""
        facts = [f"Corpus {self.name}", count, *languages, *([f"translations in {code}"] if code else [])]
        first = [" ".join(pair.f.forms) for pair in pairs[:SHOWN]] + ["…"] * (len(pairs) > SHOWN)
        return f"{', '.join(facts)}: {' | '.join(first)}"

    def _repr_html_(self) -> str:
        from divproj.drawing.text import corpus_html  # an exception to the layers: notebooks show the picture

        return corpus_html(self)

    def __iter__(self) -> Iterator[Pair]:
        return self.pairs()

    def _again(self) -> Iterator[Pair]:
        """The pairs, with faults that were reported when they were read first."""
        return replace(self, faults=Faults(self.faults.strict), digests=[]).pairs()

    @overload
    def __getitem__(self, place: int) -> Pair: ...

    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...

    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        """The pair at a place (from 0), or those of a slice, which is read from the start."""
        if isinstance(place, slice) and not any(x and x < 0 for x in (place.start, place.stop, place.step)):
            return list(islice(self._again(), place.start, place.stop, place.step))
        if isinstance(place, slice) or place < 0:
            return list(self._again())[place]
        for pair in islice(self._again(), place, None):
            return pair
        raise IndexError(f"there is no pair {place} in {self.name}")

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
            problem = f"no sentence with id or number {sent}"
            raise ProjError(problem, Where(name_of(self.path)), "`proj analyze --edges` lists the ids")
        return by_number

    def pairs(self, *, trees: bool = True) -> Iterator[Pair]:
        """The usable pairs in order; faults go to `faults`. `trees` as in `pairs_of`."""
        for chunk in self.chunks():
            yield from pairs_of(chunk, self.faults, trees=trees)

    def batches(self) -> Iterator[PairBatch]:
        """Pairs with trees and links as arrays; for large files, by the fast reader."""
        for chunk in self.chunks(size=None):
            yield from chunk.batches(self.faults)

    def rows(self) -> Iterator[Row]:
        """Yield the sentences at each position side by side, without making pairs of them."""
        for chunk in self.chunks():
            yield from rows_of(chunk, self.faults)

    def chunks(self, faults: Faults | None = None, size: int | None = SIZE) -> Iterator[Chunk]:
        """All sentences, so many to a chunk (None: a megabyte of CoNLL-U), cut but not read: `pairs_of` reads one, in any process."""
        faults = self.faults if faults is None else faults
        fast = size is None and self._is_large()
        counts, ids, language = [0, 0, 0], SentenceIds(self.same_ids), ""
        hashes = [hashlib.sha256() for _ in range(3)]
        e_files, _ = self._e_files()
        with ExitStack() as stack:
            e_side = FileSequence([Blocks(stack.enter_context(reading(path, hashes[1])), name_of(path)) for path in e_files])
            lines = FileSequence(
                [Lines(stack.enter_context(reading(path, hashes[2])), name_of(path)) for path in _names(self.links)]
            )
            for f in self._f_sides(faults, size, stack, hashes[0], hashes[1]):
                if not counts[0] and not e_files and size is not None:
                    language = text_language(f if isinstance(f, tuple) else map(from_sentence, _readable(f)))
                if isinstance(f, tuple):
                    f = tuple(with_codes(f, language))
                here = f.count if isinstance(f, FilePart) else len(f)
                e, links = (side.take(here) if has else None for side, has in ((e_side, e_files), (lines, self.links)))
                chunk = Chunk(f, e, links, ids.copy(), self.complete, fast, language)
                chunk.look_at_ids(ids)
                yield chunk
                for k, some in enumerate(((here,), (p.count for p in e or ()), (p.count for p in links or ()))):
                    counts[k] += sum(some)
            self._count_rest(e_side, lines, counts)
        self.digests.append("".join(x.hexdigest()[:8] for x in hashes))
        self._check_counts((_names(self.f) or (self.path,), e_files, _names(self.links)), counts, faults)

    def _e_files(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Files of E with trees, and those with plain translations."""
        e = _names(self.e)
        if self.translations is not None or (e and conllu.is_conllu(e[0])):
            return e, _names(self.translations)
        return (), e

    def _is_large(self) -> bool:
        files = [_names(side) for side in (self.f, self.e, self.links)]
        if any(len(side) != 1 or not Path(side[0]).is_file() for side in files) or not self._is_conllu(files[0][0]):
            return False
        if not conllu.is_conllu(files[1][0]):
            return False
        return sum(Path(side[0]).stat().st_size for side in files[:2]) >= FAST

    def _is_conllu(self, path: str) -> bool:
        return self.format == "conllu" or (self.format is None and conllu.is_conllu(path))

    def _f_sides(
        self, faults: Faults, size: int | None, stack: ExitStack, digest: Digest, e_digest: Digest
    ) -> Iterator[FilePart | tuple[Sentence, ...]]:
        """F sentences of every file in order, some at a time: bytes of CoNLL-U, or instances."""
        files, translations = _names(self.f), self._e_files()[1]
        if self.text:
            data = self.text.encode("utf-8", "surrogatepass")
            digest.update(data)
            from divproj.io.interlinear import formats

            yield from _some(iter(formats.load_bytes(data, self.format, faults, self.reader)))
        elif translations or self.format == LINES:
            yield from _some(bitext(files, translations, faults, (digest, e_digest)))
        else:
            for path in files:
                if self._is_conllu(path):
                    blocks = Blocks(stack.enter_context(reading(path, digest)), name_of(path))
                    while (part := blocks.take(size or blocks.fill())).count:
                        yield part
                else:
                    from divproj.io.interlinear import formats

                    yield from _some(formats.load(path, self.format, faults, self.reader, digest))

    @staticmethod
    def _count_rest(e: FileSequence, links: FileSequence, counts: list[int]) -> None:
        """Count what stands after the last sentence of F; blank lines at the end of the links are no sentences."""
        while parts := e.take(SIZE):
            counts[1] += sum(part.count for part in parts)
        while parts := links.take(SIZE):
            for line in chain.from_iterable(part.text.splitlines() for part in parts):
                counts[2] += bool(line.strip()) or counts[2] < max(counts[:2])

    @staticmethod
    def _check_counts(files: Sequence[Sequence[str]], counts: list[int], faults: Faults) -> None:
        for paths, count in zip(files, counts, strict=True):
            if paths and not count:
                raise FormatError("no sentence in the file", Where(name_of(paths[0])), "is it empty?")
        if len({count for paths, count in zip(files, counts, strict=True) if paths}) > 1:
            faults.file(different_numbers(files, counts, "sentences after the shortest have no partner"))


def _names(given: Files) -> tuple[str, ...]:
    if given is None or isinstance(given, str | PathLike):
        return () if given is None else (fspath(given),)
    return tuple(fspath(path) for path in given)


def _some(stream: Iterator[Sentence]) -> Iterator[tuple[Sentence, ...]]:
    while some := tuple(islice(stream, SIZE)):
        yield some


class Row(NamedTuple):
    """Sentences and links at one position in the files; None for those that are missing or cannot be used."""

    f: Rows | Sentence | None
    e: Rows | None
    links: tuple[Where, str] | None


@dataclass(frozen=True)
class Chunk:
    """The sentences at some consecutive positions in the files of a corpus, cut out but not parsed."""

    f: FilePart | tuple[Sentence, ...]
    """Rows of CoNLL-U, or instances of interlinear text."""
    e: tuple[FilePart, ...] | None
    """Sentences of E; None: there is no file of them."""
    links: tuple[FilePart, ...] | None
    ids: SentenceIds
    """What the chunks before have shown about the ids."""
    complete: bool = False
    fast: bool = False
    """Whether arrays are made by the compiled scanner (`io.fast`)."""
    language: str = ""
    """The code of the language that translations without one are in; '' where that is undecided."""

    def batches(self, faults: Faults) -> Iterator[PairBatch]:
        """Pairs with trees and links as arrays; what is not usable goes to `faults`."""
        if self.fast:
            return _fast_batches(self, faults)
        return in_batches(pairs_of(replace(self, complete=True), faults, trees=True))

    def look_at_ids(self, ids: SentenceIds) -> None:
        """Update `ids` with the sentences of this chunk; usually its first pair is enough."""
        if self.e is None or ids.shared or not ids.check or not any(b"sent_id" in part.text for part in self.e):
            return
        for _ in rows_of(replace(self, ids=ids, links=None), Faults(strict=False), advance=True):
            if ids.shared:
                return


def rows_of(chunk: Chunk, faults: Faults, *, advance: bool = False) -> Iterator[Row]:
    """Sentences of a chunk side by side, a row for every place; E of another sentence, by its id, is left out.

    With `advance` the `ids` of the chunk are updated.
    """
    ids = chunk.ids if advance else chunk.ids.copy()
    f_side = _sentences(chunk.f, faults) if isinstance(chunk.f, FilePart) else (igt if igt.words else None for igt in chunk.f)
    e_side = chain.from_iterable(_sentences(part, faults) for part in chunk.e or ())
    lines = chain.from_iterable(pharaoh.read(BytesIO(part.text), part.path, part.line) for part in chunk.links or ())
    for f in f_side:
        e, line = next(e_side, None), next(lines, None)
        yield Row(f, e if f is not None and e is not None and ids.pair(f, e, faults) else None, line)


def pairs_of(
    chunk: Chunk, faults: Faults, parse: Parse | None = None, *, parse_all: bool = False, trees: bool = False
) -> Iterator[Pair]:
    """The usable pairs of a chunk.

    `parse` makes trees of translations that have none (`parse_all`: of all that are not from files of E); without it E has
    words alone. With `trees` F keeps the tree that it came with, else it has words alone. Links are those of the source;
    `links.known` is False where it has none.
    """
    rows = rows_of(chunk, faults)
    alone = chunk.e is None and parse is None  # all there is to know of E stands with F
    if parse is not None and chunk.e is None:
        parsed = _parse_rows(rows, parse, parse_all)
    else:
        parsed = ((row, None, None, "") for row in rows)
    for row, instance, tree, language in parsed:
        if row.f is None:
            continue
        try:
            if chunk.complete and isinstance(row.f, Rows) and chunk.e is not None and chunk.links is not None:
                pair = _tree_pair(row, faults)
            else:
                given = from_sentence(row.f) if alone and isinstance(row.f, Rows) else instance or row.f
                igt = given if isinstance(given, Sentence) else None
                pair = _pair(row, igt, igt.e_tree if alone and igt else tree, trees, faults)
                if chunk.complete:
                    pair = _require_trees(pair, faults)
            if pair is not None:
                yield replace(pair, e_language=language) if language else pair
        except AlignmentError as error:
            faults.sentence(error)


def _readable(part: FilePart) -> Iterator[Rows]:
    """Yield the sentences that can be read; faults of the others are reported when the part is read for its pairs."""
    rows = conllu.read(BytesIO(part.text), part.path, Faults(strict=False), keep_places=True, line=part.line)
    return (sentence for sentence in rows if sentence is not None)


def _parse_rows(
    rows: Iterator[Row], parse: Parse, parse_all: bool
) -> Iterator[tuple[Row, Sentence | None, DepTree | None, str]]:
    """Rows with their instances, the trees of their translations, and the languages of those."""
    batch = list(rows)
    instances = [from_sentence(row.f) if isinstance(row.f, Rows) else row.f for row in batch]
    trees = [None if igt is None or parse_all else igt.e_tree for igt in instances]
    languages = [""] * len(batch)
    unparsed = [(k, igt) for k, igt in enumerate(instances) if igt is not None and trees[k] is None]
    results = parse([igt for _, igt in unparsed])
    for (k, igt), (text, language, tree) in zip(unparsed, results, strict=True):
        trees[k], languages[k] = tree, language
        instances[k] = igt if text == igt.translation else replace(igt, translation=text, e_words=(), links=None)
    yield from zip(batch, instances, trees, languages, strict=True)


def _tree_pair(row: Row, faults: Faults) -> Pair | None:
    """A pair of trees with links; None where a side or the links are missing, which was noted."""
    f, e, line = row
    if not isinstance(f, Rows) or e is None or line is None or e.lines == (NOTHING,):
        return None
    f_tree, e_tree = _usable_tree(f, faults), _usable_tree(e, faults)
    where, text = line
    sent_id = f.sent_id or e.sent_id or str(where.line)
    links = pharaoh.parse(text, (len(f_tree), len(e_tree)), Where(where.path, where.line, f.sent_id), faults)
    f_tree = replace(f_tree, lemmas=f.column(2), feats=f.column(5))
    return Pair(f_tree, e_tree, links, sent_id, f.comment("text_en") or "", f.glosses, f_rows=f, where=place(f))


def _require_trees(pair: Pair, faults: Faults) -> Pair | None:
    """The pair where it has trees and links; else what it lacks is noted."""
    lacking = [
        problem
        for problem, has in (
            ("no tree of F", pair.f.tree is not None),
            ("no tree of the translation: give trees with `e`", pair.e.tree is not None),
            ("no links: give them with `links`", pair.links.known),
        )
        if not has
    ]
    if lacking:
        faults.sentence(AlignmentError("; ".join(lacking), pair.where))
        return None
    return pair


def _pair(row: Row, given: Sentence | None, tree: DepTree | None, trees: bool, faults: Faults) -> Pair:
    """The pair of a row: F, perhaps with the instance that it is; E by its file, by a tree that was made for it, or in words."""
    f = row.f if isinstance(row.f, Rows) else to_sentence(row.f or Sentence(()))
    glosses = (given.glosses if given.lines_up else ()) if given and given.rows is not f else f.glosses
    side = _tree(f, faults) if trees else _words(f)
    if row.e is not None and row.e.lines != (NOTHING,):  # as `io.trees` writes a translation that is not there
        tree = _usable_tree(row.e, faults)
    igt = given or (from_sentence(f) if tree is None or row.links is None else None)
    translation = igt.translation if igt else f.comment("text_en") or ""
    e = tree if tree is not None else DepTree.from_words(igt.e_words or tokenize(translation) if igt else ())
    shape = (len(f.forms), len(e))
    if row.links is not None and len(e):
        links = pharaoh.parse(row.links[1], shape, Where(row.links[0].path, row.links[0].line, f.sent_id), faults)
    elif igt is not None and igt.links is not None and len(e):
        links = _own_links(igt, shape)
    else:
        links = Links(frozenset(), shape, known=False)
    return Pair(side, e, links, f.sent_id, translation, glosses, f_rows=f, sentence=igt, where=place(row.f or f))


def _words(f: Rows) -> DepTree:
    """Return F without its tree; tags are kept only where there was none, since those of a treebank must not be seen."""
    if set(f.column(6)) != {"_"}:
        return DepTree.from_words(f.forms)
    return DepTree.from_words(f.forms, upos=f.column(3), xpos=f.column(4))


def _tree(f: Rows, faults: Faults) -> DepTree:
    if all(head == "_" for head in f.column(6)):
        return DepTree.from_words(f.forms, upos=f.column(3), xpos=f.column(4), lemmas=f.column(2), feats=f.column(5))
    return replace(_usable_tree(f, faults), lemmas=f.column(2), feats=f.column(5))


def _usable_tree(sentence: Rows, faults: Faults) -> DepTree:
    tree, wrong = sentence.usable_tree()
    for fault in wrong:
        faults.word(fault)
    return tree


def _own_links(igt: Sentence, shape: tuple[int, int]) -> Links:
    assert igt.links is not None
    try:
        return Links(igt.links, shape)
    except AlignmentError as error:
        remedy = "the translation must be in the words of the gold links"
        raise AlignmentError(f"gold {error.message}", igt.where, remedy) from None


def place(sentence: Rows | Sentence) -> Where:
    """Return the place of a sentence, with its id."""
    return Where(sentence.where.path, sentence.where.line, sentence.sent_id)


def _sentences(part: FilePart, faults: Faults) -> Iterator[Rows | None]:
    return conllu.read(BytesIO(part.text), part.path, faults, keep_places=True, line=part.line)


def _fast_batches(chunk: Chunk, faults: Faults) -> Iterator[PairBatch]:
    """Batches by the scanner; sentences that it does not take go through the careful reader."""
    from divproj.io import fast

    assert isinstance(chunk.f, FilePart)
    ids, empty = chunk.ids.copy(), (FilePart(),)
    f_part, [e_part], [line_part] = chunk.f, chunk.e or empty, chunk.links or empty

    def careful(f: bytes, f_line: int, e: bytes, e_line: int, line: str, number: int) -> Pair | None:
        sides = []
        for block, at, path in ((f, f_line, f_part.path), (e, e_line, e_part.path)):
            try:
                sides.append(conllu.parse(block, path, at))
            except FormatError as error:
                faults.sentence(error)
        if len(sides) < 2 or not ids.pair(sides[0], sides[1], faults):
            return None
        return _tree_pair(Row(sides[0], sides[1], (Where(line_part.path, number), line)), faults)

    book = fast.ScanVocabulary()
    f_table, e_table = (fast.SentenceTable(BytesIO(part.text), book, part.line) for part in (f_part, e_part))
    links = fast.LinkTable(BytesIO(line_part.text), line_part.line)
    for batch in fast.batches(f_table, e_table, links, careful, ids.check, [0, 0, 0]):
        if ids.shared is None:
            batch.pair(0)  # tells whether the sides share their ids
        yield batch


class SentenceIds:
    """Decides which sentences of the two sides form a pair.

    Two sentences belong together when their ids are the same, but for the name of the text that some formats put in front, or
    when E has the words of F's translation. Two files may number their sentences in two ways; then order pairs them, with one
    warning, until an id shows up on both sides.
    """

    def __init__(self, check: bool) -> None:
        self.check = check
        self.shared: bool | None = None
        self.recent: tuple[dict[str, None], dict[str, None]] = ({}, {})

    def copy(self) -> SentenceIds:
        same = SentenceIds(self.check)
        same.shared = self.shared
        if not self.shared:  # once shared they stay so
            same.recent = self.recent[0].copy(), self.recent[1].copy()
        return same

    def pair(self, f: Rows | Sentence, e: Rows, faults: Faults) -> bool:
        """Whether a sentence of F and the one of E in its place belong together."""
        if not self.check or (isinstance(f, Sentence) and f.sent_id.isdecimal()):  # a number that the reader gave
            return True
        if f.sent_id and e.sent_id and not _same_id(f.sent_id, e.sent_id) and _is_translation(f, e):
            return True
        return self.same((f.sent_id, e.sent_id), (f.where, e.where), faults)

    def same(self, ids: tuple[str, str], places: tuple[Where, Where], faults: Faults) -> bool:
        """Whether these ids are of one sentence; what is wrong with them goes to `faults`."""
        f, e = ids
        if not self.check or not f or not e:
            return True
        if _same_id(f, e):
            self.shared = True
            return True
        problem = f"F has sent_id {f} where E ({places[1].path}:{places[1].line}) has {e}, the same expected"
        error = AlignmentError(
            problem, replace(places[0], sent_id=f), "put the sentences in one order, or `ignore_ids` to pair them by order"
        )
        if self.shared is None:
            self.shared = False
            faults.file(error)
        for side, other, sent_id in ((0, 1, f), (1, 0, e)):
            self.recent[side][sent_id] = None
            if len(self.recent[side]) > 1000:
                del self.recent[side][next(iter(self.recent[side]))]
            self.shared = self.shared or sent_id in self.recent[other]
        if self.shared:
            faults.sentence(error)
        return not self.shared


def _same_id(one: str, other: str) -> bool:
    """The same, but for the name of the text that some formats and runs put in front.

    >>> _same_id("turkish.tur-01", "tur-01"), _same_id("tur-11", "1")
    (True, False)
    """
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _is_translation(f: Rows | Sentence, e: Rows) -> bool:
    """Whether E has the words of F's translation: then it belongs to it, whatever its id."""
    translation = f.translation if isinstance(f, Sentence) else f.comment("text_en") or ""
    return bool(translation) and _letters(translation) == _letters(" ".join(e.forms))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())

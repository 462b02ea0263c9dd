"""Sentence pairs from whatever users have: a corpus folder, CoNLL-U, interlinear text, a shipped corpus, text in memory.

`read` is the door for people. Commands and runs take the same road in pieces: `pieces` cuts the files, `pairs_of` reads one
piece, here or in another process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from divproj.data.errors import AlignmentError, Faults, ProjError, Where
from divproj.data.igt import Igt
from divproj.data.links import Links
from divproj.data.options import ReaderOptions
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.io import conllu, pharaoh
from divproj.io import igt as interlinear
from divproj.io.bitext import bitext, is_conllu
from divproj.io.chunks import Blocks, Joined, Lines, Part
from divproj.io.files import in_folder, located, name_of, reading, samples, unzipped
from divproj.io.igt_conllu import from_sentence, to_sentence
from divproj.io.translation_language import text_language, with_codes
from divproj.io.trees import NOTHING
from divproj.runtime.engine import stamp
from divproj.text.tokens import tokenize

SIZE = 200
"""Sentences in a piece."""
LINES = "lines"
"""Format of a text with one sentence per line, for which E has one translation per line or CoNLL-U."""
PARSER = "en"
"""What parses English translations when nobody says otherwise and the source has no trees of them."""

Source = str | Path | BinaryIO | TextIO
Files = str | Path | Sequence[str | Path] | None
Parse = Callable[[list[Igt]], list[tuple[str, str, DepTree | None]]]
"""Text, language and tree of the translation of each sentence that is gone by; None where it is empty or has no parser."""


def read(
    source: Source | Sequence[str | Path],
    *,
    e: Files = None,
    links: Files = None,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    **options: Any,
) -> Iterator[Pair]:
    """Read the sentence pairs of a source, one by one.

    `source` is a file of any format that divproj reads, a corpus folder (`f.conllu`, `e.conllu`, `align.txt`, or `igt.txt`),
    the name of a sample corpus, an open file, or text (a string with a line end). `e` names CoNLL-U with trees of the
    translations, or plain text with one translation per line (then `source` is CoNLL-U, or has one sentence per line too);
    `links` names a Pharaoh file. Each may be a list of files, which are read one after the other. Faults go to `faults`; by
    default they are warnings, and `Faults(strict=True)` raises the first one. Further options are those of the readers
    (`lang`, `tiers`, `markers`, `encoding` …).

    >>> [pair] = read("Hunde bellen\\ndog.PL bark\\n'Dogs bark.'\\n")
    >>> pair.f.forms, pair.f.glosses, pair.e.forms
    (('Hunde', 'bellen'), ('dog.PL', 'bark'), ('Dogs', 'bark', '.'))
    >>> next(read("deu-eng")).f.tree is not None
    True
    """
    faults = faults or Faults(strict=False)
    if not isinstance(source, str | Path | Sequence):
        if not hasattr(source, "read"):
            raise TypeError(f"`source` is {source!r}, a file, a folder, a name, an open file or text expected")
        data: bytes | str = source.read()
        source = f"{unzipped(data).decode('utf-8', 'replace') if isinstance(data, bytes) else data}\n"
    if isinstance(source, str) and "\n" in source:
        yield from _from_text(source, _files(e), _files(links), format, faults, options)
        return
    files = [located(str(path)) for path in _files(source)]
    for path in files:
        if not path.exists() and str(path) != "-":
            raise ProjError("no such file, folder or sample corpus", Where(str(path)), f"sample corpora are {samples()}")
    sources = Sources.of(files, _files(e), _files(links), format=format, reader=ReaderOptions.of(options))
    yield from pairs_from(sources, faults, trees=True)


def pairs_from(sources: Sources, faults: Faults, *, trees: bool = False) -> Iterator[Pair]:
    """All usable pairs of the sources, without anything parsed; `trees` as in `pairs_of`."""
    for piece in pieces(sources, faults):
        yield from pairs_of(piece, faults, trees=trees)


def _files(given: Files) -> list[str | Path]:
    return [given] if isinstance(given, str | Path) else list(given or ())


def _from_text(
    text: str,
    e: Sequence[str | Path],
    links: Sequence[str | Path],
    format_: str | None,
    faults: Faults,
    options: Mapping[str, Any],
) -> Iterator[Pair]:
    """Pairs of a text in memory; trees of E and links are files, of which more or fewer sentences are an error."""
    if plain := [path for path in e if not is_conllu(path)]:
        raise ProjError("is no CoNLL-U, which goes with a text in memory", Where(str(plain[0])), "give the text as a file, too")
    items = [(to_sentence(igt), igt) for igt in interlinear.loads(text, format_, faults, **options) if igt.words]
    trees = [row for path in e for row in conllu.load(path, faults, keep_places=True)]
    lines = [line for path in links for line in pharaoh.load(path)]
    for files, found in ((e, trees), (links, lines)):
        if files and len(found) != len(items):
            what = f"{len(found)} sentences, but the text has {len(items)}"
            raise AlignmentError(what, Where(str(files[0])), "give the same sentences in the same order")
    made = _with_trees(items, iter(trees) if e else None, None, faults)
    for k, (f, igt, tree, _) in enumerate(made):
        assert f is not None
        try:
            yield _pair(f, igt, tree, lines[k] if links else None, True, faults)
        except AlignmentError as error:
            faults.sentence(error)


@dataclass(frozen=True)
class Sources:
    """Where the sentences of one text are, and how to read them."""

    path: str
    e: str | None = None
    links: str | None = None
    e_parser: str | None = None
    format: str | None = None
    grams: tuple[Path, ...] = ()
    style: str = "as-is"
    """Heads that trees of E are turned to (`data.head_style`)."""
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    """How interlinear text is read."""
    further: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ())
    """More files of the text, of E and of links: each goes on where the one before it ends."""
    translations: str | None = None
    """Plain text with one translation per line, or CoNLL-U of which the words alone are wanted."""

    def __post_init__(self) -> None:
        if self.e and not is_conllu(self.e):
            object.__setattr__(self, "translations", self.e)
            object.__setattr__(self, "e", None)

    @classmethod
    def of(
        cls, text: Sequence[str | Path], e: Sequence[str | Path] = (), links: Sequence[str | Path] = (), **more: Any
    ) -> Sources:
        """Of files of each kind, in order."""
        f_files, e_files, link_files = (tuple(map(str, files)) for files in (text, e, links))
        first_e, first_links = (files[0] if files else None for files in (e_files, link_files))
        more["further"] = (f_files[1:], e_files[1:], link_files[1:])
        return cls(f_files[0], first_e, first_links, **more)

    @property
    def folder(self) -> Path | None:
        return Path(self.path) if self.path != "-" and Path(self.path).is_dir() else None

    def file(self, given: str | None, name: str) -> str | None:
        """A file by option, or by its usual name in the folder."""
        if given or self.folder is None:
            return given
        found = in_folder(self.folder, name)
        return str(found) if found else None


@dataclass(frozen=True)
class Piece:
    """Sentences that stand side by side in the sources, read as little as can be."""

    f: Part | tuple[Igt, ...]
    """Rows of CoNLL-U, or instances of interlinear text."""
    e: tuple[Part, ...] | None
    """Sentences of E; None: there is no file of them."""
    links: tuple[Part, ...] | None
    sources: Sources
    stamps: tuple[str, ...] = ()
    """Of the files that whoever reads the piece will open."""
    parses: bool = False
    """Whether translations are to be parsed: a parser was named, or there are no trees of them."""
    language: str = ""
    """Of most translations of the text."""


def pieces(sources: Sources, faults: Faults) -> Iterator[Piece]:
    """All sentences, `SIZE` to a piece."""
    e_file, links_file = sources.file(sources.e, "e.conllu"), sources.file(sources.links, "align.txt")
    e_files = (e_file, *sources.further[1]) if e_file else ()
    link_files = (links_file, *sources.further[2]) if links_file else ()
    opened = [str(path) for path in sources.grams]
    count, language, parses = 0, "", bool(sources.e_parser)
    with ExitStack() as files:
        e_side = Joined([Blocks(files.enter_context(reading(path)), name_of(path)) for path in e_files])
        lines = Joined([Lines(files.enter_context(reading(path)), name_of(path)) for path in link_files])
        for f in _f_sides(sources, faults, files):
            if not count and not e_files:
                first = [_igt(*item) for item in _f_items(f, Faults(strict=False))]
                parses = parses or not first or first[0] is None or first[0].e_tree is None
                language = text_language(first)
            if isinstance(f, tuple):
                f = tuple(with_codes(f, language))
            if not count:
                opened += [sources.e_parser] if sources.e_parser and Path(sources.e_parser).is_dir() else []
                stamps = tuple(stamp(path) for path in opened)
            here = f.count if isinstance(f, Part) else len(f)
            count += here
            e_part, links_part = (side.take(here) if have else None for side, have in ((e_side, e_files), (lines, link_files)))
            if links_part is not None and (short := here - sum(part.count for part in links_part)):
                what = f"links for {count - short} sentences, but the text has more"
                raise AlignmentError(what, Where(link_files[-1]), "one line per sentence")
            yield Piece(f, e_part, links_part, sources, stamps, parses and not e_files, language)
        if count and e_side.take(1):
            what = f"more sentences than {name_of(sources.path)}"
            faults.file(AlignmentError(what, Where(e_files[-1]), "the rest was not used"))
        if count and any(part.text.strip() for part in lines.take(1)):
            what = f"more lines than {name_of(sources.path)} has sentences"
            faults.file(AlignmentError(what, Where(link_files[-1]), "the rest was not used"))
    if not count:
        raise ProjError("no sentence in the file", Where(sources.path), "is it empty?")


def pairs_of(piece: Piece, faults: Faults, parse: Parse | None = None, *, trees: bool = False) -> Iterator[Pair]:
    """The usable pairs of a piece.

    `parse` makes trees of translations where the piece has none; without it E has words alone. With `trees` F keeps the tree that it
    came with, else it has words alone. Links are those of the source; `links.known` is False where it has none.
    """
    e_trees = chain.from_iterable(_sentences(part, faults) for part in piece.e) if piece.e is not None else None
    parts = (pharaoh.read(BytesIO(part.text), part.path, part.line) for part in piece.links or ())
    lines = chain.from_iterable(parts) if piece.links is not None else None
    items = _f_items(piece.f, faults)
    for f, igt, tree, language in _with_trees(items, e_trees, parse if piece.parses else None, faults):
        line = next(lines, None) if lines else None
        if f is None:
            continue
        try:
            pair = _pair(f, igt, tree, line, trees, faults)
            yield replace(pair, e_language=language) if language else pair
        except AlignmentError as error:
            faults.sentence(error)


def _pair(
    f: Sentence, given: Igt | None, tree: DepTree | None, line: tuple[Where, str] | None, trees: bool, faults: Faults
) -> Pair:
    glosses = (given.glosses if given.lines_up else ()) if given and given.sentence is not f else f.glosses
    igt = given or (from_sentence(f) if tree is None or line is None else None)
    translation = igt.translation if igt else f.comment("text_en") or ""
    e = tree if tree is not None else DepTree.unparsed(igt.e_words or tokenize(translation) if igt else ())
    shape = (len(f.forms), len(e))
    if line is not None and len(e):
        links = pharaoh.parse(line[1], shape, line[0], faults)
    elif igt is not None and igt.links is not None and len(e):
        links = _own_links(igt, shape)
    else:
        links = Links(frozenset(), shape, known=False)
    side = replace(_tree(f, faults), glosses=glosses) if trees else _words(f, glosses)
    where = place(f) if f.where.path or igt is None else Where(igt.where.path, igt.where.line, f.sent_id)
    return Pair(side, e, links, f.sent_id, translation, sentence=f, igt=igt, where=where)


def _words(f: Sentence, glosses: tuple[str, ...]) -> DepTree:
    """F without its tree; tags that came without a tree are the user's, and those of a treebank are not to be seen."""
    if set(f.column(6)) != {"_"}:
        return DepTree.unparsed(f.forms, glosses=glosses)
    return DepTree.unparsed(f.forms, upos=f.column(3), xpos=f.column(4), glosses=glosses)


def _own_links(igt: Igt, shape: tuple[int, int]) -> Links:
    assert igt.links is not None
    try:
        return Links(igt.links, shape)
    except AlignmentError as error:
        remedy = "the translation must be in the words of the gold links"
        raise AlignmentError(f"gold {error.what}", igt.where, remedy) from None


def _tree(f: Sentence, faults: Faults) -> DepTree:
    if all(head == "_" for head in f.column(6)):
        return DepTree.unparsed(f.forms, upos=f.column(3), xpos=f.column(4), lemmas=f.column(2), feats=f.column(5))
    tree, found = f.usable_tree()
    for fault in found:
        faults.word(fault)
    return replace(tree, lemmas=f.column(2), feats=f.column(5))


def place(sentence: Sentence) -> Where:
    """Where a sentence stands, with its id."""
    return Where(sentence.where.path, sentence.where.line, sentence.sent_id)


Item = tuple[Sentence | None, Igt | None]
"""Rows of F and the instance they came from; a CoNLL-U sentence is made an instance only when that is needed."""


def _igt(f: Sentence | None, igt: Igt | None) -> Igt | None:
    return from_sentence(f) if f is not None and igt is None else igt


def _f_sides(sources: Sources, faults: Faults, files: ExitStack) -> Iterator[Part | tuple[Igt, ...]]:
    """F sentences of every file in order, some at a time."""
    if sources.translations or sources.format == LINES:
        path = _f_path(sources)
        stream = bitext(path, sources.translations, faults)
        while some := tuple(islice(stream, SIZE)):
            yield some
        return
    for path in (_f_path(sources), *sources.further[0]):
        yield from _f_side(path, sources, faults, files)


def _f_side(path: str, sources: Sources, faults: Faults, files: ExitStack) -> Iterator[Part | tuple[Igt, ...]]:
    if sources.format in (None, "conllu") and is_conllu(path):
        blocks = Blocks(files.enter_context(reading(path)), name_of(path))
        while (part := blocks.take(SIZE)).count:
            yield part
        return
    stream = interlinear.load(path, sources.format, faults, reader=sources.reader)
    while some := tuple(islice(stream, SIZE)):
        yield some


def _f_path(sources: Sources) -> str:
    if sources.folder is None:
        return sources.path
    path = sources.file(None, "f.conllu") or sources.file(None, "igt.txt")
    if path is None:
        raise ProjError("the folder has neither f.conllu nor igt.txt", Where(sources.path))
    return path


def _f_items(f: Part | tuple[Igt, ...], faults: Faults) -> Iterator[Item]:
    """F sentences in order; (None, None) stands for one that could not be read."""
    if isinstance(f, Part):
        yield from ((sentence, None) for sentence in _sentences(f, faults))
        return
    for found in f:
        yield (to_sentence(found), found) if found.words else (None, None)


def _sentences(part: Part, faults: Faults) -> Iterator[Sentence | None]:
    return conllu.read(BytesIO(part.text), part.path, faults, keep_places=True, line=part.line)


def _with_trees(
    f_side: Iterable[Item], e_side: Iterator[Sentence | None] | None, parse: Parse | None, faults: Faults
) -> Iterator[tuple[Sentence | None, Igt | None, DepTree | None, str]]:
    """F sentences with the tree of their translation and the code of its language, '' where nobody asked for that."""
    if e_side is not None:
        for f, igt in f_side:
            e = next(e_side, None)
            yield f, igt, _paired(f, igt, e, faults) if f is not None and e is not None else None, ""
    elif parse is not None:
        batch = [(f, _igt(f, given) or Igt(())) for f, given in f_side]
        for (f, igt), (text, language, tree) in zip(batch, parse([igt for _, igt in batch]), strict=True):
            yield f, igt if text == igt.translation else replace(igt, translation=text), tree, language
    else:
        for f, given in f_side:
            igt = _igt(f, given)
            yield f, igt, igt.e_tree if igt else None, ""


def _paired(f: Sentence, igt: Igt | None, e: Sentence, faults: Faults) -> DepTree | None:
    counted = igt is not None and f.sent_id.isdecimal()  # a number that the reader gave
    if not counted and f.sent_id and e.sent_id and not _same_id(f.sent_id, e.sent_id) and not _translated(f, igt, e):
        where = place(f) if f.where.path or igt is None else Where(igt.where.path, igt.where.line, f.sent_id)
        what = f"F has sent_id {f.sent_id} where E ({e.where.path}:{e.where.line}) has {e.sent_id}"
        faults.sentence(AlignmentError(what, where, "put the sentences in one order"))
        return None
    if e.rows == (NOTHING,):  # as `io.trees` writes a translation that is not there
        return None
    tree, found = e.usable_tree()
    for fault in found:
        faults.word(fault)
    return tree


def _same_id(one: str, other: str) -> bool:
    """The same, but for the name of the text that some formats and runs put in front.

    >>> _same_id("turkish.tur-01", "tur-01"), _same_id("tur-11", "1")
    (True, False)
    """
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _translated(f: Sentence, igt: Igt | None, e: Sentence) -> bool:
    """Whether E has the words of F's translation: then it belongs to it, whatever its id."""
    said = igt.translation if igt else f.comment("text_en") or ""
    return bool(said) and _letters(said) == _letters(" ".join(e.forms))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())

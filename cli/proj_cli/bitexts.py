"""Where `project` gets its sentences: a corpus folder, CoNLL-U, or interlinear text with trees for its translations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from divproj.engine import stamp
from divproj.errors import AlignmentError, Faults, ProjError, Where
from divproj.gloss.igt import Igt
from divproj.io import conllu, pharaoh
from divproj.io.files import name_of, reading
from divproj.io.pieces import Blocks, Lines, Part
from divproj.pipeline.translations import parse_translations
from divproj.projection.s1 import Bitext
from divproj.types import Alignment, DepTree, Sentence

if TYPE_CHECKING:
    from divproj.gloss.aligner import GlossAligner

SIZE = 200
"""Sentences in a piece."""


@dataclass
class Sources:
    """What the options of `project` say about where things are."""

    path: str
    e: str | None = None
    align: str | None = None
    e_parser: str | None = None
    format: str | None = None
    grams: tuple[Path, ...] = ()
    manner: str = "as-is"

    @property
    def folder(self) -> Path | None:
        return Path(self.path) if self.path != "-" and Path(self.path).is_dir() else None

    def file(self, given: str | None, name: str) -> str | None:
        """A file by option, or by its usual name in the folder."""
        if given or self.folder is None:
            return given
        found = [self.folder / name, self.folder / f"{name}.gz"]
        return next((str(p) for p in found if p.exists()), None)


@dataclass(frozen=True)
class Piece:
    """Sentences that stand side by side in the sources, read as little as can be."""

    f: Part | tuple[Igt, ...]
    """Rows of CoNLL-U, or instances of interlinear text."""
    e: Part | None
    links: Part | None
    names: tuple[str, str, str]
    """Of the three files, for messages."""
    sources: Sources
    stamps: tuple[str, ...] = ()
    """Of the files that whoever reads the piece will open."""


def pieces(sources: Sources, faults: Faults) -> Iterator[Piece]:
    """All sentences, `SIZE` to a piece; `read` makes bitexts of one, here or in another process."""
    e_file, links_file = sources.file(sources.e, "e.conllu"), sources.file(sources.align, "align.txt")
    path = _f_path(sources)
    names = name_of(path), name_of(e_file or ""), name_of(links_file or "")
    opened = [str(path) for path in sources.grams]
    first = True
    with ExitStack() as files:
        e_side = Blocks(files.enter_context(reading(e_file)), name_of(e_file)) if e_file else None
        links = Lines(files.enter_context(reading(links_file))) if links_file else None
        for f in _f_side(path, sources, faults, files):
            if first and e_side is None and not sources.e_parser:
                item = next(_f_items(f, path, Faults(strict=False)), (None, None))
                igt = _igt(*item)
                if igt is None or igt.e_tree is None:
                    sources = replace(sources, e_parser="en")
            if first:
                opened += [sources.e_parser] if sources.e_parser and Path(sources.e_parser).is_dir() else []
                stamps = tuple(stamp(path) for path in opened)
                first = False
            count = f.count if isinstance(f, Part) else len(f)
            e_part, links_part = (side.take(count) if side else None for side in (e_side, links))
            yield Piece(f, e_part, links_part, names, sources, stamps)
    if first:
        raise ProjError("no sentence in the file", Where(sources.path), "is it empty?")


def bitexts(sources: Sources, faults: Faults) -> Iterator[tuple[Sentence, Bitext]]:
    """(rows of F, what projection may see) of every usable sentence."""
    for piece in pieces(sources, faults):
        yield from read(piece, faults)


def read(piece: Piece, faults: Faults) -> Iterator[tuple[Sentence, Bitext]]:
    """(rows of F, what projection may see) of every usable sentence of a piece."""
    sources = piece.sources
    e_trees = _sentences(piece.e, piece.names[1], faults) if piece.e else None
    lines = pharaoh.read(BytesIO(piece.links.text), piece.names[2], piece.links.line) if piece.links else None
    for f, igt, tree in _with_trees(_f_items(piece.f, piece.names[0], faults), e_trees, piece, faults):
        line = next(lines, None) if lines else None
        if f is None:
            continue
        if tree is None:
            faults.word(AlignmentError("there is no tree of a translation, so this sentence's tree is a guess", _at(f)))
            yield f, Bitext(f.forms, DepTree((), ()), Alignment(frozenset(), (len(f.forms), 0)), f.glosses, f.sent_id)
            continue
        aligner = _aligner(sources.grams, piece.stamps) if line is None else None
        try:
            alignment = _links(f, igt, tree, line, aligner, faults)
        except AlignmentError as error:
            faults.sentence(error)
            continue
        glosses = (igt.glosses if igt.lines_up else ()) if igt else f.glosses
        if sources.manner != "as-is":
            from divproj.manners import in_manner

            tree = in_manner(tree, sources.manner)
        yield f, Bitext(f.forms, tree, alignment, glosses, f.sent_id)


def _at(sentence: Sentence) -> Where:
    return Where(sentence.where.path, sentence.where.line, sentence.sent_id)


Item = tuple[Sentence | None, Igt | None]
"""Rows of F and the instance they came from; a CoNLL-U sentence is made an instance only when that is needed."""


def _igt(f: Sentence | None, igt: Igt | None) -> Igt | None:
    from divproj.io.igt_conllu import from_sentence

    return from_sentence(f) if f is not None and igt is None else igt


def _f_side(path: str, sources: Sources, faults: Faults, files: ExitStack) -> Iterator[Part | tuple[Igt, ...]]:
    """F sentences in order, some at a time."""
    from divproj.io import igt as interlinear

    if sources.format in (None, "conllu") and path.removesuffix(".gz").endswith(".conllu"):
        blocks = Blocks(files.enter_context(reading(path)), name_of(path))
        while (part := blocks.take(SIZE)).count:
            yield part
        return
    stream = interlinear.load(path, sources.format, faults)
    while some := tuple(islice(stream, SIZE)):
        yield some


def _f_path(sources: Sources) -> str:
    if sources.folder is None:
        return sources.path
    path = sources.file(None, "f.conllu") or sources.file(None, "igt.txt")
    if path is None:
        raise ProjError("the folder has neither f.conllu nor igt.txt", Where(sources.path))
    return path


def _f_items(f: Part | tuple[Igt, ...], name: str, faults: Faults) -> Iterator[Item]:
    """F sentences in order; (None, None) stands for one that could not be read."""
    from divproj.io.igt_conllu import to_sentence

    if isinstance(f, Part):
        yield from ((sentence, None) for sentence in _sentences(f, name, faults))
        return
    for found in f:
        yield (to_sentence(found), found) if found.words else (None, None)


def _sentences(part: Part, name: str, faults: Faults) -> Iterator[Sentence | None]:
    return conllu.read(BytesIO(part.text), name, faults, keep_places=True, line=part.line)


def _with_trees(
    f_side: Iterable[Item], e_side: Iterator[Sentence | None] | None, piece: Piece, faults: Faults
) -> Iterator[tuple[Sentence | None, Igt | None, DepTree | None]]:
    if e_side is not None:
        for f, igt in f_side:
            e = next(e_side, None)
            yield f, igt, _paired(f, e, faults) if f is not None and e is not None else None
    elif piece.sources.e_parser:
        batch = list(f_side)
        instances = [_igt(*item) for item in batch]
        texts = [igt.translation if igt else "" for igt in instances]
        trees = _e_parser(piece.sources.e_parser, piece.stamps)(texts)
        for (f, igt), tree in zip(batch, trees, strict=True):
            yield f, igt, tree
    else:
        for f, given in f_side:
            igt = _igt(f, given)
            yield f, igt, igt.e_tree if igt else None


def _paired(f: Sentence, e: Sentence, faults: Faults) -> DepTree | None:
    if f.sent_id and e.sent_id and f.sent_id != e.sent_id:
        what = f"F has sent_id {f.sent_id} where E ({e.where.path}:{e.where.line}) has {e.sent_id}"
        faults.sentence(AlignmentError(what, f.where, "put the sentences in one order"))
        return None
    tree, found = e.usable_tree()
    for fault in found:
        faults.word(fault)
    return tree


@lru_cache(maxsize=2)
def _e_parser(name: str, stamps: tuple[str, ...]) -> Callable[[list[str]], list[DepTree | None]]:
    """What parses translations; a model is loaded once."""
    from divproj.pipeline.translations import by_language, language_named

    language = None if name.startswith("corenlp:") else language_named(name)
    return partial(by_language, language) if language else partial(parse_translations, name)


@lru_cache(maxsize=2)
def _aligner(tables: tuple[Path, ...], stamps: tuple[str, ...]) -> GlossAligner:
    from divproj.gloss.aligner import GlossAligner
    from divproj.gloss.grams import Grams

    grams = Grams.shipped("en")
    return GlossAligner(grams.merged(*(Grams.load(table) for table in tables)) if tables else grams)


def _links(
    f: Sentence, given: Igt | None, tree: DepTree, line: tuple[Where, str] | None, aligner: GlossAligner | None, faults: Faults
) -> Alignment:
    """Given links win; then those of the source; then the gloss aligner's."""
    shape = (len(f.forms), len(tree))
    if line is not None:
        return pharaoh.parse(line[1], shape, line[0], faults)
    igt = _igt(f, given)
    assert aligner is not None
    assert igt is not None
    return aligner.align(igt, tree.forms, tree.tags()).alignment

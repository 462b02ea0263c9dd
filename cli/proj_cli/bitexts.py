"""Where `project` gets its sentences: a corpus folder, CoNLL-U, or interlinear text with trees for its translations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from divproj.errors import AlignmentError, Faults, ProjError, Where
from divproj.gloss.igt import Igt
from divproj.io import conllu, pharaoh
from divproj.pipeline.translations import parse_translations
from divproj.projection.s1 import Bitext
from divproj.types import Alignment, DepTree, Sentence

if TYPE_CHECKING:
    from divproj.gloss.aligner import GlossAligner

BATCH = 200


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


def bitexts(sources: Sources, faults: Faults) -> Iterator[tuple[Sentence, Bitext]]:
    """(rows of F, what projection may see) of every usable sentence."""
    e_file = sources.file(sources.e, "e.conllu")
    links_file = sources.file(sources.align, "align.txt")
    f_side = _f_side(sources, faults)
    if e_file is None and not sources.e_parser:
        first = next(f_side, None)
        if first is None:
            raise ProjError("no sentence in the file", Where(sources.path), "is it empty?")
        igt = _igt(*first)
        f_side = _chained(first, f_side)
        if igt is None or igt.e_tree is None:
            sources = replace(sources, e_parser="en")
    e_trees = conllu.load(e_file, faults, keep_places=True) if e_file else None
    lines = pharaoh.load(links_file) if links_file else None
    aligner: GlossAligner | None = None
    for f, igt, tree in _with_trees(f_side, e_trees, sources, faults):
        line = next(lines, None) if lines else None
        if f is None:
            continue
        if tree is None:
            faults.word(AlignmentError("there is no tree of a translation, so this sentence's tree is a guess", _at(f)))
            yield f, Bitext(f.forms, DepTree((), ()), Alignment(frozenset(), (len(f.forms), 0)), f.glosses, f.sent_id)
            continue
        if aligner is None and line is None:
            aligner = _aligner(sources.grams)
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


def _chained(first: Item, rest: Iterator[Item]) -> Iterator[Item]:
    yield first
    yield from rest


def _f_side(sources: Sources, faults: Faults) -> Iterator[Item]:
    """F sentences in order; (None, None) stands for one that could not be read."""
    from divproj.io import igt as interlinear
    from divproj.io.igt_conllu import to_sentence

    path = sources.path
    if sources.folder is not None:
        path = sources.file(None, "f.conllu") or sources.file(None, "igt.txt") or ""
        if not path:
            raise ProjError("the folder has neither f.conllu nor igt.txt", Where(sources.path))
    if sources.format in (None, "conllu") and path.removesuffix(".gz").endswith(".conllu"):
        for sentence in conllu.load(path, faults, keep_places=True):
            yield sentence, None
        return
    for found in interlinear.load(path, sources.format, faults):
        yield (to_sentence(found), found) if found.words else (None, None)


def _with_trees(
    f_side: Iterable[Item], e_side: Iterator[Sentence | None] | None, sources: Sources, faults: Faults
) -> Iterator[tuple[Sentence | None, Igt | None, DepTree | None]]:
    if e_side is not None:
        for f, igt in f_side:
            e = next(e_side, None)
            yield f, igt, _paired(f, e, faults) if f is not None and e is not None else None
    elif sources.e_parser:
        stream = iter(f_side)
        while batch := list(islice(stream, BATCH)):
            instances = [_igt(*item) for item in batch]
            trees = parse_translations(sources.e_parser, [igt.translation if igt else "" for igt in instances])
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


def _aligner(tables: tuple[Path, ...]) -> GlossAligner:
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

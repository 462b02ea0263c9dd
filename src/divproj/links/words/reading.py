"""Sentence pairs for the word aligner: from text, CoNLL-U or interlinear text, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from divproj.data.errors import AlignmentError, Faults, Where
from divproj.data.igt import Igt
from divproj.data.options import ReaderOptions
from divproj.io import conllu
from divproj.io import igt as interlinear
from divproj.io.bitext import is_conllu, lines
from divproj.io.files import in_folder, located, reading
from divproj.links.gloss.aligner import GlossAligner
from divproj.links.words.priors import Known, from_dictionary, from_links
from divproj.links.words.text import Row
from divproj.text.tokens import tokenize


def rows_of(
    source: str, target: str | None, faults: Faults, reader: ReaderOptions | None = None
) -> tuple[Iterable[Row], Known]:
    """Sentence pairs, and links of their glosses where they have glosses."""
    source, target = _files(source, target)
    if target is None:
        return _interlinear(source, faults, reader)
    found = Rows(source, target, faults)
    again = all(Path(path).is_file() for path in (source, target))  # not of a pipe
    return (found if again else [*found]), {}


def _files(source: str, target: str | None) -> tuple[str, str | None]:
    """The two files; those of a corpus folder where one is given."""
    folder = located(source)
    if target is not None or source == "-" or not folder.is_dir():
        return source, target
    f, e = (str(in_folder(folder, name) or folder / name) for name in ("f.conllu", "e.conllu"))
    return f, e


class Words(NamedTuple):
    """A sentence of one side."""

    forms: list[str]
    lemmas: list[str] | None = None
    tags: list[str] | None = None


@dataclass
class Rows:
    """The pairs of two files, line by line; faults are reported at the first reading."""

    source: str
    target: str
    faults: Faults
    _told: bool = field(default=False, init=False)

    def __iter__(self) -> Iterator[Row]:
        faults = Faults(strict=False) if self._told else self.faults
        sides = [_sentences(path, faults) for path in (self.source, self.target)]
        counts = [0, 0]
        for f, e in zip_longest(*sides):
            counts[0] += f is not None
            counts[1] += e is not None
            if f is not None and e is not None:
                lemmas = (f.lemmas, e.lemmas) if f.lemmas is not None and e.lemmas is not None else None
                tags = (f.tags, e.tags) if f.tags is not None and e.tags is not None else None
                yield Row(f.forms, e.forms, lemmas, tags)
        if counts[0] != counts[1]:
            what = f"{counts[0]} sentences, but {self.target} has {counts[1]}"
            raise AlignmentError(what, Where(self.source), "the two sides must have one sentence a line, line by line the same")
        self._told = True


def _sentences(path: str, faults: Faults) -> Iterator[Words]:
    """Sentences of a file; one that cannot be read counts as an empty one, and is said."""
    if not is_conllu(path):
        yield from (Words(line.split()) for _, line in lines(path, faults))
        return
    for sentence in conllu.load(path, faults, keep_places=True):
        if sentence:
            yield Words(list(sentence.forms), list(sentence.column(2)), list(sentence.column(3)))
        else:
            yield Words([], [], [])


def _interlinear(path: str, faults: Faults, reader: ReaderOptions | None) -> tuple[list[Row], Known]:
    instances = list(interlinear.load(path, None, faults, reader=reader))
    return [Row(list(x.words), list(x.e_words or tokenize(x.translation))) for x in instances], _gloss_counts(instances)


def known_pairs(known: Known, dictionaries: Iterable[Path], glossed: Iterable[Path], faults: Faults) -> Known:
    """What is known beforehand, with the word pairs of dictionaries (TSV) and those that glossed texts link."""
    made = dict(known)
    for path in dictionaries:
        with reading(path) as stream:
            found = from_dictionary(stream.read().decode("utf-8", "replace").splitlines(), str(path))
        _add(made, found)
    for path in glossed:
        _add(made, from_glosses(str(path), faults))
    return made


def _add(known: Known, more: Known) -> None:
    for pair, count in more.items():
        known[pair] = known.get(pair, 0.0) + count


def from_glosses(path: str, faults: Faults) -> Known:
    """Word pairs that the glosses of interlinear text link."""
    return _gloss_counts(list(interlinear.load(path, None, faults)))


def _gloss_counts(instances: list[Igt]) -> Known:
    aligner = GlossAligner()
    linked = []
    for igt in instances:
        e_words = igt.e_words or tokenize(igt.translation)
        links = aligner.align(igt, e_words).scored if igt.glosses and aligner.takes(igt, e_words) else ()
        linked.append((igt.words, e_words, [(x.f, x.e, x.score) for x in links]))
    return from_links(linked)

"""What `proj words` reads: sentence pairs from text, CoNLL-U or interlinear text, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.errors import Faults
    from divproj.words.priors import Known
    from divproj.words.text import Row


def rows_of(source: str, target: str | None) -> tuple[Iterable[Row], Known]:
    """Sentence pairs, and links of their glosses where they have glosses."""
    source, target = _files(source, target)
    if target is None:
        return _interlinear(source)
    found = Rows(source, target)
    again = all(Path(path).is_file() for path in (source, target))  # not of a pipe
    return (found if again else [*found]), {}


def _files(source: str, target: str | None) -> tuple[str, str | None]:
    """The two files; those of a corpus folder where one is given."""
    folder = Path(source)
    if target is not None or source == "-" or not folder.is_dir():
        return source, target
    names = [next((p for p in (folder / n, folder / f"{n}.gz") if p.exists()), folder / n) for n in ("f.conllu", "e.conllu")]
    return str(names[0]), str(names[1])


class Words(NamedTuple):
    """A sentence of one side."""

    forms: list[str]
    lemmas: list[str] | None = None
    tags: list[str] | None = None


@dataclass
class Rows:
    """The pairs of two files, line by line; faults are told at the first reading."""

    source: str
    target: str
    _told: bool = field(default=False, init=False)

    def __iter__(self) -> Iterator[Row]:
        from itertools import zip_longest

        from divproj.errors import AlignmentError, Faults, Where
        from divproj.words.text import Row

        faults = [Faults(strict=False) if self._told else common.faults_for(False) for _ in "fe"]
        sides = [_sentences(path, some) for path, some in zip((self.source, self.target), faults, strict=True)]
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
        if not self._told:
            for some in faults:
                talk.summary(some)
        self._told = True


def _sentences(path: str, faults: Faults) -> Iterator[Words]:
    """Sentences of a file; one that cannot be read counts as an empty one, and is said."""
    from divproj.io import conllu
    from divproj.io.files import reading

    if not path.removesuffix(".gz").endswith(".conllu"):
        with reading(path) as stream:
            yield from (Words(words) for words in _lines(stream, path, faults))
        return
    for sentence in conllu.load(path, faults, keep_places=True):
        if sentence:
            yield Words(list(sentence.forms), list(sentence.column(2)), list(sentence.column(3)))
        else:
            yield Words([], [], [])


def _lines(stream: Iterable[bytes], path: str, faults: Faults) -> Iterator[list[str]]:
    from divproj.errors import FormatError, Where
    from divproj.io.files import name_of

    for number, raw in enumerate(stream, 1):
        try:
            yield raw.decode("utf-8").replace("\0", "").split()
        except UnicodeDecodeError:
            faults.sentence(FormatError("the line is not UTF-8 text", Where(name_of(path), number), "save the file as UTF-8"))
            yield []


def _interlinear(path: str) -> tuple[list[Row], Known]:
    from divproj.gloss.tokens import tokenize
    from divproj.io import igt
    from divproj.words.text import Row

    instances = list(igt.load(path, None, common.faults_for(False)))
    return [Row(list(x.words), list(x.e_words or tokenize(x.translation))) for x in instances], _gloss_counts(instances)


def from_glosses(path: str) -> Known:
    """Word pairs that the glosses of interlinear text link."""
    from divproj.io import igt

    return _gloss_counts(list(igt.load(path, None, common.faults_for(False))))


def _gloss_counts(instances: list[Any]) -> Known:
    from divproj.gloss.aligner import GlossAligner
    from divproj.gloss.tokens import tokenize
    from divproj.words.priors import from_links

    aligner = GlossAligner()
    linked = []
    for igt in instances:
        e_words = igt.e_words or tokenize(igt.translation)
        links = aligner.align(igt, e_words).links if igt.glosses else ()
        linked.append((igt.words, e_words, [(x.f, x.e, x.score) for x in links]))
    return from_links(linked)

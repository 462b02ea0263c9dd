"""Sentence pairs for the word aligner: from text, CoNLL-U or interlinear text, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from divproj.data.errors import Faults
from divproj.data.igt import Igt
from divproj.data.options import ReaderOptions
from divproj.data.sentence import Sentence
from divproj.io import igt as interlinear
from divproj.io.conllu import is_conllu
from divproj.io.corpus import LINES, Corpus
from divproj.io.files import is_pipe, reading
from divproj.io.igt_conllu import from_sentence
from divproj.links.gloss.aligner import GlossAligner
from divproj.links.words.priors import Known, from_dictionary, from_links
from divproj.links.words.text import Row
from divproj.text.tokens import tokenize


def word_rows(
    source: str, target: str | None, faults: Faults, reader: ReaderOptions | None = None, *, same_ids: bool = True
) -> tuple[Iterable[Row], Known]:
    """The words of sentence pairs, and links of their glosses where they have glosses."""
    lines = LINES if target is not None and not is_conllu(source) else None
    corpus = Corpus(source, target, format=lines, reader=reader or ReaderOptions(), same_ids=same_ids, faults=faults)
    corpus = replace(corpus, links=())  # those of a folder are not looked at
    if target is None and not corpus.e:
        instances = [from_sentence(row.f) if isinstance(row.f, Sentence) else row.f or Igt(()) for row in corpus.rows()]
        return [Row(list(x.words), list(x.e_words or tokenize(x.translation))) for x in instances], _gloss_counts(instances)
    rows = Rows(corpus)
    return (rows if not any(map(is_pipe, (source, target or ""))) else [*rows]), {}


@dataclass
class Rows:
    """The words of the pairs of a corpus, read whenever they are asked for; faults are reported at the first reading."""

    corpus: Corpus
    _reported: bool = field(default=False, init=False)

    def __iter__(self) -> Iterator[Row]:
        corpus = replace(self.corpus, faults=Faults(strict=False)) if self._reported else self.corpus
        for f, e, _ in corpus.rows():
            if f is None:  # keeps its place
                yield Row([], [], ([], []), ([], []))
            elif isinstance(f, Igt):
                yield Row(list(f.words), list(e.forms) if e else f.translation.split())
            else:
                forms, columns = (list(e.forms), (list(e.column(2)), list(e.column(3)))) if e else ([], ([], []))
                yield Row(list(f.forms), forms, (list(f.column(2)), columns[0]), (list(f.column(3)), columns[1]))
        self._reported = True


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

"""Bitext: sentences and translations in two files, one per line, or CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from os import PathLike, fspath

from divproj.data.errors import AlignmentError, Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io import conllu
from divproj.io.files import name_of, reading
from divproj.io.igt_conllu import from_sentence


def is_conllu(path: str | PathLike[str]) -> bool:
    """Whether a file is CoNLL-U by its name, packed or not.

    >>> is_conllu("f.conllu.gz"), is_conllu("text.txt")
    (True, False)
    """
    return fspath(path).removesuffix(".gz").endswith(".conllu")


def bitext(f: str, e: str | None, faults: Faults) -> Iterator[Igt]:
    """The sentences of `f` with the translations of `e`; one that cannot be read has no words, so that lines stay in step."""
    sides = _sentences(f, faults)
    if e is None:
        yield from sides
        return
    counts = [0, 0]
    for igt, translation in zip_longest(sides, _translations(e, faults)):
        counts[0] += igt is not None
        counts[1] += translation is not None
        if igt is not None and translation is not None:
            yield replace(igt, translation=translation, translations=())
    if counts[0] != counts[1]:
        what = f"{counts[0]} sentences, but {name_of(e)} has {counts[1]}"
        raise AlignmentError(what, Where(name_of(f)), "the two sides must have one sentence per line, in the same order")


def _sentences(path: str, faults: Faults) -> Iterator[Igt]:
    if is_conllu(path):
        for sentence in conllu.load(path, faults, keep_places=True):
            yield Igt(()) if sentence is None else from_sentence(sentence, faults)
        return
    for where, line in lines(path, faults):
        yield Igt(tuple(line.split()), where=where)


def _translations(path: str, faults: Faults) -> Iterator[str]:
    if is_conllu(path):
        yield from (" ".join(row.forms) if row else "" for row in conllu.load(path, faults, keep_places=True))
    else:
        yield from (line for _, line in lines(path, faults))


def lines(path: str, faults: Faults) -> Iterator[tuple[Where, str]]:
    """(place, line) of plain text; a line that is not UTF-8 is reported and counts as an empty one."""
    with reading(path) as stream:
        for number, raw in enumerate(stream, 1):
            where = Where(name_of(path), number)
            try:
                yield where, " ".join(raw.decode("utf-8-sig").replace("\0", "").split())
            except UnicodeDecodeError:
                faults.sentence(FormatError("the line is not UTF-8 text", where, "save the file as UTF-8"))
                yield where, ""

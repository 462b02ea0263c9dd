"""Bitext: sentences and translations in two files, one per line, or CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from divproj.data.errors import AlignmentError, Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io import conllu
from divproj.io.files import Digest, Source, name_of, reading
from divproj.io.igt_conllu import from_sentence


def bitext(
    f: Sequence[Source], e: Sequence[Source], faults: Faults, digests: tuple[Digest | None, Digest | None] = (None, None)
) -> Iterator[Igt]:
    """The sentences of `f` with the translations of `e`; one that cannot be read has no words, so that lines stay in step."""
    sides = chain.from_iterable(_sentences(path, faults, digests[0]) for path in f)
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


def _sentences(path: Source, faults: Faults, digest: Digest | None) -> Iterator[Igt]:
    if conllu.is_conllu(path):
        for sentence in conllu.load(path, faults, keep_places=True, digest=digest):
            yield Igt(()) if sentence is None else from_sentence(sentence, faults)
        return
    for where, line in lines(path, faults, digest):
        yield Igt(tuple(line.split()), where=where)


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

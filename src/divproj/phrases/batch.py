"""Phrase alignment piece by piece: what a worker of the engine is asked to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from divproj.data.errors import Faults
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.reading import ForestPairs, lexicon
from divproj.phrases.results import PhraseAlignment
from divproj.runtime.engine import HERE, Place, Say, run, stamp

BATCH = 20
"""Pairs that are aligned at a time."""


@dataclass(frozen=True)
class PhrasePlan:
    """How phrases are aligned: what is known of words, the model, and its parameters by name."""

    languages: tuple[str, str]
    wordnet: Path | None
    table: Path | None
    vectors: str | None
    threshold: float
    model: Path | None
    params: tuple[tuple[str, Any], ...]
    stamps: tuple[str, ...] = ()


phrase_aligners: dict[PhrasePlan, PhraseAligner] = {}
"""The one that this process has made, or was given."""


def _phrase_aligner(how: PhrasePlan) -> PhraseAligner:
    if how not in phrase_aligners:
        known = lexicon(how.languages, how.wordnet, how.table, how.vectors, how.threshold, Faults(strict=False))
        made = PhraseAligner.load(how.model, known.relation) if how.model else PhraseAligner(relation=known.relation)
        phrase_aligners.clear()
        phrase_aligners[how] = made.set_params(**dict(how.params))
    return phrase_aligners[how]


def aligned(how: PhrasePlan, rows: list[Any], faults: Faults) -> list[PhraseAlignment]:
    """Phrase pairs of forests with their word candidates."""
    return _phrase_aligner(how).predict([(src, tgt) for src, tgt, _ in rows], [links for _, _, links in rows])


def plan_of(
    aligner: PhraseAligner, given: ForestPairs, model: Path | None, wordnet: Path | None, table: Path | None, vectors: str | None,
    threshold: float,
) -> PhrasePlan:  # fmt: skip
    """The plan of an aligner, for workers; this process has it already."""
    params = tuple((name, value) for name, value in aligner.get_params().items() if name != "relation")
    files = [path.absolute() if path else None for path in (wordnet, table, model)]
    stamps = tuple(stamp(path) for path in (*files, vectors) if path and path not in ("en", "none"))
    made = PhrasePlan(given.lexicon.languages, files[0], files[1], vectors, threshold, files[2], params, stamps)
    phrase_aligners[made] = aligner
    return made


def align_forests(
    plan: PhrasePlan, given: ForestPairs, place: Place = HERE, say: Say | None = None
) -> Iterator[PhraseAlignment]:
    """Phrase pairs of all pairs of forests, shared out to workers, in order."""

    def read(faults: Faults) -> Iterator[list[Any]]:
        rows = replace(given, faults=faults)
        pairs = rows.pairs()
        while some := list(islice(pairs, BATCH)):
            yield some
        given.ends = rows.ends

    return chain.from_iterable(run(partial(aligned, plan), read, given.faults, place, say))

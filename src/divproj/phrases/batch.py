"""Phrase alignment piece by piece: what a worker of the engine is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divproj.data.errors import Faults
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.reading import lexicon
from divproj.phrases.results import PhraseAlignment


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

"""`proj project` with systems that look at the whole text first: s5, s5+, refined links, several sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from divproj.errors import AlignmentError, Faults, Where
from proj_cli.bitexts import bitexts

if TYPE_CHECKING:
    from divproj.projection.s1 import Bitext, Projection, Projector
    from divproj.types import Sentence
    from proj_cli.bitexts import Sources


def needs_all(run: Projector) -> bool:
    """Whether the system behind a projector wants to observe the text first."""
    owner: Any = getattr(run, "__self__", None)
    return hasattr(owner, "observe")


def projections(
    run: Projector, sources: Sources, others: Sequence[Sources], faults: Faults, refine: bool
) -> Iterator[tuple[Sentence, Projection]]:
    """Every sentence with its projection, by the votes of all sources."""
    first = list(bitexts(sources, faults))
    made = [_projected(run, [bitext for _, bitext in first], refine)]
    for other in others:
        same = _same_words(first, list(bitexts(other, faults)), other)
        made.append(_projected(run, same, refine))
    if len(made) == 1:
        yield from zip((sentence for sentence, _ in first), made[0], strict=True)
        return
    from divproj.bridge.vote import vote

    for (sentence, _), *votes in zip(first, *made, strict=True):
        yield sentence, vote(votes)


def _projected(run: Projector, text: list[Bitext], refine: bool) -> list[Projection]:
    """Projections of one source, whose text the system observes."""
    if refine:
        from divproj.bridge.links import refine_links
        from divproj.bridge.projector import PhraseProjector

        aligner = PhraseProjector().observe(text)
        text = [replace(bitext, alignment=refine_links(aligner, bitext)) for bitext in text]
    if needs_all(run):
        run.__self__.observe(text)  # type: ignore[attr-defined]
    return [run(bitext) for bitext in text]


def _same_words(first: Sequence[tuple[Sentence, Bitext]], other: Sequence[tuple[Sentence, Bitext]], sources: Sources) -> list[Bitext]:
    found = []
    for k, (a, b) in enumerate(zip_longest(first, other), 1):
        if a is None or b is None or a[1].forms != b[1].forms:
            words = "no sentence" if b is None else " ".join(b[1].forms[:6])
            wanted = "no more" if a is None else " ".join(a[1].forms[:6])
            raise AlignmentError(
                f"sentence {k} is '{words} …' where the first source has '{wanted} …'",
                Where(sources.path, 0, b[1].sent_id if b else ""),
                "every source must have the same F sentences in the same order",
            )
        found.append(b[1])
    return found

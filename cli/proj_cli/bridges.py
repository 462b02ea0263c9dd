"""`proj project` where the whole text is looked at first: s5 and s5+, refined links, several sources."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from divproj.errors import AlignmentError, Faults, Where
from divproj.io import conllu, pharaoh
from divproj.projection.output import annotated
from proj_cli.bitexts import bitexts
from proj_cli.tasks import Trees, projector

if TYPE_CHECKING:
    from divproj.projection.s1 import Bitext, Projection, Projector
    from divproj.types import Sentence
    from proj_cli.bitexts import Sources
    from proj_cli.tasks import System

Rows = Sequence[tuple["Sentence", "Bitext"]]


def whole(system: System, sources: Sequence[Sources], refine: bool, faults: Faults) -> Iterator[Trees]:
    """Every sentence of the first source with its projection, by the votes of all sources."""
    run = projector(system)
    first = list(bitexts(sources[0], faults))
    texts = [[bitext for _, bitext in first]]
    texts += [_same_words(first, list(bitexts(other, faults)), other) for other in sources[1:]]
    made = [_projected(run, text, refine) for text in texts]
    for (sentence, _), *found in zip(first, *made, strict=True):
        yield _trees(sentence, _elected(found), system.name)


def _elected(found: Sequence[Projection]) -> Projection:
    if len(found) == 1:
        return found[0]
    from divproj.bridge.vote import vote

    return vote(found)


def _trees(sentence: Sentence, found: Projection, name: str) -> Trees:
    out = io.StringIO()
    conllu.dump([annotated(sentence, found, name)], out)
    return Trees(1, out.getvalue(), sentence.end, f"{pharaoh.dumps(found.bitext.alignment)}\n", (found,))


def _projected(run: Projector, text: list[Bitext], refine: bool) -> list[Projection]:
    """Projections of one source, whose text the system observes."""
    if refine:
        from divproj.bridge.links import refine_links
        from divproj.bridge.projector import PhraseProjector

        aligner = PhraseProjector().observe(text)
        text = [replace(bitext, alignment=refine_links(aligner, bitext)) for bitext in text]
    owner: Any = getattr(run, "__self__", None)
    if getattr(owner, "observes", False):
        owner.observe(text)
    return [run(bitext) for bitext in text]


def _same_words(first: Rows, other: Rows, sources: Sources) -> list[Bitext]:
    """The other source's sentences; AlignmentError where they are not those of the first."""
    found = []
    for k, (a, b) in enumerate(zip_longest(first, other), 1):
        if a is None or b is None or a[1].forms != b[1].forms:
            words, wanted = ("no sentence" if x is None else f"'{' '.join(x[1].forms[:6])} …'" for x in (b, a))
            raise AlignmentError(
                f"sentence {k} is {words} where the first source has {wanted}",
                Where(sources.path, 0, b[1].sent_id if b else ""),
                "every source must have the same F sentences in the same order",
            )
        found.append(b[1])
    return found

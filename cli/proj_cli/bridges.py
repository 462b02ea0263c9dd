"""`proj project` where the whole text is looked at first: s5 and s5+, refined links, better E trees, several sources."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from divproj.errors import AlignmentError, Faults, Where
from divproj.io import conllu
from divproj.projection.output import annotated
from proj_cli.bitexts import bitexts
from proj_cli.tasks import Trees, projected_from, projector

if TYPE_CHECKING:
    from divproj.bridge.projector import PhraseProjector
    from divproj.forest.hypergraph import Forest
    from divproj.projection.s1 import Bitext, Projection, Projector
    from divproj.types import Sentence
    from proj_cli.bitexts import Sources
    from proj_cli.tasks import System

Rows = Sequence[tuple["Sentence", "Bitext"]]


@dataclass(frozen=True)
class Looks:
    """What aligned phrases are asked for besides trees, and what else they may look at."""

    refine: bool = False
    """Whether links are refined first."""
    e_best: int = 1
    """E trees to choose from."""
    f_forests: str | None = None
    """A file with parses of the F sentences."""


def whole(system: System, sources: Sequence[Sources], looks: Looks, faults: Faults) -> Iterator[Trees]:
    """Every sentence of the first source with its projection, by the votes of all sources."""
    run = projector(system)
    first = list(bitexts(sources[0], faults))
    texts = [[bitext for _, bitext in first]]
    texts += [_same_words(first, list(bitexts(other, faults)), other) for other in sources[1:]]
    forests = _forests(looks.f_forests, texts[0], faults) if looks.f_forests else []
    made = [_projected(run, text, looks, source, forests) for text, source in zip(texts, sources, strict=True)]
    for (sentence, _), *found in zip(first, *made, strict=True):
        yield _trees(sentence, _elected(found), system.name)


def _forests(path: str, text: Sequence[Bitext], faults: Faults) -> list[Forest]:
    """Forests of the sentences, by their words; sentences without one are named."""
    from divproj.io.forests import Options, forests_from

    found = [forest for forest in forests_from(path, None, faults, Options("all")) if forest is not None]
    known = {forest.forms for forest in found}
    for k, bitext in enumerate(text, 1):
        if bitext.forms not in known:
            what = f"no forest has the words of sentence {k}, '{' '.join(bitext.forms[:6])} …'"
            faults.word(AlignmentError(what, Where(path, 0, bitext.sent_id), "any bracketing of it is taken as possible"))
    return found


def _elected(found: Sequence[Projection]) -> Projection:
    if len(found) == 1:
        return found[0]
    from divproj.bridge.vote import vote

    return vote(found)


def _trees(sentence: Sentence, found: Projection, name: str) -> Trees:
    out = io.StringIO()
    conllu.dump([annotated(sentence, found, name)], out)
    return Trees(1, out.getvalue(), sentence.end, *projected_from([found]), (found,))


def _projected(
    run: Projector, text: list[Bitext], looks: Looks, source: Sources, forests: Sequence[Forest]
) -> list[Projection]:
    """Projections of one source, whose text the system observes."""
    if looks.refine or looks.e_best > 1:
        from divproj.bridge.links import refine_links
        from divproj.bridge.projector import PhraseProjector as Aligner

        aligner = Aligner().observe(text, forests)
        if looks.e_best > 1:
            text = [_with_best_tree(aligner, bitext, source, looks.e_best) for bitext in text]
        if looks.refine:
            text = [replace(bitext, alignment=refine_links(aligner, bitext)) for bitext in text]
    owner: Any = getattr(run, "__self__", None)
    if getattr(owner, "observes", False):
        owner.observe(text, forests)
    return [run(bitext) for bitext in text]


def _with_best_tree(aligner: PhraseProjector, bitext: Bitext, source: Sources, count: int) -> Bitext:
    """The bitext with the E tree, among the parser's best, that F agrees with most."""
    from divproj.bridge.trees import alternatives, choose_tree
    from divproj.manners import in_manner
    from divproj.pipeline.translations import language_named

    language = language_named(source.e_parser or "en")
    assert language is not None
    if not len(bitext.e):
        return bitext
    trees = [(score, in_manner(tree, source.manner)) for score, tree in alternatives(language, bitext.e, count)]
    return replace(bitext, e=trees[choose_tree(aligner, bitext, trees)][1])


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

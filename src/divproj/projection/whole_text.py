"""Projection where the whole text is looked at first: s5 and s5+, refined links, better E trees, several sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Any

from divproj.data.errors import AlignmentError, Faults, ProjError, Where
from divproj.data.head_style import in_style
from divproj.data.pair import Pair
from divproj.io.sources import PARSER, Sources
from divproj.io.trees import Trees, gathered
from divproj.projection.batch import companions
from divproj.projection.calibration import calibrated
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.phrasal.phrase_sources import NO_PHRASES, PhraseSources
from divproj.projection.prepare import prepared_text
from divproj.projection.summary import Summary
from divproj.runtime.engine import HERE, Place, Say, run

if TYPE_CHECKING:
    from divproj.projection.projector import Projector

PART = 100
"""Sentences that a worker projects at a time."""
OBSERVED = 20_000
"""Sentences that are kept to learn from; the rest of a longer text is projected as it is read."""


@dataclass(frozen=True)
class PhraseOptions:
    """What aligned phrases are asked for besides trees, and what else they may look at."""

    refine: bool = False
    """Whether links are refined first."""
    e_best: int = 1
    """E trees to choose from."""
    phrases: PhraseSources = NO_PHRASES
    """Phrase pairs, and trees or forests of F."""


def project_text(
    projector: Projector,
    sources: Sequence[Sources],
    options: PhraseOptions,
    faults: Faults,
    least: float = 0.0,
    place: Place = HERE,
    say: Say | None = None,
) -> Iterator[Trees]:
    """Every sentence of the first source with its projection, by the votes of all sources; see `batch.projected` for `least`.

    Workers (`place`) parse and link; the text is observed here; then workers project with what was observed.
    """
    text = prepared_text(sources[0], faults, place, say)
    first = list(islice(text, OBSERVED))
    bitexts = [[ProjectionInput.of(pair) for pair in first]]
    if len(sources) > 1:
        first += text
        bitexts = [[ProjectionInput.of(pair) for pair in first]]
        bitexts += [_same_words(first, list(prepared_text(other, faults, place, say)), other) for other in sources[1:]]
    if not first:
        return
    engine = projector.ready(first)
    code = projector.code_
    steps = [_Step(engine, some, options, source, faults) for some, source in zip(bitexts, sources, strict=True)]
    projector.why_ = "; ".join(filter(None, (projector.why_, steps[0].note)))
    made = [projected_there(step.engine, step.text, place, say) for step in steps]
    for pair, *found in zip(first, *made, strict=True):
        yield _trees(projector, pair, calibrated(elected(found), code), least)
    if len(sources) == 1:
        for pair in text:
            yield _trees(projector, pair, calibrated(steps[0].project(ProjectionInput.of(pair)), code), least)


def projected_there(engine: Any, text: Sequence[ProjectionInput], place: Place, say: Say | None = None) -> Iterator[Projection]:
    """Projections of sentences that a system has observed, where `place` says.

    Workers get what the system has for their sentences (`part`). Systems that cannot part with it project here.
    """
    if place.here or not hasattr(engine, "part"):
        return map(engine.project, text)
    parts = (text[k : k + PART] for k in range(0, len(text), PART))
    return chain.from_iterable(run(_project_part, lambda _: ((engine.part(some), some) for some in parts), None, place, say))


def _project_part(given: tuple[Any, Sequence[ProjectionInput]], faults: Faults) -> list[Projection]:
    part, text = given
    return [*map(part.project, text)]


class _Step:
    """The projection of one source, whose text the system observes."""

    def __init__(
        self, engine: Any, text: list[ProjectionInput], options: PhraseOptions, source: Sources, faults: Faults
    ) -> None:
        self.engine, self.options, self.source = engine, options, source
        self.aligner: Any = None
        self.note = ""
        if options.refine or options.e_best > 1:
            from divproj.projection.phrasal.phrase_evidence import forests_from_file
            from divproj.projection.phrasal.projector import PhraseProjector

            known = options.phrases.f_forests
            self.aligner = PhraseProjector().observe(
                text, forests_from_file(known, text, Faults(strict=False)) if known else []
            )
            text = [self.better(bitext) for bitext in text]
        if options.phrases:
            text = self._observed(text, faults)
        elif getattr(engine, "observes", False):
            engine.observe(text)
        self.text = text
        """The sentences as they are projected."""

    def _observed(self, text: list[ProjectionInput], faults: Faults) -> list[ProjectionInput]:
        """The sentences as the engine has observed them, with forests of F and phrase pairs."""
        from divproj.projection.phrasal.phrase_evidence import gathered

        parser = None if self.source.file(self.source.e, "e.conllu") else self.source.e_parser or PARSER
        given = self.source.file(self.source.links, "align.txt") is not None
        found = gathered(text, self.options.phrases, parser=parser, linked=given, faults=faults)
        self.engine.observe(found.text, found.forests, found.book)
        self.note = found.note
        return found.text

    def better(self, bitext: ProjectionInput) -> ProjectionInput:
        """The bitext with the E tree and the links that its phrases prefer."""
        if self.options.e_best > 1:
            bitext = self._with_best_tree(bitext)
        if self.options.refine:
            from divproj.projection.phrasal.links import refine_links

            bitext = replace(bitext, links=refine_links(self.aligner, bitext))
        return bitext

    def project(self, bitext: ProjectionInput) -> Projection:
        found: Projection = self.engine.project(self.better(bitext) if self.aligner is not None else bitext)
        return found

    def _with_best_tree(self, bitext: ProjectionInput) -> ProjectionInput:
        """The bitext with the E tree, among the parser's best, that fits its links best."""
        from divproj.parsing.translations import language_named
        from divproj.projection.phrasal.trees import alternatives, choose_tree

        language = language_named(self.source.e_parser or PARSER)
        assert language is not None
        if not len(bitext.e):
            return bitext
        trees = [
            (score, in_style(tree, self.source.style)) for score, tree in alternatives(language, bitext.e, self.options.e_best)
        ]
        return replace(bitext, e=trees[choose_tree(self.aligner, bitext, trees)][1])


def elected(found: Sequence[Projection]) -> Projection:
    """The only projection, or the tree that several vote for."""
    if len(found) == 1:
        return found[0]
    from divproj.projection.phrasal.vote import vote

    return vote(found)


def _trees(projector: Projector, pair: Pair, found: Projection, least: float) -> Trees:
    assert pair.sentence is not None
    summary = Summary(projector.system_, least=least)
    if not summary.add(found, pair.sent_id):
        return Trees(0, "", summary=summary)
    links, e_trees = companions([found])
    made = projector.rows(pair, found, summary.repairs)
    return gathered([made], 1, links=links, e_trees=e_trees, projections=(found,), summary=summary)


def parsed_by_model(sources: Sources) -> Sources:
    """The sources with E parsed by a model, which can give several trees; ProjError where something else gives one."""
    from divproj.parsing.translations import language_named

    if given := sources.file(sources.e, "e.conllu"):
        raise ProjError(f"several trees of E are wanted, but {given} gives one per sentence", remedy="leave it out")
    parser = sources.e_parser or PARSER
    if parser.startswith("corenlp:") or language_named(parser) is None:
        what = f"several trees of E are wanted, but the parser `{parser}` gives one"
        raise ProjError(what, remedy="choose a language in the box, or a model of `proj train`, as the parser of E")
    return replace(sources, e_parser=parser)


def _same_words(first: Sequence[Pair], other: Sequence[Pair], sources: Sources) -> list[ProjectionInput]:
    """The other source's sentences; AlignmentError where they are not those of the first."""
    found = []
    for k, (a, b) in enumerate(zip_longest(first, other), 1):
        if a is None or b is None or a.f.forms != b.f.forms:
            words, wanted = ("no sentence" if x is None else f"'{' '.join(x.f.forms[:6])} …'" for x in (b, a))
            raise AlignmentError(
                f"sentence {k} is {words} where the first source has {wanted}",
                Where(sources.path, 0, b.sent_id if b else ""),
                "every source must have the same F sentences in the same order",
            )
        found.append(ProjectionInput.of(b))
    return found

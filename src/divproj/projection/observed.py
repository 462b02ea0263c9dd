"""A text just before it is projected: phrases refine its links, choose among its E trees, and tell systems that observe it more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Any

from divproj.data.errors import AlignmentError, Faults, ProjError, Where
from divproj.data.head_style import in_style
from divproj.data.pair import Pair
from divproj.projection.base import Engine
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.phrasal.phrase_sources import PhraseOptions
from divproj.runtime.engine import Place, Say, run

PART = 100
"""Sentences that a worker projects at a time."""


@dataclass(frozen=True)
class Text:
    """Pairs that are ready to be projected, and where their trees of E and their links come from."""

    pairs: Sequence[Pair]
    parser: str | None = None
    """The language or model that parsed E; None where the trees were given."""
    linked: bool = True
    """Whether the links were given."""
    name: str = ""
    """Of the file, for messages."""

    def check_words(self, first: Text) -> None:
        """AlignmentError where F has not the sentences of the first source."""
        for k, (a, b) in enumerate(zip_longest(first.pairs, self.pairs), 1):
            if a is None or b is None or a.f.forms != b.f.forms:
                words, wanted = ("no sentence" if x is None else f"'{' '.join(x.f.forms[:6])} …'" for x in (b, a))
                raise AlignmentError(
                    f"sentence {k} is {words} where the first source has {wanted}",
                    Where(self.name, 0, b.sent_id if b else ""),
                    "every source must have the same F sentences in the same order",
                )


class ObservedText:
    """A text after phrases and the system have gone through it; `style` is the head style of E."""

    def __init__(
        self, engine: Engine, text: Text, options: PhraseOptions, style: str = "as-is", faults: Faults | None = None
    ) -> None:
        self.engine, self.options, self.style = engine, options, style
        self.aligner: Any = None
        self.language: Any = None
        """What gives several trees of E, where these are wanted."""
        self.note = ""
        """What the user should know of it."""
        self.text = [*map(ProjectionInput.of, text.pairs)]
        """The sentences as they are projected."""
        if options.improves:
            self._improve(text.parser)
        if options.phrases:
            self._gather(text.parser, text.linked, faults)
        elif engine.observes:
            engine.observe(self.text)

    def _improve(self, parser: str | None) -> None:
        """Links and E trees as aligned phrases prefer them."""
        from divproj.projection.phrasal.phrase_evidence import forests_from_file
        from divproj.projection.phrasal.projector import PhraseProjector

        known = self.options.phrases.f_forests
        self.language = several_trees(parser) if self.options.e_best > 1 else None
        forests = forests_from_file(known, self.text, Faults(strict=False)) if known else []
        self.aligner = PhraseProjector().observe(self.text, forests)
        self.text = [self.better(bitext) for bitext in self.text]

    def _gather(self, parser: str | None, linked: bool, faults: Faults | None) -> None:
        """Phrase pairs and forests of F, for a system that looks at them."""
        from divproj.projection.phrasal.phrase_evidence import gathered

        found = gathered(self.text, self.options.phrases, parser=parser, linked=linked, faults=faults)
        self.engine.observe(found.text, found.forests, found.book)
        self.text, self.note = found.text, found.note

    def better(self, bitext: ProjectionInput) -> ProjectionInput:
        """The bitext with the E tree and the links that its phrases prefer."""
        if self.aligner is None:
            return bitext
        if self.options.e_best > 1 and len(bitext.e):
            from divproj.projection.phrasal.trees import alternatives, choose_tree

            found = alternatives(self.language, bitext.e, self.options.e_best)
            trees = [(score, in_style(tree, self.style)) for score, tree in found]
            bitext = replace(bitext, e=trees[choose_tree(self.aligner, bitext, trees)][1])
        if self.options.refine:
            from divproj.projection.phrasal.links import refine_links

            bitext = replace(bitext, links=refine_links(self.aligner, bitext))
        return bitext

    def projections(self, place: Place, say: Say | None = None) -> Iterator[Projection]:
        """Projections of its sentences, where `place` says.

        Workers get what the system has for their sentences (`part`). Systems that cannot part with it project here.
        """
        part_of: Any = getattr(self.engine, "part", None)
        if place.here or part_of is None:
            return map(self.engine.project, self.text)
        parts = (self.text[k : k + PART] for k in range(0, len(self.text), PART))
        return chain.from_iterable(run(_project_part, lambda _: ((part_of(some), some) for some in parts), None, place, say))


def _project_part(given: tuple[Engine, Sequence[ProjectionInput]], faults: Faults) -> list[Projection]:
    part, text = given
    return [*map(part.project, text)]


def several_trees(parser: str | None) -> Any:
    """The language or model of this name, which can give several trees of a sentence; ProjError where it gives one."""
    from divproj.parsing.translations import language_named

    if parser is None:
        raise ProjError("several trees of E are wanted, but its trees are given", remedy="leave them out")
    language = None if parser.startswith("corenlp:") else language_named(parser)
    if language is None:
        what = f"several trees of E are wanted, but the parser `{parser}` gives one"
        raise ProjError(what, remedy="choose a shipped language (`en`), or a model from `proj train`, as the parser of E")
    return language


def elected(found: Sequence[Projection]) -> Projection:
    """The only projection, or the tree that several vote for."""
    if len(found) == 1:
        return found[0]
    from divproj.projection.phrasal.vote import vote

    return vote(found)

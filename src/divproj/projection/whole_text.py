"""Projection where the whole text is looked at first: s5, s6 and s5+, refined links, better E trees, several sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from divproj.data.errors import Faults, ProjError
from divproj.data.pair import Pair
from divproj.io.sources import PARSER, Sources
from divproj.io.trees import Trees, gathered
from divproj.projection.batch import companions
from divproj.projection.direct import Projection
from divproj.projection.observed import Text, several_trees
from divproj.projection.prepare import prepared_text
from divproj.projection.projector import OBSERVED
from divproj.projection.summary import Summary
from divproj.runtime.engine import HERE, Place, Say

if TYPE_CHECKING:
    from divproj.projection.projector import Projector


def project_text(
    projector: Projector,
    sources: Sequence[Sources],
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
    if not first:
        return
    if len(sources) > 1:
        first += text
    others = [ready_text(other, faults, place, say) for other in sources[1:]]
    found = projector.projections(_text(sources[0], first), others, place=place, say=say, faults=faults)
    for pair, each in zip(first, found, strict=True):
        yield _trees(projector, pair, each, least)
    for pair in text:
        yield _trees(projector, pair, projector.projection(pair), least)


def ready_text(sources: Sources, faults: Faults, place: Place = HERE, say: Say | None = None) -> Text:
    """All of a source, with trees of E and links."""
    return _text(sources, list(prepared_text(sources, faults, place, say)))


def _text(sources: Sources, pairs: Sequence[Pair]) -> Text:
    parser = None if sources.file(sources.e, "e.conllu") else sources.e_parser or PARSER
    return Text(pairs, parser, sources.file(sources.links, "align.txt") is not None, sources.path)


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
    if given := sources.file(sources.e, "e.conllu"):
        raise ProjError(f"several trees of E are wanted, but {given} gives one per sentence", remedy="leave it out")
    parser = sources.e_parser or PARSER
    several_trees(parser)
    return replace(sources, e_parser=parser)

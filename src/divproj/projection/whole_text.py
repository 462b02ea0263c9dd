"""Projection where the whole text is looked at first: s5, s6 and s5+, refined links, better E trees, several sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING

from divproj.data.errors import Faults, ProjError
from divproj.data.pair import Pair
from divproj.io.corpus import Corpus
from divproj.io.trees import Trees, gathered
from divproj.projection.batch import companions
from divproj.projection.direct import Projection
from divproj.projection.observed import Text, several_trees
from divproj.projection.prepare import PARSER, Preparation, prepared_text
from divproj.projection.projector import OBSERVED
from divproj.projection.summary import Summary
from divproj.runtime.engine import HERE, Place, Say

if TYPE_CHECKING:
    from divproj.projection.projector import Projector


def project_text(
    projector: Projector,
    corpora: Sequence[Corpus],
    faults: Faults,
    least: float = 0.0,
    place: Place = HERE,
    say: Say | None = None,
) -> Iterator[Trees]:
    """Every sentence of the first corpus with its projection, by the votes of all corpora; see `batch.projected` for `least`.

    Workers (`place`) parse and link; the text is observed here; then workers project with what was observed.
    """
    how = projector.preparation
    text = prepared_text(corpora[0], how, faults, place, say)
    first = list(islice(text, OBSERVED))
    if not first:
        return
    if len(corpora) > 1:
        first += text
    others = [ready_text(other, how, faults, place, say) for other in corpora[1:]]
    found = projector.projections(_text(corpora[0], how, first), others, place=place, say=say, faults=faults)
    for pair, each in zip(first, found, strict=True):
        yield _trees(projector, pair, each, least)
    for pair in text:
        yield _trees(projector, pair, projector.projection(pair), least)


def ready_text(corpus: Corpus, how: Preparation, faults: Faults, place: Place = HERE, say: Say | None = None) -> Text:
    """All of a corpus, with trees of E and links."""
    return _text(corpus, how, list(prepared_text(corpus, how, faults, place, say)))


def _text(corpus: Corpus, how: Preparation, pairs: Sequence[Pair]) -> Text:
    parser = None if corpus.has_trees else how.e_parser or PARSER
    return Text(pairs, parser, bool(corpus.links), corpus.path)


def _trees(projector: Projector, pair: Pair, found: Projection, least: float) -> Trees:
    assert pair.sentence is not None
    summary = Summary(projector.system_, least=least)
    if not summary.add(found, pair.sent_id):
        return Trees(0, "", summary=summary)
    links, e_trees = companions([found])
    made = projector.rows(pair, found, summary.repairs)
    return gathered([made], 1, links=links, e_trees=e_trees, projections=(found,), summary=summary)


def check_parsed_by_model(corpus: Corpus, parser: str | None) -> None:
    """ProjError unless E is parsed by a model, which can give several trees."""
    if corpus.has_trees:
        assert not isinstance(corpus.e, str | PathLike)
        given = next(iter(corpus.e or ()))
        raise ProjError(f"several trees of E are wanted, but {given} gives one per sentence", remedy="leave it out")
    several_trees(parser or PARSER)

"""Better E trees: among the parser's best, the one whose phrases F's words agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from divproj.data.tree import DepTree
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.cues import LinkedPair
from divproj.projection.phrasal.projector import LONGEST, PhraseProjector
from divproj.projection.settings import CHART_SHARE

if TYPE_CHECKING:
    from divproj.parsing.language import Language


def alternatives(language: Language, tree: DepTree, count: int) -> list[tuple[float, DepTree]]:
    """The parser's best trees of a sentence that it parsed, with log-probabilities up to a constant; best first."""
    from divproj.parsing.alternatives import n_best

    seen = language.seen(tree.forms, list(zip(tree.upos, tree.xpos, strict=True)))
    parser = language.parser
    return [
        (score * parser.scale_, tree.with_heads(heads, parser.relations(seen, heads)))
        for score, heads in n_best(parser, seen, count)
    ]


def support(projector: PhraseProjector, bitext: ProjectionInput, tree: DepTree) -> float:
    """log of the sum over all bracketings of F, paired with the phrases of this E tree."""
    linked = projector.links_.of(bitext)
    other = LinkedPair(bitext, replace(linked.bitext, e=tree), linked.kinds)
    encoded = projector.encode(other)
    edges, lefts, rights = (np.empty(encoded.codes.shape) for _ in range(3))
    sums = chart.phrase_sums.for_work(projector.words_, len(edges))
    return float(sums(projector.scores(encoded), edges, lefts, rights))


def choose_tree(
    projector: PhraseProjector, bitext: ProjectionInput, trees: Sequence[tuple[float, DepTree]], share: float = CHART_SHARE
) -> int:
    """Which of the E trees, each with the parser's log-probability, goes best with F; the projector has observed the text.

    The first of equals: where F says nothing, the parser's own best stays.
    """
    if len(trees) < 2 or not 0 < len(bitext) <= LONGEST or not bitext.links.links:
        return 0
    scores = [own + share * support(projector, bitext, tree) for own, tree in trees]
    return scores.index(max(scores))

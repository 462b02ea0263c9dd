"""More than one tree: the K best of a sentence, and the packed forest of the probable ones."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from divproj.data.limits import PARSED_WHOLE
from divproj.data.sentence import Sentence
from divproj.forest.charts import from_arc_scores
from divproj.forest.dependencies import from_dependencies
from divproj.forest.hypergraph import Forest
from divproj.parsing.atoms import ParserInput
from divproj.parsing.decode import chu_liu_edmonds, eisner, eisner_siblings
from divproj.parsing.language import Language, with_confidence
from divproj.parsing.learn import climb, sibling_sum
from divproj.parsing.parser import EdgeParser, Tables
from divproj.parsing.settings import FOREST_EDGE

FORCED = 1e6
"""What forbids an edge: no sum of scores comes near it."""


def n_best(parser: EdgeParser, sentence: ParserInput, count: int) -> list[tuple[float, tuple[int, ...]]]:
    """The best trees with their scores, best first (Lawler 1972: each tree found splits what is left to search).

    Exact where the decoder is: projective trees of orders 1 and 2, and order 1 with crossing edges.
    """
    tables = parser.tables(sentence)
    n = len(sentence)
    start = _best(parser, tables, {}, set())
    waiting = [(-_score(tables, start), start, 1, frozenset[tuple[int, int]]())]
    found: list[tuple[float, tuple[int, ...]]] = []
    while waiting and len(found) < count:
        cost, tree, free, banned = heapq.heappop(waiting)
        found.append((-cost, tree))
        for c in range(free, n + 1):  # agree with the tree before c, differ at c
            kept = {k: tree[k - 1] for k in range(1, c)}
            barred = frozenset({*(edge for edge in banned if edge[1] >= c), (tree[c - 1], c)})
            other = _best(parser, tables, kept, barred)
            if all(other[k - 1] == h for k, h in kept.items()) and not any(
                (other[k - 1], k) in barred for k in range(1, n + 1)
            ):
                heapq.heappush(waiting, (-_score(tables, other), other, c, barred))
    return found


def _best(
    parser: EdgeParser, tables: Tables, kept: dict[int, int], banned: set[tuple[int, int]] | frozenset[tuple[int, int]]
) -> tuple[int, ...]:
    """The best tree with these heads and without these edges, if there is one."""
    scores = tables.edges.copy()
    for c, h in kept.items():
        scores[np.arange(len(scores)) != h, c] -= FORCED
    for h, c in banned:
        scores[h, c] -= FORCED
    heads = np.zeros(len(scores), np.int64)
    if tables.siblings is None:
        (chu_liu_edmonds if parser.crossing_ else eisner).compiled(scores, heads)
    else:
        eisner_siblings.compiled(scores, tables.siblings, heads)
        if parser.crossing_ or len(tables.grand):
            climb.compiled(scores, tables.siblings, tables.grand, parser.crossing_, heads)
    return tuple(heads[1:].tolist())


def _score(tables: Tables, tree: tuple[int, ...]) -> float:
    total = sum(float(tables.edges[h, c]) for c, h in enumerate(tree, 1))
    if tables.siblings is not None:
        heads = np.array((-1, *tree), np.int64)
        total += sum(float(sibling_sum.compiled(tables.siblings, heads, h)) for h in range(len(heads)))
        if len(tables.grand):
            total += sum(float(tables.grand[tree[h - 1], h, c]) for c, h in enumerate(tree, 1) if h > 0)
    return total


def several(language: Language, sentence: Sentence, count: int) -> Iterator[Sentence]:
    """The K best trees of a parsed sentence (of a very long one the best), each with its rank and log-probability among the K in a comment."""
    if len(sentence.forms) > PARSED_WHOLE:
        yield sentence
        return
    tags = list(zip(sentence.column(3), sentence.column(4), strict=True))
    seen = language.seen(sentence.forms, tags)
    trees = n_best(language.parser, seen, count)
    scaled = [score * language.parser.scale_ for score, _ in trees]
    log_sum = float(np.logaddexp.reduce(scaled))
    sure = any("ParseConf=" in cell for cell in sentence.column(9))
    [chances] = language.parser.marginals([seen])
    for rank, (score, (_, heads)) in enumerate(zip(scaled, trees, strict=True), 1):
        rels = language.parser.relations(seen, heads)
        note = f"# parse = {rank} of {len(trees)} log_prob={score - log_sum:.4f}"
        misc = with_confidence(sentence.column(9), heads, chances) if sure else sentence.column(9)
        made = sentence.with_columns({6: tuple(map(str, heads)), 7: rels, 9: misc})
        yield replace(made, comments=(*made.comments, note))


def forest_of(language: Language, sentence: Sentence, at_least: float = FOREST_EDGE) -> Forest:
    """Headed phrases of all probable projective trees of a parsed sentence, with their probabilities.

    Edges below `at_least` are left out, but for those of the best projective tree. Of a very long sentence the tree it has.
    """
    if len(sentence.forms) > PARSED_WHOLE:
        return from_dependencies(sentence.usable_tree()[0], lemmas=sentence.column(2), sent_id=sentence.sent_id)
    tags = list(zip(sentence.column(3), sentence.column(4), strict=True))
    made = packed(language.parser, language.seen(sentence.forms, tags), at_least)
    return replace(made, forms=sentence.forms, lemmas=sentence.column(2), sent_id=sentence.sent_id)


def packed(parser: EdgeParser, seen: ParserInput, at_least: float = FOREST_EDGE) -> Forest:
    """The same of any parser that scores edges, for a sentence as it sees it."""
    scores = parser.tables(seen).edges * parser.scale_
    keep = parser.projective_marginals(scores) >= at_least
    heads = np.zeros(len(scores), np.int64)
    eisner.compiled(scores, heads)
    keep[heads[1:], np.arange(1, len(scores))] = True
    return from_arc_scores(seen.forms, seen.tags, scores, keep=keep)

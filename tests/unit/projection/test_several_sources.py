"""Refined links, chosen E trees and several sources, from Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import divproj as dp
from divproj.data.pair import Pair
from divproj.projection.direct import ProjectionInput
from divproj.projection.observed import Text, several_trees
from divproj.projection.phrasal.vote import vote
from divproj.projection.systems import engine

TEXT = "Hunde bellen\ndog.PL bark\n'Dogs bark.'\n\nDer Hund sieht den Mann\nthe dog sees the man\n'The dog sees the man.'\n"


def some(count: int = 12) -> list[Pair]:
    return [pair for pair, _ in zip(dp.read("deu-eng"), range(count), strict=False)]


def without_some_links(pair: Pair) -> Pair:
    return replace(pair, links=dp.Links.of(sorted(pair.links)[1:], pair.links.shape))


def test_each_source_is_projected_by_what_was_observed_in_it():
    """What a system observes in one source says nothing of the other: its links and order of words may differ."""
    first = some()
    second = [without_some_links(pair) for pair in first]
    found = dp.projector("s5").projections(Text(first), [Text(second)])
    made = []
    for source in (first, second):
        system, text = engine("s5"), [*map(ProjectionInput.of, source)]
        system.observe(text)
        made.append([system.project(bitext) for bitext in text])
    assert [each.heads for each in found] == [vote(both).heads for both in zip(*made, strict=True)]


def test_sources_have_the_same_sentences():
    with pytest.raises(dp.AlignmentError, match="every source must have the same F sentences in the same order"):
        list(dp.projector("s1-r").pipe(some(), also=[some(3)]))


def test_links_are_refined_and_given_back():
    pairs = some(24)
    made = list(dp.projector("s5", refine_links=True).pipe(pairs))
    assert [pair.f.forms for pair in made] == [pair.f.forms for pair in pairs]
    assert any(a.links != b.links for a, b in zip(pairs, made, strict=True))
    assert all(a.links == b.links for a, b in zip(pairs, dp.projector("s1-r").pipe(pairs), strict=True))


def test_the_best_of_several_e_trees():
    one, three = (list(dp.projector("s5", e_best=count).pipe(dp.read(TEXT))) for count in (1, 3))
    assert [pair.e.forms for pair in one] == [pair.e.forms for pair in three]
    with pytest.raises(dp.ProjError, match="several trees of E are wanted, but its trees are given; leave them out"):
        list(dp.projector("s5", e_best=3).pipe(some(3)))
    with pytest.raises(dp.ProjError, match="the parser `corenlp:here` gives one; choose a shipped language"):
        several_trees("corenlp:here")
    with pytest.raises(dp.ModelError, match="`e_best` is 0, at least 1 expected"):
        dp.projector(e_best=0)
    with pytest.raises(dp.ModelError, match="no head style 'x' of E trees; choose one of as-is, ud, function"):
        dp.projector(style="x")


def test_phrases_need_a_system_that_looks_at_them(tmp_path: Path):
    with pytest.raises(dp.ModelError, match="`phrases` is given to system s1-r, which does not look at phrases; choose s5, s6"):
        list(dp.projector("s1-r", phrases="auto").pipe(some(3)))

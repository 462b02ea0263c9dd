"""Phrases of a text gathered before projection: two languages or one, E's trees given or parsed, links given or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from divproj import DepTree, Faults, Links, Pair
from divproj.core.errors import ModelError
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import evidence
from divproj.projection.phrasal.evidence import collect_evidence
from divproj.projection.phrasal.phrase_pairs import PhraseSources
from divproj.projection.phrasal.s5 import S5
from divproj.projection.projector import Projector
from divproj.projection.systems import AdaptedSystem, TextEvidence

WORDS = ("the", "old", "man", "saw", "a", "small", "dog", "in", "the", "garden")
UPOS = ("DET", "ADJ", "NOUN", "VERB", "DET", "ADJ", "NOUN", "ADP", "DET", "NOUN")
UD = DepTree(WORDS, (3, 3, 4, 0, 7, 7, 4, 10, 10, 4), ("_",) * 10, UPOS)
OWN = UD.with_heads((3, 3, 4, 0, 7, 7, 4, 4, 10, 8), ("_",) * 10)
"""The same tree with the preposition as head of its noun."""
NEW = ("in", "the", "garden", "the", "old", "man", "saw", "a", "small", "dog")
TWINS = frozenset({(1, 8), (2, 9), (3, 10), (4, 1), (5, 2), (6, 3), (7, 4), (8, 5), (9, 6), (10, 7)})


def text(e: DepTree, count: int = 1, links: frozenset[tuple[int, int]] = TWINS) -> list[ProjectionInput]:
    return [ProjectionInput(NEW, e, Links(links, (10, 10)), sent_id=str(k)) for k in range(count)]


def test_one_language_or_two():
    assert evidence.shared_language(text(UD)) == "en"
    german = ProjectionInput(
        ("der", "alte", "Mann", "sah", "einen", "kleinen", "Hund", "im", "Garten"), UD, Links(frozenset(), (9, 10))
    )
    assert evidence.shared_language([german]) == ""
    assert evidence.shared_language([]) == ""


def test_f_has_the_forests_of_the_parser_whose_style_e_has():
    from divproj.parsing.language import load_pack

    [forest] = evidence.parse_same_language(text(UD), load_pack("en"))
    assert forest.forms == NEW
    assert len(forest.edges) >= len(NEW) - 1
    unlinked = text(UD, links=frozenset())
    assert AdaptedSystem.to(S5(), unlinked, TextEvidence([forest])).project(unlinked[0]).heads[2] == 7
    assert evidence.parse_same_language(text(OWN), None) == []  # one tree is too few to learn from


@pytest.mark.parametrize("links", [TWINS, frozenset()])
def test_a_parser_learned_from_e_s_trees_has_their_style(links: frozenset[tuple[int, int]]):
    some = text(OWN, 30, links)
    forests = evidence.parse_same_language(some, None)
    assert len(forests) == 30
    assert phrase_style(forests[0]) == (7, 3, 1)


def phrase_style(forest) -> tuple[int, int, int]:
    """Heads of `in`, `the` and `garden` by the best edges of a forest."""
    from divproj.projection.phrasal.s5 import of_forest

    return tuple(of_forest(forest)[:, 1:4].argmax(0).tolist())


def test_paraphrases_without_links_are_linked_by_their_phrases():
    found = collect_evidence(text(UD, 2), PhraseSources(paraphrases=True), linked=False)
    assert found.text[0].links.links == TWINS
    assert len(found.forests) == 2
    assert found.note == ""
    assert len(found.book) == 1


def test_two_languages_without_trees_of_f_have_no_phrases():
    german = ProjectionInput(("der", "alte", "Mann"), UD, Links(frozenset({(2, 2), (3, 3)}), (3, 10)))
    found = collect_evidence([german], PhraseSources("auto"))
    assert (len(found.book), found.note) == (0, "no trees or forests of F, so no phrases were aligned")
    assert found.text == [german]


def test_one_language_is_found_out_and_said():
    found = collect_evidence(text(UD), PhraseSources("auto"))
    assert found.note == "F and E are both in the language 'en', so F has parses too"
    assert found.text[0].links.links == TWINS
    assert len(found.forests) == 1


def test_trees_of_f_in_a_file_come_first(tmp_path: Path):
    trees = tmp_path / "f.mrg"
    trees.write_text(
        "(S (PP (P in) (NP (D the) (N garden))) (S (NP (D the) (A old) (N man)) (VP (V saw) (NP (D a) (A small) (N dog)))))\n"
    )
    found = collect_evidence(text(UD), PhraseSources("auto", f_forests=str(trees)))
    assert [forest.is_tree for forest in found.forests] == [False]  # the flat noun phrases in all ways at once
    assert ((1, 2, 3), (8, 9, 10)) in {(p.f, p.e) for p in found.book.find(found.text[0]).pairs}
    other = ProjectionInput(("ka",), UD, Links(frozenset(), (1, 10)))
    faults = Faults(strict=False)
    collect_evidence([other], PhraseSources(f_forests=str(trees)), faults=faults)
    assert ["no forest has the words of sentence 1, 'ka …'" in str(x) for x in faults.noted] == [True]


class TestProjector:
    def pairs(self, tree: bool = True) -> list[Pair]:
        f = DepTree(NEW, (-1,) * 10)
        links = Links(TWINS, (10, 10))
        e = UD if tree else DepTree(WORDS, (-1,) * 10)
        return [Pair(f, e, links, "s1")]

    def test_phrases_by_the_front_door(self):
        made = Projector("s5", phrases="auto")
        [pair] = made.pipe(self.pairs())
        assert pair.f.heads == (3, 3, 7, 6, 6, 7, 0, 10, 10, 7)
        assert made.why_ == "as requested; F and E are both in the language 'en', so F has parses too"

    def test_e_may_be_parsed_here(self):
        [pair] = Projector("s5", phrases="auto").pipe(self.pairs(tree=False))
        assert pair.f.heads == (3, 3, 7, 6, 6, 7, 0, 10, 10, 7)
        assert pair.e.upos == UPOS

    def test_what_auto_takes(self):
        made = Projector(f_forests="trees.xml")
        made.choose_system(self.pairs())
        assert (made.system_, made.why_) == ("s5", "trees or forests of F are given")
        for known in ({"phrases": "auto"}, {"f_forests": "trees.xml"}):
            with pytest.raises(ModelError, match=r"is given to system s2\+, which does not look at phrases"):
                list(Projector(rules="deu", **known).pipe(self.pairs()))

    def test_a_system_that_looks_at_no_phrase_refuses(self):
        with pytest.raises(
            ModelError, match="`f_forests` is given to system s1-r, which does not look at phrases; choose s5, s6 or s5"
        ):
            list(Projector("s1-r", f_forests="trees.xml").pipe(self.pairs()))

"""Plain projection: anchors, groups, spontaneous words, one root always."""

from __future__ import annotations

from hypothesis import given
from strategies import pairs

from divproj import DepTree, Links
from divproj.data.tree import cycles
from divproj.projection.direct import ProjectionInput, s1


def bitext(forms: str, e: str, heads: tuple[int, ...], links: set[tuple[int, int]], tags: str = "") -> ProjectionInput:
    f_forms, e_forms = tuple(forms.split()), tuple(e.split())
    tree = DepTree(e_forms, heads, upos=tuple(tags.split()))
    return ProjectionInput(f_forms, tree, Links(frozenset(links), (len(f_forms), len(e_forms))))


def test_heads_go_through_the_anchors():
    found = s1(bitext("kind schläft", "the child sleeps", (2, 3, 0), {(1, 2), (2, 3)}))
    assert found.heads == (2, 0)
    assert found.reasons == ("projected", "projected")


def test_an_unaligned_e_word_is_passed_over():
    found = s1(bitext("haus garten", "house of garden", (0, 1, 2), {(1, 1), (2, 3)}))
    assert found.heads == (0, 1)


def test_a_group_hangs_on_its_last_or_first_word():
    given_ = bitext("hat gekauft brot", "bought bread", (0, 1), {(1, 1), (2, 1), (3, 2)})
    assert s1(given_, "right").heads == (2, 0, 2)
    assert s1(given_, "left").heads == (0, 1, 1)
    assert s1(given_, "right").reasons == ("merge", "projected", "projected")


def test_the_anchor_is_the_shallowest_e_word():
    given_ = bitext("im haus", "in the house", (0, 3, 1), {(1, 2), (1, 1), (2, 3)})
    assert given_.anchors == (0, 1, 3)


def test_spontaneous_words_take_the_left_neighbour_and_the_right_one_at_the_edge():
    found = s1(bitext("na komm doch her", "come here", (0, 1), {(2, 1), (4, 2)}))
    assert found.heads == (2, 0, 2, 2)
    assert found.reasons[0] == found.reasons[2] == "spontaneous"


def test_neighbours_do_not_hold_each_other():
    found = s1(bitext("ja ja na komm", "come", (0,), {(4, 1)}), spontaneous="left")
    assert found.heads == (2, 3, 4, 0)


def test_extra_roots_hang_on_the_first():
    found = s1(bitext("a b c", "x y z", (0, 0, 2), {(1, 1), (2, 2), (3, 3)}))
    assert found.heads == (0, 1, 2)


def test_a_sentence_without_links_still_gets_a_tree():
    found = s1(bitext("a b c", "x", (0,), set()))
    assert found.heads == (0, 1, 2)
    assert set(found.reasons) == {"guess"}
    assert found.coverage == 0.0


def test_tags_come_from_the_anchor_or_the_highest():
    given_ = bitext("im haus", "in the house", (0, 3, 1), {(1, 1), (1, 2), (2, 3)}, "ADP DET NOUN")
    assert given_.upos == ("DET", "NOUN")


def test_penn_tags_become_universal():
    tree = DepTree(("sleeps",), (0,), xpos=("VBZ",))
    assert ProjectionInput(("schläft",), tree, Links(frozenset({(1, 1)}), (1, 1))).upos == ("VERB",)


def test_relations_come_along_and_punctuation_is_punct():
    tree = DepTree(("child", "sleeps", "."), (2, 0, 2), ("nsubj", "root", "punct"))
    found = s1(ProjectionInput(("kind", "schläft", "!"), tree, Links(frozenset({(1, 1), (2, 2)}), (3, 3))))
    assert found.tree.rels == ("nsubj", "root", "punct")


@given(pairs())
def test_always_a_tree(pair):
    for direction in ("left", "right"):
        for spontaneous in ("left", "right"):
            heads = s1(ProjectionInput.of(pair), direction, spontaneous).heads
            assert len(heads) == len(pair.f)
            assert heads.count(0) == (1 if heads else 0)
            assert not cycles(heads)
            assert all(0 <= h <= len(heads) for h in heads)

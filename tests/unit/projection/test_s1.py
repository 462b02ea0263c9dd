"""Plain projection: anchors, groups, spontaneous words, one root always."""

from __future__ import annotations

from hypothesis import given
from strategies import pairs

from divproj import DepTree, Links, Pair
from divproj.core.tree import NO_HEAD, cycles
from divproj.projection.direct import ProjectionInput, one_root, project, s1


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


def test_the_depth_of_a_word_is_its_steps_to_the_root():
    assert bitext("a b", "the child sleeps", (2, 3, 0), set()).e_depths == (0, 3, 2, 1)


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
    assert found.tree.deprels == ("nsubj", "root", "punct")


@given(pairs())
def test_always_a_tree(pair):
    for direction in ("left", "right"):
        for spontaneous in ("left", "right"):
            heads = s1(ProjectionInput.of(pair), direction, spontaneous).heads
            assert len(heads) == len(pair.f)
            assert heads.count(0) == (1 if heads else 0)
            assert not cycles(heads)
            assert all(0 <= h <= len(heads) for h in heads)


def test_unaligned_e_words_are_passed_over_one_after_the_other():
    """`garden` is below `house` through two words that have no partner; the root would be the wrong head."""
    found = s1(
        bitext("ich sehe haus garten", "I see house of the garden", (2, 0, 2, 3, 4, 5), {(1, 1), (2, 2), (3, 3), (4, 6)})
    )
    assert found.heads == (2, 0, 2, 3)
    assert found.reasons == ("projected",) * 4


def test_the_first_e_word_is_passed_over_too():
    found = s1(bitext("haus garten sehe", "of house garden see", (2, 4, 1, 0), {(1, 2), (2, 3), (3, 4)}))
    assert found.heads == (3, 1, 0)


def test_one_root_and_no_cycle():
    """A cycle is cut at its first word; later roots depend on the first, and so does a word without a head."""
    heads, reasons = [-1, 2, 3, 1, 0, -1], ["projected"] * 6
    one_root(heads, reasons)
    assert heads[1:] == [0, 3, 1, 1, 1]
    assert reasons[1:] == ["guess", "projected", "projected", "guess", "guess"]
    heads = [-1, 2, -1]
    one_root(heads, ["guess"] * 3, may_loop=False)
    assert heads[1:] == [2, 0]


def test_words_below_an_unaligned_root_hang_on_the_first_of_them():
    found = s1(bitext("a b c", "top x y z", (0, 1, 1, 3), {(1, 2), (2, 3), (3, 4)}))
    assert found.heads == (0, 1, 2)
    assert found.reasons == ("projected", "guess", "projected")


def test_depths_are_counted_from_the_root():
    given_ = bitext("a", "v w x y", (0, 3, 1, 2), set())
    assert given_.e_depths == (0, 1, 3, 2, 4)
    assert bitext("a", "v w", (2, -1), set()).e_heads == (-1, 2, 0), "a word without a head is on the root"


def test_coverage_is_the_share_of_linked_words():
    assert s1(bitext("a b c d", "x y", (0, 1), {(1, 1), (2, 2), (3, 2)})).coverage == 0.75


def test_of_two_anchors_of_one_depth_the_left_one_counts():
    assert bitext("a", "x y z", (3, 3, 0), {(1, 2), (1, 1)}).anchors == (0, 1)


def test_all_neighbours_without_links():
    """To the right: the last words turn back to the last linked one, the first ones never need to."""
    forms, e, links = "a b c d e", "x y", {(2, 1), (4, 2)}
    assert s1(bitext(forms, e, (0, 1), links), spontaneous="right").heads == (2, 0, 4, 2, 4)
    assert s1(bitext(forms, e, (0, 1), links), spontaneous="left").heads == (2, 0, 2, 2, 4)
    gap = bitext("a b c d", "x y", (0, 1), {(1, 1), (4, 2)})
    assert s1(gap, spontaneous="left").heads == (0, 1, 2, 1)
    assert s1(gap, spontaneous="right").heads == (0, 3, 4, 1)
    assert s1(gap).reasons == ("projected", "spontaneous", "spontaneous", "projected")


def lean(sides: str):
    """Project a sentence whose first and last words are linked; each word between leans to a side (L or R)."""
    n = len(sides) + 2
    given_ = bitext(" ".join("abcdefgh"[:n]), "x y", (0, 1), {(1, 1), (n, 2)})
    return project(
        given_, lambda _, __, words: words[0], lambda _, k: "left" if sides[k - 2] == "L" else "right", any_root=False
    ).heads


def test_neighbours_that_lean_on_each_other():
    """The right one of the two goes on to the right; if that one leans left as well, the whole stretch goes right."""
    assert lean("LR") == (0, 1, 4, 1)
    assert lean("RL") == (0, 3, 4, 1)
    assert lean("RLL") == (0, 3, 4, 5, 1)
    assert lean("LRL") == (0, 1, 4, 5, 1)
    assert lean("RLR") == (0, 3, 4, 5, 1)
    assert lean("LLRLLL") == (0, 1, 2, 5, 6, 7, 8, 1)


class TestContentRoot:
    """A determiner heads no sentence that has a noun or verb."""

    def test_the_word_below_it_takes_its_place(self):
        given_ = bitext(
            "der hund schläft da", "the dog sleeps there", (0, 1, 1, 1), {(k, k) for k in range(1, 5)}, "DET NOUN VERB ADV"
        )
        found = s1(given_)
        assert found.heads == (2, 0, 2, 2)
        assert found.reasons == ("swap", "swap", "projected", "projected")

    def test_words_further_below_stay_where_they_are(self):
        given_ = bitext(
            "der hund schläft da", "the dog sleeps there", (0, 1, 2, 3), {(k, k) for k in range(1, 5)}, "DET NOUN VERB ADV"
        )
        assert s1(given_).heads == (2, 0, 2, 3)

    def test_or_else_the_first_noun_or_verb_of_the_sentence(self):
        given_ = bitext(
            "der sehr hund schläft", "the very dog sleeps", (0, 1, 2, 3), {(k, k) for k in range(1, 5)}, "DET ADV NOUN VERB"
        )
        assert s1(given_).heads == (3, 3, 0, 3)

    def test_not_where_the_word_is_more_than_a_determiner(self):
        given_ = bitext("im hund", "the in dog", (0, 1, 1), {(1, 1), (1, 2), (2, 3)}, "DET ADP NOUN")
        assert given_.upos == ("DET", "NOUN")
        assert s1(given_).heads == (0, 1)

    def test_not_where_there_is_no_other(self):
        assert s1(bitext("der sehr", "the very", (0, 1), {(1, 1), (2, 2)}, "DET ADV")).heads == (0, 1)
        assert s1(bitext("sehr hund", "very dog", (0, 1), {(1, 1), (2, 2)}, "ADV NOUN")).heads == (0, 1)

    def test_a_gloss_names_a_noun_of_the_translation(self):
        e = DepTree(("the", "dog"), (0, 1), upos=("DET", "NOUN"))
        given_ = ProjectionInput(("der", "da", "hund"), e, Links(frozenset({(1, 1)}), (3, 2)), ("DEF", "there", "PL-dog.GEN"))
        assert given_.contents == (3,)
        assert s1(given_).heads == (3, 3, 0)
        assert ProjectionInput(("der", "hund"), e, Links(frozenset({(1, 1), (2, 2)}), (2, 2)), ("DEF", "dog")).contents == (2,)


def test_classes_of_words():
    """The projected tag, else what the gloss shows; no word with letters is punctuation."""
    e = DepTree(("dog", "."), (0, 1), upos=("NOUN", "PUNCT"))
    given_ = ProjectionInput(
        ("hund", "ja", "le", ".", "so"), e, Links(frozenset({(1, 1), (2, 2)}), (5, 2)), ("dog", "yes", "DEF", "", "so")
    )
    assert given_.upos == ("NOUN", "PUNCT", "_", "_", "_")
    assert given_.classes == ("NOUN", "_", "DET", "PUNCT", "_")


def test_relations_of_edges_that_are_not_projected_follow_the_classes():
    e = DepTree(("dog", "sleeps", "."), (2, 0, 2), ("nsubj", "root", "punct"), ("NOUN", "VERB", "PUNCT"))
    links = Links(frozenset({(2, 1), (3, 2), (4, 2), (5, 3)}), (5, 3))
    found = s1(ProjectionInput(("le", "hund", "hat", "geschlafen", "ja"), e, links, ("DEF", "dog", "have", "sleep", "yes")))
    assert found.heads == (2, 4, 4, 0, 4)
    assert found.tree.deprels == ("det", "nsubj", "advcl", "root", "dep")


def test_tags_of_several_words():
    """The highest in the order of classes, whichever is the anchor; a tag outside the order only from the anchor."""
    assert bitext("a", "x y z", (0, 1, 1), {(1, 1), (1, 2), (1, 3)}, "ADP NOUN DET").upos == ("NOUN",)
    assert bitext("a", "x y", (0, 1), {(1, 1), (1, 2)}, "AUX PUNCT").upos == ("AUX",)
    assert bitext("a b", "x y", (0, 1), {(1, 1)}, "AUX PUNCT").upos == ("AUX", "_")


def test_tags_that_are_given_are_used_only_without_a_tree():
    e, links = DepTree(("x",), (0,)), Links(frozenset(), (2, 1))
    for heads, upos, tags in (
        ((NO_HEAD, NO_HEAD), ("NOUN", "_"), ("NOUN", "_")),
        ((NO_HEAD, NO_HEAD), ("_", "_"), ()),
        ((0, 1), ("NOUN", "_"), ()),
    ):
        given_ = ProjectionInput.of(Pair(DepTree(("a", "b"), heads, (), upos, upos), e, links))
        assert given_.tags == given_.labels == tags

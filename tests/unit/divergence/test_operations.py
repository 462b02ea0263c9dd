"""Remove, merge, swap, and Algorithm 5 on small pairs."""

from __future__ import annotations

import json

import pytest
from corpusfiles import pair, tree

from divproj import Operation, alter, merge, remove, swap
from divproj.core.tree import NO_HEAD
from divproj.divergence.operations import CLASSES, GONE, KINDS, STAGES


class TestSingleOperations:
    """Figure 6."""

    def test_remove(self):
        assert remove(2, tree((0, 1, 2, 2, 1))).heads == (0, GONE, 1, 1, 1)

    def test_remove_a_leaf(self):
        assert remove(3, tree((0, 1, 2))).heads == (0, 1, GONE)

    def test_remove_the_root_leaves_a_forest(self):
        assert remove(1, tree((0, 1, 1))).heads == (GONE, 0, 0)

    def test_remove_a_word_without_a_head(self):
        assert remove(1, tree((NO_HEAD, 1, 0))).heads == (GONE, NO_HEAD, 0)

    def test_merge(self):
        assert merge(2, 1, tree((0, 1, 2, 2, 1))).heads == (0, GONE, 1, 1, 1)

    def test_swap(self):
        assert swap(3, 2, tree((0, 1, 2, 3, 2))).heads == (0, 3, 1, 3, 2), "the others stay where they are"

    def test_swap_with_the_root(self):
        assert swap(2, 1, tree((0, 1, 1))).heads == (2, 0, 1)

    def test_all_else_stays(self):
        given = tree((0, 1), ("root", "obj"), ("VERB", "NOUN"))
        for altered in (remove(2, given), merge(2, 1, given), swap(2, 1, given)):
            assert (altered.forms, altered.deprels, altered.upos) == (given.forms, given.deprels, given.upos)


class TestClasses:
    """One edge each, tested in the order match, unaligned, merge, swap, other."""

    @pytest.mark.parametrize(
        ("e", "links", "name"),
        [
            ((0, 1), [(1, 1), (2, 2)], "match"),
            ((0, 1), [(1, 1)], "unaligned"),
            ((0, 1), [], "unaligned"),
            ((0,), [(1, 1), (2, 1)], "merge"),
            ((2, 0), [(1, 1), (2, 2)], "swap"),
            ((0, 1, 1), [(1, 2), (2, 3)], "other"),
            ((0,), [(2, 1)], "other"),
            ((0, 1), [(1, 1), (2, 1), (2, 2)], "match"),
            ((2, 0), [(1, 1), (1, 2), (2, 2)], "merge"),
            ((0, 1, 1, 3), [(1, 1), (1, 4), (2, 2), (2, 3)], "match"),
            ((NO_HEAD, NO_HEAD), [(1, 1), (2, 2)], "other"),
        ],
    )
    def test_class(self, e, links, name):
        found = alter(pair((0, 1), e, links))
        assert found.classes["f"]["initial"] == (None, name)
        counts = found.counts["f_to_e"]["initial"]
        assert counts == {"edges": 1, **{c: int(c == name) for c in CLASSES}, "labelled": 0}

    def test_the_root_edge_and_unknown_heads_are_not_counted(self):
        found = alter(pair((0, NO_HEAD, 2), (0,), []))
        assert found.classes["f"]["initial"] == (None, None, "unaligned")
        assert found.counts["f_to_e"]["initial"]["edges"] == 1
        assert found.counts["e_to_f"]["initial"]["edges"] == 0

    @pytest.mark.parametrize(
        ("f_rels", "e_rels", "labelled"),
        [
            (("root", "obj"), ("root", "obj"), 1),
            (("root", "obj"), ("root", "nsubj"), 0),
            (("root", "nsubj:pass"), ("root", "nsubj"), 1),
            (("root", "nsubj:pass"), ("root", "nsubj:outer"), 1),
            (("root", "dep"), ("root", "dep"), 0),
            (("root", "_"), ("root", "_"), 0),
            (("root", "dep:x"), ("root", "dep:x"), 0),
            ((), ("root", "obj"), 0),
            ((), (), 0),
        ],
    )
    def test_labelled(self, f_rels, e_rels, labelled):
        found = alter(pair(tree((0, 1), f_rels), tree((0, 1), e_rels), [(1, 1), (2, 2)]))
        for direction in ("f_to_e", "e_to_f"):
            assert found.counts[direction]["initial"]["match"] == 1
            assert found.counts[direction]["initial"]["labelled"] == labelled


class TestRemove:
    def test_chain_of_words_without_links(self):
        found = alter(pair((0, 1, 2, 3), (0, 1), [(1, 1), (4, 2)]))
        assert found.heads["f"]["remove"] == (0, GONE, GONE, 1)
        assert [(s.child, s.parent, s.before) for s in found.operations] == [(2, 1, "unaligned"), (3, 2, "unaligned")]
        assert found.counts["f_to_e"]["remove"]["match"] == 1

    def test_root(self):
        found = alter(pair((0, 1, 1), (0, 1), [(2, 1), (3, 2)]))
        assert found.heads["f"]["remove"] == (GONE, 0, 0)
        assert found.operations[0] == Operation("f", "remove", 1, 0, None)
        assert found.counts["f_to_e"]["remove"]["edges"] == 0

    def test_all(self):
        found = alter(pair((0, 1), (2, 0), []))
        assert found.heads["f"]["remove"] == found.heads["e"]["remove"] == (GONE, GONE)
        assert len(found.operations) == 4


class TestMerge:
    def test_links_and_children_go_to_the_parent(self):
        found = alter(pair((0, 1, 2), (0, 1), [(1, 1), (2, 1), (2, 2), (3, 2)]))
        assert found.operations[0] == Operation("f", "merge", 3, 2, "match"), "matched edges are merged too"
        assert found.heads["f"]["merge"] == (0, GONE, GONE)
        assert found.links == {(1, 1)}

    def test_deepest_first_then_by_word(self):
        found = alter(pair((0, 1, 1, 2, 2), (0,), [(k, 1) for k in range(1, 6)]))
        assert [s.child for s in found.operations] == [4, 5, 2, 3]

    def test_f_then_e(self):
        found = alter(pair((0, 1), (0, 1), [(1, 1), (1, 2), (2, 1), (2, 2)]))
        assert [(s.side, s.kind, s.before) for s in found.operations] == [("f", "merge", "match"), ("e", "merge", "merge")]

    def test_a_merge_in_e_may_make_one_in_f(self):
        found = alter(pair((0, 1), (0, 1), [(1, 1), (1, 2), (2, 2)]))
        assert {(s.side, s.kind) for s in found.operations} == {("f", "merge"), ("e", "merge")}
        assert found.links == {(1, 1)}

    def test_words_that_share_an_image_but_no_edge_stay(self):
        found = alter(pair((0, 1, 1), (0, 1), [(1, 1), (2, 2), (3, 2)]))
        assert found.operations == ()


class TestSwap:
    def test_each_direction_alters_its_own_side(self):
        found = alter(pair((0, 1), (2, 0), [(1, 1), (2, 2)]))
        assert found.operations == (Operation("f", "swap", 2, 1, "swap"), Operation("e", "swap", 1, 2, "swap"))
        assert (found.heads["f"]["swap"], found.heads["e"]["swap"]) == ((2, 0), (0, 1))
        assert found.counts["f_to_e"]["swap"]["match"] == found.counts["e_to_f"]["swap"]["match"] == 1

    def test_one_pass_does_not_go_on_for_ever(self):
        """Two images that are each other's head and dependent would swap to and fro."""
        found = alter(pair((0, 1), (0, 1, 2), [(1, 2), (2, 1), (2, 3)]))
        assert sum(s.kind == "swap" for s in found.operations) <= 2 * 3

    def test_a_matching_edge_that_is_also_reversed_is_swapped(self):
        """The letter of Algorithm 5: the pass asks for a reversed pair, not for an unmatched edge."""
        found = alter(pair((0, 1), (0, 1, 2), [(1, 1), (1, 3), (2, 2)]))
        assert found.classes["f"]["initial"] == (None, "match")
        assert next((s.side, s.kind, s.before) for s in found.operations) == ("f", "swap", "match")


class TestExtended:
    shape = pair((2, 3, 0), (2, 0, 2), [(1, 1), (2, 3), (3, 2)])

    def test_off_by_default(self):
        assert "extended" not in alter(self.shape).counts["e_to_f"]
        assert all(s.kind != "extended" for s in alter(self.shape).operations)

    def test_both_sides_at_once(self):
        found = alter(self.shape, extended=True)
        assert [(s.side, s.child, s.parent) for s in found.operations] == [("f", 2, 3), ("e", 3, 2)]
        assert found.counts["e_to_f"]["extended"]["match"] == found.counts["e_to_f"]["extended"]["edges"] == 1

    def test_of_two_equally_deep_the_first_goes_first(self):
        heads = (0, 1, 2, 3, 1, 5, 6)
        found = alter(pair(heads, heads, [(1, 1), (2, 3), (3, 2), (4, 4), (5, 6), (6, 5), (7, 7)]), extended=True)
        steps = [(s.side, s.child, s.parent) for s in found.operations if s.kind == "extended"]
        assert steps == [("f", 3, 2), ("e", 3, 2), ("f", 6, 5), ("e", 6, 5)]

    def test_not_where_it_mends_nothing(self):
        plain = pair((0, 1, 2), (0, 1, 2), [(1, 1), (2, 2), (3, 3)])
        assert alter(plain, extended=True).operations == ()

    def test_not_where_a_word_has_links_outside_the_block(self):
        found = alter(pair((2, 3, 0), (2, 0, 2, 2), [(1, 1), (2, 3), (2, 4), (3, 2)]), extended=True)
        assert all(s.kind != "extended" for s in found.operations)


class TestAltered:
    def test_names(self):
        assert STAGES == ("initial", "remove", "merge", "extended", "swap")
        assert KINDS == ("remove", "merge", "extended", "swap")

    def test_the_pair_stays_as_given(self):
        given = pair((0, 1), (2, 0), [(1, 1), (2, 2)])
        found = alter(given)
        assert found.pair is given
        assert found.heads["f"]["initial"] == given.f.heads == (0, 1)

    @pytest.mark.parametrize(("f", "e"), [((), ()), ((0,), ()), ((), (0, 1)), ((0,), (0,))])
    def test_hardly_any_words(self, f, e):
        found = alter(pair(f, e, []), extended=True)
        assert found.match_share == (1.0 if len(e) < 2 else 0.0)
        assert len(found.operations) == len(f) + len(e)

    def test_match_share(self):
        assert alter(pair((0,), (0, 1, 1), [(1, 1)])).match_share == 0.0
        assert alter(pair((0, 1), (0, 1, 1), [(1, 1), (2, 2)])).match_share == 0.5

    def test_json(self):
        f, e = tree((0, 1), ("root", "obj"), ("VERB", "NOUN"), ("go", "home")), tree((0,), ("root",), ("VERB",), ("leave",))
        told = alter(pair(f, e, [(1, 1)], "s1")).as_json()
        assert json.loads(json.dumps(told)) == told
        assert told["sent_id"] == "s1"
        assert told["sent_match"] == {"e_to_f": 1.0, "f_to_e": 0.0}
        assert told["f"][1] == {"word": 2, "form": "home", "head": 1, "class": "unaligned"}
        assert told["counts"]["f_to_e"]["initial"]["unaligned"] == 1
        (step,) = told["operations"]
        assert step == {"side": "f", "kind": "remove", "child": 2, "parent": 1, "before": "unaligned", "tags": ["NOUN", "VERB"]}

    def test_json_of_a_removed_root_names_its_tag_alone(self):
        f, e = tree((0,), ("root",), ("NOUN",), ("home",)), tree((0, 1), ("root", "obj"), ("VERB", "NOUN"), ("leave", "home"))
        steps = alter(pair(f, e, [(1, 2)])).as_json()["operations"]
        assert [(step["kind"], step["parent"], step["tags"]) for step in steps] == [("remove", 0, ["VERB"])]


class TestLarge:
    """No recursion, no loop that grows with the square of what it should: these end."""

    n = 5000

    @pytest.mark.parametrize("heads", [range(n), [*range(2, n + 1), 0]], ids=["downwards", "upwards"])
    @pytest.mark.parametrize("extended", [False, True])
    def test_chain(self, heads, extended):
        found = alter(pair(heads, heads, [(k, k) for k in range(1, self.n + 1)]), extended=extended)
        assert found.counts["e_to_f"]["swap"]["match"] == self.n - 1
        assert found.operations == ()

    @pytest.mark.parametrize("heads", [range(n), [*range(2, n + 1), 0]], ids=["downwards", "upwards"])
    def test_chain_without_links(self, heads):
        assert len(alter(pair(heads, heads, [])).operations) == 2 * self.n

    @pytest.mark.parametrize("heads", [range(n), [*range(2, n + 1), 0]], ids=["downwards", "upwards"])
    def test_chain_that_is_one_word(self, heads):
        found = alter(pair(heads, (0,), [(k, 1) for k in range(1, self.n + 1)]))
        assert len(found.operations) == self.n - 1
        assert len(found.links) == 1

    def test_reversed_chain(self):
        n = self.n
        found = alter(pair(range(n), [*range(2, n + 1), 0], [(k, k) for k in range(1, n + 1)]))
        assert found.counts["f_to_e"]["initial"]["swap"] == n - 1

    def test_20000_words(self):
        n = 20_000
        flat = (0, *[1] * (n - 1))
        found = alter(pair(flat, flat, [(k, k) for k in range(1, n + 1)]))
        assert found.counts["f_to_e"]["swap"]["match"] == n - 1


class TestToTheLetter:
    """Algorithm 5 as printed: one pass over the links of F, then of E; the link of a merged word is deleted, its others stay with it."""

    chain = pair((2, 3, 0), (0, 1), [(1, 1), (2, 1), (2, 2), (3, 2)])

    def test_one_pass(self):
        """w1 and w2 share e1, so w1 goes. Its parent w2 keeps e2 and so goes as well. E is not looked at again, nor F."""
        found = alter(self.chain, paper=True)
        assert [(s.side, s.kind, s.child, s.parent) for s in found.operations][:2] == [
            ("f", "merge", 1, 2),
            ("f", "merge", 2, 3),
        ]
        assert found.heads["f"]["merge"] == (GONE, GONE, 0)
        assert found.links == {(2, 1), (3, 2)}, "links (1, 1) and (2, 2) are deleted; w3 does not get e1"
        assert (3, 1) in alter(self.chain).links

    def test_what_differs_from_merging_until_none_is_left(self):
        """The children of a merged word go up, and one of them then shares a word with its new parent, too late for the pass."""
        shape = pair((2, 3, 0), (0, 1), [(1, 2), (2, 1), (3, 1), (3, 2)])
        once, always = alter(shape, paper=True), alter(shape)
        assert [s.child for s in always.operations if s.side == "f"] == [2, 1]
        assert [s.child for s in once.operations if s.side == "f"] == [2]
        assert once.heads["f"]["merge"] == (3, GONE, 0)

    def test_plain_and_compiled_are_the_same(self):
        for given in (self.chain, pair((2, 0, 2, 3), (2, 0, 2), [(1, 1), (2, 2), (3, 2), (4, 3), (4, 2)])):
            assert alter(given, paper=True) == alter(given, paper=True, compiled=True)

    def test_no_extended_merges(self):
        from divproj import ProjError

        with pytest.raises(ProjError, match="no extended merges"):
            alter(self.chain, paper=True, extended=True)

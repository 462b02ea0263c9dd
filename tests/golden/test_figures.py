"""Worked examples in the shape of Figures 13-15 of Georgi, Xia & Lewis, with sentences of our own."""

from __future__ import annotations

from divproj import DepTree, Links, Pair, alter, analyze
from divproj.divergence.operations import GONE


def parsed(text: str) -> DepTree:
    """A tree from `form/UPOS/relation/head` words."""
    forms, upos, rels, heads = zip(*(word.split("|") for word in text.split()), strict=True)
    return DepTree(forms, tuple(map(int, heads)), rels, upos)


def example(f: str, e: str, links: str) -> Pair:
    """Links are written with the words, `suele-often`."""
    trees = parsed(f), parsed(e)
    found = (link.split("-") for link in links.split())
    places = frozenset((trees[0].forms.index(a) + 1, trees[1].forms.index(b) + 1) for a, b in found)
    return Pair(*trees, Links(places, (len(trees[0]), len(trees[1]))), "figure")


def matches(pair: Pair, direction: str = "e_to_f", **options: bool) -> list[tuple[int, int]]:
    """(matched, edges) after each stage."""
    return [(row["match"], row["edges"]) for row in alter(pair, **options).counts[direction].values()]


def steps(pair: Pair, **options: bool) -> list[tuple[str, str, str, str | None]]:
    """The operations with their words."""
    found = []
    for step in alter(pair, **options).operations:
        forms = (pair.f if step.side == "f" else pair.e).forms
        found.append((step.side, step.kind, forms[step.child - 1], forms[step.parent - 1] if step.parent > 0 else None))
    return found


PROMOTIONAL = example(
    "Ana|PROPN|nsubj|2 suele|VERB|root|0 cantar|VERB|xcomp|2 aquí|ADV|advmod|3",
    "Ana|PROPN|nsubj|3 often|ADV|advmod|3 sings|VERB|root|0 here|ADV|advmod|3",
    "Ana-Ana suele-often cantar-sings aquí-here",
)
STRUCTURAL = example(
    "Eva|PROPN|nsubj|2 salió|VERB|root|0 de|ADP|prep|2 la|DET|det|5 sala|NOUN|pobj|3",
    "Eva|PROPN|nsubj|2 left|VERB|root|0 the|DET|det|4 room|NOUN|obj|2",
    "Eva-Eva salió-left la-the sala-room",
)
CONFLATIONAL = example(
    "Ravī|PROPN|nsubj|6 ne|ADP|case|1 Mīrā|PROPN|obl|6 se|ADP|case|3 gīt|NOUN|obj|6 gavāyā|VERB|root|0",
    "Ravi|PROPN|nsubj|2 made|VERB|root|0 Mira|PROPN|nsubj|5 to|PART|mark|5 sing|VERB|xcomp|2 a|DET|det|7 song|NOUN|obj|5",
    "Ravī-Ravi Mīrā-Mira gīt-song gavāyā-made gavāyā-sing",
)
EXTENDED = example(
    "uskā|PRON|nmod|2 śarīr|NOUN|nsubj|5 Peris|PROPN|obl|5 meṁ|ADP|case|3 hai|VERB|root|0",
    "He|PRON|nsubj|2 is|VERB|root|0 bodily|ADV|advmod|2 in|ADP|prep|2 Paris|PROPN|pobj|4",
    "uskā-He śarīr-bodily hai-is meṁ-in Peris-Paris",
)


class TestPromotional:
    """Figure 13a: a modifier of E is the main verb of F, and swap makes E look like F."""

    def test_classes(self):
        assert alter(PROMOTIONAL).classes["e"]["initial"] == ("other", "swap", None, "match")

    def test_swap(self):
        found = alter(PROMOTIONAL)
        assert steps(PROMOTIONAL) == [("f", "swap", "cantar", "suele"), ("e", "swap", "often", "sings")]
        assert found.heads["e"]["swap"] == (3, 0, 2, 3), "often is the root, sings depends on it with what it had"
        assert matches(PROMOTIONAL) == [(1, 3), (1, 3), (1, 3), (2, 3)]

    def test_type(self):
        found = analyze([PROMOTIONAL])
        assert (found.dorr["promotional"], found.dorr["demotional"]) == (1, 0)
        assert found.examples["promotional"][0].text == "often ←advmod─ sings ~ cantar ←xcomp─ suele"

    def test_seen_from_the_other_side_it_is_demotional(self):
        found = analyze([PROMOTIONAL.transpose])
        assert (found.dorr["promotional"], found.dorr["demotional"]) == (0, 1)


class TestStructural:
    """Figure 13b: the preposition of F has no partner, and remove leaves two equal trees."""

    def test_remove(self):
        found = alter(STRUCTURAL)
        assert steps(STRUCTURAL) == [("f", "remove", "de", "salió")]
        assert found.heads["f"]["remove"] == (2, 0, GONE, 5, 2)
        assert matches(STRUCTURAL) == [(2, 3), (3, 3), (3, 3), (3, 3)]
        assert matches(STRUCTURAL, "f_to_e") == [(2, 4), (3, 3), (3, 3), (3, 3)]

    def test_type(self):
        found = analyze([STRUCTURAL])
        assert found.dorr["structural"] == 1
        assert found.examples["structural"][0].text == "F: de ←prep─ salió"


class TestConflational:
    """Figure 14: one causative verb of F is two verbs of E; both sides have words without a partner."""

    def test_before(self):
        assert matches(CONFLATIONAL)[0] == (3, 6)

    def test_after_remove(self):
        found = alter(CONFLATIONAL)
        assert steps(CONFLATIONAL)[:4] == [
            ("f", "remove", "ne", "Ravī"),
            ("f", "remove", "se", "Mīrā"),
            ("e", "remove", "to", "sing"),
            ("e", "remove", "a", "song"),
        ]
        assert found.classes["e"]["remove"] == ("match", None, "match", None, "merge", None, "match")

    def test_after_merge(self):
        found = alter(CONFLATIONAL)
        assert steps(CONFLATIONAL)[4:] == [("e", "merge", "sing", "made")]
        assert found.heads["e"]["merge"] == (2, 0, 2, GONE, GONE, GONE, 2)
        assert found.links == {(1, 1), (3, 3), (5, 7), (6, 2)}
        assert matches(CONFLATIONAL) == [(3, 6), (3, 4), (3, 3), (3, 3)]

    def test_type(self):
        found = analyze([CONFLATIONAL])
        assert found.dorr["conflational"] == 1
        assert found.examples["conflational"][0].text == "E: sing ←xcomp─ made"


class TestExtended:
    """Figure 15: a noun with a possessor is an adverb; an edge must be merged on both sides at once."""

    def test_without_it_an_edge_stays_unmatched(self):
        found = alter(EXTENDED)
        assert matches(EXTENDED)[-1] == (3, 4)
        assert found.classes["e"]["swap"][0] == "other"

    def test_with_it_all_match(self):
        found = alter(EXTENDED, extended=True)
        assert steps(EXTENDED, extended=True)[:2] == [("f", "extended", "śarīr", "hai"), ("e", "extended", "bodily", "is")]
        assert found.heads["f"]["extended"] == (5, GONE, 5, 3, 0)
        assert found.heads["e"]["extended"] == (2, 0, GONE, 2, 4)
        assert found.links == {(1, 1), (5, 2), (4, 4), (3, 5)}
        assert matches(EXTENDED, extended=True)[-1] == (3, 3)

    def test_it_is_a_stage_of_its_own(self):
        found = alter(EXTENDED, extended=True)
        assert list(found.counts["e_to_f"]) == ["initial", "remove", "merge", "extended", "swap"]
        assert list(alter(EXTENDED).counts["e_to_f"]) == ["initial", "remove", "merge", "swap"]

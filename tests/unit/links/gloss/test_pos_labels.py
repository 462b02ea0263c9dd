"""Part-of-speech labels of interlinear text as universal tags."""

from __future__ import annotations

import pytest

from divproj import FormatError
from divproj.io.interlinear.parts import UPOS
from divproj.links.grams import Grams, shipped_labels

TABLE = Grams.load_shipped()


@pytest.mark.parametrize(
    ("label", "first"),
    [
        ("n", "NOUN"),
        ("N", "NOUN"),
        ("n.anim", "NOUN"),
        ("n_kin_f", "NOUN"),
        ("n (class 2)", "NOUN"),
        ("(n)", "NOUN"),
        ("n.prop", "PROPN"),
        ("v-v:(TAM)-v:Any", "VERB"),
        ("v:Any-v", "VERB"),
        ("V.tr", "VERB"),
        ("adj>adv", "ADV"),
        ("adj-adj>v-v:Any", "VERB"),
        ("det=n=foc", "NOUN"),
        ("pro=xyz", "PRON"),
        ("postp", "ADP"),
        ("сущ=част", "NOUN"),
        ("гл-гл:Any", "VERB"),
        ("sustantivo", "NOUN"),
        ("CCONJ", "CCONJ"),
    ],
)
def test_usual_tag(label: str, first: str):
    assert TABLE.classes(label)[0] == first


@pytest.mark.parametrize("label", ["", "_", "***", "v:Any", "root", "xyz=xyz", "-", "?", "Attaches to any category", ">"])
def test_labels_that_say_nothing(label: str):
    assert TABLE.classes(label) == ()


def test_a_label_may_be_spelled_like_a_gram():
    assert TABLE.get("N").meaning == "neuter"  # type: ignore[union-attr]
    assert TABLE.classes("N") == ("NOUN", "PROPN")


def test_all_rows_have_universal_tags_and_no_spelling_has_two_meanings():
    seen: dict[str, str] = {}
    for row in shipped_labels():
        assert UPOS.issuperset(TABLE.classes(row.name))
        for name in (row.name, *row.synonyms):
            spelled = "".join(filter(str.isalnum, name.casefold()))
            assert seen.setdefault(spelled, row.name) == row.name, name


def test_own_rows_take_the_place_of_ours():
    own = Grams.loads("gram\tmeaning\tkind\tfeats\nclphras\tphrasal clitic\tpos\tUPOS=PART\nn\t\tpos\tUPOS=PROPN\n")
    assert own.rows == ()
    both = TABLE.merge(own)
    assert both.classes("clphras") == ("PART",)
    assert both.classes("n") == ("PROPN",)
    assert both.classes("v") == TABLE.classes("v")


@pytest.mark.parametrize("feats", ["", "UPOS=Noun", "UPOS=NOUN,THING", "Case=Acc"])
def test_a_label_needs_universal_tags(feats: str):
    with pytest.raises(FormatError, match=r":2: label 'x' has '.*' in the column feats, UPOS= and universal tags expected"):
        Grams.loads(f"gram\tmeaning\tkind\tfeats\nx\t\tpos\t{feats}\n", path="own.tsv")

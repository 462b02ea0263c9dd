"""Search and replace: what changes, what stays, what is refused and why."""

from __future__ import annotations

import pytest

from divproj.io.trees import conllu
from divproj.search import QueryError, parse_changes, replace_all
from divproj.search.replace import Replacement

TEXT = """\
# sent_id = s1
1\tla\tla\tADP\t_\tCase=Acc\t2\tdet\t2:det\tGloss=DEF|SpaceAfter=No
2-3\tcasamía\t_\t_\t_\t_\t_\t_\t_\t_
2\tcasa\t_\tNOUN\t_\t_\t4\tobj\t4:obj\tGloss=house
3\tmía\t_\tDET\t_\t_\t2\tdet\t2:det\tGloss=my
4\tvendo\tvendar\tVERB\t_\t_\t0\troot\t0:root\tGloss=sell.1SG

# sent_id = s2
1\tsí\t_\tINTJ\t_\t_\t0\troot\t_\t_

"""


def change(query: str, changes: str) -> list[Replacement]:
    return list(replace_all(conllu.loads(TEXT), query, changes))


def test_columns_of_matching_words_alone_change():
    [only] = change("upos=ADP & rel=det", "upos=DET & feats.PronType=Art, Case=")
    assert only.words == (1,)
    assert only.differs
    assert only.after.lines[0] == ("1", "la", "la", "DET", "_", "PronType=Art", "2", "det", "2:det", "Gloss=DEF|SpaceAfter=No")
    assert only.after.lines[1:] == only.before.lines[1:]
    assert only.before == conllu.loads(TEXT)[0]


def test_values_come_from_other_words_and_from_before_the_change():
    [first, second] = change("form~.", "lemma=@form")
    assert first.after.column(2) == ("la", "casa", "mía", "vendo")
    assert second.after.column(2) == ("sí",)
    [only] = change("rel=det", "misc.Of=@head.gloss & gloss=thing")
    assert only.after.column(9)[2] == "Gloss=thing|Of=house"
    assert only.after.column(9)[0] == "Gloss=thing|SpaceAfter=No|Of=house"
    assert change("form=sí", "lemma=@head.lemma")[0].differs is False


def test_regular_expressions():
    [only] = change("upos=VERB", r"lemma~/ar$/er/ & gloss~/(\w+)\.(1SG)/\2.\1/")
    assert (only.after.column(2)[3], only.after.column(9)[3]) == ("vender", "Gloss=1SG.sell")


def test_heads_follow_a_way_and_deps_that_repeat_the_tree_go_with_them():
    [only] = change("form=la", "head=head.head & rel=advmod")
    assert only.after.lines[0][6:9] == ("4", "advmod", "4:advmod")
    [cycle] = change("form=casa", "head=child")
    assert cycle.problem == "the new heads would make a cycle"
    assert not cycle.differs
    [rootless] = change("upos=VERB", "head=child & rel=dep")
    assert rootless.problem in ("the new heads would make a cycle", "no word would be the root")
    [labelled] = change("upos=VERB", "rel=obj")
    assert labelled.problem == "word 4: the root, and only the root, is 'root'"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ("", "changes “”, character 1: a change such as upos=NOUN expected"),
        ("upos=NOUN &", "a change such as upos=NOUN expected"),
        ("upos", "this is no change"),
        ("upos=Noun", "UPOS is one of ADJ .* not 'Noun'"),
        ("form=x", "“form” cannot be changed; what can: lemma, upos"),
        ("misc=x", "“misc” cannot be changed"),
        ("misc.No|te=x", "cannot be the name of a value in MISC"),
        ("rel=OBJ", "a relation is written as obl or obl:arg, not 'OBJ'"),
        ("rel=", "a relation has at least one letter"),
        ("feats.case=nom", "a feature is written as Case=Nom, not 'case=nom'"),
        ("feats=Nom", "a feature is written as Case=Nom, not 'Nom'"),
        ('gloss="a|b"', "a value in MISC has no |"),
        ('lemma="a\tb"', "no tabs, line ends or control characters"),
        ("lemma~/(/x/", r"/\(/x/: missing \)"),
        (r"lemma~/a/\9/", "invalid group reference"),
        ("head~/a/b/", "a head is a way to another word"),
        ("head=3", "head=3: a way to another word expected, such as head.head or next"),
        ("lemma=@nothing", "a word has no “nothing”"),
    ],
)
def test_what_is_no_change(changes: str, why: str):
    with pytest.raises(QueryError, match=why):
        parse_changes(changes)


def test_a_copied_value_that_does_not_fit_leaves_the_sentence():
    [only] = change("form=casa", "upos=@gloss")
    assert only.problem.startswith("word 2: UPOS is one of")
    assert only.after == only.before


def test_a_head_that_is_not_there_is_no_way_to_a_crash():
    text = "1\ta\t_\tX\t_\t_\t7\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n3\tc\t_\tX\t_\t_\t2\tdep\t_\t_\n\n"
    [change] = replace_all(conllu.loads(text), "form=c", "head=prev.head")
    assert change.after.column(6) == ("7", "0", "2")
    [change] = replace_all(conllu.loads(text), "form=c", "head=prev.prev")
    assert change.after.column(6) == ("7", "0", "1")

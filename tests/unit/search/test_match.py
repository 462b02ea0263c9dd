"""Which words fit."""

from __future__ import annotations

import pytest

from divproj.io.trees import conllu
from divproj.search import find, find_in

TEXT = """\
# sent_id = a1
# text = Kedi pencerenin altında uyuyor
# text_en = The cat is sleeping under the window.
1\tKedi\tkedi\tNOUN\t_\tCase=Nom|Number=Sing\t4\tnsubj\t_\tGloss=cat|Proj=projected|ProjConf=0.9
2\tpencerenin\tpencere\tNOUN\t_\tCase=Gen|Number=Sing\t3\tnmod:poss\t_\tGloss=window-GEN|ProjConf=0.4
3\taltında\talt\tNOUN\t_\tCase=Loc|Number=Sing\t4\tobl\t_\tGloss=underside-3SG.POSS-LOC
4\tuyuyor\tuyu\tVERB\tV\tNumber=Plur\t0\troot\t_\tGloss=sleep-PROG

# sent_id = a2
1-2\tgeldin\t_\t_\t_\t_\t_\t_\t_\t_
1\tgel\tgel\tVERB\t_\t_\t0\troot\t_\t_
2\tdin\tdin\tAUX\t_\t_\t1\taux\t_\t_
"""
FIRST, SECOND = conllu.loads(TEXT)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("upos=NOUN", (1, 2, 3)),
        ("upos=NOUN & head.upos=VERB", (1, 3)),
        ("upos=NOUN & rel=obl", (3,)),
        ("rel=nmod", (2,)),  # a relation without its subtype means all of them
        ("rel=nmod:poss", (2,)),
        ("rel=nmod:arg", ()),
        ("rel!=nmod & upos=NOUN", (1, 3)),
        ("form=Kedi|uyuyor", (1, 4)),
        ("form=/k.*/i", (1,)),
        ("form~er", (2,)),
        ("form!~[ae]", (4,)),
        ("gloss~LOC$", (3,)),
        ("gloss", (1, 2, 3, 4)),
        ("xpos", (4,)),
        ("!xpos", (1, 2, 3)),
        ("feats.Case=Gen", (2,)),
        ("Case", (1, 2, 3)),
        ("Number=@head.Number", (2,)),  # agreement
        ("Number!=@head.Number", (1, 3)),
        ("misc.Proj=projected", (1,)),
        ("conf<0.5", (2,)),
        ("conf>=0.4", (1, 2)),
        ("id=2|3", (2, 3)),
        ("id=2.0", (2,)),
        ("distance>1", (1,)),
        ("distance=0", (4,)),
        ("side=left", (1, 2, 3)),
        ("side=right", ()),
        ("children=2", (4,)),
        ("depth=2", (2,)),
        ("length=4 & rel=root", (4,)),
        ("sent_id=a1 & rel=root", (4,)),
        ("sent_id~^b", ()),
        ("text~cat | comment.text_en~cat & rel=root", (4,)),
        ("child.rel=nsubj", (4,)),
        ("child(rel=nsubj & gloss=cat)", (4,)),
        ("child(rel=nsubj & gloss=dog)", ()),
        ("children=0 & upos=NOUN", (1, 2)),
        ("ancestor.lemma=uyu", (1, 2, 3)),
        ("descendant.gloss~window", (3, 4)),
        ("sibling.rel=obl", (1,)),
        ("next.upos=VERB", (3,)),
        ("prev.form=Kedi", (2,)),
        ("head.head.rel=root", (2,)),
        ("upos=NOUN & !(rel=obl | rel=nsubj)", (2,)),
        ('misc~"Gloss=sleep"', (4,)),
        ("misc.Gloss<3", ()),
    ],
)
def test_words(query: str, words: tuple[int, ...]):
    assert find_in(FIRST, query) == words


def test_sentences_come_one_by_one():
    assert [(match.sentence.sent_id, match.words) for match in find([FIRST, SECOND], "rel=root")] == [
        ("a1", (4,)),
        ("a2", (1,)),
    ]
    assert [match.words for match in find([FIRST, SECOND], "upos=AUX")] == [(2,)]
    endless = (FIRST for _ in iter(int, 1))
    assert next(find(endless, "rel=root")).words == (4,)


def test_other_heads_stand_in():
    assert find_in(FIRST, "rel=obj & head.form=Kedi", heads=(0, 1, 1, 1), deprels=("root", "obj", "dep", "dep")) == (2,)


def test_heads_that_cannot_be_right_lead_nowhere():
    [broken] = conllu.loads("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n3\tc\t_\t_\t_\t_\t_\tx\t_\t_\n")
    assert find_in(broken, "head.form~.") == ()
    assert find_in(broken, "distance") == ()
    assert find_in(broken, "form~.") == (1, 2, 3)

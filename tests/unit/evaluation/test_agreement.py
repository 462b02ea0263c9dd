"""Agreement of two annotators, and the merge of their reviews."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli.commands import proj

from divproj.core.errors import AlignmentError
from divproj.core.sentence import Rows
from divproj.evaluation.agreement import ColumnAgreement, compare, merge, merge_files
from divproj.io.trees import conllu

BASE = """\
# sent_id = a
# projection = s6
1\tKedi\tkedi\tNOUN\t_\t_\t3\tobj\t_\tGloss=cat|Proj=guess|ProjConf=0.4
2\tevde\tev\tNOUN\t_\t_\t3\tobl\t_\tProj=projected|ProjConf=0.9
3\tuyur\tuyu\tVERB\t_\t_\t0\troot\t_\tProj=projected|ProjConf=0.9

"""


def read(*changes: tuple[str, str]) -> Rows:
    text = BASE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return conllu.loads(text)[0]


GOLD = ("# projection", "# gold = yes\n# projection")
SUBJECT = ("3\tobj\t_\tGloss=cat|Proj=guess|ProjConf=0.4", "3\tnsubj\t_\tGloss=cat|Proj=corrected")


def test_agreement_of_every_column():
    result = compare([read(SUBJECT)], [read(("ev\tNOUN", "ev\tPROPN"), ("3\tobl", "1\tobl"))])
    assert (result.sentences, result.words, result.heads, result.labelled) == (1, 3, 2, 1)
    assert [tuple(d)[1:] for d in result.differences] == [
        (1, "Kedi", "DEPREL", "nsubj", "obj"),
        (2, "evde", "UPOS", "NOUN", "PROPN"),
        (2, "evde", "HEAD", "3", "1"),
    ]
    assert result.columns["UPOS"].kappa == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    assert result.columns["FEATS"].kappa is None


def test_subtypes_count_where_asked():
    one, other = [read(("obl", "obl:arg"))], [read()]
    assert compare(one, other).las == 100.0
    assert compare(one, other, subtypes=True).las == pytest.approx(200 / 3)


def test_only_what_both_have_confirmed_is_compared():
    other = replace(read(), comments=("# sent_id = b",), where=replace(read().where, sent_id="b"))
    result = compare([read(GOLD), other], [read(GOLD, SUBJECT), other])
    assert (result.sentences, result.unconfirmed, len(result.differences)) == (1, 1, 1)


def test_other_words_and_other_sentences_are_said():
    split = read(
        (
            "3\tuyur\tuyu\tVERB\t_\t_\t0\troot\t_\tProj=projected|ProjConf=0.9",
            "3\tuyu\tuyu\tVERB\t_\t_\t0\troot\t_\t_\n4\tr\tr\tAUX\t_\t_\t3\taux\t_\t_",
        )
    )
    more = replace(read(), comments=("# sent_id = b",), where=replace(read().where, sent_id="b"))
    result = compare([read(), more], [split])
    assert (result.divided, result.alone, result.sentences) == (["a"], ["b"], 0)
    assert result.differences[0].other == "Kedi evde uyu r"


def test_files_of_other_texts_are_refused():
    bare = Rows((), read().columns)
    with pytest.raises(AlignmentError, match="2 sentences and 1, and no sent_id to pair them by; give files of the same text"):
        compare([bare, bare], [bare])
    other = replace(read(), comments=("# sent_id = z",), where=replace(read().where, sent_id="z"))
    with pytest.raises(AlignmentError, match="no sent_id in common; give files of the same text"):
        compare([read()], [other])


def test_kappa_against_counts():
    column = ColumnAgreement()
    for pair in ["AA"] * 20 + ["AB"] * 5 + ["BA"] * 10 + ["BB"] * 15:
        column.add(*pair)
    assert column.kappa == pytest.approx(0.4)


def test_merge_takes_what_each_has_changed():
    tagged = read(("ev\tNOUN", "ev\tPROPN"), GOLD)
    for base in (read(), None):
        whole, disagreements = merge(read(SUBJECT), tagged, base)
        assert disagreements == []
        assert whole.column(7) == ("nsubj", "obl", "root")
        assert whole.column(9)[0] == "Gloss=cat|Proj=corrected"
        assert whole.column(3)[1] == "PROPN"
        assert "# gold = yes" in whole.comments
    back, _ = merge(tagged, read(SUBJECT), read())
    assert (back.column(7), back.column(9)[0]) == (("nsubj", "obl", "root"), "Gloss=cat|Proj=corrected")


def test_merge_marks_disagreement():
    other = ("3\tobj\t_\tGloss=cat|Proj=guess|ProjConf=0.4", "3\tiobj\t_\tGloss=cat|Proj=corrected|Note=why")
    whole, disagreements = merge(read(SUBJECT, GOLD), read(other, GOLD), read())
    assert [tuple(d) for d in disagreements] == [("a", 1, "Kedi", "HEAD DEPREL", "3 nsubj", "3 iobj")]
    assert whole.comments[-2:] == ("# state = second", "# disagreement = 1 HEAD DEPREL: 3 nsubj | 3 iobj")
    assert "# gold = yes" not in whole.comments
    assert whole.column(9)[0] == "Gloss=cat|Proj=corrected|Note=why"


def test_heads_that_make_no_tree_together_are_a_disagreement():
    one = read(("3\tobj\t_\tGloss=cat|Proj=guess|ProjConf=0.4", "2\tnmod\t_\tGloss=cat|Proj=corrected"))
    other = read(("3\tobl\t_\tProj=projected|ProjConf=0.9", "1\tnmod\t_\tProj=corrected"))
    whole, disagreements = merge(one, other, read())
    assert whole.column(6) == ("2", "3", "0")
    assert [d.word for d in disagreements] == [1, 2]
    assert whole.usable_tree()[1] == []


def test_merge_of_words_that_were_divided():
    split = read(
        (
            "3\tuyur\tuyu\tVERB\t_\t_\t0\troot\t_\tProj=projected|ProjConf=0.9",
            "3\tuyu\tuyu\tVERB\t_\t_\t0\troot\t_\t_\n4\tr\tr\tAUX\t_\t_\t3\taux\t_\t_",
        )
    )
    assert merge(read(), split, read()).sentence is split
    assert merge(split, read(), read()).sentence is split
    confirmed = replace(split, comments=("# gold = yes",))
    assert merge(read(), confirmed).sentence is confirmed
    whole, disagreements = merge(read(), split)
    assert disagreements[0].column == "words"
    assert "# disagreement = 0 words: Kedi evde uyur | Kedi evde uyu r" in whole.comments


def test_sentences_of_one_file_stay():
    more = replace(read(), comments=("# sent_id = b",), where=replace(read().where, sent_id="b"))
    assert [m.sentence.sent_id for m in merge_files([read()], [more, read()])] == ["a", "b"]


def test_the_command(tmp_path: Path):
    one, two, base, both = (tmp_path / name for name in ("ada.conllu", "tom.conllu", "base.conllu", "both.conllu"))
    one.write_text(read(SUBJECT).to_conllu())
    two.write_text(read(("ev\tNOUN", "ev\tPROPN")).to_conllu())
    base.write_text(BASE)
    done = proj("evaluate", str(one), str(two), str(base), "--agreement", "--merge", str(both))
    assert done.returncode == 0, done.stderr
    assert "ada.conllu" in done.stdout
    assert "PROPN" in done.stdout
    assert "UAS" in done.stdout
    assert "0 sentences on which both disagree" in done.stderr
    assert conllu.loads(both.read_text())[0].column(7)[0] == "nsubj"
    record = json.loads(proj("evaluate", str(one), str(two), "--agreement", "--json").stdout)
    assert record["columns"]["UPOS"]["agreement"] == pytest.approx(200 / 3)
    same = proj("evaluate", str(one), str(two), "--merge", str(one))
    assert same.returncode == 1, "a merge does not take the place of an input"

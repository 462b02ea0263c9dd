"""Words first: the table of word types, its answers, and what s6 makes of them."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

import divproj as dp
from divproj.core.errors import Faults, FormatError
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.word_types import (
    ASKED_AGAIN,
    LAS_OF_TAG,
    RELATIONS,
    Answer,
    WordTypes,
    dump,
    expected_gain,
    list_types,
    type_key,
    types_file,
    types_for,
)
from divproj.ud.tagsets import LABELS, ONLY, UPOS

TEXT = """\
Bola nga dako
ball LNK big
'a big ball'

Mituo siya nga mikaon ang bata
believe 3SG COMP eat NOM child
'He believes that the child ate.'

Gamay nga bola
small LNK ball
'a small ball'

Dako ang bola
big NOM ball
'The ball is big.'
"""


def pairs(types: WordTypes | None = None) -> list[dp.Pair]:
    prepared = dp.projector("s6", types=types).prepare(dp.read(TEXT), Faults(strict=False))
    return list(prepared)


def inputs(types: WordTypes | None = None) -> list[ProjectionInput]:
    return [ProjectionInput.of(pair) for pair in pairs(types)]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"tag\trelation\tgloss\tform\nPART\tlinker\tLNK\tnga\n", "tabs"),
        ("\ufefftag\trelation\tgloss\tform\r\nPART\tlinker\tLNK\tnga\r\n".encode(), "BOM and CRLF"),
        (b'"form";"gloss";"RELATION";"Tag"\r\n"nga";"LNK";"Linker";"part"\r\n', "semicolons, quotes, other order"),
        (b"gloss,tag,relation,my note\nLNK,part,linkers,\n", "commas, a further column, no forms"),
        ("tag\trelation\tgloss\tform\nPART\tlinker\tLNK\tnga\n".encode("utf-16"), "UTF-16, as Excel's Unicode text"),
        (b"\n\ntag\trelation\tgloss\tform\n\n\nPART\tlinker\tLNK\tnga\t\t\t\n", "empty lines and cells"),
    ],
)
def test_tables_from_spreadsheets_are_read(data: bytes, name: str) -> None:
    answers = WordTypes.loads(data).answers
    assert list(answers) == ["LNK"], name
    assert answers["LNK"].tags == ("PART",), name
    assert answers["LNK"].deprel == "case", name


def test_lines_that_cannot_be_read_are_named_and_left_out() -> None:
    table = "tag\trelation\tgloss\tform\tguess\nNUON\t\thouse\tbalay\t\nNOUN\t\tball\tbola\t\n\tmarkre\tNOM\tang\t\nok\t\tbig\tdako\t\nNOUN\t\t\t\t\n"
    table += "VERB\t\tball\tbola\t\nadv\t\tnow\tkaron\t\nNOUN\t\t'=FOC\t\t\n"
    faults = Faults(strict=False)
    types = WordTypes.loads(table.encode(), faults, path="story.types.tsv")
    assert set(types.answers) == {"ball", "now", "=FOC"}
    messages = [str(error) for error in faults.noted]
    assert len(messages) == 5
    assert messages[0].startswith("story.types.tsv:2: 'NUON' is no tag")
    assert "did you mean NOUN?" in messages[0]
    assert messages[1].startswith("story.types.tsv:4: 'markre' is no relation")
    assert messages[2].startswith("story.types.tsv:5: the guess is confirmed, but")
    assert messages[3].startswith("story.types.tsv:6: neither a gloss nor a form")
    assert messages[4].startswith("story.types.tsv:7: 'ball' has another answer in line 3, which counts")
    with pytest.raises(FormatError, match=r"story.types.tsv:2: 'NUON' is no tag"):
        WordTypes.loads(table.encode(), Faults(), path="story.types.tsv")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the table is empty"),
        (b"a\tb\nc\td\n", "the first line has the columns a, b"),
        (b"tag\tword\nNOUN\thouse\n", "no column `gloss` nor `form`"),
    ],
)
def test_what_is_no_table_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        WordTypes.loads(data, Faults(strict=False), path="t.tsv")


def test_a_table_that_is_not_utf8_is_read_as_windows_saves_it() -> None:
    faults = Faults(strict=False)
    types = WordTypes.loads("gloss;tag\nête;NOUN\n".encode("cp1252"), faults, path="t.csv")
    assert "ête" in types.answers
    assert "not UTF-8" in str(faults.noted[0])


def test_a_broken_row_leaves_the_others() -> None:
    faults = Faults(strict=False)
    data = b"gloss\ttag\n" + b"x" * 140_000 + b"\tNOUN\nball\tNOUN\n"
    types = WordTypes.loads(data, faults, path="t.tsv")
    assert "ball" in types.answers
    assert any("no row of a table" in str(error) for error in faults.noted)


def test_relations_in_plain_words_are_ones_that_ud_allows() -> None:
    names = [name for row in RELATIONS for name in row.names]
    assert len(names) == len(set(names))
    for row in RELATIONS:
        assert row.deprel in LABELS
        assert set(row.tags) <= set(UPOS)
        assert row.deprel not in ONLY or set(row.tags) & ONLY[row.deprel], row


def test_answers_reach_the_words_and_make_the_tree() -> None:
    types = WordTypes.loads(b"gloss\ttag\trelation\nLNK\tPART\tlinker\nCOMP\t\tcomplementiser\nball\tn\t\n")
    first, second, *_ = pairs(types)
    assert [answer and answer.tags for answer in first.answers] == [("NOUN", "PROPN"), ("PART",), None]
    assert second.answers[2] is not None
    assert second.answers[2].deprel == "mark"
    trees = list(dp.projector("s6", types=types).pipe(dp.read(TEXT)))
    for tree in trees:
        for gloss, tag, deprel in zip(tree.glosses, tree.f.upos, tree.f.deprels, strict=True):
            assert gloss != "LNK" or (tag == "PART" and deprel in ("case", "root"))
            assert gloss != "COMP" or (tag == "SCONJ" and deprel == "mark")


def test_words_without_a_gloss_are_types_by_their_form() -> None:
    types = WordTypes({type_key("bola"): Answer(("ADV",))})
    text = [replace(pair, glosses=()) for pair in dp.read("Bola nga dako\nball LNK big\n'a big ball'\n")]
    [pair] = [types.apply(pair) for pair in text]
    assert pair.answers[0] is not None
    assert pair.answers[0].tags == ("ADV",)
    assert pair.answers[1] is None


def test_the_list_is_ordered_by_gain_and_what_is_answered_comes_last() -> None:
    rows = list_types(inputs(), S6())
    assert [row.gain for row in rows] == sorted((row.gain for row in rows), reverse=True)
    assert sum(row.count for row in rows) == sum(map(len, inputs()))
    assert {row.gloss for row in rows} == {gloss for sentence in inputs() for gloss in sentence.glosses}
    types = WordTypes({rows[0].key: Answer((rows[0].guess,), written="ok")})
    again = list_types(inputs(types), S6(), types)
    assert again[-1].key == rows[0].key
    assert again[-1].status == "answered"
    assert again[0].answer is None


def test_an_answer_that_everything_speaks_against_is_asked_again() -> None:
    text = TEXT.replace("LNK", "house").replace("nga", "balay")
    wrong = WordTypes({"ball": Answer(("CCONJ",), written="CCONJ")})
    prepared = [*dp.projector("s6", types=wrong).prepare(dp.read(text), Faults(strict=False))]
    rows = list_types([ProjectionInput.of(pair) for pair in prepared], S6(), wrong)
    assert rows[0].gloss == "ball"
    assert rows[0].status == ASKED_AGAIN
    assert rows[0].guess == "NOUN"
    sure = WordTypes({"ball": Answer(("CCONJ",), written="CCONJ", sure=True)})
    assert list_types([ProjectionInput.of(pair) for pair in prepared], S6(), sure)[-1].status == "sure"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    types = WordTypes.loads(b"gloss\ttag\trelation\nLNK\tPART!\tlinker\n=FOC\tPART\t\n")
    rows = list_types(inputs(types), S6(), types)
    rows.append(replace(rows[0], key="=FOC", gloss="=FOC", answer=types.answers["=FOC"]))
    out = io.StringIO()
    dump(rows, out)
    path = tmp_path / "story.types.tsv"
    path.write_text(out.getvalue(), encoding="utf-8")
    assert WordTypes.load(path).answers == types.answers
    filled = "\n".join("ok" + line if line.startswith("\t") else line for line in out.getvalue().split("\n"))
    confirmed = WordTypes.loads(filled.encode()).answers
    assert all(confirmed[row.key].tags == (row.guess,) for row in rows if row.answer is None)


def test_the_table_is_found_beside_the_text(tmp_path: Path) -> None:
    text = tmp_path / "story.txt"
    text.write_text(TEXT, encoding="utf-8")
    assert not types_for(str(text))
    types_file(str(text)).write_text("gloss\ttag\nLNK\tPART\n", encoding="utf-8")
    assert str(types_for(str(text))) == "1 word type tagged in story.types.tsv"
    assert not types_for(str(text), "none")
    assert types_file(str(tmp_path)).name == "types.tsv"


def test_two_tables_are_joined_and_the_first_counts() -> None:
    one, two = WordTypes({"a": Answer(("NOUN",))}, "a.tsv"), WordTypes({"a": Answer(("VERB",)), "b": Answer(("ADV",))}, "b.tsv")
    assert (one + two).answers == {"a": Answer(("NOUN",)), "b": Answer(("ADV",))}
    assert (one + two).name == "a.tsv, b.tsv"


def test_what_the_first_types_are_expected_to_bring() -> None:
    types = list_types(inputs(), S6())
    words = sum(row.count for row in types)
    assert expected_gain(types, 2) == pytest.approx(100 * LAS_OF_TAG * (types[0].gain + types[1].gain) / words)
    assert 0 < expected_gain(types, 2) < expected_gain(types, 5)
    tagged = list_types(inputs(), S6(), WordTypes({types[0].key: Answer(("PART",))}))
    assert expected_gain(tagged, 1) <= expected_gain(types, 1)
    assert expected_gain([], 20) == 0

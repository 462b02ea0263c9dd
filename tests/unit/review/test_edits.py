"""Edits of a sentence: columns, words, multiword tokens, sentences; what is refused, and what a session makes of them."""

from __future__ import annotations

from collections.abc import Callable
from operator import ne
from pathlib import Path
from typing import Any

import pytest
from reviewfiles import TEXT, session_of

from divproj.core.errors import ModelError
from divproj.io.trees import conllu
from divproj.review import edits
from divproj.review.document import Document, Journal
from divproj.review.edits import EditError
from divproj.review.session import Session
from divproj.ud.grammar import check_sentence

SPANISH = """\
# sent_id = s1
# text = vámonos del mar
# text_en = Let us leave the sea
# align_en = 0-2 1-1 3-4
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root|1.1:x\tGloss=go-IMP
1.1\tnada\t_\tX\t_\t_\t_\t_\t1:dep\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj\tGloss=us
3\tdel\tdel\tADP\t_\t_\t4\tcase\t4:case\tGloss=of.the
4\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl\tGloss=sea

"""


def rows(sentence: Any) -> list[str]:
    return ["|".join(cells) for cells in sentence.lines]


def spanish() -> Any:
    return conllu.loads(SPANISH)[0]


def test_a_word_is_split_and_everything_is_numbered_anew():
    places, sentence = (r := edits.split_word(spanish(), 3, ["de", "el"])).places, r.sentence
    assert places == (1, 2, 3, 5)
    assert rows(sentence)[4:] == [
        "3-4|del|_|_|_|_|_|_|_|_",
        "3|de|del|ADP|_|_|5|case|5:case|Gloss=of.the",
        "4|el|_|_|_|_|3|dep|_|_",
        "5|mar|mar|NOUN|_|_|1|obl|1:obl|Gloss=sea",
    ]
    assert sentence.comment("text") == "vámonos del mar"
    assert sentence.comment("align_en") == "0-2 1-1 4-4"
    assert edits.tokens(sentence) == [(1, 2, "vámonos"), (3, 4, "del")]


def test_parts_that_make_up_the_word_are_written_together():
    sentence = edits.split_word(spanish(), 4, ["ma", "r"]).sentence
    assert rows(sentence)[-2:] == [
        "4|ma|mar|NOUN|_|_|1|obl|1:obl|SpaceAfter=No|Gloss=sea".replace("SpaceAfter=No|Gloss=sea", "Gloss=sea|SpaceAfter=No"),
        "5|r|_|_|_|_|4|dep|_|_",
    ]
    assert sentence.comment("text") == "vámonos del mar"
    again = edits.split_word(spanish(), 4, ["ma", "r"], token=True).sentence
    assert rows(again)[-3] == "4-5|mar|_|_|_|_|_|_|_|_"
    inside = edits.split_word(spanish(), 1, ["va", "mos"]).sentence
    assert inside.columns[0] == ("1-3", "1", "2", "2.1", "3", "4", "5")  # the empty node stands after the last part
    assert inside.columns[8][1] == "0:root|2.1:x"
    assert [edits.misc_value(cell, "Gloss") for cell in inside.column(9)] == ["go", "IMP", "us", "of.the", "sea"]
    assert inside.comment("align_en") == "0-2 2-1 4-4"


def test_words_are_joined():
    joined = edits.join_words(spanish(), 3)
    assert joined.places == (1, 2, 3, 3)
    assert rows(joined.sentence)[-1] == "3|delmar|mar|NOUN|_|_|1|obl|1:obl|Gloss=of.the-sea"
    assert joined.sentence.comment("text") == "vámonos delmar"
    whole = edits.join_words(edits.with_cells(spanish(), 1, {}), 3, "del mar").sentence
    assert whole.forms[-1] == "del mar"
    for sentence, word, why in (
        (spanish(), 4, "there is no next word"),
        (spanish(), 2, "vámonos is a multiword token that has one of the two words alone"),
        (spanish(), 0, "there is no next word"),
    ):
        with pytest.raises(EditError, match=why):
            edits.join_words(sentence, word)


def test_the_upper_of_two_joined_words_keeps_its_columns():
    text = "1\ta\tla\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\tlb\tNOUN\t_\tCase=Nom\t3\tobj\t_\tSpaceAfter=No\n3\tc\tlc\tVERB\t_\t_\t0\troot\t_\t_\n"
    [sentence] = conllu.loads(text)
    joined = edits.join_words(sentence, 1).sentence
    assert rows(joined) == ["1|ab|lb|NOUN|_|Case=Nom|2|obj|_|SpaceAfter=No", "2|c|lc|VERB|_|_|0|root|_|_"]


def test_multiword_tokens():
    sentence = edits.with_token(spanish(), 3, 4, "delmar")
    assert edits.tokens(sentence) == [(1, 2, "vámonos"), (3, 4, "delmar")]
    assert edits.tokens(edits.with_token(sentence, 3, 4, "mardel"))[1] == (3, 4, "mardel")
    apart = edits.without_token(edits.with_token(spanish(), 3, 4), 4)
    assert apart.column(9)[2] == "Gloss=of.the|SpaceAfter=No"
    three = edits.with_token(edits.without_token(spanish(), 1), 1, 3, "vámonosdel")
    assert edits.tokens(three) == [(1, 3, "vámonosdel")]
    for act, why in (
        (lambda: edits.with_token(spanish(), 2, 3), "vámonos is a multiword token already"),
        (lambda: edits.with_token(spanish(), 3, 3), "two words or more, of 1 to 4"),
        (lambda: edits.with_token(spanish(), 3, 4, "\x07"), "printable"),
        (lambda: edits.without_token(spanish(), 3), "in no multiword token"),
    ):
        with pytest.raises(EditError, match=why):
            act()


def test_a_sentence_is_split_and_joined_again():
    one, two = (half.sentence for half in edits.split_sentence(spanish(), 3, ["s1", "s1-2"]))
    assert (one.comment("text"), two.comment("text")) == ("vámonos", "del mar")
    assert (one.sent_id, two.comment("sent_id")) == ("s1", "s1-3")
    assert one.comment("text_en") == "Let us leave the sea"
    assert two.comment("text_en") is None
    assert rows(two) == ["1|del|del|ADP|_|_|2|case|2:case|Gloss=of.the", "2|mar|mar|NOUN|_|_|0|root|_|Gloss=sea"]
    assert one.comment("align_en") == "0-2 1-1"
    joined = edits.join_sentences(one, two)
    assert joined.places == (3, 4)
    assert joined.sentence.comment("text") == "vámonos del mar"
    assert joined.sentence.columns[:6] == spanish().columns[:6]
    assert joined.sentence.column(7)[3] == "parataxis"
    assert not [finding for finding in check_sentence(joined.sentence) if "text" in finding.message]
    for word, why in ((1, "not its first"), (2, "a multiword token cannot be in two sentences"), (9, "not its first")):
        with pytest.raises(EditError, match=why):
            edits.split_sentence(spanish(), word)
    new = conllu.loads("# newdoc id = x\n" + SPANISH)[0]
    with pytest.raises(EditError, match="begins a new document"):
        edits.join_sentences(spanish(), new)


def test_joining_translations_and_empty_nodes():
    other = conllu.loads("# text_en = And go\n# note = sic\n0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n1\ty\t_\tX\t_\t_\t0\troot\t_\t_\n")[
        0
    ]
    joined = edits.join_sentences(spanish(), other).sentence
    assert joined.comment("text_en") == "Let us leave the sea And go"
    assert joined.comment("note") == "sic"
    assert joined.columns[0][-2:] == ("4.1", "5")
    blocked = conllu.loads(SPANISH.replace("\n\n", "\n4.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"))[0]
    with pytest.raises(EditError, match="empty nodes stand in between"):
        edits.join_sentences(blocked, other)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"upos": "Noun"}, "UPOS is one of"),
        ({"feats": "case=nom"}, "a feature is written as Case=Nom"),
        ({"feats": "Case=Nom|Case=Acc"}, "each feature is there once"),
        ({"gloss": "a|b"}, r"has no \|"),
        ({"form": "x"}, "form cannot be changed; what can: upos, xpos"),
        ({"lemma": "x" * 2001}, "lemma has at most 2000 characters"),
        ({"lemma": "\x1b"}, "control characters"),
    ],
)
def test_values_that_cannot_be(values: dict[str, str], why: str):
    with pytest.raises(EditError, match=why):
        edits.with_cells(spanish(), 1, values)


def test_comments():
    sentence = edits.with_translation(spanish(), "text_en", "Leave  the sea")
    assert sentence.comment("text_en") == "Leave the sea"
    assert edits.with_translation(sentence, "text_es", "x").comments[-1] == "# text_es = x"
    assert edits.with_comment(sentence, "text_en", "").comment("text_en") is None
    for act, why in (
        (lambda: edits.with_translation(sentence, "sent_id", "x"), "'sent_id' is no name of a translation"),
        (lambda: edits.with_comment(sentence, "note", "\x07"), "one line of at most 2000 printable"),
        (lambda: edits.with_annotation_state(sentence, "done", ""), "a state is one of draft, corrected, second, gold"),
        (lambda: edits.split_word(sentence, 1, ["x"]), "2 to 20 parts"),
        (lambda: edits.split_word(sentence, 1, ["x", ""]), "a word has 1 to 200 printable characters"),
    ):
        with pytest.raises(EditError, match=why):
            act()


# In a session.


def edited(session: Session) -> list[Callable[[], Any]]:
    """One edit of each kind; each can be done after those before it."""
    return [
        lambda: session.set_cells(0, 4, {"upos": "PROPN", "feats": "Number=Sing", "lemma": "kare", "note": "sic"}),
        lambda: session.set_comment(0, "note", "ask Umma"),
        lambda: session.set_comment(0, "text_en", "I saw a dog ."),
        lambda: session.set_state(0, "second", "Ana"),
        lambda: session.keep_alternative(0),
        lambda: session.set_head(0, 4, 3),
        lambda: session.take_alternative(0, 0),
        lambda: session.take_alternative(0, 0, drop=True),
        lambda: session.set_links(0, [(1, 1), (4, 5)]),
        lambda: session.split_word(0, 4, ["kar", "en"]),
        lambda: session.set_token(0, 4, 5, "karen"),
        lambda: session.drop_token(0, 5),
        lambda: session.join_words(0, 4, "karen"),
        lambda: session.split_sentence(0, 4),
        lambda: session.set_gold(4, True),
        lambda: session.join_sentences(1),
        lambda: session.set_state(1, "gold", "Ana"),
    ]


def test_every_edit_is_undone_done_again_and_replayed(tmp_path: Path):
    session = Session(Document(TEXT.encode(), "trees.conllu"), Journal(tmp_path / "j", {"sha256": "x"}))
    texts = [session.render()]
    for act in edited(session):
        assert act().after
        texts.append(session.render())
    assert all(map(ne, texts, texts[1:]))
    assert session.places == [0, 4, 1, 3]
    assert session.states[1].gold
    assert b"# annotator = Ana\n# gold = yes\n" in texts[-1]
    for text in reversed(texts[:-1]):
        session.undo()
        assert session.render() == text
    for text in texts[1:]:
        session.redo()
        assert session.render() == text
    session.journal.close()  # type: ignore[union-attr]
    again = Session(Document(TEXT.encode(), "trees.conllu"), Journal(tmp_path / "j", {"sha256": "x"}))
    assert (again.states, again.layout, again.machine) == (session.states, session.layout, session.machine)
    assert all(map(again.has_been, texts))
    assert not again.has_been(texts[3] + b"\n")


def test_what_a_person_set_is_certain_and_kept():
    session = session_of()
    session.set_head(0, 4, 3)
    assert session.states[0].confidence == pytest.approx((0.97 + 0.41 + 0.88 + 1) / 4)
    session.set_cells(0, 1, {"upos": "NOUN"})
    assert session.states[0].cells == {(1, 3)}
    session.split_word(0, 2, ["n", "a"])
    assert (session.states[0].hand, session.states[0].cells) == ({2, 3, 5}, {(1, 3)})


def test_a_new_head_proposes_the_relation_anew():
    text = "1\ta\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\t_\tNOUN\t_\t_\t3\tobj\t_\t_\n3\tc\t_\tVERB\t_\t_\t0\troot\t_\t_\n4\td\t_\tNOUN\t_\t_\t2\tnmod\t_\t_\n"
    session = session_of(text)
    assert session.set_head(0, 4, 3).message == "d (4) is now attached to c (3) as obl, which was nmod"
    session.set_head(0, 4, 2)
    assert session.states[0].deprels[3] == "nmod"
    session.set_relation(0, 4, "appos")
    session.set_gold(0, True)
    assert session.set_head(0, 4, 2).op == "none"
    other = session_of(text.replace("nmod", "appos").replace("\n4", "\n4") + "\n" + text)
    other.set_gold(0, True)
    other.set_relation(1, 4, "dep")
    other.set_head(1, 4, 3, "obl")
    other.set_relation(1, 4, "dep")
    other.set_head(1, 4, 2)
    assert other.states[1].deprels[3] == "appos"  # as in the gold sentence


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda s: s.set_state(3, "gold"), "not gold yet: 2 words have no head"),
        (lambda s: s.set_links(0, [(9, 1)]), "a link leads from a word of the sentence"),
        (lambda s: s.join_sentences(3), "there is no next sentence"),
        (lambda s: s.keep_alternative(3), "only a whole tree is kept beside: 2 words have no head"),
        (lambda s: (s.keep_alternative(0), s.keep_alternative(0)), "kept beside already"),
        (lambda s: s.take_alternative(0, 0), "there is no such tree beside"),
        (lambda s: (s.keep_alternative(0), s.split_word(0, 1, ["n", "i"]), s.take_alternative(0, 0)), "does not fit the words"),
        (lambda s: (s.join_sentences(0), s.set_gold(1, True)), "there is no sentence 1"),
    ],
)
def test_what_cannot_be_done(act: Callable[[Session], Any], why: str):
    with pytest.raises(EditError, match=why):
        act(session_of())


ROW = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    "entry",
    [
        {"op": "rows", "rows": [[0, "nonsense", [], []]], "told": ""},
        {"op": "rows", "rows": [[9, ROW, [], []]], "told": ""},
        {"op": "rows", "rows": [[4, ROW, [], []]], "told": ""},
        {"op": "rows", "rows": [[0, ROW, [2], []]], "told": ""},
        {"op": "rows", "rows": [[0, ROW, [], [[3, 3]]]], "told": ""},
        {"op": "rows", "rows": [[0, ROW.replace("0\troot", "1\tx") , [], []]], "layout": [[0, [0, 1]]], "told": ""},
        {"op": "rows", "rows": [[0, ROW + "\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n3\tb\t_\t_\t_\t_\t4\tx\t_\t_\n4\tb\t_\t_\t_\t_\t3\tx\t_\t_", [], []]], "layout": [[9, [0]]], "told": ""},
        {"op": "learn", "trees": [], "answers": {"x": ["NOUN"]}, "earlier": {}, "told": ""},
        {"op": "learn", "trees": [], "tags": [[0, ["X"], ["_"]]], "told": ""},
    ],
)  # fmt: skip
def test_entries_of_rows_that_do_not_fit(tmp_path: Path, entry: dict[str, object]):
    journal = Journal(tmp_path / "j", {"sha256": "x"})
    journal.append(entry)
    journal.close()
    with pytest.raises(ModelError, match=r"j:2: an entry that does not fit the file"):
        Session(Document(TEXT.encode(), "trees.conllu"), Journal(tmp_path / "j", {"sha256": "x"}))

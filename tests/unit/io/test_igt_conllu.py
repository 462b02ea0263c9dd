"""Interlinear text in CoNLL-U: gold stays byte for byte, what it lacks is added."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from shared import ROOT

from divproj import Faults, FormatError
from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.interlinear import parts, rows

GOLD = ROOT / "tests" / "fixtures" / "igt" / "gold.conllu"


def row(row_id: object = 1, form: str = "w", misc: str = "_", columns: int = 10) -> str:
    return "\t".join([str(row_id), form, *["_"] * 7, misc][:columns])


def told(text: bytes) -> tuple[list[Sentence], list[str]]:
    faults = Faults(strict=False)
    return list(rows.read(io.BytesIO(text), "a.conllu", faults, parts.Options())), [str(x) for x in faults.noted]


class TestReading:
    def test_fixture(self):
        first, second = rows.load(GOLD)
        assert first.words == ("sena", "t", "mireva")
        assert first.glosses == ("sister", "COM", "see-PST")
        assert first.segments == ("sena", "t", "mire-va")
        assert (first.translation, first.translations) == ("With the sister she saw", ())
        assert (first.text, first.tags) == ("Senat mireva", ("NOUN", "ADP", "VERB"))
        assert first.tree is not None
        assert first.tree.heads == (3, 1, 0)
        assert first.meta == (("newdoc id", "kurmu"), ("speaker", "A"))
        assert second.glosses == ("big|great", "")
        assert second.translation == "a big house"

    def test_morpheme_glosses_go_before_word_glosses(self):
        found = rows.loads(row(misc="Gloss=dogs|MGloss=dog-PL|MSeg=Hund-e") + "\n")[0]
        assert (found.glosses, found.segments) == (("dog-PL",), ("Hund-e",))

    def test_a_multiword_gloss_that_does_not_split(self):
        text = "\n".join([row("1-2", "ab", "Gloss=both"), row(1, "a"), row(2, "b")])
        assert rows.loads(text)[0].glosses == ("both", "")

    def test_no_tree_where_there_are_no_heads(self):
        assert rows.loads(row())[0].tree is None

    def test_gloss_comment(self):
        assert rows.loads("# gloss = a b c\n" + row())[0].glosses == ("a", "b", "c")

    def test_translations(self):
        text = "# text_fr = un\n# text_en = one\n# text_ortho = x\n# text_ipa = y\n" + row()
        found = rows.loads(text)[0]
        assert (found.translation, found.translations) == ("one", (("fr", "un"), ("en", "one")))
        assert found.meta == (("text_ortho", "x"), ("text_ipa", "y"))
        assert rows.loads(text, lang="fr")[0].translation == "un"


class TestWriting:
    def test_gold_comes_back_byte_for_byte(self):
        assert rows.dumps(rows.load(GOLD)) == GOLD.read_text()

    def test_only_what_is_missing_is_added(self):
        first, second = rows.load(GOLD)
        changed = replace(
            second,
            glosses=("OTHER", "house"),
            translation="never written",
            tags=("X", "X"),
            words=second.words,
            language="xku",
            meta=(*second.meta, ("checked", "yes")),
            tree=DepTree(second.words, (0, 1)),
        )
        before = GOLD.read_text().split("\n")
        after = rows.dumps([first, changed]).split("\n")
        assert [line for line in before if line not in after] == ["2\ttaru\ttaru\tNOUN\t_\t_\t0\troot\t_\t_"]
        assert [line for line in after if line not in before] == [
            "# language = xku",
            "# checked = yes",
            "2\ttaru\ttaru\tNOUN\t_\t_\t0\troot\t_\tGloss=house",
        ]

    def test_what_does_not_fit_the_rows_is_not_added(self):
        first, _ = rows.load(GOLD)
        assert rows.dumps([replace(first, words=("a",), glosses=("b",), segments=(), tags=())]).startswith("# newdoc id")

    def test_tags_and_ids_are_added_where_there_are_none(self):
        (found,) = rows.loads(row(form="Sena") + "\n\n")
        text = rows.dumps([replace(found, tags=("n prop",), sent_id="s1", translation="sister")])
        assert text == "# sent_id = s1\n# text_en = sister\n1\tSena\t_\t_\tn\\sprop\t_\t_\t_\t_\t_\n\n"
        assert rows.loads(text)[0].tags == ("n prop",)

    def test_words_without_a_tree(self):
        text = rows.dumps(
            [Sentence(("Sena", "kolut"), ("sena", "kolu-t"), ("sister", "fish-PL"), text="Sena kolut", translation="x")]
        )
        assert text.split("\n")[2:4] == [
            "1\tSena\t_\t_\t_\t_\t_\t_\t_\tGloss=sister|MGloss=sister|MSeg=sena",
            "2\tkolut\t_\t_\t_\t_\t_\t_\t_\tGloss=fish-PL|MGloss=fish-PL|MSeg=kolu-t",
        ]

    def test_space_after(self):
        text = rows.dumps([Sentence(("Sena", ",", "uva", "?"), text="Sena, uva?")])
        assert [line.split("\t")[9] for line in text.split("\n") if "\t" in line] == [
            "SpaceAfter=No",
            "_",
            "SpaceAfter=No",
            "_",
        ]

    def test_escapes(self):
        text = rows.dumps([Sentence(("a",), (), ("x|y=z\\pl",))])
        assert "Gloss=x\\py=z\\\\pl" in text
        assert rows.loads(text)[0].glosses == ("x|y=z\\pl",)

    def test_an_instance_without_words(self):
        text = rows.dumps([Sentence((), translation="only this", sent_id="e")])
        assert "\tEmpty=Yes\n" in text
        assert rows.loads(text)[0].words == ()


class TestDamage:
    @pytest.mark.parametrize(
        ("block", "words", "message"),
        [
            (row(1, "Sena", columns=9), ("Sena",), "9 columns, 10 expected"),
            (row(1, "Sena") + "\tmore", ("Sena",), "11 columns, 10 expected"),
            (row(1, "Sena") + "\n" + row(3, "uva"), ("Sena", "uva"), "ID is 3, 2 expected"),
            (row(1, "").replace("\t_\t", "\t\t", 1), ("_",), "column 2 is empty"),
            (row(1, "Se\0na"), ("Sena",), "NUL byte in the line"),
            (row(1, "Sena").replace("\t", "  "), ("Sena",), "1 column, 10 expected; columns are separated by tabs"),
            (row(1, "Sena") + "\n# late comment", ("Sena",), "comment after the first word row"),
        ],
    )
    def test_a_broken_sentence_is_read_and_the_next_too(self, block, words, message):
        found, messages = told(f"# sent_id = b\n{block}\n\n{row(1, 'next')}\n".encode())
        assert [x.words for x in found] == [words, ("next",)]
        assert message in messages[0]
        assert messages[0].startswith("a.conllu:")

    def test_bytes_that_are_not_utf_8(self):
        found, messages = told(row(1, "Köln").encode("cp1252"))
        assert (found[0].words, len(messages)) == (("Köln",), 1)

    def test_comments_alone(self):
        found, messages = told(b"# text = x\n\n" + row().encode())
        assert (len(found), "comments without a sentence" in messages[0]) == (1, True)

    def test_strict(self):
        with pytest.raises(FormatError, match="9 columns"):
            rows.loads(row(columns=9))

"""Plain interlinear text, the guess of formats, and what is said of files that are no text."""

from __future__ import annotations

import gzip
import io
import sys

import pytest
from shared import ROOT

from divproj import Faults, FormatError, ProjError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, guess, parts
from divproj.io.interlinear import plain as plain_module

FIXTURES = ROOT / "tests" / "fixtures" / "igt"
GUESSES = {
    "plain.txt": "plain", "odin.txt": "odin", "shared_task.txt": "sigmorphon", "examples.csv": "cldf", "paper.tex": "latex",
    "gold.conllu": "conllu", "old.flextext": "flextext", "new.flextext": "flextext", "story.eaf": "elan", "good.xml": "xigt",
    "bytes.sfm": "toolbox", "characters.sfm": "toolbox",
}  # fmt: skip


def one(text: str, **options) -> Sentence:
    (found,) = formats.loads(text, "plain", **{"as_written": True, **options})
    return found


def told(data: bytes, name: str | None = None, **options) -> tuple[list[Sentence], list[str]]:
    """Instances and messages of a damaged file."""
    faults = Faults(strict=False)
    found = list(formats._any(io.BytesIO(data), "a.txt", name, faults, parts.Options.of({"as_written": True, **options})))
    return found, [str(fault) for fault in faults.noted]


class TestGuess:
    @pytest.mark.parametrize("name", GUESSES)
    def test_fixtures(self, name):
        assert guess.guess((FIXTURES / name).read_bytes()) == GUESSES[name]

    def test_all_fixtures_have_a_guess(self):
        assert {path.name for path in FIXTURES.iterdir()} - {"README.md"} == set(GUESSES)

    @pytest.mark.parametrize("head", [b"PK\x03\x04x", b"%PDF-1.4", b"{\\rtf1", b"\xd0\xcf\x11\xe0"])
    def test_what_is_no_text(self, head):
        with pytest.raises(
            FormatError, match=r"this is an? .*, not interlinear text; .*(?:as text|save it as|unpack it|export)"
        ):
            guess.guess(head)

    def test_other_xml(self):
        with pytest.raises(FormatError, match="the XML begins with <story>, xigt-corpus, document"):
            guess.guess(b"<?xml version='1.0'?><!-- x --><story>")

    def test_in_utf_16(self):
        assert guess.guess("\\t a\n\\g b\n".encode("utf-16")) == "sigmorphon"
        assert guess.guess("<xigt-corpus>".encode("utf-16-be")) == "xigt"

    def test_markers_after_something_else(self):
        assert guess.guess(b"a story\n\\ref 1\n\\tx sena\n\\ft sister\n") == "toolbox"
        assert guess.guess(b"Sena uva\nsister swim\n\\note\n") == "plain"

    def test_a_leading_comment_or_doctype_hides_nothing(self):
        assert guess.guess(b"<!DOCTYPE x [ <!ELEMENT x ANY> ]>\n<!-- <document> --><ANNOTATION_DOCUMENT>") == "elan"


class TestDoors:
    def test_files_pipes_and_gzip(self, tmp_path, monkeypatch):
        text = (FIXTURES / "plain.txt").read_bytes()
        (tmp_path / "a.gz").write_bytes(gzip.compress(text))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text))))
        plain, packed, piped = (list(formats.load(path)) for path in (FIXTURES / "plain.txt", tmp_path / "a.gz", "-"))
        assert plain == packed == piped
        assert [found.where.line for found in plain] == [1, 5, 9, 14, 17]

    def test_it_streams(self):
        class Endless(io.RawIOBase):
            def readable(self):
                return True

            def readinto(self, buffer):
                data = (b"Hund bell-t\ndog bark-3SG\n'A dog barks.'\n\n" * 2000)[: len(buffer)]
                buffer[: len(data)] = data
                return len(data)

        stream = io.BufferedReader(Endless())
        found = formats._any(stream, "", None, Faults(), parts.Options())
        assert next(found).words == ("Hund", "bellt")

    def test_messages(self, tmp_path):
        empty = tmp_path / "empty.txt"
        empty.write_bytes(b"\xef\xbb\xbf \n\n")
        with pytest.raises(FormatError, match=r"empty.txt: nothing in the file; is it the right one"):
            list(formats.load(empty))
        with pytest.raises(ProjError, match="unknown format 'docx', one of plain, conllu"):
            formats.loads("a", "docx")
        with pytest.raises(FormatError, match=r"no sentence found \(file read as toolbox\)"):
            formats.loads("\\_sh v3.0\n")
        with pytest.raises(ProjError, match="unknown option 'tier', one of format, lang"):
            formats.loads("a", tier={})
        with pytest.raises(ProjError, match="unknown encoding 'utf-9'"):
            formats.loads("a", encoding="utf-9")
        zipped = tmp_path / "a.docx"
        zipped.write_bytes(b"PK\x03\x04")
        with pytest.raises(FormatError, match=r"a.docx: this is a zip archive"):
            list(formats.load(zipped))


class TestLines:
    def test_fixture(self):
        first, second, third, fourth, fifth = formats.load(FIXTURES / "plain.txt", as_written=True)
        assert (first.sent_id, first.words, first.translation) == ("1", ("Taru", "mire-va-n."), "I saw a house.")
        assert first.glosses == ("house", "see-PST-1SG")
        assert (second.sent_id, second.judgement, second.meta) == ("2a", "*", (("source", "Dira 2019: 4"),))
        assert second.translation == "The sister, fishes."
        assert (third.segments, third.words[0]) == (("taru", "mire", "."), "तारु")
        assert (fourth.glosses, fourth.translation) == ((), "I did not see a fish.")
        assert (len(fifth.words), len(fifth.glosses)) == (4, 3)

    @pytest.mark.parametrize(
        ("line", "number", "judgement", "words"),
        [
            ("(12a) Sena uva", "12a", "", ("Sena", "uva")),
            ("12. Sena uva", "12", "", ("Sena", "uva")),
            ("(1) a. *Sena uva", "1a", "*", ("Sena", "uva")),
            ("(iv) ??Sena uva", "iv", "??", ("Sena", "uva")),
            ("[3] # Sena uva", "3", "#", ("Sena", "uva")),
            ("7 Sena uva", "7", "", ("Sena", "uva")),
            ("(Sena) uva", "", "", ("(Sena)", "uva")),
            ("...sena uva", "", "", ("...sena", "uva")),
        ],
    )
    def test_numbers_and_marks_go(self, line, number, judgement, words):
        found = one(f"{line}\nsister swim\n'She swims.'")
        assert (found.sent_id, found.judgement, found.words) == (number, judgement, words)

    @pytest.mark.parametrize("quotes", ["'{}'", "‘{}’", "“{}”", "`{}'", "``{}''", "«{}»", '"{}"', "{}", "`{}", "„{}“"])
    def test_quotes_go(self, quotes):
        text = "She doesn't swim."
        assert one("Sena\nsister\n" + quotes.format(text)).translation == text

    def test_two_lines_may_be_words_and_glosses(self):
        assert one("Sena kolu-t\nsister fish-PL").glosses == ("sister", "fish-PL")
        assert one("Sena uva\nsister swims").translation == "sister swims"
        assert one("Sena uva").words == ("Sena", "uva")

    def test_three_lines_without_a_translation(self):
        found = one("Senat kolut\nsena-t kolu-t\nsister-COM fish-PL")
        assert (found.segments, found.glosses, found.translation) == (("sena-t", "kolu-t"), ("sister-COM", "fish-PL"), "")

    def test_four_lines_with_a_note(self):
        found = one("Sena kolu-t\nsister fish-PL\n'The sister, fish.'\nsaid slowly")
        assert (found.glosses, found.meta) == (("sister", "fish-PL"), (("note", "said slowly"),))

    def test_orthography_that_does_not_line_up_is_the_text(self):
        found = one("Senat, kolut uva.\nsena-t kolu-t u va\nsister-COM fish-PL a b\n'With the sister fish swim.'")
        assert (found.text, found.words) == ("Senat, kolut uva.", ("sena-t", "kolu-t", "u", "va"))

    def test_wrapped_lines(self):
        found = one("Sena taru-n\nsister house-ACC\nmire-va\nsee-PST\n'The sister saw the house.'")
        assert (found.words, found.glosses) == (("Sena", "taru-n", "mire-va"), ("sister", "house-ACC", "see-PST"))
        assert found.translation == "The sister saw the house."

    def test_a_translation_over_two_lines(self):
        assert one("Sena\nsister\n‘The sister,\nand no one else.’").translation == "The sister, and no one else."

    def test_columns(self):
        tabs = one("New York\tku\nNew_York\tbig city\n'New York is big.'")
        assert (tabs.words, tabs.glosses) == (("New York", "ku"), ("New_York", "big city"))
        assert one("\tSena\tuva\n\tsister\tswim\n'x y'").words == ("Sena", "uva")
        gaps = one("Sena   ku taru    uva\nsister  house      swim\n'x y'")
        assert (gaps.words, gaps.glosses) == (("Sena", "ku taru", "uva"), ("sister", "house", "swim"))
        assert one("Sena\u3000uva\nsister\u00a0swim\n'x'").glosses == ("sister", "swim")

    def test_no_blank_lines_between(self):
        found = formats.loads("Sena uva\nsister swim\n'She swims.'\nKolu\nfish\n'Fish.'\n", "plain")
        assert [x.words for x in found] == [("Sena", "uva"), ("Kolu",)]
        assert [x.where.line for x in found] == [1, 4]

    def test_too_many_lines(self):
        found, messages = told(b"a b c\nd\ne f\ng\nh i j\n\nSena\nsister\n'sister'\n")
        assert [x.words for x in found] == [("a", "b", "c"), ("Sena",)]
        assert messages == [
            "a.txt:1: 5 lines without a blank one, 2 to 4 expected; put a blank line between sentences; lines after the third are kept as notes"
        ]
        assert found[0].meta == (("note", "g"), ("note", "h i j"))

    def test_comments(self):
        found = one(
            "# sent_id = a\n# language = xku\n# speaker = Dira\n# text_fr = La sœur.\n# tags = N\nSena\nsister\nThe sister."
        )
        assert (found.sent_id, found.language, found.tags) == ("a", "xku", ("N",))
        assert (found.translation, found.translations) == ("La sœur.", (("fr", "La sœur."), ("", "The sister.")))
        assert found.meta == (("speaker", "Dira"),)

    def test_a_heading_of_comments_goes_to_the_first_instance(self):
        assert one("# language = xku\n\nSena\nsister\n'x'").language == "xku"

    def test_heads_that_do_not_fit(self):
        found, messages = told(b"# heads = 2 0 1\nSena uva\nsister swim\n'She swims.'\n")
        assert found[0].tree is None
        assert messages == ["a.txt:2: heads of 3 words for 2 words; left out"]


class TestWriting:
    def test_plain_lines(self):
        found = Sentence(("Sena", "uva"), (), ("sister", "swim"), translation="She swims.", sent_id="4b", judgement="*")
        assert plain_module.dumps([found]) == "(4b) *Sena uva\nsister swim\nShe swims.\n\n"

    def test_bare(self):
        found = Sentence(("Sena",), (), ("sister",), translation="She.", sent_id="x.1", meta=(("speaker", "D"),))
        assert plain_module.dumps([found]).startswith("# sent_id = x.1\n# speaker = D\nSena\n")
        out = io.StringIO()
        plain_module.dump([found, Sentence(())], out, bare=True)
        assert out.getvalue() == "Sena\nsister\nShe.\n\n_\n\n"

    def test_lines_that_would_be_read_otherwise_are_named(self):
        text = plain_module.dumps([Sentence(("a.", "b"), (), ("x",), translation="'quoted'")])
        assert text == "# lines = words glosses translation\na.\tb\nx\n'quoted'\n\n"

    def test_blanks_in_a_word_make_tabs(self):
        assert (
            plain_module.dumps([Sentence(("New York", "ku"), (), ("N.Y.", ""), translation="x")])
            == "New York\tku\nN.Y.\t_\nx\n\n"
        )


class TestDamage:
    def test_bytes_that_are_not_utf_8(self):
        found, messages = told("Köln ku\nCologne big\n'K.'\n\nSena\nsister\n'x'\n".encode("cp1252"))
        assert [x.words for x in found] == [("Köln", "ku"), ("Sena",)]
        assert messages == ["a.txt:1: byte 0xf6 is not UTF-8 text; read as Windows-1252; save as UTF-8 or name the encoding"]
        assert told(b"a\x81\nb\n'c'\n")[0][0].words == ("a\x81",)

    def test_strict_stops(self):
        with pytest.raises(FormatError, match="byte 0xf6 is not UTF-8"):
            list(formats._any(io.BytesIO(b"K\xf6ln\n"), "", None, Faults(), parts.Options()))

    def test_a_named_encoding(self):
        assert told("Köln\nCologne\n'K.'\n".encode("cp1252"), encoding="cp1252")[1] == []
        found, messages = told(b"\x81a\nb\n'K.'\n", encoding="cp1252")
        assert messages == ["a.txt:1: byte 0x81 is not cp1252 text; read as U+FFFD"]
        assert found[0].words == ("\ufffda",)

    def test_nul_bytes(self):
        found, messages = told(b"Se\0na\nsister\n'x'\n")
        assert (found[0].words, messages) == (
            ("Sena",),
            ["a.txt:1: NUL byte in the line; left out; the file is damaged or is not text"],
        )

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
    def test_byte_order_marks(self, encoding):
        found, messages = told("Sęna\nsister\n'x'\n".encode(encoding))
        assert (found[0].words, messages) == (("Sęna",), [])

    def test_utf_16_without_a_mark(self):
        found, messages = told("Sęna uva\r\nsister swim\r\n'x'\r\n".encode("utf-16-le"))
        assert found[0].glosses == ("sister", "swim")
        assert messages == [
            "a.txt:1: every second byte is NUL: UTF-16 without a byte-order mark; read as UTF-16; save the file as UTF-8"
        ]
        assert told("Sena\nsister\n'x'\n".encode("utf-16-be"), encoding="utf-16-be")[1] == []

    def test_line_ends_of_other_systems(self):
        assert told(b"Sena uva\rsister swim\r'x y'\r\rKolu\rfish\r'x'\r")[0][1].where.line == 5

    def test_a_line_without_end(self, monkeypatch):
        monkeypatch.setattr(parts, "LONGEST", parts.MEGABYTE)
        with pytest.raises(FormatError, match=r"a.txt:2: no line end in 1 MB; is this a text file\?"):
            told(b"a\n" + b"x" * (parts.MEGABYTE + 10))

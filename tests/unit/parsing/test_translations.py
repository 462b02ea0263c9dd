"""A translation is parsed by a parser of its own language, or not at all. The sentences are ours."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

import divproj as dp
from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.sentence import Sentence
from divproj.parsing import translations
from divproj.parsing.language import pack
from divproj.parsing.translations import (
    ForeignTranslationsError,
    TranslationChoice,
    choose,
    foreign_translations,
    note_choice,
    note_foreign,
    parser_language,
    report_foreign,
)

BOTH = (("fr", "Le chien dort."), ("en", "The dog sleeps."))


def glossed(*translations: tuple[str, str], glosses: tuple[str, ...] = ()) -> Sentence:
    return Sentence(("chen", "a", "dòmi"), glosses=glosses, translation=translations[0][1], translations=translations)


def test_languages_of_parsers():
    assert [parser_language(name) for name in ("en", "en-fast", "models/my-fr", "xx", "udpipe --parse")] == [
        "en",
        "en",
        "",
        "",
        "",
    ]
    assert [pack(name) for name in ("glossed", "xx", "", "../en", "corenlp:http://localhost", "und")] == [None] * 6


class TestChoose:
    @pytest.fixture
    def french(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(translations, "pack", lambda name: Path(name) if name in ("en", "fr") else None)

    @pytest.fixture
    def english(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(translations, "pack", lambda name: Path(name) if name == "en" else None)

    def test_a_parser_of_its_language_or_none(self, english):
        chosen = choose([glossed(("fr", "Le chien dort.")), glossed(("en", "The dog sleeps.")), Sentence(("a",))])
        assert chosen == [
            TranslationChoice("Le chien dort.", "fr", ""),
            TranslationChoice("The dog sleeps.", "en", "en"),
            TranslationChoice("", "", ""),
        ]
        assert [choice.foreign for choice in chosen] == [True, False, False]

    def test_sentence_by_sentence(self, french):
        chosen = choose(
            [Sentence(("a",), translation="Le chien dort sur la table."), Sentence(("a",), translation="The dog is sleeping.")]
        )
        assert [choice.parser for choice in chosen] == ["fr", "en"]

    def test_of_several_the_one_with_a_parser(self, english):
        assert choose([glossed(*BOTH)]) == [TranslationChoice("The dog sleeps.", "en", "en")]
        assert choose([glossed(("fr", "Le chien dort."), ("es", "El perro duerme."))]) == [
            TranslationChoice("Le chien dort.", "fr", "")
        ]

    def test_of_several_with_parsers_the_language_of_the_glosses(self, french):
        of_french = ("chien", "le", "dormir-PRS"), ("homme", "avec", "son-DEF"), ("femme", "dans", "maison")
        of_english = ("dog", "the", "sleep-PRS"), ("man", "with", "his-DEF"), ("woman", "in", "house")
        for words, code in ((of_french, "fr"), (of_english, "en")):
            assert {choice.parser for choice in choose([glossed(*BOTH, glosses=glosses) for glosses in words])} == {code}
        assert choose([glossed(*BOTH)]) == [TranslationChoice("Le chien dort.", "fr", "fr")]  # no glosses: the preferred one

    def test_the_parser_that_was_asked_for(self, french):
        assert choose([glossed(*BOTH)], "en") == [TranslationChoice("The dog sleeps.", "en", "en")]
        [chosen] = choose([glossed(("es", "El perro duerme."))], "en")
        assert chosen == TranslationChoice("El perro duerme.", "es", "en")
        assert chosen.foreign
        [chosen] = choose([glossed(*BOTH)], "models/mine")
        assert (chosen.text, chosen.parser, chosen.foreign) == ("Le chien dort.", "models/mine", False)
        assert choose([Sentence(("a",))], "en") == [TranslationChoice("", "", "en")]

    def test_a_language_that_the_text_is_in(self, french):
        assert [choice.parser for choice in choose([Sentence(("a",), translation="Ana.")], default="fr")] == ["fr"]
        assert [choice.parser for choice in choose([Sentence(("a",), translation="Ana.")])] == ["en"]


class TestMessages:
    def test_no_parser(self):
        faults = Faults(strict=False)
        for _ in range(3):
            note_foreign(faults, "fr", "", Where("text.txt", 4))
        note_foreign(faults, "zh", "", Where("text.txt", 9))
        note_foreign(faults, "und", "", Where("text.txt", 12))
        report_foreign(faults, Where("text.txt"))
        report_foreign(faults, Where("text.txt"))
        assert [str(error) for error in faults.noted] == [
            "text.txt: 3 translations are in French (fr), for which there is no parser: their trees come from the glosses alone "
            "(or are guesses where there are none); install one (`pip install divproj-fr`), or train a parser (`proj train TREEBANK.conllu -o MODEL`) "
            "and give it with `e_parser=MODEL`",
            "text.txt: 1 translation is in a language that was not recognised, for which there is no parser: their trees come from "
            "the glosses alone (or are guesses where there are none); say the language in the file (`# text_fr = …`), or train a parser "
            "(`proj train TREEBANK.conllu -o MODEL`) and give it with `e_parser=MODEL`",
            "text.txt: 1 translation is in Chinese (zh), for which there is no parser: their trees come from the glosses alone "
            "(or are guesses where there are none); train a parser (`proj train TREEBANK.conllu -o MODEL`) and give it with `e_parser=MODEL`",
        ]

    def test_another_parser_as_requested(self):
        error = foreign_translations("pt", "en", 2, Where("text.txt"))
        assert str(error).startswith(
            "text.txt: 2 translations are in Portuguese (pt), but parsed by 'en', as requested; leave `e_parser` out, or"
        )
        assert (error.language, error.parser, error.count) == ("Portuguese", "en", 2)

    def test_strict(self):
        with pytest.raises(ForeignTranslationsError, match=r"text.txt:4: 1 translation is in French \(fr\)"):
            note_foreign(Faults(), "fr", "", Where("text.txt", 4))

    def test_workers_add_up(self):
        faults, other = Faults(strict=False), Faults(strict=False)
        note_foreign(faults, "fr", "", Where())
        note_foreign(other, "fr", "", Where())
        faults.take(other.split_off())
        assert (faults.foreign, other.foreign) == ({("fr", ""): 2}, {})


WRONG = [("fr", text) for text in ("The dog saw it.", "The cat is sleeping.", "The woman saw the man with his dog.")]


class TestWrongCode:
    """`# text_fr` with English in it: parsed as what it is, and said once."""

    def test_a_few_translations_under_the_code_of_another_language(self):
        chosen = choose([glossed(pair) for pair in WRONG])
        assert [(choice.language, choice.parser, choice.stated) for choice in chosen] == [("en", "en", "fr")] * 3
        faults, other = Faults(strict=False), Faults(strict=False)
        for choice in chosen:
            note_choice(other, choice, Where("text.conllu", 4))
        faults.take(other.split_off())
        assert not other.miscoded
        report_foreign(faults, Where("text.conllu"))
        report_foreign(faults, Where("text.conllu"))
        assert [str(error) for error in faults.noted] == [
            "text.conllu: 3 translations are said to be in French (fr), but are in English (en); used as English; correct the key or code "
            "in the file"
        ]
        with pytest.raises(
            FormatError, match=r"text.conllu:4: 1 translation is said to be in French \(fr\), but is in English"
        ):
            note_choice(Faults(), chosen[0], Where("text.conllu", 4))

    def test_a_parser_that_was_asked_for(self):
        [choice, *_] = choose([glossed(pair) for pair in WRONG], "fr")
        assert (choice.language, choice.parser, choice.stated, choice.foreign) == ("en", "fr", "fr", pack("fr") is not None)


GLOSSED = (("miko", "dali"), ("sela", "miko-ra", "tano"), ("dali",))
GLOSSES = (("perro", "dormir-PRS"), ("mujer", "perro-ACC", "ver.PST"), ("dormir.3SG",))
NO_PARSER = "their trees come from the glosses alone"
ODD_TEXTS = {
    "Chinese": (("狗在睡觉。", "女人看见了狗。", "它在睡觉。"), ["3 translations are in Chinese (zh), for which there is no parser"]),
    "Arabic": (("الكلب نائم.", "المرأة رأت الكلب.", "هو نائم."), ["3 translations are in Arabic (ar), for which there is no parser"]),
    "mixed": (("He slept.", "La femme a vu le chien.", "女人看见了。"), ["1 translation is in Chinese (zh), for which there is no parser"]),
    "one word": (("Duerme.", "Perro", "Sí."), []),
    "nothing but marks": (("…", "?", "—"), []),
}  # fmt: skip


@pytest.mark.skipif(pack("es") is None or pack("fr") is None, reason="the Spanish or French pack is not installed")
@pytest.mark.parametrize("kind", ODD_TEXTS)
def test_texts_that_no_parser_fits_are_projected_whole(kind, tmp_path):
    """One message for each language without a parser; words, glosses and translations are all there, each word has a head."""
    lines, messages = ODD_TEXTS[kind]
    rows = (
        f"{' '.join(words)}\n{' '.join(glosses)}\n‘{line}’\n"
        for words, glosses, line in zip(GLOSSED, GLOSSES, lines, strict=True)
    )
    path = tmp_path / "text.txt"
    path.write_text("\n".join(rows), encoding="utf-8")
    faults = Faults(strict=False)
    pairs = list(dp.projector().pipe(dp.read(path), faults))
    assert [pair.translation.strip("‘’") for pair in pairs] == list(lines)
    assert [pair.glosses for pair in pairs] == [tuple(glosses) for glosses in GLOSSES]
    assert all(pair.f.tree is None or pair.f.tree.heads.count(0) == 1 for pair in pairs)
    assert [len(pair.f.heads) for pair in pairs] == [2, 3, 1]
    said = [str(error) for error in faults.noted if isinstance(error, ForeignTranslationsError)]
    assert [message.partition(": their trees")[0] for message in said] == messages
    assert all(NO_PARSER in message and "`proj train TREEBANK.conllu -o MODEL`" in message for message in said)


def test_lines_of_one_text_in_many_languages():
    """The longest line says nothing of the others where each is in a language of its own."""
    lines = [
        "El perro duerme.",
        "He saw the dog yesterday.",
        "La femme dort dans la maison.",
        "Женщина видела собаку.",
        "女人看见了。",
    ]
    assert [choice.language for choice in choose([glossed(("", line)) for line in lines])] == ["es", "en", "fr", "ru", "zh"]


@pytest.mark.parametrize("answer", [b"", b"{}", b"[]", b"null", b'{"sentences": []}', b'{"sentences": [{}]}', b'{"sentences": [{"basicDependencies": [], "tokens": []}]}', b"<html>", b"[" * 5000])  # fmt: skip
def test_answers_of_corenlp_that_are_no_parses(answer: bytes):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        with pytest.raises(ProjError, match=r"answers with no parse of “The dog barks\.”"):
            translations._corenlp(f"http://127.0.0.1:{server.server_port}", ["The dog barks."])
    finally:
        server.shutdown()
        server.server_close()

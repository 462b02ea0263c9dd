"""FLEx, Toolbox, CLDF and plain text as linguists have them; the sentences are ours."""

from __future__ import annotations

import json

import pytest

from divproj.core.errors import Faults, FormatError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import cldf, formats
from divproj.io.interlinear import words as igt_words


def read(text: str, format: str | None = None, **options) -> list[Sentence]:  # noqa: A002
    return formats.loads(text, format, Faults(strict=False), **options)


ROWS = [("sena uvan", ["sena", "uva -n"], ["sister", "swim -PST"], ["n", "v -sfx"]), ("kolut ku na", ["kolu -t", "ku", "na"], ["fish -ACC", "big", "the"], ["n -sfx", "adj", "det"]),
        ("ne kolu uva", ["ne", "kolu", "uva"], ["and", "fish", "swim"], ["conj", "n", "v"]), ("čéko ŋũ uvan", ["čéko", "ŋũ", "uva -n"], ["dog", "this", "swim -PST"], ["n", "det", "v -sfx"])]  # fmt: skip
FREE = {
    "en": ["The sister swam in the river.", "The fish is very big.", "And the fish swims.", "This dog swam."],
    "es": ["La hermana nadó en el río.", "El pez es muy grande.", "Y el pez nada.", "Este perro nadó."],
    "fr": ["La sœur a nagé dans la rivière.", "Le poisson est très grand.", "Et le poisson nage.", "Ce chien a nagé."],
    "de": ["Die Schwester schwamm im Fluss.", "Der Fisch ist sehr groß.", "Und der Fisch schwimmt.", "Dieser Hund schwamm."],
}
GLOSSES = [("sister", "swim-PST"), ("fish-ACC", "big", "the"), ("and", "fish", "swim"), ("dog", "this", "swim-PST")]


def toolbox(markers: str, lang: str = "en", by_bytes: bool = False, between: str = "\n") -> str:
    """A file whose markers are these (record words morphs glosses tags translation; `-` for none)."""
    record, *names, free = markers.split()

    def width(text: str) -> int:
        return len(text.encode()) if by_bytes else len(text)

    out = ""
    for k, (words, *others) in enumerate(ROWS):
        made = ["", "", "", ""]
        for word, *cells in zip(words.split(), *others, strict=True):
            column = max(map(width, made))
            made = [line + " " * (column - width(line)) for line in made]
            made[0] += f"{word} "
            for pieces in zip(*(cell.split() for cell in cells), strict=True):
                column = max(map(width, made[1:]))
                made[1:] = [
                    line + " " * (column - width(line)) + f"{piece} " for line, piece in zip(made[1:], pieces, strict=True)
                ]
        out += f"\\{record} {k + 1:03}\n" if record != "-" else ""
        out += "".join(f"\\{name} {line.rstrip()}\n" for name, line in zip(names, made, strict=True))
        out += f"\\{free} {FREE[lang][k]}\n{between}"
    return out


MARKERS = {
    "ref tx mb ge ps ft": "en", "ref t m g p f": "en", "- tx mb ge ps ft": "en", "id tx mb ge ps ft": "en", "reg texto morf glosa cat trad": "es",
    "enr texte morph glose cat trad": "fr", "enr ph1 mb ge ps zz": "fr", "nr satz morphe glosse wa uebers": "de", "aa bb cc dd ee ff": "en",
    "ref tx mb gn ps fn": "es", "rf tx mr ge ps free": "en", "ref tx_orth mb ge_en ps ft_en": "en",
}  # fmt: skip


class TestToolbox:
    @pytest.mark.parametrize("markers", MARKERS)
    @pytest.mark.parametrize("by_bytes", [True, False])
    def test_markers(self, markers, by_bytes):
        found = read(toolbox(markers, MARKERS[markers], by_bytes))
        assert [one.words for one in found] == [tuple(row[0].split()) for row in ROWS]
        assert ([one.glosses for one in found], found[1].tags) == (GLOSSES, ("n-sfx", "adj", "det"))
        assert [one.translation for one in found] == FREE[MARKERS[markers]]
        assert {code for one in found for code, _ in one.translations} <= {MARKERS[markers]}

    def test_no_record_marker_and_no_blank_line(self):
        assert [one.glosses for one in read(toolbox("- tx mb ge ps ft", between=""))] == GLOSSES

    @pytest.mark.parametrize("end", ["\r\n", "\r"])
    def test_line_ends(self, end):
        assert [one.glosses for one in read(toolbox("ref tx mb ge ps ft").replace("\n", end))] == GLOSSES

    def test_windows_1252(self):
        text = toolbox("ref tx mb ge ps ft", "fr").replace("č", "c").replace("ŋũ", "ñu").replace("œ", "oe")
        faults = Faults(strict=False)
        found = formats.load_bytes(text.encode("cp1252"), None, faults)
        assert (found[3].words, found[0].translation) == (("céko", "ñu", "uvan"), "La soeur a nagé dans la rivière.")
        assert "read as Windows-1252" in str(faults.noted[0])

    def test_blocks_and_lines_that_wrap(self):
        text = "\\ref 1\n\\tx sena   uvan\n\\mb sena   uva  -n\n\\ge sister swim -PST\n\n\\tx kolut\n\\mb kolu -t\n\\ge fish -ACC\n\n\\ft The sister swam to\nthe fish.\n\n\\ref 2\n\\tx kolu\n\\ge fish\n\\ft fish\n"  # fmt: skip
        first, second = read(text)
        assert (first.glosses, first.translation) == (("sister", "swim-PST", "fish-ACC"), "The sister swam to the fish.")
        assert second.words == ("kolu",)

    def test_tabs_after_the_markers(self):
        (found,) = read("\\ref 1\n\\tx\tsena\tuvan\n\\mb\tsena\tuva-n\n\\ge\tsister\tswim-PST\n\\ft\tThe sister swam.\n")
        assert (found.glosses, found.translation) == (("sister", "swim-PST"), "The sister swam.")

    def test_notes_are_no_translation(self):
        text = "".join(f"\\ref {k}\n\\tx sena uva\n\\ge sister swim\n\\nt This was said by the old man.\n\n" for k in range(5))
        assert {one.translation for one in read(text)} == {""}

    def test_examples_of_a_dictionary(self):
        text = "\\lx sena\n\\ps n\n\\ge sister\n\\xv Sena uva.\n\\xe The sister swims.\n\n\\lx kolu\n\\ge fish\n\\xv Kolu ku.\n\\xe The fish is big.\n"
        with pytest.raises(FormatError, match=r"this is a dictionary, not a text; .*record=lx,words=…"):
            read(text)
        first, _ = read(text, markers={"record": "lx", "words": "xv", "translation": "xe"})
        assert (first.sent_id, first.words, first.glosses, first.translation) == (
            "sena",
            ("Sena", "uva", "."),
            (),
            "The sister swims.",
        )

    def test_two_languages(self):
        found = read("\\ref 1\n\\tx sena\n\\ge sister\n\\gr сестра\n\\ft The sister.\n\\ftr Сестра.\n")
        assert (found[0].translations, found[0].meta) == ((("en", "The sister."), ("ru", "Сестра.")), (("gloss_ru", "сестра"),))


def item(kind: str, text: str, lang: str = "kol") -> str:
    return f'<item type="{kind}" lang="{lang}">{text}</item>'


def morph(text: str, kind: str = "stem", **glosses: str) -> str:
    more = item("hn", "1") + item("variantTypes", "+sp.", "en")
    return f'<morph type="{kind}">{item("txt", text)}{item("cf", text)}{more}{"".join(item("gls", x, c) for c, x in glosses.items())}</morph>'


def word(text: str, *morphs: str, **glosses: str) -> str:
    inside = f"<morphemes>{''.join(morphs)}</morphemes>" if morphs else ""
    return f"<word>{item('txt', text)}{inside}{''.join(item('gls', x, c) for c, x in glosses.items())}</word>"


def punct(text: str) -> str:
    return f"<word>{item('punct', text)}</word>"


def flex(*phrases: str) -> str:
    inside = "".join(f"<paragraph><phrases>{phrase}</phrases></paragraph>" for phrase in phrases)
    return f'<?xml version="1.0"?><document version="2"><interlinear-text>{item("title", "Kolu", "en")}<paragraphs>{inside}</paragraphs></interlinear-text></document>'


SENA = word("sena", morph("sena", en="sister"))
UVAN = word("uvanmi", morph("uva", en="swim", es="nadar"), morph("-n", "suffix", en="PST", es="PAS"), morph("=mi", "enclitic", en="Q", es="INT"))  # fmt: skip


class TestFlex:
    def test_punctuation_clitics_languages(self):
        text = flex(f"<phrase>{item('segnum', '1.1', 'en')}<words>{SENA}{punct(',')}{UVAN}{punct('?')}</words>{item('gls', 'Did she swim?', 'en')}{item('gls', '¿Nadó?', 'es')}{item('lit', 'sister swim Q', 'en')}</phrase>")  # fmt: skip
        (found,) = read(text)
        assert (found.text, found.words) == ("sena, uvanmi?", ("sena", ",", "uvanmi", "?"))
        assert (found.segments[2], found.glosses[2], found.sent_id) == ("uva-n=mi", "swim-PST=Q", "Kolu.1.1")
        assert found.translations == (("en", "Did she swim?"), ("es", "¿Nadó?"))
        assert dict(found.meta)["gloss_es"] == "nadar PAS INT"
        assert dict(found.meta)["lit"] == "sister swim Q"
        spanish = read(text, lang="es")[0]
        assert (spanish.translation, spanish.glosses[2]) == ("¿Nadó?", "nadar-PAS=INT")

    def test_prefixes_and_proclitics(self):
        words = word("nesena", morph("ne-", "prefix", en="my"), morph("sena", en="sister")) + word("kauva", morph("ka=", "proclitic", en="and"), morph("uva", en="swim"))  # fmt: skip
        (found,) = read(flex(f"<phrase><words>{words}</words></phrase>"))
        assert (found.segments, found.glosses) == (("ne-sena", "ka=uva"), ("my-sister", "and=swim"))

    def test_phrases_without_words(self):
        text = flex("<phrase><words/></phrase>", f"<phrase>{item('txt', 'Sena uva.')}</phrase>", f"<phrase><words/>{item('gls', 'So.', 'en')}</phrase>")  # fmt: skip
        assert [(one.words, one.translation) for one in read(text)] == [(("Sena", "uva", "."), ""), ((), "So.")]

    def test_glosses_of_words_alone(self):
        (found,) = read(flex(f"<phrase><words>{word('sena', en='sister', fr='sœur')}{word('uvan', en='swam', fr='a.nagé')}</words></phrase>"))  # fmt: skip
        assert (found.glosses, dict(found.meta)["gloss_fr"]) == (("sister", "swam"), "sœur a.nagé")

    def test_the_old_export(self):
        text = flex(f"<word>{item('txt', 'sena uvanmi')}<words>{SENA}{UVAN}</words>{item('gls', 'Did she swim?', 'en')}</word>")
        (found,) = read(text)
        assert (found.words, found.translation) == (("sena", "uvanmi"), "Did she swim?")

    def test_several_writing_systems(self):
        both = f"<word>{item('txt', 'сена')}{item('txt', 'sena', 'kol-Latn')}<morphemes>{morph('сена', en='sister')}</morphemes></word>"
        (found,) = read(flex(f"<phrase><words>{both}</words></phrase>"))
        assert (found.words, dict(found.meta)["form_kol-Latn"]) == (("сена",), "sena")


TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"


def columns(**terms: str) -> dict[str, object]:
    return {"columns": [{"name": name, "propertyUrl": TERMS + term, **({"separator": " | "} if term in ("analyzedWord", "gloss") else {})} for name, term in terms.items()]}  # fmt: skip


class TestCldf:
    HEAD = "ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n"

    @pytest.mark.parametrize(
        "row",
        ["1,Sena uvan,sena\tuva-n,sister\tswim-PST,So.", r"1,Sena uvan,sena\tuva-n,sister\tswim-PST,So.", "1,Sena uvan,sena uva-n,sister swim-PST,So."],
    )  # fmt: skip
    def test_words_and_glosses(self, row):
        (found,) = read(f"{self.HEAD}{row}\n2,,,,\n")
        assert (found.words, found.segments, found.glosses) == (("Sena", "uvan"), ("sena", "uva-n"), ("sister", "swim-PST"))

    def test_glosses_of_the_text_itself(self):
        (found,) = read("ID,Primary_Text,Gloss,Translated_Text\n1,Sena uva-n,sister swim-PST,So.\n")
        assert (found.words, found.glosses) == (("Sena", "uvan"), ("sister", "swim-PST"))

    def test_judgements(self):
        first, second = read(f"{self.HEAD[:-1]},Grammaticality\n1,*Uva,*uva,swim,x,\n2,Uva,uva,swim,x,?\n")
        assert ([first.judgement, second.judgement], first.words) == (["*", "?"], ("Uva",))

    def test_metadata_and_languages_beside_the_table(self, tmp_path):
        (tmp_path / "sentences.csv").write_text(
            "Nr;Lg;Text;Morphemes;Glosses;Free;ML\n1;k;Sena uvan.;sena | uva-n;sister | swim-PST;La hermana nadó.;spa\n2;x;kolu;kolu;fish;el pez;spa\n"
        )
        (tmp_path / "languages of mine.csv").write_text("Code,Called,Iso\nk,Kolu,kol\nx,Xexe,\n")
        tables = [
            {"url": "other.csv", "dc:conformsTo": TERMS + "ExampleTable", "tableSchema": columns(A="id")},
            {"url": "sentences.csv", "dc:conformsTo": TERMS + "ExampleTable", "dialect": {"delimiter": ";"}, "tableSchema": columns(Nr="id", Lg="languageReference", Text="primaryText", Morphemes="analyzedWord", Glosses="gloss", Free="translatedText", ML="metaLanguageReference")},
            {"url": "languages%20of%20mine.csv", "dc:conformsTo": TERMS + "LanguageTable", "tableSchema": columns(Code="id", Called="name", Iso="iso639P3code")},
        ]  # fmt: skip
        (tmp_path / "Generic-metadata.json").write_text(json.dumps({"tables": tables}))
        first, second = formats.load(tmp_path / "sentences.csv")
        assert (first.words, first.segments, first.glosses) == (("Sena", "uvan", "."), ("sena", "uva-n", "."), ("sister", "swim-PST", ""))  # fmt: skip
        assert (first.language, second.language, first.translations) == ("kol", "Xexe", (("es", "La hermana nadó."),))

    @pytest.mark.parametrize("broken", ["{", "[]", '{"tables": 3}', '{"tables": [{"dc:conformsTo": "x#ExampleTable"}]}'])
    def test_metadata_that_cannot_be_read(self, tmp_path, broken):
        (tmp_path / "a-metadata.json").write_text(broken)
        (tmp_path / "examples.csv").write_text(f"{self.HEAD}1,Sena,sena,sister,So.\n")
        (found,) = formats.load(tmp_path / "examples.csv")
        assert found.glosses == ("sister",)

    def test_metadata_of_another_table(self, tmp_path):
        """What lies beside a table speaks of another one: it is not used, whichever name comes first."""
        tables = [{"url": "examples.csv", "dc:conformsTo": TERMS + "ExampleTable", "tableSchema": columns(Gloss="primaryText", Analyzed_Word="gloss")}]  # fmt: skip
        (tmp_path / "a-metadata.json").write_text(json.dumps({"tables": tables}))
        (tmp_path / "examples.csv").write_text(f"{self.HEAD}1,kolu,kolu,fish,So.\n")
        (tmp_path / "mine.csv").write_text(f"{self.HEAD}1,Sena,sena,sister,So.\n")
        (found,) = formats.load(tmp_path / "mine.csv")
        assert (found.words, found.glosses) == (("Sena",), ("sister",))

    def test_written_with_metadata_and_read_again(self, tmp_path):
        given = [Sentence(("Uvan", ",", "kolu"), ("uva-n", ",", "kolu"), ("swim-PST", "", "fish"), text="Uvan, kolu", translation="The fish swam.", translations=(("en", "The fish swam."), ("es", "El pez nadó.")), sent_id="a1", language="kol", judgement="?", meta=(("source", "A 3"),))]  # fmt: skip
        with (tmp_path / "x.csv").open("w") as out:
            beside = cldf.dump(map(igt_words.rejoin, given), out, "x.csv")
        assert set(beside) == set(cldf.names("x.csv"))
        for name, text in beside.items():
            (tmp_path / name).write_text(text)
        (again,) = formats.load(tmp_path / "x.csv")
        assert (again.words, again.segments, again.glosses, again.text) == (given[0].words, given[0].segments, given[0].glosses, given[0].text)  # fmt: skip
        assert (dict(again.translations), again.language, again.judgement) == (dict(given[0].translations), "kol", "?")
        assert (again.sent_id, again.meta) == ("a1", (("source", "A 3"),))


TWO = [("Sena uvan .", "sister swim-PST", "The sister swam."), ("Kolu ku .", "fish big", "The fish is big.")]
PLAIN = {
    "three lines": "Sena uva-n.\nsister swim-PST\n'The sister swam.'\n\nKolu ku.\nfish big\n‘The fish is big.’\n",
    "numbers": "(1) Sena uva-n.\n    sister swim-PST\n    'The sister swam.' (A 2001: 3)\n\n(2) Kolu ku.\n    fish big\n    'The fish is big.'\n",
    "a number on a line of its own": "1.\nSena uva-n.\nsister swim-PST\nThe sister swam.\n\n2.\nKolu ku.\nfish big\nThe fish is big.\n",
    "ids": "KOL_001\nSena uva-n.\nsister swim-PST\n'The sister swam.'\n\nKOL_002\nKolu ku.\nfish big\n'The fish is big.'\n",
    "language and source above": "(1) Kolu (A 2001: 3)\n Sena uva-n.\n sister swim-PST\n 'The sister swam.'\n\n(2) Kolu (A 2001: 4)\n Kolu ku.\n fish big\n 'The fish is big.'\n",
    "tabs": "1\tSena\tuva-n.\n\tsister\tswim-PST\n\t'The sister swam.'\n\n2\tKolu\tku.\n\tfish\tbig\n\t'The fish is big.'\n",
    "no blank lines": "Sena uva-n.\nsister swim-PST\n'The sister swam.'\nKolu ku.\nfish big\n'The fish is big.'\n",
    "labels": "Text: Sena uva-n.\nGloss: sister swim-PST\nTranslation: The sister swam.\n\nText: Kolu ku.\nGloss: fish big\nTranslation: The fish is big.\n",
    "bars": "(@) | Sena uva-n.\n    | sister swim-PST\n    | 'The sister swam.'\n\n(@) | Kolu ku.\n    | fish big\n    | 'The fish is big.'\n",
    "fences": "::: ex\nSena uva-n.\nsister swim-PST\n'The sister swam.'\n:::\n\n::: ex\nKolu ku.\nfish big\n'The fish is big.'\n:::\n",
    "headings and prose": "A story\n\nSena uva-n.\nsister swim-PST\n'The sister swam.'\n\nHere the fish speaks.\n\nKolu ku.\nfish big\n'The fish is big.'\n",
    "wrapped": "Sena\nsister\nuva-n.\nswim-PST\n'The sister swam.'\n\nKolu ku.\nfish big\n'The fish is big.'\n",
    "wrapped with a blank line": "(1) Se na\n    si-NOM this\n\n    uva-n.\n    swim-PST\n    'The sister swam.'\n\n(2) Kolu ku.\n    fish big\n    'The fish is big.'\n",
    "Windows": "Sena uva-n.\r\nsister swim-PST\r\n'The sister swam.'\r\n\r\nKolu ku.\r\nfish big\r\n'The fish is big.'\r\n",
}  # fmt: skip


class TestPlain:
    @pytest.mark.parametrize("name", PLAIN)
    def test_two_sentences(self, name):
        found = read(PLAIN[name])
        expected = (
            [("Se na uvan .", "si-NOM this swim-PST", "The sister swam."), TWO[1]]
            if "blank line" in name and "(1)" in PLAIN[name]
            else TWO
        )
        assert [(" ".join(one.words), " ".join(filter(None, one.glosses)), one.translation) for one in found] == expected

    def test_parts_have_the_number_of_their_example(self):
        text = "(12) a. Sena uva.\n   sister swim\n   'So.'\n  b. *Uva sena.\n   swim sister\n   'Thus.'\n\n(13) Ku.\n big\n 'Big.'\n"
        assert [(one.sent_id, one.judgement) for one in read(text)] == [("12a", ""), ("12b", "*"), ("13", "")]

    def test_two_translations(self):
        (found, _) = read("Sena uva-n\nsister swim-PST\n'The sister swam.'\n'La hermana nadó.'\n\nKolu ku\nfish big\n'The fish is big.'\n'El pez es grande.'\n")  # fmt: skip
        assert found.translations == (("en", "The sister swam."), ("es", "La hermana nadó."))

    def test_a_phonetic_line(self):
        (found,) = read("Senan uvan.\n[senan uvan]\nsena-n uva-n\nsister-GEN swim-PST\n'So.'\n")
        assert (found.segments, found.glosses) == (("sena-n", "uva-n", "."), ("sister-GEN", "swim-PST", ""))

    def test_five_lines_with_glosses_of_words(self):
        (found,) = read("Senan uvan.\nsena-n uva-n\nsister-GEN swim-PST\nsister's swam\n'So.'\n")
        assert (found.glosses[1], dict(found.meta)["word_glosses"]) == ("swim-PST", "sister's swam")

    def test_a_literal_translation(self):
        (found,) = read("Sena uva\nsister swim\n'She swims.' (Lit: 'sister swim')\n")
        assert (found.translation, found.meta) == ("She swims.", (("lit", "sister swim"),))

    def test_a_language_above(self):
        found = read(PLAIN["language and source above"])
        assert [(one.sent_id, one.language, one.meta) for one in found] == [("1", "Kolu", (("source", "A 2001: 3"),)), ("2", "Kolu", (("source", "A 2001: 4"),))]  # fmt: skip

    def test_a_dictionary_is_refused(self):
        words = "aba father ama mother bol ball dona woman efe fire fola leaf gata cat homa man isa island kolu fish".split()  # noqa: SIM905
        rows = "\n".join(f"{word} n. {gloss}" for word, gloss in zip(words[::2], words[1::2], strict=True))
        with pytest.raises(FormatError, match="no format fits well"):
            read(rows)


def test_a_second_translation_under_the_same_code():
    text = flex(
        f"<phrase><words>{SENA}</words>{item('gls', 'The sister swam.', 'en')}{item('gls', 'La hermana nadó en el río.', 'en')}</phrase>"
    )
    assert read(text)[0].translations == (("en", "The sister swam."), ("es", "La hermana nadó en el río."))
    text = flex(
        f"<phrase><words>{SENA}</words>{item('gls', 'The sister swam.', 'en')}{item('gls', 'She swam.', 'en')}</phrase>"
    )
    first = read(text)[0]
    assert first.translation == "The sister swam."
    assert ("text_en_alt", "She swam.") in first.meta


@pytest.mark.parametrize(
    ("written", "found"),
    [("‘That’s it.’ (laughs)", "That’s it."), ("many springs’", "many springs"), ("“Come!” he said.", "“Come!” he said."), ("“I know.", "“I know."),
     ("‘“Come!” he said.’", "“Come!” he said."), ("the dogs' house", "the dogs' house"), ("<i>so</i> it is", "so it is")],
)  # fmt: skip
def test_quotes_around_a_translation(written, found):
    text = flex(f"<phrase><words>{SENA}</words>{item('gls', written.replace('<', '&lt;'), 'en')}</phrase>")
    assert read(text)[0].translation == found

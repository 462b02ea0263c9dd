"""XML that is unsafe, too large, broken off, badly encoded or not well formed."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from shared import ROOT

from divproj import Faults, FormatError, ProjError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, xigt
from divproj.io.interlinear.parts import Options

FIXTURES = ROOT / "tests" / "fixtures" / "igt"
BODY = '<igt id="k1"><tier type="words" id="w"><item id="w1">{}</item></tier></igt>'
CORPUS = f"<xigt-corpus>{BODY}</xigt-corpus>"
LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))


def told(data: bytes | str, **options) -> tuple[list[Sentence], list[str]]:
    data = data if isinstance(data, bytes) else data.encode()
    faults = Faults(strict=False)
    found = list(formats._any(io.BytesIO(data), "a.xml", None, faults, Options.of({"as_written": True, **options})))
    return found, [str(fault) for fault in faults.noted]


class TestSafety:
    @pytest.mark.parametrize(
        "prolog",
        [
            f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>',
            f'<!DOCTYPE x [<!ENTITY l9 "{"a" * 100_000}">]>',
            '<!DOCTYPE x [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
            '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]>',
        ],
        ids=["billion laughs", "quadratic", "external", "parameter"],
    )
    @pytest.mark.parametrize(
        ("name", "root"), [("xigt", "xigt-corpus"), ("flextext", "document"), ("elan", "ANNOTATION_DOCUMENT")]
    )
    def test_entities_are_refused(self, prolog, name, root):
        text = f'<?xml version="1.0"?>\n{prolog}{CORPUS.format("&l9;" * 1000).replace("xigt-corpus", root)}'
        tracemalloc.start()
        with pytest.raises(
            ProjError, match=r"the XML defines or calls in entities \(EntitiesForbidden\), which is refused; remove"
        ):
            formats.loads(text, name)
        assert tracemalloc.get_traced_memory()[1] < 30 << 20
        tracemalloc.stop()
        with pytest.raises(
            FormatError, match=r"a.xml: the XML defines entities, which is refused; remove the DOCTYPE from the file"
        ):
            told(text)

    def test_no_element_at_first(self):
        with pytest.raises(FormatError, match=r"a.xml: no XML element in the first 64 KB"):
            told(f"<!-- {'x' * 70_000} -->{CORPUS}")

    def test_an_external_dtd_is_not_fetched(self):
        found, messages = told(f'<!DOCTYPE x SYSTEM "file:///etc/passwd">{CORPUS.format("sena")}')
        assert (found[0].words, messages) == (("sena",), [])

    def test_entities_are_not_expanded_in_a_file_that_is_mended(self):
        found, _ = told(CORPUS.format("a & b &l9; &nbsp;c"))
        assert found[0].words == ("a & b &l9; \xa0c",)

    def test_size(self):
        with pytest.raises(
            ProjError, match=r"a.xml:1: more than 0.5 MB of XML, at most 0.5 MB are read; split the file or raise"
        ):
            told(CORPUS.format("a" * 600_000), max_bytes=1 << 19)
        assert told(CORPUS.format("a" * 600_000), max_bytes=1 << 20)[1] == []

    def test_depth(self):
        with pytest.raises(FormatError, match=r"a.xml:1: more than 200 elements within one another"):
            told("<xigt-corpus>" + "<x>" * 100_000)

    def test_references_that_double(self):
        items = "".join(f'<item id="a{k}" content="a{k - 1},a{k - 1}"/>' for k in range(1, 60))
        tier = f'<tier type="phrases" id="p"><item id="a0">ab</item>{items}</tier>'
        found, messages = told(f'<xigt-corpus><igt id="i">{tier}</igt></xigt-corpus>')
        assert "item a16: 'a15,a15' makes more than 100000 characters; cut there" in messages[0]
        assert len(found) == 1


class TestEncodings:
    def test_utf_16(self):
        text = f'<?xml version="1.0" encoding="UTF-16"?>{CORPUS.format("sęna")}'
        assert told(text.encode("utf-16")) == (xigt.loads(CORPUS.format("sęna")), [])

    def test_declared_latin_1(self):
        text = f'<?xml version="1.0" encoding="ISO-8859-1"?>\n{CORPUS.format("Köln")}'
        assert told(text.encode("latin-1"))[0][0].words == ("Köln",)
        found, messages = told(text.encode())
        assert found[0].words == ("Köln",)
        assert messages == ["a.xml:2: the file declares iso8859-1 but this is UTF-8; read as UTF-8"]

    def test_declared_utf_8(self):
        text = f'<?xml version="1.0" encoding="utf-8"?>\n{CORPUS.format("Köln")}'
        found, messages = told(text.encode("cp1252"))
        assert found[0].words == ("Köln",)
        assert messages[0].startswith("a.xml:2: byte 0xf6 is not UTF-8 text; read as Windows-1252")

    def test_declared_and_multibyte(self):
        text = f'<?xml version="1.0" encoding="shift_jis"?>\n{CORPUS.format("日本")}'
        assert told(text.encode("shift_jis"))[0][0].words == ("日本",)

    @pytest.mark.parametrize(("name", "why"), [("utf-16", "which it is not in"), ("klingon", "which is not known")])
    def test_declared_wrongly(self, name, why):
        found, messages = told(f'<?xml version="1.0" encoding="{name}"?>\n{CORPUS.format("sęna")}')
        assert found[0].words == ("sęna",)
        assert messages == [f"a.xml:1: the file declares the encoding {name}, {why}; read as UTF-8"]

    def test_control_characters_and_nul(self):
        found, messages = told(CORPUS.format("se\x07n\0a"))
        assert found[0].words == ("se\ufffdna",)
        assert messages == [
            "a.xml:1: NUL byte in the line; left out; the file is damaged or is not text",
            "a.xml:1: U+0007 cannot stand in XML; read as U+FFFD",
        ]

    def test_characters_across_pieces(self, monkeypatch):
        from divproj.io.interlinear import parts

        monkeypatch.setattr(parts, "PIECE", 7)
        assert told(CORPUS.format("ŋəñ语𐍈" * 9)) == (xigt.loads(CORPUS.format("ŋəñ语𐍈" * 9)), [])


class TestBrokenFiles:
    def test_broken_off(self):
        text = (FIXTURES / "good.xml").read_text()
        cut = text.index('<tier type="pos" id="tw-pos"')
        found, messages = told(text[:cut])
        assert messages == [
            "a.xml:52 (sent_id k1): the XML is not well formed: no element found; the file breaks off; what there is was read"
        ]
        assert found[0].words == ("Sena", "taru-n", "mire-va")
        assert found[0].e_words == ("The", "sister", "saw", "a", "house", ".")

    def test_what_follows_a_fault_is_read(self):
        two = f"<xigt-corpus>{BODY.format('a')}\n{BODY.format('Tom & Ann <3')}\n{BODY.format('k<ar>olu')}{BODY.format('c')}</xigt-corpus>"
        found, messages = told(two)
        assert [x.words for x in found] == [("a",), ("Tom & Ann <3",), ("k<ar>olu",), ("c",)]
        assert len(messages) == 1
        assert "a.xml:2 (sent_id k1): the XML is not well formed at column" in messages[0]
        assert messages[0].endswith("invalid token); fix it; the rest was read as well as it goes")

    @pytest.mark.parametrize(
        "broken",
        [
            BODY.format("x").replace("</item>", ""),
            BODY.format("x").replace("</tier>", "</item>"),
            BODY.format("x").replace('id="w1"', "id=w1"),
            BODY.format("x").replace("</igt>", ""),
            BODY.format("k<ar>x"),
            BODY.format("x") + "</tier>",
        ],
    )
    def test_tags_that_do_not_match(self, broken):
        found, messages = told(f"<xigt-corpus>{BODY.format('a')}{broken}{BODY.format('c')}</xigt-corpus>")
        words = [x.words for x in found]
        assert ("a",) in words
        assert ("c",) in words
        assert ("x",) in words or ("k<ar>x",) in words
        assert len(messages) == 1

    def test_prefixes_that_are_not_declared(self):
        meta = '<metadata><meta><dc:subject olac:code="xku">Kurmu</dc:subject></meta></metadata>'
        found, messages = told(
            f'<xigt-corpus><igt id="i">{meta}<tier type="words" id="w"><item id="w1">a</item></tier></igt></xigt-corpus>'
        )
        assert (found[0].words, found[0].language) == (("a",), "xku")
        assert "unbound prefix" in messages[0]

    def test_no_xml_at_all(self):
        with pytest.raises(FormatError, match="not XML: syntax error"):
            formats.loads("sena uva", "xigt")

    def test_strict_stops(self):
        with pytest.raises(FormatError, match="not well formed"):
            formats.loads(CORPUS.format("a & b"))

    def test_tags_across_lines_and_pieces(self):
        found, _ = told("<xigt-corpus>\n&\n" + BODY.format("a\n\nb").replace(" ", "\n"))
        assert found[0].words == ("a b",)

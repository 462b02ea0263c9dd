"""Tables of grams: reading, look-up, merging, and glosses split into parts."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj import FormatError, ProjError
from divproj.links import grams
from divproj.links.grams import KINDS, LANGUAGES, Grams, person

ENGLISH = Grams.load_shipped()
LEIPZIG = """
1 2 3 A ABL ABS ACC ADJ ADV AGR ALL ANTIP APPL ART AUX BEN CAUS CLF COM COMP COMPL COND COP CVB DAT DECL DEF DEM DET DIST DISTR DU DUR
ERG EXCL F FOC FUT GEN IMP INCL IND INDF INF INS INTR IPFV IRR LOC M N NEG NMLZ NOM OBJ OBL P PASS PFV PL POSS PRED PRF PRS PROG PROH
PROX PST PTCP PURP Q QUOT RECP REFL REL RES S SBJ SBJV SG TOP TR VOC
"""


def texts(gloss: str, table: Grams = ENGLISH) -> list[str]:
    return [part.text for part in table.split(gloss)]


class TestLookUp:
    @pytest.mark.parametrize("gram", LEIPZIG.split())
    def test_the_leipzig_abbreviations_are_known(self, gram):
        assert ENGLISH.get(gram), gram

    @pytest.mark.parametrize("label", ["3SG", "3sg", "3.SG", "3s", "3S", "3-sg", "3psg"])
    def test_spellings_of_a_person(self, label):
        assert ENGLISH.words(label) == ENGLISH.words("3SG")
        assert ENGLISH.words(label)[:3] == ("he", "she", "it")

    @pytest.mark.parametrize(
        ("label", "first"),
        [
            ("1PL.EXCL", "we"),
            ("1plex", "we"),
            ("3fs", "she"),
            ("3SG.F.ACC", "her"),
            ("3.F", "she"),
            ("3sgm", "he"),
            ("1SG.GEN", "my"),
            ("3PL.POSS", "their"),
            ("3SG.POSS.ACC", "his"),
            ("2DU", "you"),
            ("1s", "I"),
            ("neg", "not"),
            ("INDEF", "a"),
            ("def", "the"),
            ("Perf", "has"),
        ],
    )
    def test_likeliest_word(self, label, first):
        assert ENGLISH.words(label)[0] == first

    @pytest.mark.parametrize("label", ["", "2nd", "3rd", "1" + "inc" * 30 + "!", "xyzzy", "house", "12345"])
    def test_not_a_person(self, label):
        assert person(label) == frozenset()

    def test_unknown(self):
        assert ENGLISH.get("xyzzy") is None
        assert ENGLISH.words("xyzzy") == ()

    def test_negated_features(self):
        assert ENGLISH.get("NONMASC").meaning == "not masculine"
        assert ENGLISH.get("NIPFV").kind == "aspect"

    def test_closed_words(self):
        assert "article" in ENGLISH.kinds_by_word["the"]
        assert "negation" in ENGLISH.kinds_by_word["n't"]
        assert "dog" not in ENGLISH.kinds_by_word


class TestShipped:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_tables_are_sound(self, language):
        table = Grams.load_shipped(language)
        names = {row.name for row in table.rows}
        spelled = [name for row in table.rows for name in row.synonyms]
        assert len(spelled) == len(set(spelled))
        assert not names & set(spelled)
        assert all(row.kind in KINDS and row.meaning for row in table.rows)
        assert all(len(set(row.words)) == len(row.words) for row in table.rows)
        assert table.language == language

    @pytest.mark.parametrize(
        ("language", "code"),
        [
            ("English", "en"),
            ("spa", "es"),
            ("français", "fr"),
            ("русский", "ru"),
            ("por", "pt"),
            ("ind", "id"),
            ("German", "de"),
        ],
    )
    def test_languages_by_name(self, language, code):
        assert Grams.load_shipped(language).language == code

    def test_words_of_other_languages(self):
        assert Grams.load_shipped("es").words("1SG")[0] == "yo"
        assert "pas" in Grams.load_shipped("fr").words("NEG")
        assert Grams.load_shipped("ru").words("1ЕД") == Grams.load_shipped("ru").words("1SG")
        assert Grams.load_shipped("ru").words("деепр") == Grams.load_shipped("ru").words("CVB")
        assert Grams.load_shipped("de").words("präp") == Grams.load_shipped("de").words("PRAEP")
        assert Grams.load_shipped("id").words("1INKL") == ("kita",)
        assert Grams.load_shipped("pt").words("TÓP") == Grams.load_shipped("pt").words("TOP")

    def test_no_table(self):
        with pytest.raises(ProjError) as caught:
            Grams.load_shipped("Klingon")
        expected = "no table of grams for language 'Klingon', one of en, de, es, fr, id, pt, ru expected; write one and give it with `grams`"
        assert str(caught.value) == expected


class TestReading:
    def test_comments_blank_lines_and_short_rows(self):
        table = Grams.loads("\ufeff# mine\n\ngram\tmeaning\twords\nXY\tsomething\n# no\nZ\t\tsoon later\n")
        assert [(row.name, row.words) for row in table.rows] == [("XY", ()), ("Z", ("soon", "later"))]

    def test_columns_in_another_order(self):
        (row,) = Grams.loads("gram\twords\tkind\nXY\tsoon\ttense\n").rows
        assert row.words == ("soon",)
        assert row.kind == "tense"

    def test_a_person_needs_no_kind(self):
        assert Grams.loads("gram\twords\n3SG.F\tshe\n").rows[0].kind == "person"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "t.tsv: the table is empty, a header line with column names expected"),
            ("# nothing\n", "t.tsv: the table is empty, a header line with column names expected"),
            (
                "NEG\tnot\n",
                "t.tsv:1: column 'neg' is not known, some of gram, meaning, words, synonyms, kind, feats expected; "
                "the first line names the columns, separated by tabs",
            ),
            ("words\tgram\n", "t.tsv:1: the header does not begin with 'gram' or names a column twice"),
            ("gram\twords\twords\n", "t.tsv:1: the header does not begin with 'gram' or names a column twice"),
            ("gram\twords\n\nNEG not\n", "t.tsv:3: 1 columns, 2 to 2 expected; columns are separated by tabs"),
            ("gram\twords\nNEG\tnot\tx\n", "t.tsv:2: 3 columns, 2 to 2 expected; columns are separated by tabs"),
            ("gram\twords\n\tnot\n", "t.tsv:2: '' is not a gram, letters or digits expected"),
            ("gram\twords\n-.\tnot\n", "t.tsv:2: '-.' is not a gram, letters or digits expected"),
            (
                "gram\twords\nNEG\tnot\nneg\tno\n",
                "t.tsv:3: gram 'neg' is here twice, one row a gram expected; join the two rows",
            ),
        ],
    )
    def test_faults(self, tmp_path, monkeypatch, text, message):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "t.tsv").write_text(text)
        with pytest.raises(FormatError) as caught:
            Grams.load("t.tsv")
        assert str(caught.value) == message

    def test_unknown_kind(self):
        with pytest.raises(FormatError, match="<text>:2: kind 'frog' is not known, one of agreement, article, "):
            Grams.loads("gram\tkind\nNEG\tfrog\n")

    def test_not_utf8(self, tmp_path):
        (tmp_path / "t.tsv").write_bytes(b"gram\twords\nNEG\tn\xe3o\n")
        with pytest.raises(FormatError, match=r"t\.tsv:2: not UTF-8 text; save the table as UTF-8"):
            Grams.load(tmp_path / "t.tsv")

    def test_no_such_file(self):
        with pytest.raises(ProjError, match=r"nowhere\.tsv: no such file"):
            Grams.load("nowhere.tsv")

    def test_gzip(self, tmp_path):
        (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(b"gram\twords\nNEG\tnem\n"))
        assert Grams.load(tmp_path / "t.tsv.gz", "hu").words("neg") == ("nem",)


class TestMerging:
    def test_later_wins_and_keeps_the_kind(self):
        mine = Grams.loads("gram\twords\nneg\tnay\nXQ\tperchance\n")
        table = ENGLISH.merge(mine)
        assert table.words("NEG") == ("nay",)
        assert table.get("NEG").kind == "negation"
        assert table.words("xq") == ("perchance",)
        assert table.words("FUT") == ENGLISH.words("FUT")
        assert ENGLISH.words("NEG")[0] == "not"

    def test_last_of_several(self):
        tables = [Grams.loads(f"gram\twords\nXQ\t{word}\n") for word in ("one", "two")]
        assert ENGLISH.merge(*tables).words("XQ") == ("two",)

    def test_a_new_name_takes_the_place_of_a_synonym(self):
        assert ENGLISH.merge(Grams.loads("gram\twords\nPERF\twoz\n")).words("PERF") == ("woz",)


class TestSplit:
    @pytest.mark.parametrize(
        ("gloss", "parts"),
        [
            ("dog", ["dog"]),
            ("give-CAUS-PST", ["give", "caus", "pst"]),
            ("in.the(NEUT)", ["in", "the", "neut"]),
            ("eat=3SG.F", ["eat", "3sgf"]),
            ("go:PRS/3pl", ["go", "prs", "3pl"]),
            ("sing2pl.Imp", ["sing", "2pl", "imp"]),
            ("run3SG", ["run", "3sg"]),
            ("PRS1PL", ["prs", "1pl"]),
            ("JuanDAT", ["juan", "dat"]),
            ("Ana's", ["ana", "'s"]),
            ("does.n't", ["does", "n't"]),
            ("M.3SG-house", ["3sgm", "house"]),
            ("friend-1-pl-poss", ["friend", "1plposs"]),
            ("REFL.3SG", ["refl"]),
            ("&lt;ka&gt;run", ["ka", "run"]),
            ("`two'", ["two"]),
            ("3,000.5", ["3,000.5"]),
            ("McKay", ["mckay"]),
            (".", ["."]),
            ("--", ["--"]),
            ("", []),
        ],
    )
    def test_parts(self, gloss, parts):
        assert texts(gloss) == parts

    @pytest.mark.parametrize(
        ("gloss", "plain"),
        [
            ("GEN", [False]),
            ("past", [True]),
            ("A", [True]),
            ("cook-I", [True, False]),
            ("sew-VII-A", [True, False, False]),
            ("go-Past", [True, False]),
            ("MOON", [True]),
            ("2", [True]),
            ("2SG", [False]),
        ],
    )
    def test_what_can_be_a_word(self, gloss, plain):
        assert [part.plain for part in ENGLISH.split(gloss)] == plain

    def test_features(self):
        (part,) = ENGLISH.split("3SG.M.NOM")
        assert part.features == {"3", "SG", "M", "NOM"}
        assert part.gram.name == "3SG.M.NOM"

    @given(st.text(max_size=30))
    def test_any_text(self, text):
        parts = ENGLISH.split(text)
        assert all(part.text for part in parts)
        assert parts == Grams(ENGLISH.rows).split(text)
        assert bool(parts) == bool(text)

    def test_memory_stays_flat(self, monkeypatch):
        monkeypatch.setattr(grams, "REMEMBERED", 50)
        table = Grams(ENGLISH.rows[:3])
        for k in range(120):
            table.split(f"w{k}")
        assert len(table._memo) <= 50


def test_the_table_for_translations_has_the_grams_of_english():
    russian = Grams.for_translations("rus")
    assert russian.language == "ru"
    assert russian.words("NEG")[0] == "не"
    assert russian.get("МН.Ч").kind == "number"
    assert russian.get("ABL").kind == "case"
    assert "not" not in russian.kinds_by_word
    assert Grams.for_translations("sw").language == "en"

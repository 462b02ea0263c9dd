"""New files of ELAN, FLEx and Toolbox, CLDF data sets, and examples as they are printed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from cli.commands import proj

from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.interlinear import cldf, elan, flextext, formats, toolbox, typeset
from divproj.links.grade import abbreviations

ROOT = Path(__file__).resolve().parents[3]
ONE = Sentence(
    ("Kedi", "uyuyor", "!"), ("kedi", "uyu-yor", "!"), ("cat", "sleep-PROG.3SG", ""), ("n", "v", ""), text="Kedi uyuyor!", sent_id="t.1",
    translation="The cat is sleeping!", translations=(("en", "The cat is sleeping!"), ("de", "Die Katze schläft!")), language="tr",
    tree=DepTree(("Kedi", "uyuyor", "!"), (2, 0, 2), ("nsubj", "root", "punct")),
)  # fmt: skip
TWO = Sentence(
    ("ne-uva=mi",), ("ne-uva=mi",), ("NEG-swim=3SG",), translation="S/he does not swim <& sink>.", sent_id="t.2", language="tr"
)


def names(igt: Sentence) -> tuple[object, ...]:
    glosses = tuple(
        "" if gloss == word else gloss for gloss, word in zip(igt.glosses, igt.words, strict=True)
    )  # FLEx: marks by themselves
    return igt.words, igt.segments or igt.words, glosses, igt.translation, igt.sent_id


@pytest.mark.parametrize("module", [elan, flextext, toolbox])
def test_a_new_file_is_read_as_what_was_written(module):
    read = formats.loads(module.dumps([ONE, TWO]))
    assert [names(igt) for igt in read] == [names(ONE), (("neuvami",), ("ne-uva=mi",), TWO.glosses, TWO.translation, "t.2")]
    assert dict(read[0].translations) == dict(ONE.translations)
    assert read[0].tree is not None
    assert (read[0].tree.heads, read[0].tree.deprels) == ((2, 0, 2), ("nsubj", "root", "punct"))
    assert read[1].tree is None
    assert read[0].tags[:2] == ("n", "v")


@pytest.mark.parametrize("module", [elan, flextext, toolbox])
def test_the_tutorial_in_other_formats(module):
    text = list(formats.load(ROOT / "tutorial" / "turkish.flextext"))
    again = formats.loads(module.dumps(text))
    assert [names(igt) for igt in again] == [names(igt) for igt in text]


def test_elan_has_speakers_and_times():
    spoken = [Sentence(("ja",), sent_id=f"s{k}", meta=(("speaker", who), ("begin", str(b)), ("end", str(e)))) for k, (who, b, e) in enumerate([("AB", 0, 900), ("CD", 900, 1500)])]  # fmt: skip
    read = elan.loads(elan.dumps([*spoken, Sentence(("nee",), sent_id="s2")]))
    said = [dict(igt.meta) for igt in read]
    assert [(one["speaker"], one["begin"], one["end"]) for one in said] == [
        ("AB", "0", "900"),
        ("CD", "900", "1500"),
        ("A", "1500", "4500"),
    ]


def test_flex_knows_the_kinds_of_morphemes():
    text = flextext.dumps([TWO])
    assert [f'type="{kind}"' in text for kind in ("prefix", "stem", "enclitic")] == [True] * 3
    assert '<language lang="tr" vernacular="true"/>' in text
    assert "&lt;&amp; sink&gt;" in text


def test_toolbox_aligns_in_bytes():
    lines = toolbox.dumps([Sentence(("şey", "o"), ("şe-y", "o"), ("a-B", "c"))]).encode().splitlines()
    morphemes, glosses = (next(line for line in lines if line.startswith(marker)) for marker in (b"\\mb", b"\\ge"))
    assert morphemes.index(b"o") == glosses.index(b"c")


def test_a_data_set_that_cldf_accepts(tmp_path: Path):
    pycldf = pytest.importorskip("pycldf", reason="pycldf is not installed")
    import logging

    path = tmp_path / "examples.csv"
    with path.open("w", encoding="utf-8") as out:
        beside = cldf.dump([ONE, TWO, Sentence(("x",), glosses=("y", "z"))], out, path.name, "tr")
    for name, text in beside.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = pycldf.Dataset.from_metadata(tmp_path / "examples-metadata.json")
    warnings: list[str] = []
    log = logging.getLogger("cldf-test")
    log.addHandler(type("Kept", (logging.Handler,), {"emit": lambda self, record: warnings.append(record.getMessage())})())
    assert data.validate(log=log)
    assert warnings == []
    rows = list(data["ExampleTable"])
    assert [row["Unaligned_Gloss"] for row in rows] == [None, None, "y\tz"]
    assert cldf.loads(path.read_text())[2].glosses == ("y", "z")
    assert [row["LGR_Conformance"] for row in rows] == ["MORPHEME_ALIGNED", "MORPHEME_ALIGNED", None]
    assert rows[0]["Translated_Text_de"] == "Die Katze schläft!"
    assert rows[0]["Analyzed_Word"] == ["kedi", "uyu-yor!"] or rows[0]["Analyzed_Word"] == ["kedi", "uyu-yor", "!"]
    languages = {row["ID"]: (row["Name"], row["Glottocode"], row["ISO639P3code"]) for row in data["LanguageTable"]}
    assert languages == {
        "tr": ("Turkish", "nucl1301", "tur"),
        "en": ("English", "stan1293", "eng"),
        "de": ("German", "stan1295", "deu"),
    }


@pytest.mark.parametrize("package", ["gb4e", "langsci", "expex", "linguex"])
def test_examples_for_latex_are_read_again(package: str):
    out = io.StringIO()
    typeset.dump([ONE, TWO], out, package)
    text = out.getvalue()
    assert r"sleep-\textsc{prog.3sg}" in text
    assert "(German: `Die Katze schläft!')" in text
    first, second = formats.loads(text, "latex")
    assert (first.words[:2], first.glosses[:2]) in (
        (("Kedi", "uyuyor"), ("cat", "sleep-PROG.3SG")),
        (("kedi", "uyuyor"), ("cat", "sleep-PROG.3SG")),
    )
    assert second.glosses == ("NEG-swim=3SG",)
    assert second.segments == ("ne-uva=mi",)


def test_what_means_something_to_latex_is_escaped():
    awkward = Sentence(
        ("a_b", "50%", "[x", "a//b", "c d"),
        glosses=("one_1", "", "{x}", "y//z", "w v"),
        translation=r"50 % & #1 \x ~ ^",
        sent_id="a&b",
        judgement="*",
    )
    for package in ("gb4e", "langsci", "expex", "linguex"):
        out = io.StringIO()
        typeset.dump([awkward], out, package)
        body = out.getvalue().partition("\n")[2]
        assert r"a\_b" in body
        assert r"50\%" in body
        assert "{}" in body, "a word without a gloss"
        assert r"50 \% \& \#1 \textbackslash{}x \textasciitilde{} \textasciicircum{}" in body
        assert "{c d}" in body
        assert "a-b}" in body or "<a-b>" in body
        assert "*" in body
    assert "{/}" not in body


def test_examples_without_glosses_and_trees():
    bare = Sentence(("evet",), translation="yes", sent_id="b")
    for package, line in (("gb4e", "evet\\\\"), ("linguex", r"\ex.\label{b}evet\\"), ("expex", r"\gla evet//")):
        out = io.StringIO()
        typeset.dump([bare], out, package)
        assert line in out.getvalue()
    out = io.StringIO()
    typeset.dump([bare, ONE], out, "tikz")
    assert out.getvalue().count(r"\begin{dependency}") == 1
    rows = list(typeset.tikz_tree(DepTree(("a&b", "c"), (0, 1), ("root", "obj"))))
    assert r"a\symbol{38}b \& c \\" in rows, "an ampersand with a backslash divides the columns"


def test_the_page_for_leipzig_escapes():
    out = io.StringIO()
    typeset.dump([TWO], out, "leipzig")
    assert "<p>NEG-swim=3SG</p>" in out.getvalue()
    assert "&lt;&amp; sink&gt;" in out.getvalue()
    assert "data-gloss" in out.getvalue()


def test_abbreviations():
    text = [Sentence(("a",), glosses=("dog-3SG.ABL",)), Sentence(("b", "c"), glosses=("I", "1"))]
    assert abbreviations(text) == [("1", "first person"), ("3", "third person"), ("ABL", "ablative"), ("SG", "singular")]
    assert typeset.list_abbreviations([("ABL", "ablative")], "tex").splitlines()[2] == r"\textsc{abl} \> ablative \\"


@pytest.mark.parametrize("name", ["x.flextext", "x.eaf", "x.sfm", "x.tex", "x.html", "x.csv", "x.txt"])
def test_convert_writes_by_the_ending(name: str, tmp_path: Path):
    source = tmp_path / "in.txt"
    source.write_text("ev-de\nhouse-LOC\n‘in the house’\n", encoding="utf-8")
    done = proj("convert", str(source), str(tmp_path / name), "--language", "Turkish")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert "LOC" in text or r"\textsc{loc}" in text
    if name == "x.csv":
        assert "tr,Turkish,nucl1301,tur" in (tmp_path / "x-languages.csv").read_text()


def test_convert_lists_abbreviations(tmp_path: Path):
    source = tmp_path / "in.txt"
    source.write_text("ev-de\nhouse-LOC\n‘in the house’\n", encoding="utf-8")
    done = proj("convert", str(source), "-", "--to", "abbreviations")
    assert done.stdout == "LOC\tlocative\n"

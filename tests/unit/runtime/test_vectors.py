"""Word vectors: likeness, neighbours, files."""

from __future__ import annotations

import numpy as np
import pytest

from divproj.core.errors import ModelError, ProjError
from divproj.runtime.modelfile import write_arrays
from divproj.runtime.vectors import NAMES, WordVectors, shipped_vectors


def some() -> WordVectors:
    rows = np.array([[127, 0], [127, 127], [0, 127], [0, 0]], np.int8)
    return WordVectors(["dog", "cat", "don't", "nothing"], rows, np.array([1, 2, 3, 4], np.float32))


def test_similarity_is_the_cosine():
    assert some().similarity("Dog", "CAT") == pytest.approx(2**-0.5)
    assert some().similarity("dog", "dog") == pytest.approx(1)
    assert some().similarity("dog", "don’t") == 0
    assert some().similarity("dog", "unheard-of") == some().similarity("nothing", "dog") == 0


def test_vectors_are_those_that_were_rounded():
    vector = some().vector("cat")
    assert vector is not None
    assert vector.tolist() == [254, 254]
    assert some().vector("unheard-of") is None
    assert "Cat" in some()
    assert "unheard-of" not in some()
    assert (len(some()), some().size) == (4, 2)


def test_files_come_back(tmp_path):
    write_arrays(tmp_path / "v.npz", some().arrays())
    found = WordVectors.load(tmp_path / "v.npz")
    assert found.words == some().words
    assert found.similarity("dog", "cat") == some().similarity("dog", "cat")


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        (NAMES[0], np.zeros((4, 2), np.int16), "4 words for 4 vectors of int16"),
        (NAMES[1], np.zeros(3, np.float32), r"has shape \(3,\), 4 expected"),
        (NAMES[2], np.frombuffer(b"a\nb", np.uint8), "2 words for 4 vectors"),
        (NAMES[2], np.frombuffer(b"\xff", np.uint8), "is no text in UTF-8"),
    ],
)
def test_damaged_files_say_what_is_wrong(tmp_path, name, array, message):
    write_arrays(tmp_path / "v.npz", {**some().arrays(), name: array})
    with pytest.raises(ModelError, match=message):
        WordVectors.load(tmp_path / "v.npz")


def test_a_language_without_vectors():
    with pytest.raises(ProjError, match="no vectors of language 'xx' come with divproj"):
        shipped_vectors("xx")


def test_the_shipped_ones_know_what_is_alike():
    found = shipped_vectors("en")
    assert found.similarity("dog", "cat") > 0.6 > found.similarity("dog", "parliament")

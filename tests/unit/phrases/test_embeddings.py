"""Word vectors from files."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from divproj.data.errors import FormatError, ModelError
from divproj.phrases import embeddings

WORDS = np.array(["cat", "dog", "sun"])
VECTORS = np.array([[1, 0], [1, 1], [0, 2]], np.float32)


def test_npz(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, words=WORDS, vectors=VECTORS)
    found = embeddings.load(path)
    assert found.cosine("cat", "dog") == pytest.approx(0.5**0.5)
    assert found.cosine("cat", "sun") == 0
    assert not found.has("moon")
    assert found.rows([]).shape == (0, 2)


@pytest.mark.parametrize("header", ["3 2\n", ""])
def test_text(tmp_path: Path, header: str) -> None:
    path = tmp_path / "v.txt"
    path.write_text(header + "cat 1 0\ndog 1 1\nhot dog 0 2\n")
    found = embeddings.load(path)
    assert found.cosine("cat", "dog") == pytest.approx(0.5**0.5)
    if header:
        assert found.has("hot dog")
    assert not embeddings.load(path, {"dog"}).has("cat")


def test_bad_text(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("cat 1 0\ndog 1\n")
    with pytest.raises(FormatError, match=r"v.txt:2: 1 numbers, 2 expected; is it word2vec text\?"):
        embeddings.load(path)
    path.write_text("cat 1 x\n")
    with pytest.raises(FormatError, match=r"v.txt:1: the vector of 'cat' has a field that is not a number"):
        embeddings.load(path)


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
        embeddings.load(path)


def test_a_header_that_promises_too_much(tmp_path: Path) -> None:
    path = tmp_path / "a.vec"
    path.write_text(f"2 {10**17}")
    with pytest.raises(FormatError, match=r"a.vec: vectors of 100000000000000000 numbers, at most 65536 expected"):
        embeddings.load(path)


def package(folder: Path, kind: str = "F16") -> Path:
    """A folder like the wheel's, with five invented subwords."""
    (folder / "weights").mkdir()
    (folder / "tokenizers").mkdir()
    table = np.array([[1, 0], [0, 1], [1, 1], [3, 0], [0, 5]], np.float16)
    header = json.dumps({"embedding.weight": {"dtype": kind, "shape": [5, 2], "data_offsets": [0, 20]}}).encode()
    (folder / "weights" / "x_2.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + table.tobytes())
    model = {"vocab": {"\u2581": 0, "a": 1, "b": 2, "\u2581a": 3, "<0x63>": 4}, "merges": [["\u2581", "a"]]}
    (folder / "tokenizers" / "x_tokenizer_config.json").write_text(json.dumps({"model": model}))
    return folder


def test_subword_tables(tmp_path: Path) -> None:
    found = embeddings.wordllama(package(tmp_path))
    assert found is not None
    assert found.vector("a") == pytest.approx([1, 0])
    assert found.vector("ab") == pytest.approx(np.array([4, 1]) / 17**0.5, abs=1e-3)
    assert found.vector("c") == pytest.approx(np.array([1, 5]) / 26**0.5, abs=1e-3)
    assert found.vector("日") == pytest.approx([1, 0])


def test_bad_subword_tables(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no weights/\*.safetensors and tokenizers/\*.json here"):
        embeddings.wordllama(tmp_path)
    package(tmp_path, "I8")
    with pytest.raises(ModelError, match="no safetensors file with a matrix of F16 or F32"):
        embeddings.wordllama(tmp_path)
    weights = tmp_path / "weights" / "x_2.safetensors"
    weights.write_bytes(b"\xff" * 9)
    with pytest.raises(ModelError, match="its header is too long"):
        embeddings.wordllama(tmp_path)
    header = json.dumps({"e": {"dtype": "F16", "shape": [9, 2], "data_offsets": [0, 20]}}).encode()
    weights.write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(ModelError, match="20 bytes for a matrix of 9 x 2, 36 expected"):
        embeddings.wordllama(tmp_path)
    for shape, ends in (([9, [2]], [0, 20]), ([9, 2], [-0.0, 36]), ([-9, -2], [0, 36]), ([True, 2], [0, 4])):
        header = json.dumps({"e": {"dtype": "F16", "shape": shape, "data_offsets": ends}}).encode()
        weights.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 36)
        with pytest.raises(
            ModelError, match="a shape or offsets in the header that are not numbers from 0; copy the file again"
        ):
            embeddings.wordllama(tmp_path)
    header = json.dumps({"e": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}}).encode()
    weights.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 4)
    (tmp_path / "tokenizers" / "x_tokenizer_config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"no BPE tokenizer: model.vocab and model.merges expected"):
        embeddings.wordllama(tmp_path)


def test_the_real_table() -> None:
    found = embeddings.wordllama()
    if found is None:
        pytest.skip("wordllama is not installed")
    assert found.cosine("buy", "purchase") > 0.6 > 0.3 > found.cosine("dog", "table")


def test_the_real_table_is_read_as_its_own_library_does() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    found = embeddings.wordllama()
    if found is None:
        pytest.skip("wordllama is not installed")
    from importlib.util import find_spec

    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations
    path = next(Path(spec.submodule_search_locations[0]).glob("tokenizers/*tokenizer*.json"))
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), embeddings.Subwords.load(path)
    for word in ("dog", "unbelievably", "Zürich", "日本", "co-operate", "12,390", "'s", "naïve", "😀"):
        assert ours.numbers(word) == theirs.encode(word, add_special_tokens=False).ids


def test_threshold() -> None:
    found = embeddings.Embeddings.of(list(WORDS), VECTORS)
    pairs = [(["Cat", "sun"], ["dog", "cat"]), (["cat"], ["dog"])]
    assert embeddings.threshold(found, pairs, rank=1) == pytest.approx(0.5**0.5)
    assert embeddings.threshold(found, pairs, rank=3) == 0.4


def test_the_vectors_of_the_english_parser():
    found = embeddings.shipped("en")
    assert found.cosine("dog", "cat") > 0.6 > found.cosine("dog", "parliament")
    assert not found.has("xyzzyx")

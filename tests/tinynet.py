"""A tiny network with random weights, as the files of a language; and its forward pass written plainly, as a twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from divproj.parsing import network as storage
from divproj.parsing import network as words
from divproj.parsing.language import KIND, NEURAL
from divproj.parsing.tagger import Lemmatizer
from divproj.runtime import modelfile
from divproj.runtime.vectors import WordVectors

UPOS, XPOS, RELS = ["DET", "NOUN", "VERB"], ["DT", "NN", "VBD", "VBZ"], ["det", "nsubj", "obj", "root"]
TRAINED = ["dog", "the"]
SIZES = {"layers": 3, "width": 5, "small": 4, "fed": 2, "arc": 6, "rel": 3}


def weights(seed: int = 1) -> dict[str, np.ndarray]:
    """Weights by the names that the files have."""
    random = np.random.default_rng(seed)
    width, small, fed, arc, rel = (SIZES[name] for name in ("width", "small", "fed", "arc", "rel"))
    shapes: dict[str, tuple[int, ...]] = {
        "no_vector": (3,), "trained": (3, small), "affixes": (words.AFFIX_ROWS, small), "grams": (words.GRAM_ROWS, small),
        "upos.weight": (len(UPOS), 2 * width), "upos.bias": (len(UPOS),), "upos_fed.weight": (fed, len(UPOS)),
        "xpos.weight": (len(XPOS), 2 * width), "xpos.bias": (len(XPOS),), "xpos_fed.weight": (fed, len(XPOS)),
        "words.weight": (2 * (arc + rel), 2 * width), "words.bias": (2 * (arc + rel),), "root": (arc + rel,),
        "arc": (arc + 1, arc), "rel": (len(RELS), rel + 1, rel + 1),
    }  # fmt: skip
    for k, size in enumerate((3 + 3 * small, 2 * width + 2 * fed, 2 * width)):
        for way in ("", "_reverse"):
            shapes[f"lstms.{k}.weight_ih_l0{way}"] = (4 * width, size)
            shapes[f"lstms.{k}.weight_hh_l0{way}"] = (4 * width, width)
            shapes[f"lstms.{k}.bias_l0{way}"] = (4 * width,)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def vectors() -> WordVectors:
    rows = np.array([[100, -50, 3], [7, 127, -90]], np.int8)
    return WordVectors(["dog", "cat"], rows, np.array([0.01, 0.02], np.float32))


def facts() -> dict[str, object]:
    network = {"format": storage.FORMAT, **SIZES, "upos": UPOS, "xpos": XPOS, "rels": RELS}
    return {"about": {}, "fine": True, "scale": 0.5, "lemmas": lemmas().meta(), "network": network, "punctuation": []}


def lemmas() -> Lemmatizer:
    return Lemmatizer().fit([("dogs", "NOUN", "dog"), ("cats", "NOUN", "cat"), ("saw", "VERB", "see")])


def arrays(seed: int = 1) -> dict[str, np.ndarray]:
    made = storage.arrays(weights(seed))
    made[storage.PREFIX + "trained.words"] = np.frombuffer("\n".join(TRAINED).encode(), np.uint8)
    return {**made, **lemmas().to_arrays(), **vectors().arrays()}


def saved(folder: Path, **changed: object) -> Path:
    """The files of a language with the network; facts and arrays can be changed."""
    own_facts, own_arrays = facts(), arrays()
    for name, value in changed.items():
        if isinstance(value, np.ndarray):
            own_arrays[name.replace("__", ".")] = value
        else:
            own_facts[name] = value
    modelfile.save(folder, KIND, NEURAL, own_facts, own_arrays)
    return folder


def rounded() -> dict[str, np.ndarray]:
    """The weights as they come back from files."""
    made: dict[str, np.ndarray] = {}
    for name, weight in weights().items():
        if weight.ndim < 2:
            made[name] = weight.astype(np.float64)
        else:
            rows, units = storage.quantise_rows(weight)
            made[name] = rows.astype(np.float64) * units.astype(np.float64).reshape(-1, *[1] * (weight.ndim - 1))
    return made


def twin(forms: tuple[str, ...]) -> tuple[list[int], list[int], np.ndarray, np.ndarray]:
    """UPOS, XPOS, scores[c - 1, h] of edges and rel_scores[c - 1, h, r]: one word after the other, no tricks."""
    w, known = rounded(), vectors()
    inputs = []
    for form in forms:
        vector = known.vector(words.word_key(form))
        own = TRAINED.index(words.word_key(form)) + 1 if words.word_key(form) in TRAINED else 0
        grams = [w["grams"][row] for row in words.gram_rows(form)]
        affixes = [w["affixes"][row] for row in words.affix_rows(form)]
        inputs.append(
            np.concatenate(
                [w["no_vector"] if vector is None else vector, w["trained"][own], sum(affixes), sum(grams) / len(grams)]
            )
        )
    tags: list[list[int]] = []
    for k in range(SIZES["layers"]):
        there = _lstm(w, k, "", inputs)
        back = _lstm(w, k, "_reverse", inputs[::-1])[::-1]
        inputs = [np.concatenate(pair) for pair in zip(there, back, strict=True)]
        if k == 0:
            columns = []
            for name in ("upos", "xpos"):
                scores = [w[f"{name}.weight"] @ x + w[f"{name}.bias"] for x in inputs]
                tags.append([int(np.argmax(own)) for own in scores])
                columns.append([w[f"{name}_fed.weight"] @ (np.exp(own) / np.exp(own).sum()) for own in scores])
            inputs = [np.concatenate(parts) for parts in zip(inputs, *columns, strict=True)]
    arc, rel = SIZES["arc"], SIZES["rel"]
    made = [w["words.weight"] @ x + w["words.bias"] for x in inputs]
    made = [np.where(y > 0, y, 0.1 * y) for y in made]
    heads = [w["root"][:arc], *(y[arc : 2 * arc] for y in made)]
    above = [w["root"][arc:], *(y[2 * arc + rel :] for y in made)]
    edges = np.array([[np.append(y[:arc], 1) @ w["arc"] @ head for head in heads] for y in made])
    rels = np.array(
        [
            [[np.append(y[2 * arc : 2 * arc + rel], 1) @ table @ np.append(h, 1) for table in w["rel"]] for h in above]
            for y in made
        ]
    )
    for c in range(len(forms)):
        edges[c, c + 1] = -1e4
    return tags[0], tags[1], edges, rels


def _lstm(w: dict[str, np.ndarray], k: int, way: str, inputs: list[np.ndarray]) -> list[np.ndarray]:
    width = SIZES["width"]
    state, cell, made = np.zeros(width), np.zeros(width), []
    for x in inputs:
        gates = w[f"lstms.{k}.weight_ih_l0{way}"] @ x + w[f"lstms.{k}.weight_hh_l0{way}"] @ state + w[f"lstms.{k}.bias_l0{way}"]
        enter, keep, new, show = np.split(gates, 4)
        cell = _sigmoid(keep) * cell + _sigmoid(enter) * np.tanh(new)
        state = _sigmoid(show) * np.tanh(cell)
        made.append(state)
    return made


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))

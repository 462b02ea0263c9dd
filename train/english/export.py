"""The student as a language of divproj: weights in one byte each, lemmas, punctuation, a scale for probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from data import Names, Tree
from divproj.data.tree import DepTree
from divproj.parsing.language import KIND, NEURAL, Language
from divproj.parsing.lemmas import Lemmatizer
from divproj.parsing.neural import storage
from divproj.parsing.punctuation import Punctuation
from divproj.runtime import modelfile
from divproj.runtime.vectors import WordVectors
from model import ARC, REL, SMALL, TAGS, Network

TABLES = {"trained.weight": "trained", "affixes.weight": "affixes", "grams.weight": "grams"}

SOURCE = {"twin": "UD English EWT, training part", "student": "UD English EWT, training and development parts"}


def write(
    folder: Path, network: Network, names: Names, trees: list[Tree], vectors: Path, recipe: dict[str, Any], scale: float
) -> None:
    """Write the model; lemmas and places of punctuation are learned from the trees."""
    kept = np.load(vectors, allow_pickle=False)
    words = WordVectors([str(word) for word in kept["words"]], kept["rows"], kept["units"])
    weights = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    for k in range(network.layers):
        for way in ("", "_reverse"):
            one, two = (weights.pop(f"lstms.{k}.bias_{side}_l0{way}") for side in ("ih", "hh"))
            weights[f"lstms.{k}.bias_l0{way}"] = one + two
    arrays = storage.arrays({TABLES.get(name, name): weight for name, weight in weights.items()})
    arrays[storage.PREFIX + "trained.words"] = np.frombuffer("\n".join(names.trained).encode(), np.uint8)
    triples = [t for tree in trees for t in zip(tree.forms, tree.upos, tree.lemmas, strict=True)]
    lemmas = Lemmatizer().fit(triples)
    gold = [DepTree(tuple(t.forms), tuple(t.heads), tuple(t.rels)) for t in trees]
    punctuation = Punctuation.learn(gold).choices
    sizes = {"layers": network.layers, "width": network.width, "small": SMALL, "fed": TAGS, "arc": ARC, "rel": REL}
    facts = {
        "about": {"source": SOURCE[recipe["role"]], "sentences": len(trees), "recipe": recipe},
        "fine": True,
        "scale": scale,
        "lemmas": lemmas.meta(),
        "network": {"format": storage.FORMAT, **sizes, "upos": names.upos, "xpos": names.xpos, "rels": names.rels},
        "punctuation": [[*key, choice] for key, choice in sorted(punctuation.items())],
    }
    arrays = {**arrays, **lemmas.to_arrays(), **words.arrays()}
    modelfile.save(folder, KIND, NEURAL, facts, arrays, beside=("LICENSE*",))


def fit_scale(folder: Path, held: list[Tree]) -> float:
    """The scale of probabilities that fits these sentences, which the model has not learned from."""
    made = Language.load(folder)
    forms = [tuple(tree.forms) for tree in held]
    seen = [made.seen(words, tags) for words, tags in zip(forms, made.tag(forms), strict=True)]
    gold = [DepTree(tuple(t.forms), tuple(t.heads), tuple(t.rels)) for t in held]
    return float(made.parser.calibrate(seen, gold).scale_)

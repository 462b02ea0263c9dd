"""A network as a language pack: weights in one byte each, lemmas, punctuation, how text is cut, a scale for probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from data import Names, Tree
from divproj.core.errors import Faults
from divproj.core.tree import DepTree
from divproj.io.trees import conllu
from divproj.parsing import network as storage
from divproj.parsing.language import KIND, NEURAL, Language, Punctuation, has_lemma
from divproj.parsing.tagger import Lemmatizer
from divproj.runtime import modelfile
from divproj.runtime.vectors import WordVectors
from divproj.text.tokenizer import Tokenizer
from model import ARC, REL, SMALL, TAGS, Network
from recipes import Recipe

TABLES = {"trained.weight": "trained", "affixes.weight": "affixes", "grams.weight": "grams"}

PARTS = {"twin": "training part", "student": "training and development parts"}


def write(
    folder: Path,
    network: Network,
    names: Names,
    trees: list[Tree],
    treebanks: list[Path],
    vectors: Path,
    recipe: Recipe,
    about: dict[str, Any],
    scale: float,
) -> None:
    """Write the pack; lemmas and places of punctuation are learned from the trees, how text is cut from the files they were read from."""
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
    lemmas = Lemmatizer().fit([t for t in triples if has_lemma(t[0], t[2])])
    gold = [DepTree(tuple(t.forms), tuple(t.heads), tuple(t.rels)) for t in trees]
    punctuation = Punctuation.learn(gold).choices if recipe.punctuation else {}
    sizes = {"layers": network.layers, "width": network.width, "small": SMALL, "fed": TAGS, "arc": ARC, "rel": REL}
    sentences = (s for path in treebanks for s in conllu.load(path, Faults(strict=False)) if s is not None)
    tokenizer = None if recipe.name == "English" else Tokenizer.learn(sentences, recipe.contractions()).facts()
    facts = {
        "about": {
            "language": recipe.name,
            "source": f"{recipe.source}, {PARTS[about['role']]}",
            "licence": recipe.licence,
            "sentences": len(trees),
            "recipe": about,
        },
        "fine": True,
        "scale": scale,
        "lemmas": lemmas.meta(),
        "network": {"format": storage.FORMAT, **sizes, "upos": names.upos, "xpos": names.xpos, "rels": names.rels},
        "punctuation": [[*key, choice] for key, choice in sorted(punctuation.items())],
        "tokenizer": tokenizer,
    }
    arrays = {**arrays, **lemmas.to_arrays(), **words.arrays()}
    modelfile.save(folder, KIND, NEURAL, facts, arrays, beside=("LICENSE*", "README.md"))


def fit_scale(folder: Path, held: list[Tree]) -> float:
    """The scale of probabilities that fits these sentences, which the model has not learned from."""
    made = Language.load(folder)
    forms = [tuple(tree.forms) for tree in held]
    seen = [made.seen(words, tags) for words, tags in zip(forms, made.tag(forms), strict=True)]
    gold = [DepTree(tuple(t.forms), tuple(t.heads), tuple(t.rels)) for t in held]
    return float(made.parser.calibrate(seen, gold).scale_)

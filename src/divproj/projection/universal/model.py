"""The model of glossed text in any language: its weights, and how they are kept in a folder (`languages/glossed`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError, ProjError
from divproj.projection.settings import SMALL_WEIGHT
from divproj.projection.ud_names import LABELS
from divproj.projection.universal import edges, labels, tagger
from divproj.projection.universal.english import UPOS, English
from divproj.projection.universal.inputs import Names
from divproj.projection.universal.nearness import SIDES, WAYS, Nearness
from divproj.projection.universal.network import Network
from divproj.runtime import modelfile
from divproj.runtime.resources import folder

KIND, VERSION = "divproj-glossed", 3
WITHOUT_NEARNESS = 2
"""The version before, which can be read."""
Weights = NDArray[np.float32]


@dataclass(eq=False)
class GlossModel:
    """All that is learned from treebanks of other languages."""

    english: English
    tagger: Weights
    plain: Weights
    """Of edges, seeing glosses alone."""
    linked: Weights
    """Of edges, seeing the translation too."""
    labels: Weights
    about: dict[str, Any] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: Names((), ()))
    """Grams and kinds that the networks know."""
    networks: tuple[Network, ...] = ()
    nearness: Nearness = field(default_factory=Nearness)

    def save(self, place: str | Path) -> None:
        """Write the model into a folder, whole or not at all."""
        tags = ("", *UPOS)
        names = sorted(self.english.words)
        rows = [self.english.words[name] for name in names]
        arrays: dict[str, NDArray[Any]] = {
            "english.words": np.frombuffer("\n".join(names).encode("utf-8"), np.uint8),
            "english.tags": np.array([(tags.index(a), tags.index(b), share) for a, b, share in rows], np.uint8).reshape(-1, 3),
        }
        for name in ("tagger", "plain", "linked", "labels"):
            weights = getattr(self, name)
            arrays[name] = np.where(np.abs(weights) < SMALL_WEIGHT, 0, weights).astype(np.float16)
        arrays |= {"near.orders": self.nearness.orders, "near.counts": self.nearness.counts.astype(np.float16)}
        for k, network in enumerate(self.networks):
            arrays |= {f"net{k}.{name}": weights.astype(np.float16) for name, weights in network.weights.items()}
        facts = {
            "about": self.about,
            "grams": list(self.names.grams),
            "kinds": list(self.names.kinds),
            "networks": len(self.networks),
            "near": list(self.nearness.banks),
        }
        modelfile.save(place, KIND, VERSION, facts, arrays, beside=("README.md", "calibration.json"))

    @classmethod
    def load(cls, place: str | Path) -> GlossModel:
        """The model in a folder; ModelError where it is damaged or of another version."""
        model = modelfile.load(place, KIND, VERSION, WITHOUT_NEARNESS)
        tags = ("", *UPOS)
        table = model.array("english.tags", "u", None, 3)
        try:
            names = model.array("english.words", "u", None).astype(np.uint8).tobytes().decode("utf-8").split("\n")
        except UnicodeDecodeError:
            raise ModelError("array 'english.words' is no text in UTF-8", model.where, modelfile.REMEDY) from None
        if len(names) != len(table) or (len(table) and table[:, :2].max() >= len(tags)):
            raise ModelError(f"{len(names)} English words for {len(table)} rows of tags", model.where, modelfile.REMEDY)
        english = English({name: (tags[a], tags[b], s) for name, (a, b, s) in zip(names, table.tolist(), strict=True)})
        shapes = {
            "tagger": (tagger.SIZE, len(UPOS)),
            "plain": (edges.SIZE,),
            "linked": (edges.SIZE,),
            "labels": (labels.SIZE, len(LABELS)),
        }
        weights = {name: model.array(name, "f", *shape).astype(np.float32) for name, shape in shapes.items()}
        known = Names(tuple(map(str, model.fact("grams", list))), tuple(map(str, model.fact("kinds", list))))
        networks = tuple(_network(model, k, known) for k in range(model.fact("networks", int)))
        made = cls(english, weights["tagger"], weights["plain"], weights["linked"], weights["labels"])
        made.about, made.names, made.networks = model.fact("about", dict), known, networks
        if model.about["version"] == VERSION:
            made.nearness = _nearness(model)
        return made


def _network(model: modelfile.Model, number: int, names: Names) -> Network:
    prefix = f"net{number}."
    found = {
        name.removeprefix(prefix): model.array(name, "f", *array.shape)
        for name, array in model.arrays.items()
        if name.startswith(prefix)
    }
    return Network.of(found, len(names.grams), len(names.kinds), model.where)


def _nearness(model: modelfile.Model) -> Nearness:
    banks = tuple(map(str, model.fact("near", list)))
    orders = model.array("near.orders", "f", len(banks), SIDES).astype(np.float32)
    counts = model.array("near.counts", "f", len(banks), len(UPOS), WAYS).astype(np.float32)
    if len(banks) and (counts.min() < 0 or np.abs(orders[:, ::2]).max() > 1 or orders[:, 1::2].min() < 0):
        raise ModelError("word orders or attachments of treebanks are out of range", model.where, modelfile.REMEDY)
    return Nearness(banks, orders, counts)


@lru_cache(maxsize=1)
def shipped() -> GlossModel:
    """The model that comes with the package."""
    place = folder("languages") / "glossed"
    if not place.is_dir():
        raise ProjError("no model of glossed text comes with this installation", remedy="install divproj again")
    return GlossModel.load(place)

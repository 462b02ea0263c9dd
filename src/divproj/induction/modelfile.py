"""Models and checkpoints in a folder: `model.json`, `weights.npz`, and `chain-K.npz` to go on from. Never pickle."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from divproj.errors import ModelError, Where
from divproj.induction.ccm import Forest
from divproj.induction.grammar import Counts, Grammar
from divproj.induction.inducer import BilingualInducer
from divproj.induction.spans import Inventory
from divproj.modelfile import read_arrays

FORMAT, VERSION = "divproj-induction", 1
ARRAYS = ("keys", "yields", "contexts", "totals")
MOST = 1e9


@dataclass(frozen=True)
class Model:
    """Grammars by side ("f", "e"; a model of one language has "f" alone) and how they came about."""

    grammars: dict[str, Grammar]
    about: dict[str, Any] = field(default_factory=dict)

    def side(self, name: str) -> Grammar:
        if name not in self.grammars:
            raise ModelError(f"the model has no side '{name}'", remedy=f"choose {' or '.join(self.grammars)}")
        return self.grammars[name]


def save(folder: Path, model: Model) -> None:
    """Both files, each whole or not at all."""
    arrays: dict[str, Any] = {}
    sides: dict[str, Any] = {}
    for name, grammar in model.grammars.items():
        inventory, counts = grammar.inventory, grammar.counts
        values = (inventory.keys, counts.yields, counts.contexts, counts.totals)
        arrays |= {f"{name}_{key}": value for key, value in zip(ARRAYS, values, strict=True)}
        sides[name] = {
            "tags": inventory.tags,
            "contexts": inventory.contexts,
            "constituent": grammar.constituent,
            "distituent": grammar.distituent,
            "count_empty": grammar.count_empty,
        }
    _save_arrays(folder / "weights.npz", arrays)
    about = {"format": FORMAT, "version": VERSION, "sides": sides, **model.about}
    part = folder / ".model.json.part"
    part.write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    part.replace(folder / "model.json")


def load(folder: Path) -> Model:
    """A saved model; ModelError when it is not one, of another version, or broken."""
    where = Where(str(folder))
    try:
        about: Any = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"no induced grammar here: {error}", where, "`proj induce` makes one") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT or about.get("version") != VERSION:
        raise ModelError(f"not an induced grammar of version {VERSION}", where, "train it again")
    arrays = _load_arrays(folder / "weights.npz", where)
    try:
        grammars = {name: _grammar(name, side, arrays) for name, side in about["sides"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelError(f"model.json and weights.npz do not belong together: {error}", where, "train it again") from None
    return Model(grammars, {k: v for k, v in about.items() if k not in ("format", "version", "sides")})


def _grammar(name: str, side: Any, arrays: dict[str, Any]) -> Grammar:
    keys, yields, contexts, totals = (arrays[f"{name}_{key}"] for key in ARRAYS)
    tags = tuple(side["tags"])
    inventory = Inventory(tags, keys, int(side["contexts"]))
    if yields.shape != (2, len(keys) + 1) or contexts.shape != (2, inventory.context_ids) or totals.shape != (2,):
        raise ValueError(
            f"arrays of {yields.shape}, {contexts.shape}, {totals.shape} for {len(keys)} yields and {len(tags)} tags"
        )
    if keys.dtype != np.int64 or not all(x.dtype == np.float64 and np.isfinite(x).all() for x in (yields, contexts, totals)):
        raise ValueError("numbers expected in all arrays")
    if min(x.min(initial=0) for x in (keys, yields, contexts, totals)) < 0 or not all(isinstance(tag, str) for tag in tags):
        raise ValueError("counts from 0 and tags that are texts expected")
    priors = float(side["constituent"]), float(side["distituent"])
    if not all(0 < prior < MOST for prior in (*priors, inventory.contexts)):
        raise ValueError(f"priors {priors} and {inventory.contexts} contexts, numbers above 0 expected")
    return Grammar(inventory, Counts(yields, contexts, totals), *priors, bool(side["count_empty"]))


def save_chain(path: Path, chain: BilingualInducer, first: int, about: str) -> None:
    """All that the next sweep needs: trees, alignments, sums so far. Counts follow from the trees."""
    state = chain.state_
    arrays: dict[str, Any] = {"mate": state.mate, "place": np.array([first, chain.done_, chain.kept_])}
    for side, forest, sums, nodes in zip("fe", state.forests, chain.sums_, chain.nodes_, strict=True):
        arrays |= {f"{side}_{k}": array for k, array in enumerate(forest.nodes)}
        arrays |= {f"{side}_yields": sums.yields, f"{side}_contexts": sums.contexts, f"{side}_totals": sums.totals}
        arrays[f"{side}_nodes"] = nodes
    names = list(chain.history_[0]) if chain.history_ else []
    told = [[entry[key] for key in names] for entry in chain.history_]
    arrays |= {"history": np.array(told, float), "names": np.array(names, "U20"), "about": np.array(about)}
    _save_arrays(path, arrays)


def load_chain(path: Path, chain: BilingualInducer, about: str) -> int:
    """Put a chain that has begun on the same pairs where the file left it; returns where its run had begun."""
    where = Where(str(path))
    arrays = _load_arrays(path, where)
    try:
        if str(arrays["about"]) != about:
            raise ModelError(
                "the checkpoint is of another corpus or other settings", where, "give the same ones, or start without --resume"
            )
        f, e = (
            Forest(side, (arrays[f"{name}_0"], arrays[f"{name}_1"], arrays[f"{name}_2"], arrays[f"{name}_3"]))
            for name, side in zip("fe", chain.bitext_.sides, strict=True)
        )
        chain._restore((f, e), arrays["mate"])
        sums = [Counts(*(arrays[f"{name}_{key}"] for key in ARRAYS[1:])) for name in "fe"]
        chain.sums_ = (sums[0], sums[1])
        chain.nodes_ = tuple(arrays[f"{name}_nodes"] for name in "fe")
        first, chain.done_, chain.kept_ = (int(x) for x in arrays["place"])
        names = arrays["names"].tolist()
        chain.history_ = [dict(zip(names, row, strict=True)) for row in arrays["history"].tolist()]
    except (KeyError, ValueError, IndexError) as error:
        raise ModelError(f"a broken checkpoint: {error}", where, "start without --resume") from None
    return first


def _save_arrays(path: Path, arrays: dict[str, Any]) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as out:
            np.savez_compressed(out, **arrays)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise ModelError(f"could not be written: {error.strerror}", Where(str(path))) from None


def _load_arrays(path: Path, where: Where) -> dict[str, Any]:
    try:
        return read_arrays(path)
    except ModelError as error:
        what = error.what.removeprefix("cannot be read: ")
        raise ModelError(f"{path.name} cannot be read: {what}", where, "train it again") from None

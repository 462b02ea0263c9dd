"""Models and checkpoints in a folder: `model.json`, `weights.npz`, and `chain-K.npz` to go on from. Never pickle."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from divproj.data.errors import ModelError, Where
from divproj.induction.ccm import Forest
from divproj.induction.consensus import Consensus
from divproj.induction.grammar import Counts, Grammar
from divproj.induction.inducer import BilingualInducer
from divproj.induction.spans import Inventory
from divproj.runtime import modelfile
from divproj.runtime.leftovers import new_part

FORMAT, VERSION = "divproj-induction", 1
ARRAYS = ("keys", "yields", "contexts", "totals")
MOST = 1e9
"""Pseudo-count or weight of a stored model; anything larger is damage."""
MOST_CHAINS = 1000
BESIDE = ("pairs.jsonl", "chain-*.npz", ".chain-*.npz.part")
"""Files that stand beside those of a model: trees of the training pairs, checkpoints."""


@dataclass(frozen=True)
class Model:
    """Grammars by side ("f", "e"; a model of one language has "f" alone) and how they came about."""

    grammars: dict[str, Consensus]
    about: dict[str, Any] = field(default_factory=dict)

    def side(self, name: str) -> Consensus:
        if name not in self.grammars:
            raise ModelError(f"the model has no side '{name}'", remedy=f"choose {' or '.join(self.grammars)}")
        return self.grammars[name]


def save(folder: Path, model: Model) -> None:
    """Both files, whole or not at all."""
    arrays: dict[str, Any] = {}
    sides: dict[str, Any] = {}
    for name, grammar in model.grammars.items():
        inventory, first = grammar.inventory, grammar.members[0]
        counts = [member.counts for member in grammar.members]
        tables = ([c.yields for c in counts], [c.contexts for c in counts], [c.totals for c in counts])
        values = (inventory.keys, *map(np.concatenate, tables))
        arrays |= {f"{name}_{key}": value for key, value in zip(ARRAYS, values, strict=True)}
        sides[name] = {
            "tags": inventory.tags,
            "contexts": inventory.contexts,
            "constituent": first.constituent,
            "distituent": first.distituent,
            "count_empty": first.count_empty,
            "chains": len(grammar.members),
            **({"weights": list(grammar.weights)} if grammar.weights else {}),
        }
    modelfile.save(folder, FORMAT, VERSION, {"sides": sides, **model.about}, arrays, BESIDE)


def load(folder: Path) -> Model:
    """A saved model; ModelError when it is not one, of another version, or broken."""
    found = modelfile.load(folder, FORMAT, VERSION)
    grammars = {str(name): _grammar(str(name), side, found) for name, side in found.fact("sides", dict).items()}
    return Model(grammars, {k: v for k, v in found.about.items() if k not in ("format", "version", "sides")})


def _grammar(name: str, side: Any, found: modelfile.Model) -> Consensus:
    facts = modelfile.Model(found.kind, side if isinstance(side, dict) else {}, where=found.where)
    tags = facts.fact("tags", list)
    if not all(isinstance(tag, str) for tag in tags):
        raise ModelError(f"side '{name}' has tags that are not texts", found.where, modelfile.REMEDY)
    inventory = Inventory(tuple(tags), found.array(f"{name}_keys", "i", None), facts.fact("contexts", int))
    chains = facts.fact("chains", int) if "chains" in facts.about else 1
    if not 0 < chains <= MOST_CHAINS:
        raise ModelError(f"side '{name}' has {chains} chains, 1 to {MOST_CHAINS} expected", found.where, modelfile.REMEDY)
    yields = found.array(f"{name}_yields", "f", 2 * chains, inventory.yields)
    contexts = found.array(f"{name}_contexts", "f", 2 * chains, inventory.context_ids)
    totals = found.array(f"{name}_totals", "f", 2 * chains)
    numbers = (int, float)
    priors = float(facts.fact("constituent", numbers)), float(facts.fact("distituent", numbers))
    if not all(0 < x < MOST for x in (*priors, inventory.contexts)):
        what = f"side '{name}' has priors {priors} and {inventory.contexts} contexts, numbers above 0 expected"
        raise ModelError(what, found.where, modelfile.REMEDY)
    if min(x.min(initial=0) for x in (inventory.keys, yields, contexts, totals)) < 0:
        raise ModelError(f"side '{name}' has counts below 0", found.where, modelfile.REMEDY)
    counts = (Counts(*(table[k : k + 2] for table in (yields, contexts, totals))) for k in range(0, 2 * chains, 2))
    empty = facts.fact("count_empty", bool)
    weights = facts.fact("weights", list) if "weights" in facts.about else []
    if weights and (len(weights) != chains or not all(isinstance(x, numbers) and 0 < x < MOST for x in weights)):
        what = f"side '{name}' has the weights {weights!r:.40}, {chains} numbers above 0 expected"
        raise ModelError(what, found.where, modelfile.REMEDY)
    return Consensus(tuple(Grammar(inventory, each, *priors, empty) for each in counts), tuple(map(float, weights)))


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
    arrays = modelfile.read_arrays(path)
    try:
        if str(arrays["about"].item()) != about:
            raise ModelError(
                "the checkpoint is of another corpus or other settings", where, "give the same ones, or start without `resume`"
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
        raise ModelError(f"a broken checkpoint: {error}", where, "start without `resume`") from None
    return first


def _save_arrays(path: Path, arrays: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = new_part(path)
        try:
            modelfile.write_arrays(part, arrays)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
    except OSError as error:
        raise ModelError(f"could not be written: {error.strerror}", Where(str(path))) from None

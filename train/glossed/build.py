"""Build the model of glossed text: for each group of families a model that has not seen it, then the model of all.

    python train/glossed/build.py DATA --work WORK -o languages/glossed

DATA holds `glossbanks`, `ud-igt-hausa` and `ewt`. Needs torch and divproj. What is in WORK is not done again, so a run that was
stopped goes on; a new English parser or other links call for a new WORK. `bench/accuracy/glossbanks.py --work WORK` judges the models there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from banks import banks, fold, lexicon
from reorder import reordered

from divproj.links.grams import Grams
from divproj.projection.glossed.model import (
    SIDES,
    GlossModel,
    GlossNetwork,
    GramNumbers,
    InputEncoder,
    WordOrderSimilarity,
    attachments,
)
from divproj.projection.glossed.training import GlossedTreebank, learn
from divproj.runtime.vectors import shipped_vectors
from loop import Course, examples, train

ALL = "all"
ORDERS = 100
"""Seed of the new order of the first bank, one more for each further."""


def main() -> None:
    args = _arguments()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    args.work.mkdir(parents=True, exist_ok=True)
    vectors, grams = shipped_vectors("en"), Grams.load_shipped()
    found = banks(args.data, args.cap, vectors, set())
    families = {bank.name: bank.family for bank in found}
    for bank in found:
        bank.family = fold(bank.family)
    model, folds = learn(found, lexicon(args.data, vectors), grams, lambda text: print(text, flush=True))
    names = GramNumbers(
        tuple(sorted({r.name for r in grams.rows})), tuple(sorted({r.kind for r in grams.rows if r.kind} | {"person"}))
    )
    encoder = InputEncoder(names, vectors)
    others = [reordered(bank, ORDERS + k) for k, bank in enumerate(found)]
    for bank in others:
        bank.look(grams, model.english)
    for bank in found + others:
        bank.encode(encoder)
    model.names = names
    for name, linear in folds.items():
        own = GlossModel(model.english, linear.tagger, linear.plain, linear.linked, linear.labels, names=names)
        own.nearness = _nearness([b for b in found if b.family != name])
        own.networks = _networks(args, [b for b in found + others if b.family != name], name, names)
        own.about = {"without": sorted({families[b.name] for b in found if b.family == name})}
        own.save(args.work / name)
    model.nearness = _nearness(found)
    model.networks = _networks(args, found + others, ALL, names)
    model.about = {
        "banks": {bank.name: len(bank.gold) for bank in found},
        "families": families,
        "licence": "CC BY-SA 4.0",
        "made by": "train/glossed/build.py",
    }
    model.save(args.output)


def _nearness(some: list[GlossedTreebank]) -> WordOrderSimilarity:
    """Word orders and attachments of banks in their own order."""
    orders = np.stack([bank.text[:SIDES] for bank in some])
    counts = np.stack([attachments(bank.gold, [s.real for s in bank.inputs]) for bank in some])
    return WordOrderSimilarity(tuple(bank.name for bank in some), orders, counts)


def _networks(args: argparse.Namespace, some: list[GlossedTreebank], name: str, names: GramNumbers) -> tuple[GlossNetwork, ...]:
    """Trained, or read where they are."""
    made = []
    for seed in range(1, args.seeds + 1):
        path = args.work / f"{name}-{seed}.npz"
        if not path.exists():
            course = Course(seed=seed, epochs=args.epochs)
            trained = train(examples(some), course, len(names.grams), len(names.kinds), f"{name} {seed}")
            np.savez(path.with_suffix(".part.npz"), **trained.arrays())
            path.with_suffix(".part.npz").replace(path)
        with np.load(path, allow_pickle=False) as kept:
            made.append(GlossNetwork.of(dict(kept), len(names.grams), len(names.kinds)))
    return tuple(made)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with glossbanks, ud-igt-hausa and ewt")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the model")
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for what is kept between stages, and for the held-out models"
    )
    parser.add_argument("--cap", type=int, default=400, help="sentences of a bank that are learned from")
    parser.add_argument("--seeds", type=int, default=2, help="networks of a model")
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    return args


if __name__ == "__main__":
    main()

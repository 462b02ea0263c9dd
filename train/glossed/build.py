"""Build the model of glossed text: for each group of families a model that has not seen it, then the model of all.

    python train/glossed/build.py DATA --work WORK -o languages/glossed

DATA holds `glossbanks`, `ud-igt-hausa`, `ud-parallel` and `ewt`. Needs torch and divproj. What is in WORK is not done again, so a run that was
stopped goes on; a new English parser or other links call for a new WORK. `bench/accuracy/glossbanks.py --work WORK` judges the models there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from banks import banks, fold, lexicon, may_see, synthetic_banks
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
ORDERS, TURN = 100, 1000
"""Seed of the new order of the first bank, one more for each further, and `TURN` more in each further turn."""
TURNS = 4
"""Passes after which the networks see each bank in the same second order again."""


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
    turns = [found + [reordered(bank, ORDERS + TURN * turn + k) for k, bank in enumerate(found)] for turn in range(TURNS)]
    styles = synthetic_banks(args.data, args.synthetic, vectors, grams) if args.synthetic else [[]]
    turns = [some + styles[turn % len(styles)] for turn, some in enumerate(turns)]
    for bank in {id(bank): bank for some in turns for bank in some}.values():
        if not bank.words:
            bank.look(grams, model.english)
        bank.encode(encoder)
    model.names = names
    for name, linear in folds.items():
        own = GlossModel(model.english, linear.tagger, linear.plain, linear.linked, linear.labels, names=names)
        own.nearness = _nearness([b for b in found if b.family != name])
        own.networks = _networks(args, [[b for b in some if may_see(name, b)] for some in turns], name, names)
        own.about = {"without": sorted({families[b.name] for b in found if b.family == name})}
        own.save(args.work / name)
    model.nearness = _nearness(found)
    model.networks = _networks(args, turns, ALL, names)
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


def _networks(
    args: argparse.Namespace, turns: list[list[GlossedTreebank]], name: str, names: GramNumbers
) -> tuple[GlossNetwork, ...]:
    """Trained, or read where they are."""
    made = []
    for seed in range(1, args.seeds + 1):
        path = args.work / f"{name}-{seed}.npz"
        if not path.exists():
            course = Course(seed=seed, epochs=args.epochs)
            trained = train([examples(some) for some in turns], course, len(names.grams), len(names.kinds), f"{name} {seed}")
            np.savez(path.with_suffix(".part.npz"), **trained.arrays())
            path.with_suffix(".part.npz").replace(path)
        with np.load(path, allow_pickle=False) as kept:
            made.append(GlossNetwork.of(dict(kept), len(names.grams), len(names.kinds)))
    return tuple(made)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with glossbanks, ud-igt-hausa, ud-parallel and ewt")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the model")
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for what is kept between stages, and for the held-out models"
    )
    parser.add_argument("--cap", type=int, default=400, help="sentences of a bank that are learned from")
    parser.add_argument("--synthetic", type=int, default=80, help="sentences of each synthetic bank; 0: none")
    parser.add_argument("--seeds", type=int, default=1, help="networks of a model")
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    return args


if __name__ == "__main__":
    main()

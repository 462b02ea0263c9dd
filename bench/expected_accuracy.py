"""Expected accuracy against the true one, where no gold tree is given and where some are.

Every corpus is projected by s5 from glosses and translation. `none`: the map of `projection.calibration` is fitted on
treebanks of other families, and its mean is compared with the share of right heads. `some`: 30 sentences by chance are marked
gold, and what they say of the others is compared with it.

python bench/expected_accuracy.py [--most 200] [--gold 30] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from statistics import fmean, stdev

from common import DATA, about, need

from divproj.data.errors import Faults
from divproj.data.tree import DepTree
from divproj.io.sources import Sources
from divproj.projection.calibration import Sample, crossed
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.expected import recalibrated
from divproj.projection.phrasal.projector import PhraseProjector
from divproj.projection.prepare import prepared_text

FAMILIES = {
    "hausa": "Chadic", "hau_s": "Chadic", "hau_w": "Chadic", "pcm": "creole", "arh": "Chibchan", "sab": "Chibchan",
    "kir": "Turkic", "aze": "Turkic", "sah": "Turkic", "ceb": "Philippine", "myv": "Mordvin", "gwi": "Athabaskan",
    "yor": "Volta-Niger", "nhi": "Uto-Aztecan", "xav": "Macro-Je", "san": "Indo-Iranian", "pus": "Indo-Iranian",
    "lzh": "Sinitic", "ssp": "sign",
}  # fmt: skip
Found = tuple[DepTree, Projection]


def load(name: str, most: int) -> list[Found]:
    folder = need(DATA / ("ud-igt-hausa" if name == "hausa" else f"glossbanks/{name}"))
    path = next(folder.glob("*.conllu"))
    made = []
    for pair in prepared_text(Sources(str(path), e_parser="en"), Faults(strict=False)):
        sentence, bitext = pair.sentence, ProjectionInput.of(pair)
        assert sentence is not None
        gold, faults = sentence.usable_tree()
        if not faults and len(bitext.e) and len(gold):
            made.append((gold, bitext))
        if len(made) == most:
            break
    system = PhraseProjector().observe([bitext for _, bitext in made])
    return [(gold, system.project(bitext)) for gold, bitext in made]


def right(found: Sequence[Found]) -> float:
    """The share of right heads."""
    return fmean(a == b for gold, projection in found for a, b in zip(gold.heads, projection.heads, strict=True))


def sampled(found: Sequence[Found], count: int, seed: int) -> tuple[float, float]:
    """What some gold sentences say of the others, and what is true of these."""
    order = random.Random(seed).sample(range(len(found)), len(found))
    gold, rest = order[: min(count, len(found) // 2)], order[min(count, len(found) // 2) :]
    checked = [
        [(c, a == b) for c, a, b in zip(p.confidence, tree.heads, p.heads, strict=True)] for tree, p in (found[n] for n in gold)
    ]
    known = recalibrated(checked, [c for n in rest for c in found[n][1].confidence], "gold")
    assert known
    return known.share, right([found[n] for n in rest])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--gold", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"s5, at most {options.most} sentences, {options.gold} gold, seed {options.seed}; {about()}\n", flush=True)
    found = {name: load(name, options.most) for name in FAMILIES}
    held = crossed([Sample.of(name, FAMILIES[name], some) for name, some in found.items()])
    print(
        "| corpus | mean confidence | expected, no gold | true | expected, some gold | true of the others |\n|---|---|---|---|---|---|"
    )
    misses, near, near_some = [], 0, 0
    for name, some in found.items():
        guess, true = float(held[name].mean()), right(some)
        said, others = sampled(found[name], options.gold, options.seed)
        sure = fmean(c for _, p in found[name] for c in p.confidence)
        misses.append(guess - true)
        near, near_some = near + (abs(guess - true) <= 0.05), near_some + (abs(said - others) <= 0.05)
        cells = " | ".join(f"{100 * value:.1f}" for value in (sure, guess, true, said, others))
        print(f"| {name} | {cells} |", flush=True)
    print(f"\nwithin 5 points: {near} of {len(found)} without gold, {near_some} of {len(found)} with some")
    print(f"standard error without gold: {100 * stdev(misses):.1f} points")


if __name__ == "__main__":
    main()

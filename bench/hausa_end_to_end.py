"""From glosses to trees without gold: UD Hausa, its glosses and English lines, our aligner, our English parser.

    python bench/hausa_end_to_end.py [--train 50] [--seed 1] [--lang en]

s1-r has seen no tree; s2+ and s4+ learn from so many gold sentences, drawn by the seed; all are scored on the others.
"""

from __future__ import annotations

import argparse
import random

from common import DATA, about, need

from divproj.data.pair import Pair
from divproj.evaluation.trees import score_trees
from divproj.io import conllu
from divproj.io.igt_conllu import from_sentence
from divproj.links.gloss.aligner import GlossAligner
from divproj.parsing.language import shipped
from divproj.projection.direct import ProjectionInput
from divproj.projection.systems import train
from divproj.text.tokens import tokenize

SYSTEMS = ("s1-r", "s2-1", "s2+", "s4-1", "s4+")


def pairs(language: str) -> list[Pair]:
    """Gold F trees with automatic E trees and links."""
    [path] = need(DATA / "ud-igt-hausa").glob("*.conllu*")
    sentences = [s for s in conllu.load(path) if s is not None]
    instances = [from_sentence(s) for s in sentences]
    parsed = shipped(language).parse([tokenize(igt.translation) for igt in instances])
    aligner = GlossAligner()
    return [
        Pair(s.usable_tree()[0], e, aligner.align(igt, e.forms, e.tags()).links, s.sent_id)
        for s, igt, e in zip(sentences, instances, parsed, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lang", default="en", help="the English parser: en or en-fast")
    options = parser.parse_args()
    found = pairs(options.lang)
    drawn = set(random.Random(options.seed).sample(range(len(found)), options.train))
    learned, tested = [found[k] for k in sorted(drawn)], [p for k, p in enumerate(found) if k not in drawn]
    linked = sum(bool(images) for p in found for images in p.links.forward[1:]) / sum(len(p.f) for p in found)
    print(f"UAS / LAS on {len(tested)} sentences, {options.train} gold ones learned from, seed {options.seed}; {about()}")
    print(f"{100 * linked:.1f} % of the words are linked\n\n| system | all words | without punctuation |\n|---|---|---|")
    for system in SYSTEMS:
        project = train(system, learned, seed=options.seed)
        made = [(p.f, project(ProjectionInput.of(p)).tree, (), ()) for p in tested]
        cells = [score_trees(made, punctuation=punct).overall for punct in (True, False)]
        print(f"| {system} | {' | '.join(f'{x.uas:.2f} / {x.las:.2f}' for x in cells)} |", flush=True)


if __name__ == "__main__":
    main()

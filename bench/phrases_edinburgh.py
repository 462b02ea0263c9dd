"""Phrase alignment on the Edinburgh paraphrases: multiword pairs, the paper's order of systems, gold links as candidates.

Split by a hash of the id into train (5 of 10), dev (2) and test (3); EM sees the trees of train, costs are tuned on dev.

python bench/phrases_edinburgh.py [--trials 25] [--seed 1] [--costs null_cost=1,pair_cost=-1,noncomp_cost=1]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from common import DATA, about
from phrases_data import Pairs, Row, edinburgh, lexicon, part_of, with_candidates

from divproj.evaluate.phrases import PhraseScore, constituent_row, links_kept, significance
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.results import PhraseAlignment
from divproj.phrases.tune import tune

SPACE = {"null_cost": (0.0, 6.0), "pair_cost": (-4.0, 4.0), "noncomp_cost": (0.0, 5.0)}


def quads(alignment: PhraseAlignment) -> set[tuple[int, int, int, int]]:
    return {(*pair.src, *pair.tgt) for pair in alignment.visible}


def scored(rows: Sequence[Row], found: Sequence[PhraseAlignment], multiword: str = "both") -> PhraseScore:
    score = PhraseScore()
    for row, alignment in zip(rows, found, strict=True):
        tight, loose = ({tuple(x) for x in row[key]} for key in ("tight", "loose"))
        score.add(constituent_row(quads(alignment), tight, loose, multiword))
    return score


def both_f1(rows: Sequence[Row], found: Sequence[PhraseAlignment]) -> float:
    """What is tuned: the mean of F1 over all pairs and over multiword pairs."""
    return (scored(rows, found).f1 + scored(rows, found, "").f1) / 2


def kept(rows: Sequence[Row], found: Sequence[PhraseAlignment]) -> float:
    counts = [links_kept(quads(x), {tuple(link) for link in row["sure"]}) for row, x in zip(rows, found, strict=True)]
    return 100 * sum(a for a, _ in counts) / sum(b for _, b in counts)


def reached(found: Sequence[PhraseAlignment]) -> float:
    return 100 * sum(x.reachable for x in found) / len(found)


def table(rows: Sequence[Row], answers: dict[str, list[PhraseAlignment]]) -> None:
    print(
        "\n| system | multiword R | P | F1 | all R | P | F1 | p against the first (multiword, all) | reachable |\n|---|---|---|---|---|---|---|---|---|"
    )
    first: tuple[PhraseScore, PhraseScore] | None = None
    for name, found in answers.items():
        parts = scored(rows, found), scored(rows, found, "")
        p = "" if first is None else ", ".join(f"{significance(a, b):.4f}" for a, b in zip(first, parts, strict=True))
        first = first or parts
        numbers = " | ".join(f"{x.recall:.2f} | {x.precision:.2f} | {x.f1:.2f}" for x in parts)
        print(f"| {name} | {numbers} | {p} | {reached(found):.1f} |", flush=True)


def gold_links(rows: Sequence[Row], pairs: dict[str, Pairs]) -> None:
    """Sure links as candidates: how many are kept, how many roots reached."""
    links = [row["sure"] for row in rows]
    print("\n| gold links as candidates | sure links kept | reachable | multiword F1 |\n|---|---|---|---|")
    for name, kind, params in (
        ("strict compositional chart, one tree", "head", {"noncomp": "off", "leaf_phrase": False}),
        ("non-compositional, one tree", "head", {}),
        ("compositional, all binarisations", "all", {"noncomp": "off", "leaf_phrase": False}),
        ("non-compositional, all binarisations", "all", {}),
    ):
        aligner = PhraseAligner(null_cost=6.0, pair_cost=-2.0, noncomp_cost=0.0, relation=lexicon().relation, **params)
        found = aligner.predict(pairs[kind], links)
        print(f"| {name} | {kept(rows, found):.1f} | {reached(found):.1f} | {scored(rows, found).f1:.2f} |", flush=True)


def costs_of(text: str) -> dict[str, float]:
    return {name: float(value) for name, _, value in (part.partition("=") for part in text.split(",") if part)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--costs", default="", help="costs found before: nothing is tuned")
    options = parser.parse_args()
    print(f"Edinburgh paraphrases, seed {options.seed}; {about()}")
    rows: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    for row in edinburgh(DATA):
        rows[part_of(row)].append(row)
    print(", ".join(f"{name} {len(part)}" for name, part in rows.items()), flush=True)
    data: dict[str, dict[str, Any]] = {
        kind: {name: with_candidates(part, kind) for name, part in rows.items()} for kind in ("all", "head")
    }
    start = time.perf_counter()
    base = PhraseAligner(relation=lexicon().relation, random_state=options.seed, max_seconds=0)
    forest = replace(base).fit(*data["all"]["train"])
    one_best = replace(base, model_=type(base.model_)()).fit(*data["head"]["train"])
    print(f"EM {time.perf_counter() - start:.1f} s, mean log α {[round(x, 2) for x in forest.history_]}", flush=True)
    costs = costs_of(options.costs)
    if not costs:
        start = time.perf_counter()
        tuned, trials = tune(forest, *data["all"]["dev"], lambda found: both_f1(rows["dev"], found), space=SPACE, trials=options.trials, seed=options.seed)  # fmt: skip
        costs = {name: getattr(tuned, name) for name in SPACE}
        print(f"tuned on dev in {time.perf_counter() - start:.0f} s: {costs}, {max(t.value for t in trials):.2f}", flush=True)
    systems = {
        "forest, EM, non-compositional": (forest, "all", {}),
        "monotonic": (forest, "all", {"noncomp": "off"}),
        "without EM": (base, "all", {}),
        "1-best tree": (one_best, "head", {}),
    }
    for part in ("dev", "test"):
        answers = {}
        for name, (aligner, kind, params) in systems.items():
            answers[name] = replace(aligner, **costs, **params).predict(*data[kind][part])
        print(f"\n{part}, the same costs for all: {costs}")
        table(rows[part], answers)
    gold_links(rows["test"], {kind: data[kind]["test"][0] for kind in data})


if __name__ == "__main__":
    main()

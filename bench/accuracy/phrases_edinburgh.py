"""Phrase alignment on the Edinburgh paraphrases: multiword pairs, the paper's order of systems, gold links as candidates.

Split by a hash of the id into train (5 of 10), dev (2) and test (3); EM sees the trees of train, costs are tuned
on train and dev; the test part is scored once.

python bench/accuracy/phrases_edinburgh.py --parsed     our English parser's trees and forests in place of the corpus' Penn trees
python bench/accuracy/phrases_edinburgh.py [--trials 16] [--seed 1] [--costs null_cost=1,pair_cost=-1,noncomp_cost=1]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.phrases_data import Pairs, Row, edinburgh, lexicon, part_of, with_candidates
from bench.accuracy.phrases_tune import tune
from bench.common import DATA, Table

from divproj.core.errors import Faults, Where
from divproj.core.options import AlignOptions
from divproj.core.sentence import Rows
from divproj.evaluation.papers import constituent_scores
from divproj.evaluation.phrases import PhraseScore, links_kept, significance
from divproj.forest.build import from_tree
from divproj.forest.dependencies import phrase_forest, phrase_tree
from divproj.io.trees import brackets
from divproj.parsing.language import forest_of, load_pack
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.reading import candidates, load_lexicon
from divproj.phrases.results import PhraseAlignment

DEFAULT = PhraseAligner().word_cost
Systems = dict[str, tuple[PhraseAligner, str]]
COLUMNS = (
    "system",
    *(f"{pairs} {score}" for pairs in ("multiword", "all") for score in ("R", "P", "F1")),
    "p against the first (multiword, all)",
    "reachable",
)
SPACE = {"null_cost": (0.0, 6.0), "pair_cost": (-4.0, 4.0), "noncomp_cost": (0.0, 5.0)}


def quads(alignment: PhraseAlignment) -> set[tuple[int, int, int, int]]:
    return {(*pair.src, *pair.tgt) for pair in alignment.visible}


def scored(rows: Sequence[Row], found: Sequence[PhraseAlignment], multiword: str = "both") -> PhraseScore:
    gold = [tuple({tuple(x) for x in row[key]} for key in ("tight", "loose")) for row in rows]
    return constituent_scores(gold, found, multiword)


def both_f1(rows: Sequence[Row], found: Sequence[PhraseAlignment]) -> float:
    """What is tuned: the mean of F1 over all pairs and over multiword pairs."""
    return (scored(rows, found).f1 + scored(rows, found, "").f1) / 2


def kept(rows: Sequence[Row], found: Sequence[PhraseAlignment]) -> float:
    counts = [links_kept(quads(x), {tuple(link) for link in row["sure"]}) for row, x in zip(rows, found, strict=True)]
    return 100 * sum(a for a, _ in counts) / sum(b for _, b in counts)


def reached(found: Sequence[PhraseAlignment]) -> float:
    return 100 * sum(x.reachable for x in found) / len(found)


def compare(table: Table, rows: Sequence[Row], answers: dict[str, list[PhraseAlignment]]) -> None:
    first: tuple[PhraseScore, PhraseScore] | None = None
    for name, found in answers.items():
        parts = scored(rows, found), scored(rows, found, "")
        p = "" if first is None else ", ".join(f"{significance(a, b):.4f}" for a, b in zip(first, parts, strict=True))
        first = first or parts
        table.add(name, *(f"{value:.2f}" for x in parts for value in (x.recall, x.precision, x.f1)), p, f"{reached(found):.1f}")


def gold_links(rows: Sequence[Row], pairs: dict[str, Pairs], systems: Systems, seed: int) -> None:
    """Sure links as candidates: how many are kept, how many roots reached."""
    links = [row["sure"] for row in rows]
    columns = ("system", "sure links kept", "reachable", "multiword F1", "all F1")
    with Table("phrases_edinburgh-gold", "Test, gold links as candidates", *columns, seed=seed) as table:
        for name, (aligner, kind) in systems.items():
            found = aligner.predict(pairs[kind], links)
            scores = (scored(rows, found).f1, scored(rows, found, "").f1)
            table.add(name, f"{kept(rows, found):.1f}", f"{reached(found):.1f}", *(f"{f1:.2f}" for f1 in scores))


def costs_of(text: str) -> dict[str, float]:
    return {name: float(value) for name, _, value in (part.partition("=") for part in text.split(",") if part)}


def tuned(aligner: PhraseAligner, rows: dict[str, list[Row]], data: dict[str, Any], trials: int, seed: int) -> dict[str, float]:
    """Costs that do best on train and dev."""
    start = time.perf_counter()
    known = rows["train"] + rows["dev"]
    pairs, links = (data["train"][k] + data["dev"][k] for k in (0, 1))
    best, done = tune(aligner, pairs, links, lambda found: both_f1(known, found), space=SPACE, trials=trials, seed=seed)
    print(
        f"tuned on train and dev in {time.perf_counter() - start:.0f} s: {done[0].value:.2f} -> {max(t.value for t in done):.2f}"
    )
    return {name: getattr(best, name) for name in SPACE}


def parsed(rows: Sequence[Row], seed: int) -> None:
    """The same aligner and candidates on the best trees and the forests of our English parser, and on the Penn trees of the corpus."""
    words = load_lexicon(("en", "en"), None, None, None, AlignOptions.threshold, Faults())
    language = load_pack("en")
    blank = [
        Rows(
            ("# sent_id = s",),
            (tuple(map(str, range(1, len(forms) + 1))), tuple(forms), *((("_",) * len(forms),) * 8)),
            Where(),
        )
        for row in rows
        for forms in (row["source"], row["target"])
    ]
    annotated = list(language.annotate(blank, confidence=False))
    trees = [from_tree(phrase_tree(x.usable_tree()[0], lemmas=x.column(2)), binarise="all") for x in annotated]
    packed = [phrase_forest(forest_of(language, x), binarise="all") for x in annotated]
    penn = [from_tree(brackets.loads(row[key])[0].trees[0], binarise="all") for row in rows for key in ("stree", "ttree")]
    answers = {}
    aligner = PhraseAligner(relation=words.relation, random_state=seed, max_seconds=0)
    sides = {"1-best trees of our parser": trees, "forests of our parser": packed, "Penn trees of the corpus": penn}
    for name, some in sides.items():
        pairs = [(words.with_lemmas(s, 0), words.with_lemmas(t, 1)) for s, t in zip(some[::2], some[1::2], strict=True)]
        answers[name] = aligner.predict(pairs, [candidates(s, t, words) for s, t in pairs])
    caption = f"Dev and test, {len(rows)} pairs, parsed by our English parser; view and parse share chosen on train"
    with Table("phrases_edinburgh-parsed", caption, *COLUMNS, seed=seed) as table:
        compare(table, rows, answers)
        table.note(
            "The gold pairs are phrases of the corpus' Penn trees, so another parser's phrases cannot reach all of them."
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--costs", default="", help="costs found before: nothing is tuned")
    parser.add_argument("--parsed", action="store_true", help="our English parser's trees and forests instead")
    options = parser.parse_args()
    if options.parsed:
        parsed([row for row in edinburgh(DATA) if part_of(row) != "train"], options.seed)
        return
    rows: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    for row in edinburgh(DATA):
        rows[part_of(row)].append(row)
    data: dict[str, dict[str, Any]] = {
        kind: {name: with_candidates(part, kind) for name, part in rows.items()} for kind in ("all", "head")
    }
    start = time.perf_counter()
    base = PhraseAligner(relation=lexicon().relation, random_state=options.seed, max_seconds=0, word_cost=0)
    forest = replace(base).fit(*data["all"]["train"])
    one_best = replace(base, model_=type(base.model_)()).fit(*data["head"]["train"])
    learned = f"EM {time.perf_counter() - start:.1f} s, mean log α {[round(x, 2) for x in forest.history_]}"
    costs = costs_of(options.costs) or tuned(forest, rows, data["all"], options.trials, options.seed)
    forest, base, one_best = (replace(x, **costs) for x in (forest, base, one_best))
    mono = replace(forest, noncomp="off")
    alone: Systems = {
        "forest, EM, non-compositional": (forest, "all"),
        "monotonic": (mono, "all"),
        "without EM": (base, "all"),
        "without EM, with word_cost (the default)": (replace(base, word_cost=DEFAULT), "all"),
        "1-best tree": (one_best, "head"),
    }
    together: Systems = {
        "forest, EM, non-compositional": (forest, "all"),
        "monotonic": (mono, "all"),
        "monotonic, without EM": (replace(base, noncomp="off"), "all"),
        "monotonic, without EM, 1-best tree": (replace(base, noncomp="off"), "head"),
    }
    for part in ("test", "dev"):
        everything = {**alone, **together}
        answers = {name: x.predict(*data[kind][part]) for name, (x, kind) in everything.items()}
        for kind, title, systems in (("alone", "one thing", alone), ("together", "one thing after the other", together)):
            caption = f"{part.capitalize()}, {len(rows[part])} pairs, {title} taken away, the same costs for all"
            with Table(f"phrases_edinburgh-{part}-{kind}", caption, *COLUMNS, seed=options.seed) as table:
                compare(table, rows[part], {name: answers[name] for name in systems})
                if (part, kind) == ("test", "alone"):
                    table.note(f"costs {costs}; {learned}")
    strict = {"noncomp": "off", "leaf_phrase": False}
    gold_links(
        rows["test"],
        {kind: data[kind]["test"][0] for kind in data},
        {
            "strict compositional chart, one tree": (replace(one_best, **strict), "head"),
            "strict compositional chart, all binarisations": (replace(forest, **strict), "all"),
            "non-compositional, one tree": (one_best, "head"),
            "non-compositional, all binarisations": (forest, "all"),
            "non-compositional, all binarisations, without EM": (base, "all"),
            "non-compositional, all binarisations, without EM, with word_cost": (replace(base, word_cost=DEFAULT), "all"),
        },
        options.seed,
    )


if __name__ == "__main__":
    main()

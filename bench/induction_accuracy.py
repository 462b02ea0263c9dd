"""Bilingual induction against the CCM alone: unlabelled bracket F1 on held-out monolingual sentences, as in Snyder's Table 1.

    python bench/induction_accuracy.py [--chains 10] [--results FILE]
    python bench/induction_accuracy.py --tune             # the same on sentences that settings may be chosen on
    python bench/induction_accuracy.py --english          # CCM by EM and by Gibbs on short English sentences
    python bench/induction_accuracy.py --penn             # the same on the few Penn trees there are

Systems: `mono`, the Bayesian CCM of each language alone; `gold`, `both` and `words`, the bilingual model with the corpus's
links, the corpus's links and those of the word aligner for words without any, or the aligner's alone. Every model has the best
of six short runs as its start: the CCM from uniform splits (`mono`), or shortest sentences first (`short`), as the bilingual
model has it; `uniform` is the CCM from one draw of uniform splits, as in the paper.

A fifth of the sentences, by a hash of their ids, is for choosing settings and never tested on. Of the others, chain c is
tested on every fifth from c on and learns from the rest, so ten chains see all of them twice. Both models have the same settings
where they share them. Results are written as they come (`--results`), and a run goes on from there.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np
from common import DATA, OUT, ROOT, Kept, about, need

from divproj import Corpus, Faults
from divproj.evaluate.brackets import BracketScore, baselines, chains_differ, score_brackets
from divproj.induction.ccm import CCM
from divproj.induction.gold import constituents, tag_pair, tags_of
from divproj.induction.inducer import BilingualInducer
from divproj.io import brackets, conllu

sys.path.insert(0, str(ROOT / "cli"))
LENGTHS = (10, 20, 30)
CORPORA = ("cdt-da", "pud/fr", "pud/ru", "pud/zh")
PRIORS = {"2,20": {}, "2,8": {"distituent": 8.0, "count_empty": True}}
"""The default, and Klein's pseudo-counts with empty spans as distituents."""
SWEEPS = {10: 24, 20: 16, 30: 12}
PAPER = {"consistency": 0.0, "anneal": 0.0, "strength": 1.0, "start": "uniform", "restarts": 1, "average": 0.0}
ALONE = {"mono": {}, "short": {"start": "short"}, "uniform": {"restarts": 1}}
MIN_PROB = 0.5


def load(name: str) -> list:
    return list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))


def word_weights(pairs: list, system: str) -> list[dict] | None:
    """Links of the word aligner; with system "both" the corpus's links, and the aligner's for words that have none there."""
    from proj_cli.induce_input import completed, word_links

    if system not in ("words", "both"):
        return None
    made = [{link: 1.0 for link, p in found.items() if p >= MIN_PROB} for found in word_links(pairs)]
    return made if system == "words" else [completed(pair.alignment, links) for pair, links in zip(pairs, made, strict=True)]


def for_tuning(pair: object) -> bool:
    return hashlib.sha256(pair.sent_id.encode()).digest()[0] < 51


def parts(pairs: list, chain: int, tune: bool) -> tuple[set[int], set[int]]:
    """Places of the pairs to learn from and to be tested on."""
    others = [k for k, pair in enumerate(pairs) if not for_tuning(pair)]
    test = set(range(len(pairs))).difference(others) if tune else set(others[chain % 5 :: 5])
    return set(range(len(pairs))) - test, test


def one(system: str, pairs: list, weights: list | None, length: int, chain: int, options: argparse.Namespace) -> dict:
    """Counts of brackets (right, gold, found) of both sides, for test sentences up to each length."""
    data = [tag_pair(p, "upos", weights[k] if weights else None) for k, p in enumerate(pairs)]
    learn, tested = parts(pairs, chain, options.tune)
    train = [data[k] for k in sorted(learn) if data[k].f and data[k].e and max(len(data[k].f), len(data[k].e)) <= length]
    shared = PRIORS[options.prior]
    begun = time.process_time()
    if system in ALONE:
        own = ALONE[system] | {"sweeps": 30, "random_state": chain + 1}
        models = {side: CCM(**shared, **own).fit([getattr(x, side) for x in train]) for side in "fe"}
        parse = {side: models[side].predict for side in "fe"}
        told = {}
    else:
        own = PAPER if options.paper else {}
        model = BilingualInducer(sweeps=SWEEPS[length], random_state=chain + 1, **shared, **own).fit(train)
        parse = {side: (lambda text, side=side: model.predict(text, side)) for side in "fe"}
        told = model.history_[-1]
    row = {"train": len(train), "seconds": time.process_time() - begun, "told": told}
    for side in "fe":
        test = [k for k in sorted(tested) if 0 < len(getattr(data[k], side)) <= 30]
        text = [getattr(data[k], side) for k in test]
        gold = [constituents(getattr(pairs[k], side)) for k in test]
        scores = score_brackets(zip(map(len, text), gold, parse[side](text), strict=True), LENGTHS)
        row[side] = {str(k): [s.right, s.gold, s.found] for k, s in scores.up_to.items()}
    return row


def english() -> None:
    """CCM on English of ten words or fewer, UPOS, constituents derived from UD trees; scored on the dev part."""

    def read(path: Path) -> list:
        trees = (s.usable_tree()[0] for s in conllu.load(path, Faults(strict=False)))
        rows = ((tags_of(tree, "upos"), constituents(tree)) for tree in trees)
        return [row for row in rows if 1 <= len(row[0]) <= 10]

    folder = need(DATA / "ewt")
    train, dev = read(folder / "en_ewt-ud-train.conllu.gz"), read(folder / "en_ewt-ud-dev.conllu")
    text, gold = [x for x, _ in dev], [y for _, y in dev]
    rows = [(len(x), y, ()) for x, y in dev]
    print(f"CCM, English of 10 words or fewer, {len(train)} training and {len(dev)} test sentences; {about()}")
    print("| priors | EM, 40 iterations | Gibbs, 60 sweeps, mean of 5 seeds (range) |\n|---|---|---|")
    for name, options in (
        ("2/20, no empty spans (default)", PRIORS["2,20"]),
        ("2/8, empty spans (the paper)", PRIORS["2,8"]),
        ("20/80, empty spans", {"constituent": 20.0, "distituent": 80.0, "count_empty": True}),
    ):
        em = CCM("em", sweeps=40, **options).fit([x for x, _ in train]).score(text, gold)
        gibbs = [CCM(sweeps=60, random_state=s, **options).fit([x for x, _ in train]).score(text, gold) for s in range(1, 6)]
        print(f"| {name} | {em:.1f} | {np.mean(gibbs):.1f} ({min(gibbs):.1f}-{max(gibbs):.1f}) |", flush=True)
    print(", ".join(f"{k} {v.overall.f1:.1f}" for k, v in baselines(rows).items()))


def penn() -> None:
    """CCM on English sentences of ten words or fewer with Penn trees: paraphrases (automatic trees) and SMULTRON (by hand)."""
    from proj_cli.bracket_scores import _phrases, _without, phrase_trees

    with gzip.open(need(DATA / "paraphrase" / "edinburgh" / "train.jsonl.gz"), "rt", encoding="utf-8") as stream:
        texts = dict.fromkeys(row[key] for row in map(json.loads, stream) for key in ("stree", "ttree"))
    trees = [brackets.loads(text)[0].trees[0] for text in texts]
    raw = need(DATA / "smultron" / "raw" / "smultron_en_banana.xml.gz")
    trees += phrase_trees(str(raw), "tiger", Faults(strict=False))
    data = []
    for tree in trees:
        found = _phrases(tree)
        if 1 <= len(found.kept) <= 10:
            data.append((tuple(tree.tags[k] for k in found.kept), _without(found.spans, found.kept)))
    text, gold = [x for x, _ in data], [y for _, y in data]
    em = CCM("em").fit(text).score(text, gold)
    gibbs = [CCM(random_state=s).fit(text).score(text, gold) for s in range(1, 6)]
    print(
        f"CCM, {len(data)} English sentences of 10 words or fewer, Penn trees and tags, learned from and scored on; {about()}"
    )
    print(f"EM {em:.1f}, Gibbs {np.mean(gibbs):.1f} ({min(gibbs):.1f}-{max(gibbs):.1f})", end="; ")
    print(", ".join(f"{k} {v.overall.f1:.1f}" for k, v in baselines([(len(x), y, ()) for x, y in data]).items()))


def f1(counts: list[int]) -> float:
    return BracketScore(*counts).f1


def branching(name: str) -> dict:
    """F1 of left- and right-branching trees on all sentences that are tested on, by side and length."""
    made = {}
    pairs = [pair for pair in load(name) if not for_tuning(pair)]
    for side in "fe":
        trees = [getattr(pair, side) for pair in pairs]
        rows = [(len(tags_of(tree, "upos")), constituents(tree), ()) for tree in trees]
        made[side] = {k: v.up_to for k, v in baselines([row for row in rows if row[0] <= 30], LENGTHS).items()}
    return made


def table(rows: dict, systems: list[str], chains: int) -> None:
    """Mean and standard deviation over chains; differences to the CCM with their significance; the bound of binary trees."""
    others = [s for s in systems if s != "mono"]
    heads = [*systems, *(f"gain, {s}" for s in others), *(f"p, {s}" for s in others), "left", "right", "bound"]
    print(f"| language | test | train | pairs | chains | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 5)}")
    gains: dict[str, list[float]] = {}
    for name in CORPORA:
        if not any(key[0] == name for key in rows):
            continue
        lines = branching(name)
        for side, test, train in ((side, a, b) for side in "fe" for a in LENGTHS for b in LENGTHS if b >= a):
            ready = [c for c in range(chains) if all((name, train, c, s) in rows for s in systems)]
            if not ready:
                continue
            found = {s: [f1(rows[name, train, c, s][side][str(test)]) for c in ready] for s in systems}
            cells = [f"{np.mean(v):.1f}" + (f" ± {np.std(v, ddof=1):.1f}" if len(v) > 1 else "") for v in found.values()]
            more = {s: float(np.mean(found[s]) - np.mean(found["mono"])) for s in others}
            for s in others:
                gains.setdefault(s, []).append(more[s])
            _, gold, binary = np.sum([rows[name, train, c, "mono"][side][str(test)] for c in ready], axis=0)
            cells += [f"{more[s]:+.1f}" for s in others] + [f"{chains_differ(found[s], found['mono']):.3f}" for s in others]
            cells += [f"{lines[side][k][test].f1:.1f}" for k in ("left", "right")] + [f"{200 * gold / (gold + binary):.1f}"]
            label = f"{name} {'F' if side == 'f' else 'English'}"
            print(
                f"| {label} | ≤ {test} | ≤ {train} | {rows[name, train, 0, 'mono']['train']} | {len(ready)} | {' | '.join(cells)} |"
            )
    for s in others:
        print(
            f"mean gain of {s} {np.mean(gains[s]):+.2f} F1; not ahead in {sum(g <= 0 for g in gains[s])} of {len(gains[s])} rows"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chains", type=int, default=10)
    parser.add_argument("--systems", default="mono,short,uniform,gold,both,words")
    parser.add_argument("--lengths", default="10,20,30")
    parser.add_argument("--corpora", default=",".join(CORPORA))
    parser.add_argument("--prior", default="2,20", choices=PRIORS)
    parser.add_argument(
        "--paper", action="store_true", help="the paper's bilingual model: no link factor, uniform start, strength 1"
    )
    parser.add_argument("--english", action="store_true")
    parser.add_argument("--penn", action="store_true")
    parser.add_argument("--tune", action="store_true", help="test on the sentences set aside for choosing settings")
    parser.add_argument("--results", type=Path, default=OUT / "induction.jsonl")
    parser.add_argument("--table", action="store_true", help="only print what there is")
    options = parser.parse_args()
    if options.english or options.penn:
        (english if options.english else penn)()
        return
    kept = Kept(options.results)
    rows = {(row["corpus"], row["length"], row["chain"], row["system"]): row for row in kept.rows}
    systems = options.systems.split(",")
    if not options.table:
        corpora = {name: load(name) for name in options.corpora.split(",")}
        weights = {(name, system): word_weights(pairs, system) for name, pairs in corpora.items() for system in systems}
        for chain in range(options.chains):
            for length in map(int, options.lengths.split(",")):
                for name, pairs in corpora.items():
                    for system in systems:
                        if (name, length, chain, system) in rows:
                            continue
                        row = one(system, pairs, weights[name, system], length, chain, options)
                        row |= {"corpus": name, "length": length, "chain": chain, "system": system}
                        rows[name, length, chain, system] = row
                        kept.add(row)
    print(f"Unlabelled F1, mean ± standard deviation over chains, UPOS, prior {options.prior}; {about()}")
    table(rows, systems, options.chains)


if __name__ == "__main__":
    main()

"""Bilingual induction against the CCM alone: unlabelled bracket F1 on held-out monolingual sentences, as in Snyder's Table 1.

    python bench/accuracy/induction_accuracy.py [--splits 5] [--members 3] [--results FILE]
    python bench/accuracy/induction_accuracy.py --tune             # the same on sentences that settings may be chosen on
    python bench/accuracy/induction_accuracy.py --english          # CCM by EM and by Gibbs on short English sentences
    python bench/accuracy/induction_accuracy.py --penn             # the same on the few Penn trees there are

Systems: `mono`, the Bayesian CCM of each language alone; `cue`, the same with the edge cue; `gold`, `both` and `words`, the
bilingual model with the corpus's links, the corpus's links and those of the word aligner for words without any, or the
aligner's alone; `stress`, with 60 % of the corpus's links deleted. Every model has the best of six short runs as its start: the CCM from
uniform splits (`mono`, `cue`), or shortest sentences first (`short`), as the bilingual model has it; `uniform` is the CCM from
one draw of uniform splits, as in the paper.

Each system runs `--members` chains on a split. `one` is the mean F1 of the single chains, `mean` that of the tree with most
expected brackets under the mean of their posteriors, `joint` the same where the CCM has its share in that mean (the default of
`proj induce`).

A fifth of the sentences, by a hash of their ids, is for choosing settings and never tested on. Of the others, split c is
tested on every fifth from c on and learns from the rest. Both models have the same settings where they share them. `gloss/…`
are glossbanks whose translations the shipped English parser tagged (E has no gold tree, so F alone is scored; links are the
word aligner's); nothing was chosen on them, nor on SMULTRON. Results are written as they come (`--results`), and a run goes on
from there.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import time
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.common import DATA, OUT, ROOT, RowLog, Table, need

from divproj import Corpus, Faults, Links, Pair
from divproj.evaluation.brackets import BracketScore, baselines, score_brackets
from divproj.induction.ccm import CCM
from divproj.induction.inducer import EDGE_CUE
from divproj.induction.reading import constituents, tag_pair, tags_of
from divproj.induction.training import PAPER, Consensus, merge_chains, run_chains
from divproj.io.trees import brackets, conllu

sys.path.insert(0, str(ROOT / "cli"))
LENGTHS = (10, 20, 30)
CORPORA = ("cdt-da", "pud/fr", "pud/ru", "pud/zh")
KEPT_BACK = ("smultron/en-de", "smultron/sv-de", "gloss/hau_w", "gloss/pcm", "gloss/arh", "gloss/yor")
"""Pairs on which no setting was chosen."""
TINY = ("smultron/en-de", "smultron/sv-de", "gloss/yor")
"""Fewer than 60 pairs to learn from: their rows are mostly chance."""
MOST = 800
"""Sentences of a glossbank."""
PRIORS = {"2,20": {}, "2,8": {"distituent": 8.0, "count_empty": True}}
"""The default, and Klein's pseudo-counts with empty spans as distituents."""
SWEEPS = {10: 24, 20: 16, 30: 12}
ALONE = {"mono": {}, "cue": {"edges": EDGE_CUE}, "short": {"start": "short"}, "uniform": {"restarts": 1}}
MIN_PROB = 0.5


def load(name: str) -> list:
    if name.startswith("gloss/"):
        return glossbank(name.removeprefix("gloss/"))
    return list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))


def glossbank(name: str) -> list:
    """Sentences with their translations, which the shipped English parser tags; no links."""
    from divproj.parsing.translations import parse_translations

    trees = []
    for path in sorted(need(DATA / "glossbanks" / name).glob("*.conllu")):
        for sentence in conllu.load(path, Faults(strict=False)):
            text = next((c.partition("=")[2].strip() for c in sentence.comments if c.startswith("# text_en =")), "")
            tree = sentence.usable_tree()[0]
            if text and tree is not None:
                trees.append((sentence.sent_id, tree, text))
    trees = trees[:MOST]
    parsed = parse_translations("en", [text for _, _, text in trees])
    pairs = [(sent_id, f, e) for (sent_id, f, _), e in zip(trees, parsed, strict=True) if e is not None]
    return [Pair(f, e, Links(frozenset(), (len(f), len(e))), sent_id) for sent_id, f, e in pairs]


def word_weights(pairs: list, system: str) -> list[dict] | None:
    """Links of the word aligner; with system "both" the corpus's links, and the aligner's for words that have none there."""
    from divproj.induction.reading import add_missing_links, word_links

    if system == "stress":
        return [{link: 1.0 for link in sorted(pair.links.links) if _kept(pair.sent_id, link)} for pair in pairs]
    if system not in ("words", "both"):
        return None
    made = [{link: 1.0 for link, p in found.items() if p >= MIN_PROB} for found in word_links(pairs)]
    return (
        made if system == "words" else [add_missing_links(pair.links, links) for pair, links in zip(pairs, made, strict=True)]
    )


def _kept(sent_id: str, link: tuple[int, int]) -> bool:
    """Whether the stress test leaves a link: two of five, by a hash."""
    return hashlib.sha256(f"{sent_id} {link}".encode()).digest()[0] < 0.4 * 256


def for_tuning(pair: object) -> bool:
    return hashlib.sha256(pair.sent_id.encode()).digest()[0] < 51


def parts(pairs: list, chain: int, tune: bool) -> tuple[set[int], set[int]]:
    """Places of the pairs to learn from and to be tested on."""
    others = [k for k, pair in enumerate(pairs) if not for_tuning(pair)]
    test = set(range(len(pairs))).difference(others) if tune else set(others[chain % 5 :: 5])
    return set(range(len(pairs))) - test, test


def one(system: str, pairs: list, weights: list | None, length: int, split: int, options: argparse.Namespace) -> dict:
    """Counts of brackets (right, gold, found) of both sides, for test sentences up to each length: of single chains, and of
    their consensus."""
    data = [tag_pair(p, "upos", weights[k] if weights else None) for k, p in enumerate(pairs)]
    learn, tested = parts(pairs, split, options.tune)
    train = [data[k] for k in sorted(learn) if data[k].f and data[k].e and max(len(data[k].f), len(data[k].e)) <= length]
    shared = PRIORS[options.prior]
    begun = time.process_time()
    first = split * options.members + 1
    grammars: dict[str, list] = {"f": [], "e": []}
    if system in ALONE:
        for seed in range(first, first + options.members):
            for side in "fe":
                model = CCM(**shared, **ALONE[system], sweeps=30, random_state=seed).fit([getattr(x, side) for x in train])
                grammars[side].append(model.grammar_)
        joint = {side: Consensus(tuple(found)) for side, found in grammars.items()}
    else:
        letter = {name: value for name, value in PAPER.items() if name != "method" and name not in shared}
        own = {"sweeps": SWEEPS[length], "random_state": first, **shared, **(letter if options.paper else {})}
        chains, _ = run_chains(train, options.members, own)
        grammars = {side: [chain.grammar(side) for chain in chains] for side in "fe"}
        joint = merge_chains(chains)
    row = {"train": len(train), "seconds": time.process_time() - begun, "one": [], "mean": {}, "joint": {}}
    for side in sides(options.corpus):
        test = [k for k in sorted(tested) if 0 < len(getattr(data[k], side)) <= length]
        text = [getattr(data[k], side) for k in test]
        gold = [constituents(getattr(pairs[k], side)) for k in test]

        def scored(trees: list, text: list = text, gold: list = gold) -> dict:
            scores = score_brackets(zip(map(len, text), gold, trees, strict=True), LENGTHS)
            return {str(k): [s.right, s.gold, s.system] for k, s in scores.up_to.items()}

        row["mean"][side] = scored(Consensus(tuple(grammars[side])).parse(text))
        row["joint"][side] = scored(joint[side].parse(text))
        row["one"].append([side, [scored(grammar.parse(text)) for grammar in grammars[side]]])
    row["one"] = dict(row["one"])
    return row


def sides(name: str) -> str:
    """Sides with gold trees."""
    return "f" if name.startswith("gloss/") else "fe"


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
    caption = f"F1 of the CCM on EWT dev, 10 words or fewer, {len(train):,} training and {len(dev):,} test sentences"
    columns = ("priors", "EM, 40 iterations", "Gibbs, 60 sweeps, mean of 5 seeds (range)")
    with Table("induction_accuracy-english", caption, *columns, seed="1 to 5") as table:
        for name, options in (
            ("2/20, no empty spans (default)", PRIORS["2,20"]),
            ("2/8, empty spans (the paper)", PRIORS["2,8"]),
            ("20/80, empty spans", {"constituent": 20.0, "distituent": 80.0, "count_empty": True}),
        ):
            em = CCM("em", sweeps=40, **options).fit([x for x, _ in train]).score(text, gold)
            gibbs = [
                CCM(sweeps=60, random_state=s, **options).fit([x for x, _ in train]).score(text, gold) for s in range(1, 6)
            ]
            table.add(name, f"{em:.1f}", f"{np.mean(gibbs):.1f} ({min(gibbs):.1f}-{max(gibbs):.1f})")
        table.note(", ".join(f"{k} {v.overall.f1:.1f}" for k, v in baselines(rows).items()))


def penn() -> None:
    """CCM on English sentences of ten words or fewer with Penn trees: paraphrases (automatic trees) and SMULTRON (by hand)."""
    from divproj.evaluation.brackets import of_phrases, without_marks
    from divproj.io.trees.forests import phrase_trees

    with gzip.open(need(DATA / "paraphrase" / "edinburgh" / "train.jsonl.gz"), "rt", encoding="utf-8") as stream:
        texts = dict.fromkeys(row[key] for row in map(json.loads, stream) for key in ("stree", "ttree"))
    trees = [brackets.loads(text)[0].trees[0] for text in texts]
    raw = need(DATA / "smultron" / "raw" / "smultron_en_banana.xml.gz")
    trees += phrase_trees(str(raw), "tiger", Faults(strict=False))
    data = []
    for tree in trees:
        found = of_phrases(tree)
        if 1 <= len(found.kept) <= 10:
            data.append((tuple(tree.tags[k] for k in found.kept), without_marks(found.spans, found.kept)))
    text, gold = [x for x, _ in data], [y for _, y in data]
    em = CCM("em").fit(text).score(text, gold)
    gibbs = [CCM(random_state=s).fit(text).score(text, gold) for s in range(1, 6)]
    caption = (
        f"F1 of the CCM, {len(data)} English sentences of 10 words or fewer, Penn trees and tags, learned from and scored on"
    )
    with Table("induction_accuracy-penn", caption, "EM", "Gibbs, mean of 5 seeds (range)", seed="1 to 5") as table:
        table.add(f"{em:.1f}", f"{np.mean(gibbs):.1f} ({min(gibbs):.1f}-{max(gibbs):.1f})")
        lines = baselines([(len(x), y, ()) for x, y in data])
        table.note(", ".join(f"{k} {v.overall.f1:.1f}" for k, v in lines.items()))


def f1(counts: list[int]) -> float:
    return BracketScore(*counts).f1


def score(row: dict, way: str, side: str, test: int) -> float:
    """F1 of a split: of the consensus ("mean", or "joint" with the CCM's share), or the mean over single chains ("one")."""
    if way != "one":
        return f1(row[way][side][str(test)])
    return float(np.mean([f1(found[str(test)]) for found in row["one"][side]]))


def tables(rows: dict, systems: list[str], options: argparse.Namespace) -> None:
    """Means over splits; gains over the CCM without the cue (single chains), and over the CCM with it (consensus)."""
    bi = [s for s in systems if s not in ALONE]
    heads = ["CCM", "CCM, mean", "CCM + cue, mean", *bi, *(f"gain, {s}" for s in bi), *(f"over CCM + cue, {s}" for s in bi)]
    columns = ("language", "test", "train", "pairs", "splits", *heads, "gold brackets", "right-branching")
    caption = (
        f"Unlabelled F1 on held-out sentences, mean over splits, {options.members} chains each, UPOS, prior {options.prior}"
    )
    seeds = f"1 to {options.splits * options.members}"
    with Table("induction_accuracy", caption, *columns, seed=seeds) as table:
        gains = add_rows(table, rows, systems, bi, options)
    columns = ("pairs", "over", "system", "rows", "mean gain", "median", "worst row", "rows below -1")
    with Table("induction_accuracy-summary", "Gains in F1, the same run", *columns, seed=seeds) as table:
        for (group, base, system), values in sorted(gains.items()):
            g = np.array(values)
            table.add(
                group, base, system, len(g), f"{g.mean():+.2f}", f"{np.median(g):+.1f}", f"{g.min():+.1f}", (g < -1).sum()
            )


def add_rows(
    table: Table, rows: dict, systems: list[str], bi: list[str], options: argparse.Namespace
) -> dict[tuple[str, str, str], list[float]]:
    """Add a row for each side and length of each corpus; return the gains by group of corpora, model beaten and system."""
    gains: dict[tuple[str, str, str], list[float]] = {}
    for name in options.corpora.split(","):
        group = "chosen on" if name in CORPORA else "kept back"
        lines = branching(name) if any(key[0] == name for key in rows) else {}
        for side, test, train in ((side, a, b) for side in sides(name) for a in LENGTHS for b in LENGTHS if b >= a):
            wanted = [s for s in systems if not name.startswith("gloss/") or s in ALONE or s == "words"]
            ready = [c for c in range(options.splits) if all((name, train, c, s) in rows for s in wanted)]
            if not ready:
                continue

            def found(system: str, way: str, at: tuple = (name, train, side, test), ready: list = ready) -> float | None:
                there = [rows[at[0], at[1], c, system] for c in ready if (at[0], at[1], c, system) in rows]
                return float(np.mean([score(row, way, at[2], at[3]) for row in there])) if there else None

            base, cued = found("mono", "one"), found("cue", "mean")
            columns = [base, found("mono", "mean"), cued, *(found(s, "joint") for s in bi)]
            cells = ["" if v is None else f"{v:.1f}" for v in columns]
            for model, against in (("CCM", base), ("CCM + cue", cued)):
                for s in bi:
                    own, pure = found(s, "joint"), found(s, "mean")
                    cells.append("" if own is None or against is None else f"{own - against:+.1f}")
                    if own is not None and pure is not None and against is not None:
                        groups = (group,) if name in (*CORPORA, *TINY) else (group, f"{group}, without the tiny ones")
                        for place, (label, value) in product(groups, ((s, own), (f"{s}, without the CCM's share", pure))):
                            gains.setdefault((place, model, label), []).append(value - against)
            _, gold, _ = np.sum([rows[name, train, c, "mono"]["mean"][side][str(test)] for c in ready], axis=0)
            cells += [f"{gold}", f"{lines[side]['right'][test].f1:.1f}"]
            label = f"{name} {'F' if side == 'f' else 'E'}"
            pairs = rows[name, train, ready[0], "mono"]["train"]
            table.add(label, f"≤ {test}", f"≤ {train}", pairs, len(ready), *cells)
    return gains


def branching(name: str) -> dict:
    """F1 of left- and right-branching trees on all sentences that are tested on, by side and length."""
    made = {}
    pairs = [pair for pair in load(name) if not for_tuning(pair)]
    for side in sides(name):
        trees = [getattr(pair, side) for pair in pairs]
        rows = [(len(tags_of(tree, "upos")), constituents(tree), ()) for tree in trees]
        made[side] = {k: v.up_to for k, v in baselines([row for row in rows if row[0] <= 30], LENGTHS).items()}
    return made


def _all_rows(path: Path) -> list[dict]:
    """Rows of any commit, to print a table of."""
    return [json.loads(line)["row"] for line in path.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--members", type=int, default=3, help="chains of each model")
    parser.add_argument("--systems", default="mono,cue,gold,words,stress")
    parser.add_argument("--lengths", default="10,20,30")
    parser.add_argument("--corpora", default=",".join((*CORPORA, *KEPT_BACK)))
    parser.add_argument("--prior", default="2,20", choices=PRIORS)
    parser.add_argument(
        "--paper", action="store_true", help="the paper's bilingual model: no span weights, uniform start, strength 1"
    )
    parser.add_argument("--english", action="store_true")
    parser.add_argument("--penn", action="store_true")
    parser.add_argument("--tune", action="store_true", help="test on the sentences set aside for choosing settings")
    parser.add_argument("--results", type=Path, default=OUT / "induction.jsonl")
    parser.add_argument("--table", action="store_true", help="only print what there is, of whatever commit")
    options = parser.parse_args()
    if options.english or options.penn:
        (english if options.english else penn)()
        return
    kept = RowLog(options.results)
    there = _all_rows(options.results) if options.table else kept.rows
    rows = {(row["corpus"], row["length"], row["split"], row["system"]): row for row in there}
    systems = options.systems.split(",")
    if not options.table:
        corpora = {name: load(name) for name in options.corpora.split(",")}
        weights: dict = {}
        for split in range(options.splits):
            for length in map(int, options.lengths.split(",")):
                for name, pairs in corpora.items():
                    for system in systems:
                        linked = not name.startswith("gloss/") or system in ALONE or system == "words"
                        if (name, length, split, system) in rows or not linked:
                            continue
                        options.corpus = name
                        if (name, system) not in weights:
                            weights[name, system] = word_weights(pairs, system)
                        row = one(system, pairs, weights[name, system], length, split, options)
                        row |= {"corpus": name, "length": length, "split": split, "system": system}
                        rows[name, length, split, system] = row
                        kept.add(row)
    tables(rows, systems, options)


if __name__ == "__main__":
    main()

"""Learning by correction, simulated with gold: UAS against the number of sentences that a person has corrected.

The first sentences are chosen by chance, as long as there are no confidences; then the person corrects those that the
system is least sure of, or, to compare, any. After each round the system learns from all that is gold and projects the
rest, as `proj review` does.

python bench/review_simulation.py [CORPUS] [--e FILE] [--e-parser en] [--system s2+] [--sizes 0,10,20] [--seeds 3]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev

from common import DATA, about, need

from divproj.draw.plot import pyplot, save
from divproj.errors import Faults
from divproj.evaluate.trees import score_trees
from divproj.projection.s1 import Bitext, Projection, s1
from divproj.projection.systems import train
from divproj.types import DepTree, TreePair
from proj_cli.bitexts import Sources, bitexts

POLICIES = ("least confident first", "random")
PARTS = ("file", "rest", "unseen")
Row = dict[str, float]


def load(options: argparse.Namespace) -> list[tuple[DepTree, Bitext]]:
    """Gold trees and what projection may see, of the sentences whose gold tree is whole and whose translation has a tree."""
    sources = Sources(str(need(Path(options.corpus))), options.e, options.links, options.e_parser)
    found = []
    for sentence, bitext in bitexts(sources, Faults(strict=False)):
        gold, faults = sentence.usable_tree()
        if not faults and len(bitext.e) and len(gold):
            found.append((gold, bitext))
    return found


def uas(gold: Sequence[DepTree], trees: Sequence[DepTree]) -> float:
    """Without punctuation, over words."""
    return score_trees(((g, t, (), ()) for g, t in zip(gold, trees, strict=True)), punctuation=False).overall.uas


def confidence(found: Projection) -> float:
    return fmean(found.confidence) if found.confidence else 0.5


def simulate(
    data: list[tuple[DepTree, Bitext]], policy: str, system: str, sizes: list[int], held: int, seed: int
) -> Iterator[Row]:
    """Scores after each round; the same seed gives both policies the same unseen sentences and the same first ones."""
    chance = random.Random(seed)
    order = chance.sample(range(len(data)), len(data))
    unseen, pool = order[:held], order[held:]
    made = {n: s1(data[n][1]) for n in order}
    done: list[int] = []
    changed = 0
    for size in sizes:
        left = [n for n in pool if n not in set(done)]
        if policy != "random" and done:
            left.sort(key=lambda n: confidence(made[n]))
        new = left[: size - len(done)]
        changed += sum(a != b for n in new for a, b in zip(data[n][0].heads, made[n].heads, strict=True))
        done += new
        if done:
            project = train(system, [_pair(data[n]) for n in done])
            for n in set(order) - set(done):
                made[n] = project(data[n][1])
        trees = {n: data[n][0] if n in set(done) else made[n].tree for n in order}
        parts = {"file": pool, "rest": [n for n in pool if n not in set(done)], "unseen": unseen}
        row = {part: uas([data[n][0] for n in ns], [trees[n] for n in ns]) for part, ns in parts.items()}
        yield {"size": size, "heads": changed, "words": sum(len(data[n][0]) for n in done), **row}


def _pair(one: tuple[DepTree, Bitext]) -> TreePair:
    gold, bitext = one
    return TreePair(
        DepTree(gold.forms, gold.heads, gold.rels, glosses=bitext.glosses), bitext.e, bitext.alignment, bitext.sent_id
    )


def table(results: dict[str, list[list[Row]]]) -> Iterator[str]:
    yield "| sentences corrected | policy | words in them | heads changed | UAS file | UAS rest | UAS unseen |"
    yield "|---|---|---|---|---|---|---|"
    for rows in zip(*(zip(*runs, strict=True) for runs in results.values()), strict=True):
        for policy, runs in zip(results, rows, strict=True):
            cells = " | ".join(_mean([run[part] for run in runs]) for part in PARTS)
            effort = " | ".join(f"{fmean(run[name] for run in runs):.0f}" for name in ("words", "heads"))
            yield f"| {runs[0]['size']:.0f} | {policy} | {effort} | {cells} |"


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.2f}" + (f" ± {stdev(values):.2f}" if len(values) > 1 else "")


def plot(path: Path, results: dict[str, list[list[Row]]], name: str, system: str) -> None:
    """Three panels, a line a policy with the spread over seeds; the last one by heads that were changed by hand."""
    plt = pyplot()
    figure, panels = plt.subplots(1, 3, figsize=(13, 3.8))
    shown = (
        ("file", "size", "the whole file, corrections included"),
        ("unseen", "size", "sentences never shown to anybody"),
        ("unseen", "heads", "the same, by what a person had to change"),
    )
    for panel, (part, axis, title) in zip(panels, shown, strict=True):
        for policy, colour, mark in zip(POLICIES, ("#0b5cad", "#b45309"), "os", strict=True):
            rounds = list(zip(*results[policy], strict=True))
            x = [fmean(run[axis] for run in runs) for runs in rounds]
            y = [[run[part] for run in runs] for runs in rounds]
            panel.plot(x, [fmean(v) for v in y], marker=mark, markersize=4, color=colour, label=policy)
            panel.fill_between(x, [min(v) for v in y], [max(v) for v in y], color=colour, alpha=0.15, linewidth=0)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("sentences corrected" if axis == "size" else "heads changed by hand")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("UAS")
    panels[0].legend(fontsize=8)
    figure.suptitle(f"Learning by correction: {name}, {system}", fontsize=11)
    save(figure, path)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    hausa = DATA / "ud-igt-hausa" / "ha_northernautogramm-ud-test.conllu"
    parser.add_argument("corpus", nargs="?", default=str(hausa), help="CoNLL-U with gold trees, or a corpus folder")
    parser.add_argument("--e", help="CoNLL-U with the trees of the translations")
    parser.add_argument("--e-parser", help="a language in the box, a model's folder, or a command")
    parser.add_argument("--links")
    parser.add_argument("--system", default="s2+")
    parser.add_argument("--sizes", default="0,10,20,50,100,200,400")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--held-out", type=int, default=250)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    data = load(options)
    held = min(options.held_out, len(data) // 4)
    sizes = [size for size in map(int, options.sizes.split(",")) if size <= len(data) - held]
    name = Path(options.corpus).stem
    print(
        f"{name}: {len(data)} sentences, {held} of them unseen; {options.system}, {options.seeds} seeds; {about()}\n",
        flush=True,
    )
    results: dict[str, list[list[Row]]] = {policy: [] for policy in POLICIES}
    for seed in range(options.seeds):
        for policy in POLICIES:
            results[policy].append(list(simulate(data, policy, options.system, sizes, held, seed)))
            print(f"{policy}, seed {seed}", file=sys.stderr, flush=True)
    print("\n".join(table(results)))
    if options.plot:
        plot(options.plot, results, name, options.system)


if __name__ == "__main__":
    main()

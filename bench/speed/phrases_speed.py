"""Speed of phrase alignment: the exact chart against plain Python, packed forests, cost against nodes, EM.

python bench/speed/phrases_speed.py [--em 2000] [--pairs 100] [--seed 1] [--plot docs/align-cost.png]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.phrases_data import edinburgh, lexicon, with_candidates
from bench.common import DATA, Table

from divproj.drawing.plot import pyplot, save
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.forest.parses import normalise
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.model import LocalModel, PhraseEncoder
from divproj.phrases.problem import (
    Costs,
    Problem,
    ScoredForest,
    fill,
    posteriors,
    prepare,
    problem,
    read_off,
    with_tree_weights,
)

LABELS = ("NP", "VP", "PP", "S", "ADJP", "ADVP")


def packed(words: int, nodes: int, chance: random.Random) -> Forest:
    """A packed forest over so many words with about so many nodes, as a parser's: several categories and ways for a span."""
    made: dict[tuple[int, int], list[int]] = {}
    rows: list[Node] = []
    edges: list[Edge] = []
    for k in range(words):
        made[k, k + 1] = [len(rows)]
        rows.append(Node(k, k + 1, "NN", k, k))
    wanted = {(0, words)}
    stack = [(0, words)]
    while stack:  # one tree at least
        a, b = stack.pop()
        if b - a > 1:
            m = chance.randint(a + 1, b - 1)
            wanted |= {(a, m), (m, b)}
            stack += [(a, m), (m, b)]
    spans = [(i, j) for i in range(words) for j in range(i + 2, words + 1)]
    chance.shuffle(spans)
    more = iter(spans)
    while len(wanted) < min(len(spans), nodes // 2):
        wanted.add(next(more))
    for a, b in sorted(wanted, key=lambda s: (s[1] - s[0], s)):
        splits = [m for m in range(a + 1, b) if (a, m) in made and (m, b) in made]
        if b - a == 1 or not splits:
            continue
        left = nodes - len(rows)
        for label in chance.sample(LABELS, 1 if (a, b) == (0, words) or left <= 0 else min(3, max(1, round(left / max(1, len(wanted)) + 1)))):  # fmt: skip
            made.setdefault((a, b), []).append(len(rows))
            for m in chance.sample(splits, min(2, len(splits))):
                edges.append(Edge(len(rows), chance.choice(made[a, m]), chance.choice(made[m, b]), -chance.random()))
            rows.append(Node(a, b, label, chance.randrange(a, b), chance.randrange(a, b)))
    return normalise(Forest(tuple(f"w{k}" for k in range(words)), tuple(rows), tuple(edges), len(rows) - 1))


def tree(words: int, chance: random.Random) -> Forest:
    rows, edges = [], []

    def grow(a: int, b: int) -> int:
        if b - a > 1:
            m = chance.randint(a + 1, b - 1)
            left, right = grow(a, m), grow(m, b)
            edges.append(Edge(len(rows), left, right))
        rows.append(Node(a, b, "NN" if b - a == 1 else chance.choice(LABELS), a, a))
        return len(rows) - 1

    root = grow(0, words)
    return Forest(tuple(f"w{k}" for k in range(words)), tuple(rows), tuple(edges), root)


def problem_of(src: Forest, tgt: Forest, chance: random.Random) -> Problem:
    links = [(i, j) for i in range(len(src.forms)) for j in range(len(tgt.forms)) if i == j or chance.random() < 0.02]
    given = prepare(ScoredForest(src), ScoredForest(tgt), links, PhraseEncoder())
    return problem(given, LocalModel().log_probs(given.table), Costs())


def plain(given: Problem) -> float:
    """The same recurrence in plain Python: lists and floats, no arrays."""
    infinite = float("-inf")
    sides = []
    for side in (given.src, given.tgt):
        a = side.arrays
        kids: list[list[tuple[int, int]]] = [[] for _ in side.null]
        for u, left, right in zip(a.edge_parent.tolist(), a.edge_left.tolist(), a.edge_right.tolist(), strict=True):
            kids[u].append((left, right))
        sides.append((kids, side.null.tolist()))
    (kids_s, null_s), (kids_t, null_t) = sides
    pair = given.pair.tolist()
    E: list[list[float]] = []
    top = infinite
    for u, ways_u in enumerate(kids_s):
        row: list[float] = []
        E.append(row)
        for v, ways_v in enumerate(kids_t):
            best = pair[u][v]
            if ways_u and ways_v:
                inner = infinite
                for lu, ru in ways_u:
                    for lv, rv in ways_v:
                        inner = max(inner, E[lu][lv] + E[ru][rv], E[lu][rv] + E[ru][lv])
                best += inner
            top = best
            for lu, ru in ways_u:
                best = max(best, E[lu][v] + null_s[ru], E[ru][v] + null_s[lu])
            for lv, rv in ways_v:
                best = max(best, row[lv] + null_t[rv], row[rv] + null_t[lv])
            row.append(best)
    return top


def timed(call, items: list) -> float:
    """CPU seconds for one item; the best of three rounds, since other programs may be running."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for item in items:
            call(item)
        best = min(best, (time.process_time() - start) / len(items))
    return best


def chart_speed(chance: random.Random, count: int, seed: int) -> None:
    given = [problem_of(tree(23, chance), tree(23, chance), chance) for _ in range(count)]
    for one in given[:20]:
        assert abs(plain(one) - fill(one, compiled=True).A[one.src.root, one.tgt.root]) < 1e-9 or not fill(one).reachable
    slow = timed(plain, given[:20])
    twin = timed(lambda one: fill(one, compiled=False), given[:3])
    fast = timed(lambda one: fill(one, compiled=True), given * 20)
    whole = timed(lambda one: read_off(f, compiled=True) if (f := fill(one, compiled=True)).reachable else None, given)
    caption = "Exact chart, two trees of 23 words, CPU time of one core"
    with Table("phrases_speed-chart", caption, "chart", "ms a pair", "times", seed=seed) as table:
        for name, seconds in (
            ("plain Python, lists", slow),
            ("the kernel not compiled", twin),
            ("compiled", fast),
            ("compiled, the best set read off", whole),
        ):
            table.add(name, f"{1000 * seconds:.3f}", f"{slow / seconds:.0f}")


def forest_speed(table: Table, chance: random.Random, sizes: list[int], count: int) -> list[tuple[float, float, float]]:
    """Add a row for each size; return the nodes, seconds of the chart and of the whole."""
    aligner = PhraseAligner()
    rows = []
    for size in sizes:
        pairs = [(packed(23, size, chance), packed(23, size, chance)) for _ in range(count)]
        given = [problem_of(s, t, chance) for s, t in pairs]
        nodes = sum(len(s) + len(t) for s, t in pairs) / (2 * count)
        edges = sum(len(s.edges) + len(t.edges) for s, t in pairs) / (2 * count)
        chart = timed(lambda one: read_off(f) if (f := fill(one, compiled=True)).reachable else None, given)
        encoder = PhraseEncoder()
        ready = [prepare(ScoredForest(s), ScoredForest(t), [(k, k) for k in range(23)], encoder) for s, t in pairs]
        sums = timed(lambda x: posteriors(with_tree_weights(x, problem(x, LocalModel().log_probs(x.table), Costs()))), ready)
        whole = timed(lambda x: aligner.align_pair(x[0], x[1], [(k, k) for k in range(23)]), pairs)
        rows.append((nodes, chart, whole))
        cells = [f"{1000 * chart:.2f}", f"{1 / chart:.0f}", f"{1000 * sums:.2f}", f"{1000 * whole:.1f}", f"{1 / whole:.0f}"]
        table.add(size, f"{nodes:.0f}", f"{edges:.0f}", *cells)
    return rows


def plot(rows: list[tuple[float, float, float]], path: Path) -> None:
    """Milliseconds against nodes."""
    plt = pyplot()
    figure, panel = plt.subplots(figsize=(5, 3.4), layout="constrained")
    panel.loglog([r[0] for r in rows], [1000 * r[1] for r in rows], marker="o", label="exact chart")
    panel.loglog([r[0] for r in rows], [1000 * r[2] for r in rows], marker="s", label="whole alignment")
    panel.set_xlabel("nodes of each forest")
    panel.set_ylabel("ms a pair")
    panel.grid(alpha=0.3)
    panel.legend()
    save(figure, path)


def em_speed(count: int, seed: int) -> str:
    rows = edinburgh(DATA)
    chance = random.Random(seed)
    chosen = [rows[chance.randrange(len(rows))] for _ in range(count)]
    start, cpu = time.perf_counter(), time.process_time()
    pairs, candidates = with_candidates(chosen, "all")
    ready = time.perf_counter()
    aligner = PhraseAligner(relation=lexicon().relation, epochs=6).fit(pairs, candidates)
    return (
        f"EM over {count:,} pairs (Edinburgh, drawn with repetition, forests of all binarisations), {len(aligner.history_)} epochs: "
        f"trees and candidates {ready - start:.1f} s, EM {time.perf_counter() - ready:.1f} s, CPU {time.process_time() - cpu:.1f} s in all"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--sizes", default="60,120,240,339,520,800")
    parser.add_argument("--em", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=None, help="cost against nodes, as a picture")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    chart_speed(chance, options.pairs, options.seed)
    columns = (
        "nodes",
        "edges",
        "chart, ms",
        "chart, pairs/s",
        "with sums, ms",
        "whole alignment, ms",
        "whole alignment, pairs/s",
    )
    with Table("phrases_speed-forests", "Packed forests, CPU time of one core", "size", *columns, seed=options.seed) as table:
        rows = forest_speed(table, chance, [int(x) for x in options.sizes.split(",")], max(3, options.pairs // 10))
        if options.em and (DATA / "paraphrase").exists():
            table.note(em_speed(options.em, options.seed))
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()

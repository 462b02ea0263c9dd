"""The parser alone on UD English EWT: UAS and LAS on dev with gold UPOS, time, speed and memory.

    python bench/accuracy/parser_ewt.py [--sizes 200,2000,all] [--orders 1,2] [--seed 1]

Each row is a process of its own on one core; seconds are its CPU time, so that a busy machine does not show. The first, on ten
sentences, pays for compiling and is not shown.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj.core.tree import DepTree
from divproj.io.trees import conllu
from divproj.parsing.parser import MstParser


def trees(name: str) -> list[DepTree]:
    """Trees with universal relations, subtypes left out."""
    [path] = [p for p in sorted(need(DATA / "ewt").iterdir()) if name in p.name]
    found = (s.tree for s in conllu.load(path) if s is not None)
    return [replace(tree, deprels=tuple(rel.partition(":")[0] for rel in tree.deprels), xpos=()) for tree in found]


def measure(size: int, options: dict[str, object]) -> dict[str, float]:
    train, dev = trees("train")[:size], trees("dev")
    start = time.process_time()
    parser = MstParser(**options).fit(train)
    trained = time.process_time()
    parser.predict(dev[:10])
    ready = time.process_time()
    made = parser.predict(dev)
    parsed = time.process_time()
    words = [
        (a, b, r, q)
        for x, y in zip(made, dev, strict=True)
        for a, b, r, q in zip(x.heads, y.heads, x.deprels, y.deprels, strict=True)
    ]
    return {
        "uas": 100 * sum(a == b for a, b, _, _ in words) / len(words),
        "las": 100 * sum(a == b and r == q for a, b, r, q in words) / len(words),
        "train": trained - start,
        "speed": len(dev) / (parsed - ready),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="200,2000,all")
    parser.add_argument("--orders", default="1,2")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        size, given = json.loads(options.one)
        print(json.dumps(measure(size, given)))
        return
    sizes = [1 << 30 if size == "all" else int(size) for size in options.sizes.split(",")]
    caption = "EWT dev, gold UPOS, all words, universal relations, CPU time of one core"
    columns = ("sentences", "order", "UAS", "LAS", "training, s", "sentences/s", "MB")
    with Table("parser_ewt", caption, *columns, seed=options.seed) as table:
        for size in (10, *sizes):
            for order in options.orders.split(","):
                given = {"order": int(order), "random_state": options.seed}
                command = [sys.executable, __file__, "--one", json.dumps([size, given])]
                row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                if size > 10:
                    cells = (f"{row['uas']:.2f}", f"{row['las']:.2f}", f"{row['train']:.1f}", f"{row['speed']:,.0f}")
                    table.add("all" if size == 1 << 30 else f"{size:,}", order, *cells, f"{row['memory']:.0f}")


if __name__ == "__main__":
    main()

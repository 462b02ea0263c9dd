"""What cutting a text costs: AER of `proj words` when all pairs are learned from together, and in shards.

    python bench/accuracy/words_shards.py [--shards 500,250]

"apart" is each shard by itself, "in shards" what `proj words --shard` does: with what the other shards taught as prior.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.words_aer import scored
from bench.common import DATA, about, need

from divproj import Corpus, Faults
from divproj.links.words.corpus import align_text
from divproj.links.words.model import WordAligner
from divproj.links.words.text import Row, Text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", default="cdt-da,pud/fr,pud/ru,pud/zh")
    parser.add_argument("--shards", default="500,250")
    options = parser.parse_args()
    sizes = [int(size) for size in options.shards.split(",")]
    print(f"AER, seed 1; {about()}")
    heads = " | ".join(f"{size} apart | in shards of {size}" for size in sizes)
    print(f"| corpus | pairs | together | {heads} |\n|{'---|' * (3 + 2 * len(sizes))}")
    for name in options.corpora.split(","):
        pairs = list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))
        rows = [Row([*pair.f.forms], [*pair.e.forms]) for pair in pairs]

        def aer(*texts: Text, pairs: list = pairs, name: str = name) -> str:
            found = [x.links.links for text in texts for shard in align_text(WordAligner(), text) for x in shard]
            return f"{scored(pairs, found, name.startswith('pud')).aer:.3f}"

        cells = [aer(Text.of(rows))]
        for size in sizes:
            apart = [Text.of(rows[start : start + size]) for start in range(0, len(rows), size)]
            cells += [aer(*apart), aer(Text.of(rows, size))]
        print(f"| {name} | {len(pairs)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

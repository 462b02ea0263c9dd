"""Do 50 glossed sentences help to align unglossed text of the same language? AER on ODIN without and with them.

    python bench/accuracy/words_gloss_prior.py

Fifty sentences (seed 1) are glossed, the others are bare bitext; both kinds are trained on, the bare ones are scored.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, about, need

from divproj import Corpus, Faults
from divproj.data.igt import Igt
from divproj.evaluation.links import score_links
from divproj.links.gloss.aligner import GlossAligner
from divproj.links.words.model import WordAligner
from divproj.links.words.priors import from_links


def main() -> None:
    print(f"AER on the unglossed sentences, seed 1; {about()}")
    print("| language | glossed | scored | no prior | 50 glossed |\n|---|---|---|---|---|")
    aligner = GlossAligner()
    sums = [0.0, 0.0]
    names = ("ger", "gli", "hua", "kkn")
    for name in names:
        pairs = list(Corpus.at(need(DATA / "odin" / name), faults=Faults(strict=False)))
        order = list(range(len(pairs)))
        random.Random(1).shuffle(order)
        size = min(50, len(pairs) // 2)
        glossed, bare = [pairs[k] for k in order[:size]], [pairs[k] for k in order[size:]]
        known = from_links(
            (
                pair.f.forms,
                pair.e.forms,
                [(x.f, x.e, x.score) for x in aligner.align(Igt(pair.f.forms, glosses=pair.f.glosses), pair.e.forms).scored],
            )
            for pair in glossed
        )
        text = [(pair.f.forms, pair.e.forms) for pair in (*bare, *glossed)]
        cells = []
        for k, prior in enumerate((None, known)):
            found = WordAligner().fit_align(text, prior)[: len(bare)]
            score = score_links((pair.links, linked.links) for pair, linked in zip(bare, found, strict=True))
            sums[k] += score.aer / len(names)
            cells.append(f"{score.aer:.3f}")
        print(f"| {name} | {size} | {len(bare)} | {' | '.join(cells)} |", flush=True)
    print(f"| average | | | {sums[0]:.3f} | {sums[1]:.3f} |")


if __name__ == "__main__":
    main()

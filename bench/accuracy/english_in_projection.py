"""What the English parser does to projected trees: ODIN from glosses and translations alone, parsed by `en` and by `en-fast`.

    python bench/accuracy/english_in_projection.py [--parsers en-fast,en] [--systems s1-r,rules,s5,s6]

`rules` is s1-r with the shipped rules `deu`, for German alone. The English words are those of the gold trees, so that all sentences can be
compared; nothing is learned. For each pair of parsers: heads that only one of them has right, and the sign test over these.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need
from scipy.stats import binomtest

from divproj import Corpus, Faults, Pair
from divproj.core.sentence import Sentence
from divproj.links.glosses import GlossAligner
from divproj.parsing.language import load_pack
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.glossed.s6 import S6
from divproj.projection.phrasal.s5 import S5
from divproj.projection.pipeline import corrections
from divproj.projection.systems import AdaptedSystem

LANGUAGES = ("ger", "gli", "hua", "kkn")
Project = Callable[[ProjectionInput], Projection]


def parsed(pairs: Sequence[Pair], parser: str) -> list[Pair]:
    """The pairs with English parsed and words linked through their glosses."""
    aligner = GlossAligner()
    trees = load_pack(parser).parse([pair.e.forms for pair in pairs], confidence=True)
    return [
        replace(
            p, e=e, links=aligner.align(Sentence(p.f.forms, glosses=p.f.glosses, sent_id=p.sent_id), e.forms, e.tags()).links
        )
        for p, e in zip(pairs, trees, strict=True)
    ]


def right(pairs: Sequence[Pair], system: str) -> list[bool]:
    """For each word with a gold head whether the system finds it."""
    bitexts = [ProjectionInput.of(replace(pair, f=replace(pair.f, heads=(-1,) * len(pair.f)))) for pair in pairs]
    project: Project = s1
    if system == "rules":
        project = corrections("deu").model.project
    elif system == "s5":
        project = AdaptedSystem.to(S5(), bitexts).project
    elif system == "s6":
        project = AdaptedSystem.to(S6(), bitexts).project
    found = []
    for pair, bitext in zip(pairs, bitexts, strict=True):
        heads = project(bitext).heads
        found += [head == gold for head, gold in zip(heads, pair.f.heads, strict=True) if gold >= 0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parsers", default="en-fast,en")
    parser.add_argument("--systems", default="s1-r,rules,s5,s6")
    options = parser.parse_args()
    first, second = options.parsers.split(",")
    columns = ("language", "system", "heads", first, second, f"only {first} right", f"only {second} right", "p")
    with Table("english_in_projection", "ODIN, UAS, links by glosses, all words with a gold head", *columns) as table:
        for name in LANGUAGES:
            pairs = list(Corpus.at(need(DATA / "odin" / name), faults=Faults(strict=False)))
            texts = [parsed(pairs, which) for which in (first, second)]
            for system in options.systems.split(","):
                if system == "rules" and name != "ger":
                    continue
                a, b = (right(text, system) for text in texts)
                lost, won = (sum(x > y for x, y in zip(p, q, strict=True)) for p, q in ((a, b), (b, a)))
                p = binomtest(won, won + lost).pvalue if won + lost else 1.0
                table.add(name, system, len(a), *(f"{100 * sum(x) / len(x):.1f}" for x in (a, b)), lost, won, f"{p:.2f}")


if __name__ == "__main__":
    main()

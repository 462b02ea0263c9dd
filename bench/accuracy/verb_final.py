"""s5 on a verb-final language with few links, as Japanese is: not below s1-l.

    python bench/accuracy/verb_final.py [--seeds 3]

The language is made from the English sentences of the sample corpora, parsed in UD: every head follows its dependents, and case markers,
auxiliaries, copulas and subordinators follow their content word as particles. Content words are linked with probability `content`;
a particle is linked to the English word of its content word (as aligners do), or to its own, or to none. The samples of Korean and Hindi
follow, as they are and with links left out by chance; with their own English trees, which are not UD, and with those of the parser, where
s5 has what other languages tell.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import Table

from divproj import Corpus, DepTree, Faults, Links, Pair
from divproj.evaluation.trees import score_trees
from divproj.parsing.language import load_pack
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.glossed.attachments import S5WithPriors
from divproj.projection.phrasal.s5 import S5
from divproj.projection.systems import AdaptedSystem
from divproj.runtime.resources import folder

PARTICLES = frozenset({"case", "aux", "cop", "mark"})
LOST = frozenset({"det", "punct", "expl"})
"""Words that the language does not have."""
NAMES = {"case": ("ga", "ni", "de", "kara", "no"), "aux": ("ta", "nai", "masu"), "cop": ("da",), "mark": ("to", "ba")}


def base(tree: DepTree, word: int) -> str:
    return tree.deprels[word - 1].partition(":")[0]


def turned(e: DepTree, content: float, shared: float, rng: random.Random) -> Pair:
    """A sentence of the language with its gold tree, and what is known of its links."""
    order: list[int] = []

    def write(word: int) -> None:
        kids = [k for k in e.children(word) if base(e, k) not in LOST]
        for kid in kids:
            if base(e, kid) not in PARTICLES:
                write(kid)
        order.append(word)
        for kid in kids:
            if base(e, kid) in PARTICLES:
                write(kid)

    assert e.root is not None
    write(e.root)
    place = {word: k for k, word in enumerate(order, 1)} | {0: 0}
    forms, links = [], set()
    for k, word in enumerate(order, 1):
        rel, lemma = base(e, word), e.forms[word - 1].lower()
        if rel in PARTICLES:
            forms.append(NAMES[rel][len(lemma) % len(NAMES[rel])])
            draw = rng.random()
            if draw < shared:
                links.add((k, e.heads[word - 1]))
            elif draw < shared + (1 - shared) / 3:
                links.add((k, word))
        else:
            forms.append(f"{lemma}o")
            if rng.random() < content:
                links.add((k, word))
    heads = tuple(place[e.heads[word - 1]] for word in order)
    rels, tags = tuple(e.deprels[word - 1] for word in order), tuple(e.upos[word - 1] for word in order)
    return Pair(DepTree(tuple(forms), heads, rels, tags), e, Links.of(links, (len(order), len(e))))


def scores(pairs: Sequence[Pair]) -> list[float]:
    text = [ProjectionInput.of(replace(pair, f=replace(pair.f, upos=()))) for pair in pairs]
    plain, attached = (AdaptedSystem.to(system, text) for system in (S5(), S5WithPriors()))
    runs: list[Callable[[ProjectionInput], Projection]] = [s1, lambda b: s1(b, "left"), plain.project, attached.project]
    return [
        score_trees([(p.f, run(b).tree, (), ()) for p, b in zip(pairs, text, strict=True)], punctuation=False).uas
        for run in runs
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    columns = ("text", "s1-r", "s1-l", "s5 without other languages", "s5")
    with Table("verb_final", "UAS without punctuation", *columns, seed=f"1 to {options.seeds}") as table:
        measure_texts(table, options.seeds)


def measure_texts(table: Table, seeds: int) -> None:
    corpora = {
        name: list(Corpus.at(folder("corpora") / name, faults=Faults(strict=False)))
        for name in ("kor-eng", "hin-eng", "deu-eng", "spa-eng")
    }
    english = load_pack("en").parse([pair.e.forms for pairs in corpora.values() for pair in pairs])
    for content, shared in ((1.0, 0.0), (1.0, 0.5), (0.6, 0.5), (0.4, 0.5), (0.25, 0.5), (0.25, 0.8)):
        rows = [
            scores([turned(e, content, shared, random.Random(f"{seed}/{k}")) for k, e in enumerate(english)])
            for seed in range(1, seeds + 1)
        ]
        title = f"made: {content:.0%} of content words linked, {shared:.0%} of particles with their content word"
        table.add(title, *(f"{fmean(column):.1f}" for column in zip(*rows, strict=True)))
    for name in ("kor-eng", "hin-eng"):
        trees = load_pack("en").parse([pair.e.forms for pair in corpora[name]])
        corpora[f"{name}, English parsed"] = [replace(p, e=tree) for p, tree in zip(corpora[name], trees, strict=True)]
    for name in ("kor-eng", "kor-eng, English parsed", "hin-eng", "hin-eng, English parsed"):
        for keep in (1.0, 0.6, 0.4, 0.25):
            rows = []
            for seed in range(1, seeds + 1):
                rng = random.Random(seed)
                some = [
                    replace(p, links=Links(frozenset(x for x in p.links if rng.random() < keep), p.links.shape))
                    for p in corpora[name]
                ]
                rows.append(scores(some))
            table.add(f"{name}, {keep:.0%} of links", *(f"{fmean(column):.1f}" for column in zip(*rows, strict=True)))


if __name__ == "__main__":
    main()

"""What phrase alignment gives to projection: s5, s5+, refined links, re-ranked E trees, several sources, paraphrases.

    python bench/accuracy/bridge_tables.py [phrases] [weights] [s5] [attached] [plus] [links] [trees] [rules] [forests] [sources] [paraphrases] [--sentences 300] [--folds 10] [--jobs 1]
        [--corpora odin/ger,…] [--model MODEL]

Without a name all tables are made. ODIN is scored with punctuation, the others without. `--sentences` bounds the large corpora
in the tables that train a parser or need n-best lists; s5 always has them whole.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.common import DATA, about, need

from divproj import Corpus, DepTree, Faults, Links, Pair
from divproj.data.igt import Igt
from divproj.evaluation.experiment import cross_validate
from divproj.evaluation.links import score_links
from divproj.evaluation.trees import score_trees
from divproj.forest.build import from_tree
from divproj.forest.hypergraph import Forest
from divproj.forest.parses import viterbi
from divproj.forest.trees import PhraseTree
from divproj.io import forest as forest_file
from divproj.links.gloss.aligner import GlossAligner
from divproj.links.words.model import WordAligner
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.phrasal.links import refine_links
from divproj.projection.phrasal.paraphrases import dependencies, write_corpus
from divproj.projection.phrasal.phrase_evidence import PhraseEvidence, gathered
from divproj.projection.phrasal.phrase_sources import PhraseSources
from divproj.projection.phrasal.projector import PhraseProjector
from divproj.projection.phrasal.trees import alternatives, choose_tree
from divproj.projection.phrasal.vote import vote
from divproj.projection.phrasal.weights import Weights
from divproj.projection.systems import Corrections

ODIN = ("odin/ger", "odin/gli", "odin/hua", "odin/kkn")
LARGE = ("cdt-da", "pud/fr", "pud/ru", "pud/zh")
EDINBURGH = "edinburgh"
BEST = 8
"""Trees of the n-best lists."""


def load(name: str, most: int | None = None) -> list[Pair]:
    pairs = list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))
    return pairs if most is None or name in ODIN else pairs[:most]


def uas(name: str, pairs: Sequence[Pair], trees: Sequence[DepTree]) -> float:
    scored = ((pair.f, tree, (), ()) for pair, tree in zip(pairs, trees, strict=True))
    return score_trees(scored, punctuation=name in ODIN).overall.uas


def gain(before: float, after: float) -> float:
    """Error reduction in percent."""
    return 100 * (after - before) / (100 - before)


def words_links(pairs: Sequence[Pair]) -> list[Pair]:
    found = WordAligner().fit_align([(pair.f.forms, pair.e.forms) for pair in pairs])
    return [replace(pair, links=linked.links) for pair, linked in zip(pairs, found, strict=True)]


def table_s5(options: argparse.Namespace) -> None:
    print("| corpus | s1-r | s1-l | s5 | error reduction | sentences/s (observe + project) |\n|---|---|---|---|---|---|")
    gains = []
    PhraseProjector().observe([ProjectionInput.of(pair) for pair in load("odin/ger")] * 8)  # compile first
    for name in options.corpora:
        pairs = load(name)
        text = [ProjectionInput.of(pair) for pair in pairs]
        plain = [uas(name, pairs, [s1(b, side).tree for b in text]) for side in ("right", "left")]
        began = time.perf_counter()
        projector = PhraseProjector().observe(text)
        found = uas(name, pairs, [projector.project(b).tree for b in text])
        speed = len(text) / (time.perf_counter() - began)
        gains.append(gain(max(plain), found))
        print(f"| {name} | {plain[0]:.2f} | {plain[1]:.2f} | {found:.2f} | {gains[-1]:.1f} % | {speed:.0f} |", flush=True)
    print(f"| average | | | | **{np.mean(gains):.1f} %** | |")


def table_attached(options: argparse.Namespace) -> None:
    """s5 as users get it against s5 without what other languages tell; E as annotated with the links given, and parsed with links found."""
    from divproj.parsing.language import shipped
    from divproj.projection.universal.attachments import AttachedProjector, Attachments, ud_like
    from divproj.projection.universal.model import GlossModel

    model = GlossModel.load(options.model) if options.model else None
    english = shipped("en")
    print(
        "| corpus | English | links | s1-r | s1-l | s5 without | s5 | difference | UD |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name in options.corpora:
        gold = load(name)
        parsed = [
            replace(pair, e=tree) for pair, tree in zip(gold, english.parse([pair.e.forms for pair in gold]), strict=True)
        ]
        found = list(_glossed(parsed)) if name in ODIN else words_links(parsed)
        by = "glosses" if name in ODIN else "words"
        for e, links, pairs in (("gold", "gold", gold), ("parsed", "gold", parsed), ("parsed", by, found)):
            text = [ProjectionInput.of(pair) for pair in pairs]
            cells = [uas(name, pairs, [s1(b, side).tree for b in text]) for side in ("right", "left")]
            for projector in (PhraseProjector(), AttachedProjector(table=Attachments(model))):
                projector.observe(text)
                cells.append(uas(name, pairs, [projector.project(b).tree for b in text]))
            row = " | ".join(f"{x:.2f}" for x in cells)
            print(f"| {name} | {e} | {links} | {row} | {cells[3] - cells[2]:+.2f} | {ud_like(text)} |", flush=True)


def table_plus(options: argparse.Namespace) -> None:
    print("| corpus | links | s4+ | s5+ | difference |\n|---|---|---|---|---|")
    for name in options.corpora:
        gold = load(name, options.sentences)
        for links, pairs in (("gold", gold), ("words", words_links(gold))):
            done = cross_validate(
                pairs, ["s4+", "s5+"], folds=options.folds, punctuation=name in ODIN, jobs=options.jobs, seed=1
            )
            four, five = (done[system].scores.overall.uas for system in ("s4+", "s5+"))
            print(f"| {name} | {links} | {four:.2f} | {five:.2f} | {five - four:+.2f} |", flush=True)


def table_links(options: argparse.Namespace) -> None:
    print("| corpus | links by | P | R | F1 | refined P | R | F1 |\n|---|---|---|---|---|---|---|---|")
    for name in options.corpora:
        pairs = load(name)
        by = "glosses" if name in ODIN else "words"
        given = [pair.links for pair in (_glossed(pairs) if name in ODIN else words_links(pairs))]
        text = [replace(ProjectionInput.of(pair), links=links) for pair, links in zip(pairs, given, strict=True)]
        projector = PhraseProjector().observe(text)
        cells = []
        for links in (given, [refine_links(projector, b) for b in text]):
            score = score_links([_judged(name, pair.links, found) for pair, found in zip(pairs, links, strict=True)])
            cells += [f"{x:.2f}" for x in (score.precision, score.recall, score.f1)]
        print(f"| {name} | {by} | {' | '.join(cells)} |", flush=True)


def _glossed(pairs: Sequence[Pair]) -> Iterator[Pair]:
    aligner = GlossAligner()
    for pair in pairs:
        igt = Igt(pair.f.forms, glosses=pair.f.glosses, sent_id=pair.sent_id)
        yield replace(pair, links=aligner.align(igt, pair.e.forms, pair.e.tags()).links)


def _judged(name: str, gold: Links, found: Links) -> tuple[Links, Links]:
    """PUD's annotators left function words alone: there a link counts when one of its words was linked by them."""
    if not name.startswith("pud"):
        return gold, found
    f, e = {i for i, _ in gold.links}, {j for _, j in gold.links}
    return gold, Links(frozenset((i, j) for i, j in found.links if i in f or j in e), gold.shape)


def table_trees(options: argparse.Namespace) -> None:
    from divproj.parsing.language import shipped

    english = shipped("en")
    print(f"English UAS (PUD), parser in the box, best of {BEST}\n")
    print("| F | sentences | parser | with F | oracle |\n|---|---|---|---|---|")
    for name in LARGE[1:]:
        pairs = load(name, options.sentences)
        lists = [alternatives(english, parsed, BEST) for parsed in english.parse([pair.e.forms for pair in pairs])]
        text = [replace(ProjectionInput.of(pair), e=best[0][1]) for pair, best in zip(pairs, lists, strict=True)]
        projector = PhraseProjector().observe(text)
        picked = [best[choose_tree(projector, b, best)][1] for b, best in zip(text, lists, strict=True)]
        ideal = [
            max((tree for _, tree in best), key=lambda t, gold=pair.e: sum(map(int.__eq__, t.heads, gold.heads)))
            for pair, best in zip(pairs, lists, strict=True)
        ]
        cells = [_english(pairs, trees) for trees in ([best[0][1] for best in lists], picked, ideal)]
        print(f"| {name} | {len(pairs)} | {' | '.join(f'{x:.2f}' for x in cells)} |", flush=True)


def table_forests(options: argparse.Namespace) -> None:
    """The F forest of a grammar induced from the same bitext (no tree of either side but E's gold one), tags of F given."""
    print("| corpus | sentences | any bracketing | induced grammar's chart |\n|---|---|---|---|")
    for name in LARGE:
        pairs = load(name, options.sentences)
        text = [ProjectionInput.of(pair) for pair in pairs]
        forests = [*_induced(pairs)]
        runs = (PhraseProjector().observe(text), PhraseProjector().observe(text, forests))
        cells = [uas(name, pairs, [run.project(b).tree for b in text]) for run in runs]
        print(f"| {name} | {len(pairs)} | {cells[0]:.2f} | {cells[1]:.2f} |", flush=True)


def table_rules(options: argparse.Namespace) -> None:
    print("| corpus | s2+ | s5 | s5 with the rules |\n|---|---|---|---|")
    for name in options.corpora:
        pairs = load(name, options.sentences)
        text = [ProjectionInput.of(pair) for pair in pairs]
        alone = PhraseProjector().observe(text)
        made: list[tuple[DepTree, DepTree, DepTree]] = [None] * len(pairs)  # type: ignore[list-item]
        for part in range(options.folds):
            corrections = Corrections.learn([pair for k, pair in enumerate(pairs) if k % options.folds != part])
            ruled = PhraseProjector(corrections=corrections.model).observe(text)
            for k in range(part, len(pairs), options.folds):
                made[k] = tuple(run(text[k]).tree for run in (corrections.model.project, alone.project, ruled.project))
        cells = [uas(name, pairs, trees) for trees in zip(*made, strict=True)]
        print(f"| {name} | {' | '.join(f'{x:.2f}' for x in cells)} |", flush=True)


def _induced(pairs: Sequence[Pair]) -> Iterator[Forest]:
    """Charts of an induced grammar over F's tags."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_corpus(pairs, place / "corpus")
        proj = [str(Path(sys.executable).parent / "proj")]
        subprocess.run([*proj, "induce", "corpus", "-o", "model", "--quiet"], cwd=place, check=True)
        parse = [*proj, "induce", "parse", "corpus/f.conllu", "--model", "model", "--forest", "-o", "forests.jsonl", "--quiet"]
        subprocess.run(parse, cwd=place, check=True)
        yield from (forest for forest in forest_file.load(place / "forests.jsonl") if forest is not None)


def _english(pairs: Sequence[Pair], trees: Sequence[DepTree]) -> float:
    scored = ((pair.e, tree, (), ()) for pair, tree in zip(pairs, trees, strict=True))
    return score_trees(scored, punctuation=False).overall.uas


def table_sources(options: argparse.Namespace) -> None:
    print("| F | system | first source | second source | vote |\n|---|---|---|---|---|")
    english, swedish = load("smultron/en-de"), load("smultron/sv-de")
    _vote("smultron de (en, sv)", english, swedish)
    for name, other in (("pud/fr", "pud/ru"), ("pud/ru", "pud/fr"), ("pud/zh", "pud/fr")):
        first, second = load(name), {pair.sent_id: pair for pair in load(other)}
        _vote(
            f"{name} (en, {other[-2:]} through en)",
            first,
            [_through(p, second[p.sent_id]) for p in first if p.sent_id in second],
        )


def _through(pair: Pair, other: Pair) -> Pair:
    """F of one pair with F of the other as its E: links composed through the English that both have."""
    back = other.links.backward
    links = frozenset((i, k) for i, j in pair.links.links if j < len(back) for k in back[j])
    return Pair(pair.f, other.f, Links(links, (len(pair.f), len(other.f))), pair.sent_id)


def _vote(title: str, first: list[Pair], second: list[Pair]) -> None:
    same = {pair.f.forms: pair for pair in second}
    both = [(pair, same[pair.f.forms]) for pair in first if pair.f.forms in same]
    gold = [a for a, _ in both]
    systems: list[tuple[str, list[Callable[[ProjectionInput], object]]]] = [("s1-r", [s1, s1])]
    systems.append(("s5", [PhraseProjector().observe([ProjectionInput.of(p) for p in x]).project for x in (first, second)]))
    for system, runs in systems:
        made = [[run(ProjectionInput.of(pair)) for run, pair in zip(runs, pairs, strict=True)] for pairs in both]
        columns = [[found[0].tree for found in made], [found[1].tree for found in made], [vote(found).tree for found in made]]
        cells = " | ".join(f"{uas('', gold, trees):.2f}" for trees in columns)
        print(f"| {title}, {len(gold)} | {system} | {cells} |", flush=True)


def paraphrase_pairs() -> list[Pair]:
    """Paraphrases with the heads of their automatic trees, sure links."""
    import nltk

    pairs = []
    with gzip.open(need(DATA / "paraphrase" / "edinburgh" / "train.jsonl.gz"), "rt", encoding="utf-8") as stream:
        lines = stream.readlines()
    for line in lines:
        row = json.loads(line)
        trees = []
        for name in ("stree", "ttree"):
            forest = from_tree(PhraseTree.from_nltk(nltk.Tree.fromstring(row[name])), binarise="head")
            trees.append(dependencies(forest, range(len(forest))))
        links = frozenset((i + 1, j + 1) for i, j in row["sure"])
        pairs.append(Pair(trees[0], trees[1], Links(links, (len(trees[0]), len(trees[1]))), str(row["id"])))
    return pairs


def table_paraphrases(options: argparse.Namespace) -> None:
    """From the parsed sentence of a paraphrase pair to the other one, scored against that one's own automatic parse."""
    pairs = paraphrase_pairs()
    text = [ProjectionInput.of(pair) for pair in pairs]
    plain = [uas("", pairs, [s1(b, side).tree for b in text]) for side in ("right", "left")]
    projector = PhraseProjector().observe(text)
    found = uas("", pairs, [projector.project(b).tree for b in text])
    print("| pairs | s1-r | s1-l | s5 |\n|---|---|---|---|")
    print(f"| {len(pairs)} | {plain[0]:.2f} | {plain[1]:.2f} | {found:.2f} |")


def table_phrases(options: argparse.Namespace) -> None:
    """`--phrases auto`: with trees of F where there are some (SMULTRON), with parses of paraphrases, else on all bracketings."""
    from bench.accuracy.phrases_smultron import trees

    german = list(trees(DATA / "smultron" / "raw", "de", False).values())
    print("| corpus | sentences | forest of F | s5 | s5 with it | s5 --phrases auto with it | fewer errors than s5 |")
    print("|---|---|---|---|---|---|---|")
    chosen = options.corpora != (*ODIN, *LARGE)
    for name in options.corpora if chosen else ("smultron/en-de", "smultron/sv-de", *options.corpora, EDINBURGH):
        if name != EDINBURGH:
            pairs = load(name, options.sentences)
            forests = german if name.startswith("smultron") else []
            cells = _phrases(name, pairs, forests)
            print(f"| {name} | {len(pairs)} | {'trees' if forests else 'all bracketings'} | {cells} |", flush=True)
    if chosen and EDINBURGH not in options.corpora:
        return
    pairs = paraphrase_pairs()[: options.paraphrases]
    print(f"| {EDINBURGH} | {len(pairs)} | parser of E's trees | {_phrases('', pairs, [])} |", flush=True)
    text = [ProjectionInput.of(pair) for pair in pairs]
    before = uas("", pairs, [s1(b).tree for b in text])
    free = gathered(text, PhraseSources(paraphrases=True), linked=False)
    found = uas("", pairs, _projected(free))
    alone = {forest.forms: dependencies(forest, _best(forest)).heads for forest in free.forests}
    parsed = uas("", pairs, [pair.f.with_heads(alone[pair.f.forms]) for pair in pairs])
    print("\n| Edinburgh | s1-r | parser of E's trees alone | --paraphrases, links by phrases |\n|---|---|---|---|")
    print(f"| {len(pairs)} | {before:.2f} | {parsed:.2f} | {found:.2f} |")


def _best(forest: Forest) -> set[int]:
    """Nodes of the best tree of a forest."""
    edges = [forest.edges[k] for k in viterbi(forest).edges]
    return {forest.root, *(k for edge in edges for k in (edge.left, edge.right))}


def _projected(known: PhraseEvidence) -> list[DepTree]:
    projector = PhraseProjector().observe(known.text, known.forests, known.book)
    return [projector.project(bitext).tree for bitext in known.text]


def _phrases(name: str, pairs: Sequence[Pair], forests: list[Forest]) -> str:
    text = [ProjectionInput.of(pair) for pair in pairs]
    aligned = gathered(text, PhraseSources("auto"), forests=forests)
    runs = [PhraseEvidence(text), PhraseEvidence(text, aligned.forests), aligned]
    found = [uas(name, pairs, _projected(run)) for run in runs if run.forests or run is not runs[1]]
    middle = f"{found[1]:.2f}" if aligned.forests else ""
    return f"{found[0]:.2f} | {middle} | {found[-1]:.2f} | {gain(found[0], found[-1]):.1f} %"


def variants() -> dict[str, Weights]:
    """The hand-set weights; all of them weaker and stronger; and each of them halved and doubled alone, for words of all kinds."""
    first = Weights()
    kinds = {kind: dict(getattr(first, kind)) for kind in ("given", "found", "unlinked")}

    def changed(by: float, only: str = "") -> Weights:
        return Weights(**{
            kind: tuple((name, value * (by if only in ("", name) else 1.0)) for name, value in own.items())
            for kind, own in kinds.items()
        })  # fmt: skip

    made = {"as set by hand": first, "all x 0.7": changed(0.7), "all x 1.4": changed(1.4)}
    for name in sorted({name for own in kinds.values() for name, value in own.items() if value}):
        made |= {f"{name} x {by:g}": changed(by, name) for by in (0.5, 2.0)}
    return made


def table_weights(options: argparse.Namespace) -> None:
    """Weights of the chart chosen on all other languages, ODIN and PUD."""
    names, tried = [name for name in options.corpora if not name.startswith("cdt")], variants()
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    for name in names:
        pairs = load(name, options.sentences)
        text = [ProjectionInput.of(pair) for pair in pairs]
        for variant, weights in tried.items():
            projector = PhraseProjector(weights).observe(text)
            found[name][variant] = uas(name, pairs, [projector.project(b).tree for b in text])
    print(f"| weights | {' | '.join(names)} | mean |\n|{'---|' * (len(names) + 2)}")
    for variant in tried:
        row = [found[name][variant] for name in names]
        print(f"| {variant} | {' | '.join(f'{x:.2f}' for x in row)} | {np.mean(row):.2f} |")
    print("\n| corpus | chosen on the others | gain |\n|---|---|---|")
    gains = []
    for name in names:
        rest = [row for other, row in found.items() if other != name]
        best = max(tried, key=lambda v: sum(row[v] for row in rest))
        gains.append(found[name][best] - found[name]["as set by hand"])
        print(f"| {name} | {best} | {gains[-1]:+.2f} |")
    print(f"| mean | | {np.mean(gains):+.2f} |")


TABLES = {
    "weights": ("Weights of the chart, chosen on other languages", table_weights),
    "phrases": ("Phrase pairs as evidence", table_phrases),
    "s5": ("s5 without training against S1", table_s5),
    "attached": ("s5 with what other languages tell", table_attached),
    "plus": ("s5+ against s4+", table_plus),
    "links": ("Links before and after", table_links),
    "trees": ("E trees before and after", table_trees),
    "rules": ("Learned corrections as features of s5", table_rules),
    "forests": ("F forests of an induced grammar", table_forests),
    "sources": ("Several sources", table_sources),
    "paraphrases": ("Projection between paraphrases", table_paraphrases),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--paraphrases", type=int, default=714, help="pairs of paraphrases in the table of phrases")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--corpora", type=lambda names: tuple(names.split(",")), default=(*ODIN, *LARGE))
    parser.add_argument("--model", type=Path, help="a model of glossed text, in the table `attached`; else that in the box")
    options = parser.parse_args()
    if unknown := [name for name in options.tables if name not in TABLES]:
        parser.error(f"no table {unknown[0]}; there are {', '.join(TABLES)}")
    print(about())
    for name in options.tables or TABLES:
        title, make = TABLES[name]
        print(f"\n### {title}\n")
        make(options)


if __name__ == "__main__":
    main()

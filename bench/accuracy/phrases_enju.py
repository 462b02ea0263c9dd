"""The Enju example with its author's expected pairs beside ours, and the ESPADA sample against its three annotators.

    python bench/accuracy/phrases_enju.py [--show]

`--show` prints the phrases side by side; without it there are counts alone, since the sentences are their authors'.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.phrases_data import lexicon
from bench.common import DATA, Table, need

from divproj.evaluation.phrases import NULL, PhrasePairs, Texts, ali_score, annotator_texts, human_score
from divproj.forest.build import from_tree
from divproj.forest.hypergraph import Forest
from divproj.forest.trees import PhraseTree
from divproj.io.trees import enju
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.reading import candidates


def tree(path: Path) -> PhraseTree:
    found = next(iter(enju.load(need(path))))
    assert found is not None
    return found


def aligned(src: Forest, tgt: Forest, nulls: bool = True) -> Texts:
    """Our pairs and nulls as text, with the weights that need no training."""
    src, tgt = lexicon().with_lemmas(src, 0), lexicon().with_lemmas(tgt, 1)
    found = PhraseAligner(relation=lexicon().relation).align_pair(src, tgt, candidates(src, tgt, lexicon()))
    pairs = PhrasePairs.complete(((*p.src, *p.tgt) for p in found.visible), src, tgt)
    return pairs.texts(src.forms, tgt.forms, nulls=nulls)


def expected(path: Path) -> list[tuple[str, str]]:
    """Lines such as `c6 a phrase ||| c8 its partner`, with `---` for none."""

    def bare(side: str) -> str:
        side = side.strip()
        return NULL if side == NULL else side.partition(" ")[2]

    lines = need(path).read_text(encoding="utf-8").splitlines()
    rows = [line.partition("|||") for line in lines if line.strip()]
    return [(bare(left), bare(right)) for left, _, right in rows]


def example(folder: Path, show: bool) -> str:
    """Return how many of the author's pairs are ours; print them side by side where wanted."""
    sides = [from_tree(tree(folder / f"{side}-001.xml")) for side in "st"]
    theirs, ours = expected(folder / "expected-alignment.txt"), aligned(sides[0], sides[1])
    more = sorted(ours - set(theirs), key=lambda pair: (NULL in pair, -len(pair[0] + pair[1])))
    if show:
        print("| phrase | partner | author | ours |\n|---|---|---|---|")
        for pair in [*theirs, *more]:
            print(f"| {pair[0]} | {pair[1]} | {'yes' if pair in theirs else ''} | {'yes' if pair in ours else ''} |")
    whole, partners = set(theirs), {pair for pair in theirs if NULL not in pair}
    mine = {pair for pair in ours if NULL not in pair}
    return (
        f"Enju example: expected pairs {len(partners)}, reproduced {len(partners & mine)}, others of ours {len(mine - partners)}; "
        f"expected nulls {len(whole - partners)}, reproduced {len((whole - partners) & ours)}"
    )


def sample(table: Table, folder: Path) -> None:
    """ALIR and ALIP of ours and of each annotator against the other two."""
    src, tgt = (tree(folder / f"{side}-0003.xml") for side in "st")
    links = [enju.load_links(folder / f"{side}-0003.xml")[0] for side in "st"]
    people = annotator_texts(src, tgt, links[0], links[1])
    bare = [frozenset(pair for pair in one if NULL not in pair) for one in people]
    forests = from_tree(src), from_tree(tgt)
    rows = {
        "ours": [ali_score([(aligned(*forests, nulls=nulls), gold)]) for nulls, gold in ((True, people), (False, bare))],
        "an annotator": [human_score([gold]) for gold in (people, bare)],
    }
    for name, scores in rows.items():
        table.add(name, *(f"{value:.2f}" for x in scores for value in (x.recall, x.precision, x.f1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="the phrases side by side")
    options = parser.parse_args()
    folder = need(DATA / "paraphrase")
    columns = [f"{kind}{score}" for kind in ("", "without nulls: ") for score in ("ALIR", "ALIP", "ALIF")]
    with Table("phrases_enju", "ESPADA sample, without training", "pairs of", *columns) as table:
        sample(table, folder / "espada")
        table.note(example(folder / "enju", options.show))


if __name__ == "__main__":
    main()

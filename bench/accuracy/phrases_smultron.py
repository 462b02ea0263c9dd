"""Phrase alignment of translations on SMULTRON: constituent links against gold, with gold word links and with our own.

Full stops and paragraph tags hang from a root above the sentence, and annotators link neither, so that with them no root can be
reached (`--marks` shows it); punctuation and tags are therefore left out.

python bench/accuracy/phrases_smultron.py [--seed 1] [--marks]
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj.core.errors import Faults
from divproj.evaluation.phrases import PhraseScore, node_quads, node_row
from divproj.forest.build import from_tree
from divproj.forest.hypergraph import Forest
from divproj.io.trees import tiger
from divproj.io.trees.forests import remove_punctuation
from divproj.links.word_model import WordAligner
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.lexicon import Lexicon

TAG = re.compile(r"</?\w+>")


def trees(folder: Path, language: str, marks: bool) -> dict[str, Forest]:
    """Forests by sentence, all binarisations of each tree, without punctuation and paragraph tags unless with `marks`."""
    loaded = tiger.load(need(folder / f"smultron_{language}_banana.xml.gz"), Faults(strict=False))
    usable = [tree for tree in loaded if tree is not None]
    if not marks:
        usable = [remove_punctuation(tree.without(lambda form, _: TAG.fullmatch(form) is not None), "drop") for tree in usable]
    return {tree.sent_id: from_tree(tree, binarise="all") for tree in usable}


def word_links(links: list[tuple[str, str, str]], src: Forest, tgt: Forest) -> list[tuple[int, int]]:
    """Gold links between words."""
    places = [{name: node.start for node in f.nodes if node.end - node.start == 1 for name in node.ids} for f in (src, tgt)]
    return sorted({(places[0][a], places[1][b]) for _, a, b in links if a in places[0] and b in places[1]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--marks", action="store_true", help="keep punctuation and paragraph tags")
    options = parser.parse_args()
    folder = need(DATA / "smultron" / "raw")
    caption = "SMULTRON: recall against good links, precision against good and fuzzy ones, phrases of more than one word on both sides (all: any)"
    columns = ("languages", "word links", "EM", "pairs", "links", "R", "P", "F1", "all R", "all P", "all F1", "reachable")
    with Table("phrases_smultron", caption, *columns, seed=options.seed) as table:
        align_all(table, folder, options)


def align_all(table: Table, folder: Path, options: argparse.Namespace) -> None:
    for language in ("en", "sv"):
        gold = tiger.load_links(need(folder / f"alignments_banana_de_{language}.xml.gz"))
        sides = trees(folder, "de", options.marks), trees(folder, language, options.marks)
        by_pair = gold.sentences()
        chosen = [(a, b) for a, b in tiger.best_sentence_pairs(gold) if a in sides[0] and b in sides[1]]
        pairs = [(sides[0][a], sides[1][b]) for a, b in chosen]
        links = [by_pair[pair] for pair in chosen]
        words = {
            "gold": [word_links(found, s, t) for found, (s, t) in zip(links, pairs, strict=True)],
            "proj words": [
                sorted((i - 1, j - 1) for i, j in x.probabilities)
                for x in WordAligner(random_state=options.seed).fit_align([(s.forms, t.forms) for s, t in pairs])
            ],
        }
        lexicon = Lexicon(("de", language))
        for name, candidates in words.items():
            for em in (False, True):
                aligner = PhraseAligner(relation=lexicon.relation, random_state=options.seed)
                if em:
                    aligner.fit(pairs, candidates)
                found = aligner.predict(pairs, candidates)
                multiword, whole = PhraseScore(), PhraseScore()
                for alignment, (s, t), these in zip(found, pairs, links, strict=True):
                    sure, _ = node_quads(these, s, t, ("good",))
                    possible, _ = node_quads(these, s, t)
                    answer = {(*p.src, *p.tgt) for p in alignment.visible}
                    multiword.add(node_row(answer, sure, possible, "both"))
                    whole.add(node_row(answer, sure, possible))
                scores = [f"{value:.2f}" for x in (multiword, whole) for value in (x.recall, x.precision, x.f1)]
                count = sum(map(len, candidates))
                reached = 100 * sum(x.reachable for x in found) / len(found)
                table.add(f"de-{language}", name, "yes" if em else "no", len(pairs), count, *scores, f"{reached:.1f}")


if __name__ == "__main__":
    main()

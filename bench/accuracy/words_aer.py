"""Word alignment against eflomal and NLTK's IBM Model 2: AER and time, in one run, trained on exactly the sentences given.

    python bench/accuracy/words_aer.py [--nltk]

PUD is scored on words that the annotators linked; Danish on all. eflomal must be installed (`pip install eflomal`); its two
directions are joined by grow-diag-final-and.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, about, need

from divproj import Corpus, Faults, Links
from divproj.evaluation.links import LinkScore
from divproj.links.words.direction import Settings
from divproj.links.words.model import WordAligner
from divproj.links.words.symmetrize import grow_diag_final_and
from divproj.links.words.vocabulary import stem

BIN = Path(sys.executable).parent


def eflomal(f: list[list[str]], e: list[list[str]]) -> list[frozenset[tuple[int, int]]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / name) for name in ("f", "e", "forward", "reverse")}
        for name, side in (("f", f), ("e", e)):
            Path(paths[name]).write_text("".join(" ".join(words) + "\n" for words in side), encoding="utf-8")
        command = [
            str(BIN / "eflomal-align"),
            "-s",
            paths["f"],
            "-t",
            paths["e"],
            "-f",
            paths["forward"],
            "-r",
            paths["reverse"],
            "--overwrite",
        ]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"})
        sides = [
            [
                frozenset((int(a) + 1, int(b) + 1) for a, b in (x.split("-") for x in line.split()))
                for line in Path(paths[name]).read_text().splitlines()
            ]
            for name in ("forward", "reverse")
        ]
    return [grow_diag_final_and(a, b) for a, b in zip(*sides, strict=True)]


def nltk_model2(f: list[list[str]], e: list[list[str]]) -> list[frozenset[tuple[int, int]]]:
    from nltk.translate import AlignedSent, IBMModel2

    text = [AlignedSent(b, a) for a, b in zip(f, e, strict=True)]
    IBMModel2(text, 5)
    return [frozenset((i + 1, j + 1) for j, i in sentence.links if i is not None) for sentence in text]


def ours(f: list[list[str]], e: list[list[str]]) -> list[frozenset[tuple[int, int]]]:
    return [linked.links.links for linked in WordAligner().fit_align(zip(f, e, strict=True))]


def fast(f: list[list[str]], e: list[list[str]]) -> list[frozenset[tuple[int, int]]]:
    aligner = WordAligner(settings=Settings(sweeps=0))
    return [linked.links.links for linked in aligner.fit_align(zip(f, e, strict=True))]


def scored(pairs: list, found: list[frozenset[tuple[int, int]]], linked_only: bool) -> LinkScore:
    score = LinkScore()
    for pair, links in zip(pairs, found, strict=True):
        gold = pair.links
        if linked_only:
            rows, columns = {i for i, _ in gold.links}, {j for _, j in gold.links}
            links = frozenset((i, j) for i, j in links if i in rows and j in columns)
        score.add(gold, Links(links, gold.shape))
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nltk", action="store_true", help="also NLTK's IBM Model 2 (minutes)")
    parser.add_argument("--corpora", default="cdt-da,pud/fr,pud/ru,pud/zh")
    options = parser.parse_args()
    systems = {"divproj": ours, "eflomal": eflomal} | (
        {"divproj --fast": fast, "nltk IBM-2": nltk_model2} if options.nltk else {}
    )
    ours([["a"]], [["b"]])  # compiled code is on disk and loaded after this
    print(f"AER (P, R in percent), seconds; {about()}")
    print(f"| corpus | forms | {' | '.join(systems)} |\n|{'---|' * (len(systems) + 2)}")
    for name in options.corpora.split(","):
        pairs = list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))
        sides = [[[w.lower() for w in tree.forms] for tree in side] for side in zip(*((p.f, p.e) for p in pairs), strict=True)]
        for forms in ("surface", "stems"):
            if forms == "stems":
                sides = [[[stem(word) for word in words] for words in side] for side in sides]
            cells = []
            for system in systems.values():
                start = time.perf_counter()
                found = system(*sides)
                seconds = time.perf_counter() - start
                score = scored(pairs, found, name.startswith("pud"))
                cells.append(f"**{score.aer:.3f}** ({score.precision:.1f}, {score.recall:.1f}) {seconds:.1f} s")
            print(f"| {name} | {forms} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

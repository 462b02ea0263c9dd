"""Word alignment (AER): against eflomal and NLTK's IBM Model 2, with the text in shards, and with glosses as prior.

    python bench/accuracy/words_aer.py peers [--nltk]
    python bench/accuracy/words_aer.py shards [--shards 500,250]
    python bench/accuracy/words_aer.py glosses

PUD is scored on words that the annotators linked; Danish on all. `peers`: AER and time, in one run, trained on exactly the sentences given;
eflomal must be installed (`pip install eflomal`), and its two directions are joined by grow-diag-final-and. `shards`: "apart" is each
shard by itself, "in shards" is `proj words --shard`, with counts of the other shards as prior. `glosses`: fifty sentences of ODIN (half
where there are fewer than 100) are glossed, the others are bare bitext; both are trained on, the bare ones are scored.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj import Corpus, Faults, Links, Pair
from divproj.core.sentence import Sentence
from divproj.evaluation.trees import LinkScore, score_links
from divproj.links.glosses import GlossAligner
from divproj.links.word_corpus import WordRow, WordText, align_text
from divproj.links.word_direction import Settings
from divproj.links.word_model import WordAligner, from_links, grow_diag_final_and, stem

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


def score(pairs: list[Pair], found: list[frozenset[tuple[int, int]]], linked_only: bool) -> LinkScore:
    """Return the score; `linked_only`: of links between words that the annotators linked."""
    total = LinkScore()
    for pair, links in zip(pairs, found, strict=True):
        gold = pair.links
        if linked_only:
            rows, columns = {i for i, _ in gold.links}, {j for _, j in gold.links}
            links = frozenset((i, j) for i, j in links if i in rows and j in columns)
        total.add(gold, Links(links, gold.shape))
    return total


def corpus(name: str) -> list[Pair]:
    return list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))


def compare_peers(options: argparse.Namespace) -> None:
    systems = {"divproj": ours, "eflomal": eflomal}
    if options.nltk:
        systems |= {"divproj --fast": fast, "nltk IBM-2": nltk_model2}
    ours([["a"]], [["b"]])  # compiled code is on disk and loaded after this
    with Table("words_aer-peers", "AER (precision, recall in percent), seconds", "corpus", "forms", *systems) as table:
        for name in options.corpora.split(","):
            pairs = corpus(name)
            sides = [
                [[w.lower() for w in tree.forms] for tree in side] for side in zip(*((p.f, p.e) for p in pairs), strict=True)
            ]
            for forms in ("surface", "stems"):
                if forms == "stems":
                    sides = [[[stem(word) for word in words] for words in side] for side in sides]
                cells = []
                for system in systems.values():
                    start = time.perf_counter()
                    links = system(*sides)
                    seconds = time.perf_counter() - start
                    aer = score(pairs, links, name.startswith("pud"))
                    cells.append(f"{aer.aer:.3f} ({aer.precision:.1f}, {aer.recall:.1f}) {seconds:.1f} s")
                table.add(name, forms, *cells)


def compare_shards(options: argparse.Namespace) -> None:
    sizes = [int(size) for size in options.shards.split(",")]
    columns = [column for size in sizes for column in (f"{size} apart", f"in shards of {size}")]
    with Table("words_aer-shards", "AER", "corpus", "pairs", "together", *columns, seed=1) as table:
        for name in options.corpora.split(","):
            pairs = corpus(name)
            rows = [WordRow([*pair.f.forms], [*pair.e.forms]) for pair in pairs]

            def aer(*texts: WordText, pairs: list[Pair] = pairs, name: str = name) -> str:
                links = [x.links.links for text in texts for shard in align_text(WordAligner(), text) for x in shard]
                return f"{score(pairs, links, name.startswith('pud')).aer:.3f}"

            cells = [aer(WordText.of(rows))]
            for size in sizes:
                apart = [WordText.of(rows[start : start + size]) for start in range(0, len(rows), size)]
                cells += [aer(*apart), aer(WordText.of(rows, size))]
            table.add(name, len(pairs), *cells)


def compare_priors(options: argparse.Namespace) -> None:
    aligner, sums, names = GlossAligner(), [0.0, 0.0], ("ger", "gli", "hua", "kkn")
    columns = ("language", "glossed", "scored", "no prior", "50 glossed")
    with Table("words_aer-glosses", "AER on the unglossed sentences", *columns, seed=1) as table:
        for name in names:
            pairs = corpus(f"odin/{name}")
            order = list(range(len(pairs)))
            random.Random(1).shuffle(order)
            size = min(50, len(pairs) // 2)
            glossed, bare = [pairs[k] for k in order[:size]], [pairs[k] for k in order[size:]]
            known = from_links(
                (
                    pair.f.forms,
                    pair.e.forms,
                    [
                        (x.f, x.e, x.score)
                        for x in aligner.align(Sentence(pair.f.forms, glosses=pair.f.glosses), pair.e.forms).scored
                    ],
                )
                for pair in glossed
            )
            text = [(pair.f.forms, pair.e.forms) for pair in (*bare, *glossed)]
            cells = []
            for k, prior in enumerate((None, known)):
                links = WordAligner().fit_align(text, prior)[: len(bare)]
                aer = score_links((pair.links, linked.links) for pair, linked in zip(bare, links, strict=True)).aer
                sums[k] += aer / len(names)
                cells.append(f"{aer:.3f}")
            table.add(name, size, len(bare), *cells)
        table.add("average", "", "", *(f"{x:.3f}" for x in sums))


QUESTIONS = {"peers": compare_peers, "shards": compare_shards, "glosses": compare_priors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=QUESTIONS)
    parser.add_argument("--nltk", action="store_true", help="also NLTK's IBM Model 2 (minutes)")
    parser.add_argument("--shards", default="500,250")
    parser.add_argument("--corpora", default="cdt-da,pud/fr,pud/ru,pud/zh")
    options = parser.parse_args()
    QUESTIONS[options.question](options)


if __name__ == "__main__":
    main()

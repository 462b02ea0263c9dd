"""Links from glosses to the translation against gold: precision, recall and F1 on ODIN and on the sample corpora.

    python bench/accuracy/gloss_alignment.py [--no-tags] [--errors] [--part odd|even] [FOLDER ...]

A folder has `igt.txt` (three or four lines an instance, the last two gloss and translation), `e.conllu` and `align.txt`.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, ROOT, Table

from divproj import Faults, Links
from divproj.core.sentence import Rows, Sentence
from divproj.io.trees import conllu, pharaoh
from divproj.links.glosses import GlossAligner, GlossAlignment

ODIN = ("ger", "gli", "hua", "kkn")
SAMPLES = ("hin-eng", "deu-eng", "spa-eng", "kor-eng")
STEP = {"all": (0, 1), "odd": (0, 2), "even": (1, 2)}


class Case(NamedTuple):
    """One instance with its gold links."""

    igt: Sentence
    e_words: tuple[str, ...]
    e_tags: tuple[str, ...]
    gold: Links


def cases(folder: Path) -> Iterator[Case]:
    """Instances of a folder."""
    blocks = re.split(r"\n\s*\n", (folder / "igt.txt").read_text("utf-8").strip())
    sentences = conllu.load(folder / "e.conllu")
    for block, sentence, (where, line) in zip(blocks, sentences, pharaoh.load(folder / "align.txt"), strict=True):
        words, *segments, glosses, translation = (row.split() for row in block.split("\n"))
        igt = Sentence(tuple(words), tuple(*segments), tuple(glosses), translation=" ".join(translation))
        shape = (len(words), len(sentence.forms))
        yield Case(igt, sentence.forms, tags(sentence), pharaoh.parse(line, shape, where, Faults(strict=False)))


def tags(sentence: Rows) -> tuple[str, ...]:
    """XPOS, or UPOS where that is empty."""
    return tuple(x if x != "_" else u for u, x in zip(sentence.column(3), sentence.column(4), strict=True))


def score(right: int, found: int, gold: int) -> tuple[float, float, float]:
    """Precision, recall and F1 in percent."""
    return 100 * right / max(found, 1), 100 * right / max(gold, 1), 200 * right / max(found + gold, 1)


def show(case: Case, result: GlossAlignment) -> None:
    """Wrong (-) and missing (+) links of an instance."""
    wrong = [link for link in result.scored if (link.f, link.e) not in case.gold.links]
    missing = sorted(case.gold.links - result.links.links)
    if not wrong and not missing:
        return
    print(
        f"\n  {' '.join(f'{w}({g})' for w, g in zip(case.igt.words, case.igt.glosses, strict=False))}\n  {' '.join(case.e_words)}"
    )
    for link in wrong:
        print(f"    - {name(case, link.f, link.e)}   {link.source} {link.score:.2f}")
    for f, e in missing:
        print(f"    + {name(case, f, e)}")


def name(case: Case, f: int, e: int) -> str:
    gloss = case.igt.glosses[f - 1] if f <= len(case.igt.glosses) else "?"
    return f"{case.igt.words[f - 1]}({gloss}){f} ~ {case.e_words[e - 1]}{e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--errors", action="store_true", help="print wrong and missing links, and precision of each pass")
    parser.add_argument("--no-tags", action="store_true", help="do not show the aligner the tags of the translation")
    parser.add_argument("--part", choices=STEP, default="all", help="every second instance only")
    options = parser.parse_args()
    aligner = GlossAligner()
    groups = (
        {"given": options.folders}
        if options.folders
        else {"ODIN": [DATA / "odin" / n for n in ODIN], "samples": [ROOT / "corpora" / n for n in SAMPLES]}
    )
    columns = ("corpus", "sentences", "links", "P", "R", "F1", "sentences/s")
    with Table("gloss_alignment", "Gloss alignment against gold links", *columns) as table:
        for group, folders in groups.items():
            report(table, group, [folder for folder in folders if folder.exists()], aligner, options)


def report(table: Table, group: str, folders: list[Path], aligner: GlossAligner, options: argparse.Namespace) -> None:
    total: Counter[str] = Counter()
    rows = []
    passes: Counter[tuple[str, bool]] = Counter()
    seconds = 0.0
    for folder in folders:
        count: Counter[str] = Counter()
        start, step = STEP[options.part]
        for case in islice(cases(folder), start, None, step):
            begin = time.process_time()
            result = aligner.align(case.igt, case.e_words, () if options.no_tags else case.e_tags)
            seconds += time.process_time() - begin
            hits = result.links.links & case.gold.links
            count.update(sentences=1, right=len(hits), found=len(result.links), gold=len(case.gold.links))
            passes.update((link.source, (link.f, link.e) in hits) for link in result.scored)
            if options.errors:
                show(case, result)
        rows.append(score(count["right"], count["found"], count["gold"]))
        total += count
        table.add(folder.name, count["sentences"], count["gold"], *(f"{x:.1f}" for x in rows[-1]), "")
    if not rows:
        return
    macro = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    micro = score(total["right"], total["found"], total["gold"])
    speed = f"{total['sentences'] / seconds:,.0f}"
    for label, values in (("macro", macro), ("micro", micro)):
        table.add(f"{group}, {label}", total["sentences"], total["gold"], *(f"{x:.1f}" for x in values), speed)
    if options.errors:
        for source in sorted({source for source, _ in passes}):
            right, wrong = passes[source, True], passes[source, False]
            print(f"  {source:12} {right:5} right {wrong:4} wrong  {100 * right / (right + wrong):.1f} %")


if __name__ == "__main__":
    main()

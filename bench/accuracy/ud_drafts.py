"""Whole UD rows: projected drafts of all glossed text at hand, by the official validator, and their columns against gold.

    python bench/accuracy/ud_drafts.py FOLDER [--validator udvalidate] [--cap 150] [--systems auto,s5,s6+] [--only bank-]

Drafts go to FOLDER; the validator is that of `pip install udtools`, best in an environment of its own. Glossbanks come without their
trees and tags. UPOS, FEATS (features one by one) and LEMMA are compared with gold on words that are no punctuation: LEMMA where we
give one. The model of s6 has seen these banks: UPOS here is not that of an unseen language (see glossbanks.py for that); FEATS and
LEMMA come from rules.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj import read
from divproj.core.errors import Faults, ProjError
from divproj.core.sentence import Rows
from divproj.io.corpus import Corpus
from divproj.io.trees import conllu
from divproj.projection.pipeline import CorpusOutput, project_corpus
from divproj.projection.projector import Projector
from divproj.ud.grammar import check_text

GOLD = 20
"""Gold trees of a bank for systems that learn from them."""
COLUMNS = (2, 3, 4, 5, 6, 7, 8)
"""What drafts must find themselves."""
COLUMN_NAMES = (
    "text",
    "words",
    "level 1 and 2",
    "level 3",
    "our check 2 / 3",
    "UPOS",
    "FEATS P / R / F1",
    "the same, words with gold features",
    "LEMMA right of given",
)


def bare(place: Path, cap: int, folder: Path) -> tuple[Path, list[Rows]]:
    """A bank as a linguist would have it, in a file: without trees, tags and lemmas; and its first gold sentences."""
    gold = [s for path in sorted(place.glob("*.conllu")) for s in conllu.load(path, Faults(strict=False)) if s is not None]
    gold = gold[:cap]
    text = [s.with_columns({k: ("_",) * len(s.forms) for k in COLUMNS}) for s in gold]
    path = folder / f"bare-{place.name}.conllu"
    path.write_text("".join(map(conllu.dumps, text)), encoding="utf-8")
    return path, gold


def banks(cap: int, folder: Path) -> Iterator[tuple[str, Path, list[Rows]]]:
    """Name, file without annotation, gold sentences."""
    for place in (*sorted(need(DATA / "glossbanks").iterdir()), need(DATA / "ud-igt-hausa")):
        path, gold = bare(place, cap, folder)
        yield f"bank-{place.name}", path, gold


def others() -> Iterator[tuple[str, Path, list[Rows]]]:
    """Interlinear text in files: ODIN, one sample of each format, and files of linguists with English translations."""
    for path in (*sorted(need(DATA / "odin").glob("*/igt.txt")), *sorted(need(DATA / "igt-formats").rglob("*.*"))):
        name = path.name if path.name != "igt.txt" else f"odin-{path.parent.name}"
        if path.name != "lgr_abbreviations.csv":  # a list of abbreviations, no text
            yield name, path, []
    with need(DATA / "igt-real" / "INDEX.tsv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            if "English" in row["translation_language"]:
                yield f"real-{row['kind']}-{row['file']}", DATA / "igt-real" / row["kind"] / row["file"], []


def drafts(path: Path, system: str, out: Path, gold: list[Rows]) -> tuple[list[Rows], Counter[str]]:
    """Projected sentences, written to a file, and what was repaired; a system that learns has the first gold trees."""
    found: Counter[str] = Counter()
    projector = Projector(system)
    if projector.needs_gold:
        trees = path.with_suffix(".gold.conllu")
        trees.write_text("".join(map(conllu.dumps, gold[:GOLD])), encoding="utf-8")
        projector.fit(read(trees))
    with out.open("w", encoding="utf-8") as stream:
        for trees in project_corpus(projector, (Corpus(path),), CorpusOutput(), Faults(strict=False)):
            stream.write(trees.text)
            if trees.summary:
                found += trees.summary.repairs
    return [s for s in conllu.load(out) if s is not None], found


class Columns:
    """Counts of UPOS, FEATS and LEMMA."""

    def __init__(self) -> None:
        self.words = self.tags = self.ours = self.gold = self.both = self.lemmas = self.right = 0
        self.where = Counter[str]()
        """The same of words that have gold features."""

    def add(self, made: list[Rows], gold: list[Rows]) -> None:
        """Count sentences that have the words of their gold."""
        named = {s.sent_id: s for s in gold}
        for own in made:
            true = named.get(own.sent_id)
            if true is None or true.forms != own.forms:
                continue
            rows = zip(*(s.column(k) for k in (2, 3, 5) for s in (own, true)), strict=True)
            for lemma, gold_lemma, tag, gold_tag, feats, gold_feats in rows:
                if gold_tag == "PUNCT":
                    continue
                a, b = (set(cell.split("|")) - {"_"} for cell in (feats, gold_feats))
                self.words, self.tags = self.words + 1, self.tags + (tag == gold_tag)
                self.ours, self.gold, self.both = self.ours + len(a), self.gold + len(b), self.both + len(a & b)
                if b:
                    self.where.update(ours=len(a), gold=len(b), both=len(a & b))
                if lemma != "_" and gold_lemma != "_":
                    self.lemmas, self.right = self.lemmas + 1, self.right + (lemma.casefold() == gold_lemma.casefold())

    def cells(self) -> list[str]:
        feats = [_f1(self.ours, self.gold, self.both), _f1(*(self.where[name] for name in ("ours", "gold", "both")))]
        lemma = (
            f"{100 * self.right / self.lemmas:.1f} of {100 * self.lemmas / max(1, self.words):.0f} %" if self.lemmas else "–"
        )
        return [f"{100 * self.tags / max(1, self.words):.1f}", *feats, lemma]


def _f1(ours: int, gold: int, both: int) -> str:
    p, r = 100 * both / max(1, ours), 100 * both / max(1, gold)
    return f"{p:.1f} / {r:.1f} / {2 * p * r / max(p + r, 1e-9):.1f}" if gold else "–"


def validated(validator: str, path: Path) -> Counter[str]:
    """Errors by level and kind."""
    command = [validator, "--lang", "ud", "--level", "3", "--no-warnings", "--max-err", "0", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Counter(re.findall(r"\[(L\d \w+ [\w-]+)\]", done.stdout + done.stderr))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--validator", default="")
    parser.add_argument("--cap", type=int, default=150)
    parser.add_argument("--systems", default="auto")
    parser.add_argument("--only", default="", help="names that contain this")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for system in options.systems.split(","):
        caption = f"Drafts by {system}, up to {options.cap:,} sentences a bank: errors of the official validator"
        with Table("ud_drafts" if system == "auto" else f"ud_drafts-{system}", caption, *COLUMN_NAMES) as table:
            validate_drafts(table, system, options)


def validate_drafts(table: Table, system: str, options: argparse.Namespace) -> None:
    kinds, repairs, total = Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, path, gold in (*banks(options.cap, Path(scratch)), *others()):
            if options.only not in name:
                continue
            out = options.folder / f"{system}-{name.replace('/', '-')}.conllu"
            try:
                sentences, repaired = drafts(path, system, out, gold)
            except ProjError as error:
                print(f"{name}: not projected: {error.message}", file=sys.stderr)
                continue
            repairs += repaired
            errors = validated(options.validator, out) if options.validator else Counter()
            levels = Counter(finding.level for _, some in check_text(sentences) for finding in some)
            columns = Columns()
            columns.add(sentences, gold)
            words = sum(len(s.forms) for s in sentences)
            first, two, three = (sum(n for kind, n in errors.items() if kind.startswith(f"L{k}")) for k in (1, 2, 3))
            kinds += errors
            total += Counter(words=words, two=two + first, three=three)
            scores = columns.cells() if gold else ["–"] * 4
            table.add(name, words, two + first, three, f"{levels[2]} / {levels[3]}", *scores)
    table.add("all", total["words"], total["two"], total["three"], "", "", "", "", "")
    for title, counts in (("errors by kind", kinds), ("repaired", repairs)):
        table.note(f"{title}: {', '.join(f'{kind} {n}' for kind, n in counts.most_common()) or 'none'}")


if __name__ == "__main__":
    main()

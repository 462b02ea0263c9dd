"""Linguists' own files: examples and translations found against an index that was counted independently.

    python bench/robustness/real_files.py [--data ../shared/data/igt-real] [--sample 200 --each 9 --seed 7]

For each file: examples and translations found of those in the index, translations with a macro, a tail or in another language than
the rest, and letters of the source lines that are not in the words. `--sample` prints translations at random, `--each` as many from every file, to be read by eye.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj.core.errors import Faults, ProjError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, words
from divproj.text import language_id

MACRO = re.compile(r"\\[A-Za-z]|[{}$]|``|</?(?:sup|sub|i|b)>")
TAIL = re.compile(r"[’”'\"»]\s+(?:\(|\[|[A-Z][a-z]+:)|\((?:[A-Z][\w-]+,? )?\d{4}|^[‘“«][^’”»]*$")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "igt-real")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--each", type=int, default=0, help="translations at random from every file")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with need(options.data / "INDEX.tsv").open(encoding="utf-8") as stream:
        index = list(csv.DictReader(stream, delimiter="\t"))
    columns = ("file", "examples", "of", "translations", "of these", "flagged", "lost letters per 1000", "languages")
    with Table("real_files", "Examples and translations read, against an index counted independently", *columns) as table:
        every = read_all(table, index, options.data)
    chance = random.Random(options.seed)
    drawn = chance.sample(every, min(options.sample, len(every)))
    for name in dict.fromkeys(file for file, _, _ in every):
        some = [one for one in every if one[0] == name]
        drawn += chance.sample(some, min(options.each, len(some)))
    for file, code, text in drawn:
        print(f"{file}\t{code}\t{text}", file=sys.stderr)


def read_all(table: Table, index: list[dict[str, str]], data: Path) -> list[tuple[str, str, str]]:
    """Add a row for each file; return file, language and text of every translation."""
    every: list[tuple[str, str, str]] = []
    sums: Counter[str] = Counter()
    for row in index:
        path = data / row["kind"] / row["file"]
        try:
            instances, raw = _read(path), _read(path, as_written=True)
        except ProjError as error:
            print(f"{row['file']}\tnot read: {error}", file=sys.stderr)
            instances, raw = [], []
        examples = sum(int(dict(one.meta).get("parts", 1)) for one in instances)
        texts = [(code, text) for one in instances for code, text in one.translations or (("en", one.translation),) if text]
        translated = sum(bool(one.translation) for one in instances)
        faulty = sum(is_faulty(text, code, texts) for code, text in texts)
        lost, letters = _lost(instances, raw)
        languages = Counter(code for code, _ in texts)
        wanted = int(row["examples"]), int(row["with_translation"])
        sums += Counter(
            examples=min(examples, wanted[0]), wanted=wanted[0], translated=min(translated, wanted[1]), translations=wanted[1],
            faulty=faulty, texts=len(texts), lost=lost, letters=letters,
        )  # fmt: skip
        every += [(row["file"], code, text) for code, text in texts]
        said = " ".join(f"{code}:{count}" for code, count in languages.most_common())
        share = 1000 * lost / max(1, letters)
        table.add(row["file"], examples, wanted[0], translated, wanted[1], faulty, f"{share:.2f}", said)
    read, translated = 100 * sums["examples"] / sums["wanted"], 100 * sums["translated"] / sums["translations"]
    table.note(f"examples {read:.2f} %, translations {translated:.2f} %; flagged {sums['faulty']:,} of {sums['texts']:,}")
    table.note(f"letters of the source words that are in neither FORM nor `MSeg=`: {sums['lost']:,} of {sums['letters']:,}")
    return every


def _read(path: Path, *, as_written: bool = False) -> list[Sentence]:
    return list(formats.load(path, None, Faults(strict=False), as_written=as_written))


def is_faulty(text: str, code: str, texts: list[tuple[str, str]]) -> bool:
    """A macro, a tail, or surely another language than it is said to be."""
    if MACRO.search(text) or TAIL.search(text):
        return True
    guess = language_id.of_text(text) if len(text.split()) > 5 else language_id.Guess("", 0.0)
    return bool(guess.code) and guess.score > 0.9999 and guess.code != code


def _lost(found: list[Sentence], raw: list[Sentence]) -> tuple[int, int]:
    """Letters of the words as the file has them that are not in the words as they are given, and how many there are."""
    lost = total = 0
    for one, whole in zip(found, raw, strict=True):
        source = Counter(char for char in words.clean("".join(whole.words)).casefold() if char.isalpha() and char not in "øØ")
        given = Counter(char for char in "".join((*one.words, *one.segments)).casefold() if char.isalpha())
        lost += (source - given).total()
        total += source.total()
    return lost, total


if __name__ == "__main__":
    main()

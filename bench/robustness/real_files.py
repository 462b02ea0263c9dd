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

from divproj.data.errors import Faults, ProjError
from divproj.data.igt import Igt
from divproj.io import igt, igt_words
from divproj.text import language_id

MACRO = re.compile(r"\\[A-Za-z]|[{}$]|``|</?(?:sup|sub|i|b)>")
TAIL = re.compile(r"[’”'\"»]\s+(?:\(|\[|[A-Z][a-z]+:)|\((?:[A-Z][\w-]+,? )?\d{4}|^[‘“«][^’”»]*$")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data" / "igt-real")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--each", type=int, default=0, help="translations at random from every file")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with (options.data / "INDEX.tsv").open(encoding="utf-8") as stream:
        index = list(csv.DictReader(stream, delimiter="\t"))
    every: list[tuple[str, str, str]] = []
    sums: Counter[str] = Counter()
    print("file\texamples\tof\ttranslations\tof\tfaulty\tlost letters per 1000\tlanguages")
    for row in index:
        path = options.data / row["kind"] / row["file"]
        try:
            found, raw = _read(path), _read(path, as_written=True)
        except ProjError as error:
            print(f"{row['file']}\tnot read: {error}")
            continue
        examples = sum(int(dict(one.meta).get("parts", 1)) for one in found)
        texts = [(code, text) for one in found for code, text in one.translations or (("en", one.translation),) if text]
        translated = sum(bool(one.translation) for one in found)
        faulty = sum(is_faulty(text, code, texts) for code, text in texts)
        lost, letters = _lost(found, raw)
        languages = Counter(code for code, _ in texts)
        wanted = int(row["examples"]), int(row["with_translation"])
        sums += Counter(
            examples=min(examples, wanted[0]), wanted=wanted[0], translated=min(translated, wanted[1]), translations=wanted[1],
            faulty=faulty, texts=len(texts), lost=lost, letters=letters,
        )  # fmt: skip
        every += [(row["file"], code, text) for code, text in texts]
        said = " ".join(f"{code}:{count}" for code, count in languages.most_common())
        share = 1000 * lost / max(1, letters)
        print(f"{row['file']}\t{examples}\t{wanted[0]}\t{translated}\t{wanted[1]}\t{faulty}\t{share:.2f}\t{said}")
    print(
        f"examples {100 * sums['examples'] / sums['wanted']:.2f} %, translations {100 * sums['translated'] / sums['translations']:.2f} %,"
    )
    print(f"faulty {sums['faulty']} of {sums['texts']}, letters lost {sums['lost']} of {sums['letters']}")
    chance = random.Random(options.seed)
    drawn = chance.sample(every, min(options.sample, len(every)))
    for name in dict.fromkeys(file for file, _, _ in every):
        own = [one for one in every if one[0] == name]
        drawn += chance.sample(own, min(options.each, len(own)))
    for file, code, text in drawn:
        print(f"{file}\t{code}\t{text}", file=sys.stderr)


def _read(path: Path, *, as_written: bool = False) -> list[Igt]:
    return list(igt.load(path, None, Faults(strict=False), as_written=as_written))


def is_faulty(text: str, code: str, texts: list[tuple[str, str]]) -> bool:
    """A macro, a tail, or surely another language than it is said to be."""
    if MACRO.search(text) or TAIL.search(text):
        return True
    guess = language_id.of_text(text) if len(text.split()) > 5 else language_id.Guess("", 0.0)
    return bool(guess.code) and guess.score > 0.9999 and guess.code != code


def _lost(found: list[Igt], raw: list[Igt]) -> tuple[int, int]:
    """Letters of the words as the file has them that are not in the words as they are given, and how many there are."""
    lost = total = 0
    for one, whole in zip(found, raw, strict=True):
        source = Counter(
            char for char in igt_words.clean("".join(whole.words)).casefold() if char.isalpha() and char not in "øØ"
        )
        given = Counter(char for char in "".join((*one.words, *one.segments)).casefold() if char.isalpha())
        lost += (source - given).total()
        total += source.total()
    return lost, total


if __name__ == "__main__":
    main()

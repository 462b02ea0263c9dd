"""What differs between two recordings of `outputs.py`, in kinds: how much of each output is as it was.

python bench/tools/outputs_why.py FOLDER OTHER

A second table has the projected trees by system (`# projection = …`): how many heads are as they were, and which columns differ.
Each file that a case leaves falls into the first kind that fits. For CoNLL-U, FORM and HEAD are compared; for
standard error, all but notes about renamed options and lines of summaries.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

NOTES = re.compile(rb"^(proj: .*(old name will go|now called).*|[a-z ]+: .*)\n", re.M)


def columns(data: bytes, *wanted: int) -> list[tuple[str, ...]]:
    """Some columns of the words of CoNLL-U."""
    rows = (line.split("\t") for line in data.decode("utf-8", "replace").splitlines())
    return [tuple(row[k] for k in wanted) for row in rows if len(row) == 10 and row[0].isdigit()]


def kind(name: str, one: bytes, other: bytes) -> str:
    """The first kind of difference that fits."""
    if name == "stderr":
        return "messages" if NOTES.sub(b"", one) != NOTES.sub(b"", other) else "messages: summary and notes only"
    if name == "code":
        return "exit code"
    rows = columns(one, 1, 6), columns(other, 1, 6)
    if rows[0] and rows[1]:
        if rows[0] == rows[1]:
            return "CoNLL-U: FORM and HEAD equal, other columns or comments differ"
        if [form for form, _ in rows[0]] == [form for form, _ in rows[1]]:
            same = sum(a == b for a, b in zip(*rows, strict=True))
            return f"CoNLL-U: words equal, {10 * (10 * same // len(rows[0]))} % of heads and more"
        return "CoNLL-U: other words (punctuation apart, no hyphens)"
    return "binary" if b"\0" in one else "text or page"


def kinds(one: Path, other: Path) -> Iterator[tuple[str, str, str]]:
    """(group of cases, kind, file) of everything that was recorded twice."""
    for case in sorted(path.name for path in one.iterdir() if (other / path.name).is_dir()):
        files = {path.relative_to(side / case) for side in (one, other) for path in (side / case).rglob("*") if path.is_file()}
        for file in sorted(files):
            here, there = one / case / file, other / case / file
            if not (here.exists() and there.exists()):
                found = "only before" if here.exists() else "only after"
            elif here.read_bytes() == there.read_bytes():
                found = "equal"
            else:
                found = kind(file.name, here.read_bytes(), there.read_bytes())
            yield case.split("-")[0], found, f"{case}/{file}"


NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
PROJECTED = re.compile(rb"^# projection = (\S+)", re.M)


def by_system(one: Path, other: Path) -> Iterator[tuple[tuple[str, str], int, int, set[str]]]:
    """(system before, system after), words, heads that are equal, columns that differ, of each file of projected trees that does."""
    for path in sorted(one.rglob("*")):
        twin = other / path.relative_to(one)
        if not path.is_file() or not twin.is_file() or path.read_bytes() == twin.read_bytes():
            continue
        data = path.read_bytes(), twin.read_bytes()
        systems = [found[1].decode() if (found := PROJECTED.search(each)) else "" for each in data]
        rows = [columns(each, *range(10)) for each in data]
        if not all(systems) or [row[1] for row in rows[0]] != [row[1] for row in rows[1]]:
            continue
        pairs = list(zip(*rows, strict=True))
        differ = {NAMES[k] for a, b in pairs for k in range(10) if a[k] != b[k]}
        yield (systems[0], systems[1]), len(pairs), sum(a[6] == b[6] for a, b in pairs), differ or {"comments"}


def main() -> None:
    found = list(kinds(*map(Path, sys.argv[1:3])))
    print("| commands | kind | files | for example |\n|---|---|---|---|")
    for (group, each), count in sorted(Counter((group, each) for group, each, _ in found).items()):
        example = next(file for g, k, file in found if (g, k) == (group, each))
        print(f"| {group} | {each} | {count} | {'' if each == 'equal' else example} |")
    print("\n| system, before and after | files | words | heads equal | columns that differ |\n|---|---|---|---|---|")
    projected = list(by_system(*map(Path, sys.argv[1:3])))
    for pair in sorted({pair for pair, *_ in projected}):
        mine = [row for row in projected if row[0] == pair]
        words, same = (sum(row[k] for row in mine) for k in (1, 2))
        differ = set().union(*(row[3] for row in mine))
        shown = " ".join(name for name in (*NAMES, "comments") if name in differ)
        print(f"| {' → '.join(dict.fromkeys(pair))} | {len(mine)} | {words} | {100 * same / max(1, words):.1f} % | {shown} |")


if __name__ == "__main__":
    main()

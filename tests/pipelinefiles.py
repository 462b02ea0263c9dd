"""A small invented language with interlinear text, trees and links, for runs in temporary folders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

NOUNS = (("miko", "dog"), ("tesu", "cat"), ("rana", "child"), ("holu", "farmer"))
VERBS = (("dal", "see", "saw"), ("kem", "follow", "followed"), ("nip", "hear", "heard"))
PLACES = (("dom", "house"), ("sil", "forest"))
Row = tuple[str, str, int, str]
"""Form, UPOS, head, relation."""


def rows(words: str, tags: str, heads: str, rels: str) -> list[Row]:
    return [
        (form, tag, int(head), rel)
        for form, tag, head, rel in zip(words.split(), tags.split(), heads.split(), rels.split(), strict=True)
    ]


def sentences() -> Iterator[tuple[list[Row], str, str, list[Row], str]]:
    """F rows, glosses, translation, E rows, links; all of them different."""
    for (f, e), (f_verb, stem, past), (g, d) in product(NOUNS, VERBS, NOUNS):
        if f == g:
            continue
        yield (
            rows(f"{f}-na {g}-ko {f_verb}-ti", "NOUN NOUN VERB", "3 3 0", "nsubj obj root"),
            f"{e}-NOM {d}-ACC {stem}-PST",
            f"The {e} {past} the {d}.",
            rows(f"The {e} {past} the {d} .", "DET NOUN VERB DET NOUN PUNCT", "2 3 0 5 3 3", "det nsubj root det obj punct"),
            "0-1 1-4 2-2",
        )
        for place, there in PLACES:
            yield (
                rows(f"{f}-na {place} vel {f_verb}-ti", "NOUN NOUN ADP VERB", "4 4 2 0", "nsubj obl case root"),
                f"{e}-NOM {there} in {stem}-PST",
                f"The {e} {past} in the {there}.",
                rows(f"The {e} {past} in the {there} .", "DET NOUN VERB ADP DET NOUN PUNCT", "2 3 0 6 6 3 3",
                     "det nsubj root case det obl punct"),
                "0-1 1-5 2-3 3-2",
            )  # fmt: skip


def unlike(count: int) -> list[tuple[list[Row], str, str, list[Row], str]]:
    """So many sentences, no two of one text."""
    found = {item[2]: item for item in sentences()}
    assert count <= len(found)
    return list(found.values())[:count]


def conllu(sides: list[list[Row]], start: int = 1) -> str:
    made = []
    for number, side in enumerate(sides, start):
        lines = [f"{k}\t{form}\t_\t{tag}\t_\t_\t{head}\t{rel}\t_\t_" for k, (form, tag, head, rel) in enumerate(side, 1)]
        made.append("\n".join([f"# sent_id = {number}", *lines]) + "\n\n")
    return "".join(made)


def write(folder: Path, count: int = 12, gold: int = 8) -> Path:
    """A folder with text.txt, e.conllu, links.txt and gold.conllu of the first sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    found = unlike(count)
    text = "\n".join(f"{' '.join(form for form, *_ in f)}\n{glosses}\n'{free}'\n" for f, glosses, free, _, _ in found)
    (folder / "text.txt").write_text(text, encoding="utf-8")
    (folder / "e.conllu").write_text(conllu([item[3] for item in found]), encoding="utf-8")
    (folder / "gold.conllu").write_text(conllu([item[0] for item in found[:gold]]), encoding="utf-8")
    (folder / "links.txt").write_text("".join(f"{item[4]}\n" for item in found), encoding="utf-8")
    return folder


def config(folder: Path, text: str, name: str = "divproj.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


PLAIN = """\
[input]
text = "text.txt"
trees = "e.conllu"
"""
LEARNED = """\
language = "Tavi"
[input]
text = "text.txt"
trees = "e.conllu"
links = "links.txt"
gold = "gold.conllu"
[align]
method = "gloss"
[project]
system = "s2+"
[evaluate]
folds = 2
held_out = 0.25
[report]
pictures = 3
"""


def snapshot(folder: Path) -> dict[str, bytes]:
    """All bytes of a results folder but the log and the lock, which tell of times and processes."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files if p.name not in ("log.txt", ".lock")}

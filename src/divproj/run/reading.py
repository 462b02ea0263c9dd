"""The sentences of a run as its stages hand them on: files that `divproj.io.corpus` reads again, line by line in step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from divproj.data.errors import Faults, Where
from divproj.data.igt import Igt
from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.tree import DepTree
from divproj.io import conllu, pharaoh
from divproj.io.corpus import Corpus
from divproj.io.files import writing
from divproj.io.igt_conllu import from_sentence, to_sentence
from divproj.io.translation_language import with_codes
from divproj.io.trees import NOTHING, as_sentence, named

TEXT, TREES, LINKS, PLACES, OUTPUT = "text.conllu", "e.conllu", "links.txt", "places.json", "trees.conllu"


def with_own_ids(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs, each under an id that no other has: one that is taken gets the name of its file before it."""
    ids: set[str] = set()
    for last, pair in enumerate(pairs, 1):
        sent_id = own = pair.sent_id or str(last)
        number = 1
        while own in ids:
            file = Path(pair.where.path).stem
            own = f"{file}-{sent_id}" if number == 1 else f"{file}-{sent_id}-{number}"
            number += 1
        ids.add(own)
        yield replace(pair, sent_id=own)


def instance(pair: Pair) -> Igt:
    """The glossed sentence that F is."""
    if pair.igt is not None:
        return pair.igt
    assert pair.sentence is not None
    return from_sentence(pair.sentence)


def with_language(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with their translations under the code of the language that they are in."""
    return [replace(pair, igt=igt) for pair, igt in zip(pairs, with_codes([*map(instance, pairs)]), strict=True)]


def write_text(pairs: Sequence[Pair], folder: Path, *, links: bool = False) -> None:
    """The text, its given trees where there are any, and its links if they came apart, in files that `read_text` reads."""
    with writing(folder / TEXT) as out:
        conllu.dump((named(to_sentence(instance(pair)), pair.sent_id) for pair in pairs), out)
    if any(pair.e.tree is not None for pair in pairs):
        write_trees([pair.e.tree for pair in pairs], pairs, folder)
    if links:
        with writing(folder / LINKS) as out:
            pharaoh.dump((pair.links for pair in pairs), out)
    with writing(folder / PLACES) as out:
        out.write(json.dumps([[Path(pair.where.path).name, pair.where.line] for pair in pairs], ensure_ascii=False) + "\n")


def write_trees(trees: Sequence[DepTree | None], pairs: Sequence[Pair], folder: Path) -> None:
    """Trees of translations, one for each pair; a row that says so where there is none."""
    with writing(folder / TREES) as out:
        conllu.dump((as_sentence(tree, pair.sent_id) for tree, pair in zip(trees, pairs, strict=True)), out)


def write_beside(pairs: Sequence[Pair], folder: Path) -> None:
    """The translations' trees and the links of some of the text's sentences."""
    write_trees([pair.e.tree if len(pair.e.forms) else None for pair in pairs], pairs, folder)
    with writing(folder / LINKS) as out:
        pharaoh.dump((pair.links for pair in pairs), out)


def read_beside(pairs: Sequence[Pair], folder: Path) -> Sequence[Pair]:
    """The pairs with the translations' trees and links that `write_beside` wrote for them, or as they are."""
    if not (folder / TREES).exists():
        return pairs
    trees = read_trees(folder / TREES)
    rows = zip(pairs, trees, read_links(folder / LINKS, pairs, trees), strict=True)
    return [replace(pair, e=tree or DepTree((), ()), links=links) for pair, tree, links in rows]


def read_text(folder: Path, e: Path | None = None, links: Path | None = None) -> list[Pair]:
    """The text that a stage wrote, with trees and links that others wrote for it; E is empty where it has no tree."""
    corpus = Corpus(folder / TEXT, e, links, faults=Faults(strict=False))
    places = json.loads((folder / PLACES).read_text(encoding="utf-8"))
    return [
        _placed(pair, Where(str(file), int(line), pair.sent_id), e is not None)
        for pair, (file, line) in zip(corpus.pairs(trees=False), places, strict=True)
    ]


def _placed(pair: Pair, where: Where, parsed: bool) -> Pair:
    assert pair.sentence is not None
    sentence = replace(pair.sentence, where=where)
    igt = replace(pair.igt, where=where, sentence=sentence) if pair.igt else None
    pair = replace(pair, where=where, sentence=sentence, igt=igt)
    if parsed and pair.e.tree is None:
        return replace(pair, e=DepTree((), ()), links=Links(frozenset(), (len(pair.f), 0)))
    return pair


def read_trees(path: Path) -> list[DepTree | None]:
    """Trees that a stage wrote, None where there is none."""
    rows = (row for row in conllu.load(path) if row is not None)
    return [None if row.rows == (NOTHING,) else row.usable_tree()[0] for row in rows]


def read_links(path: Path, pairs: Sequence[Pair], trees: Sequence[DepTree | None], faults: Faults | None = None) -> list[Links]:
    """Links of every sentence; those that cannot be right go to `faults` and are left out."""
    made = []
    lenient = faults or Faults(strict=False)
    for pair, tree, (_, line) in zip(pairs, trees, pharaoh.load(path), strict=True):
        shape = (len(pair.f), len(tree) if tree else 0)
        made.append(pharaoh.parse(line, shape, pair.where, lenient) if tree else Links(frozenset(), shape))
    return made

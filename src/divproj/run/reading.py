"""The sentences of a run as its stages hand them on: the text, its translations' trees and its links, line by line in step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from divproj.data.errors import AlignmentError, Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.data.links import Links
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.io import conllu, pharaoh
from divproj.io import igt as interlinear
from divproj.io.files import name_of, reading, writing
from divproj.io.igt_conllu import from_sentence, to_sentence
from divproj.io.igt_text import ReaderOptions
from divproj.io.trees import NOTHING, missing, named

TEXT, TREES, LINKS, PLACES = "text.conllu", "e.conllu", "links.txt", "places.json"


@dataclass(frozen=True)
class Item:
    """A sentence of the text with what was given for it."""

    igt: Igt
    tree: Sentence | None = None
    links: str | None = None


def is_conllu(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(".conllu")


def instances(path: Path, format_: str, faults: Faults, reader: ReaderOptions | None = None) -> Iterator[Igt | None]:
    """Sentences of a file of any format; None stands for one that cannot be used, so that other files stay in step."""
    if format_ in ("", "conllu") and is_conllu(path):
        for sentence in conllu.load(path, faults, keep_places=True):
            yield None if sentence is None else from_sentence(sentence, faults)
        return
    for igt in interlinear.load(path, format_ or None, faults, reader=reader):
        yield igt if igt.words else None


def bitext(f: Path, e: Path, faults: Faults) -> Iterator[Igt | None]:
    """Two files with a sentence a line, or CoNLL-U, as sentences with translations."""
    if is_conllu(e):
        translations = [" ".join(row.forms) if row else "" for row in conllu.load(e, faults, keep_places=True)]
    else:
        translations = [line for _, line in _lines(e, faults)]
    if is_conllu(f):
        sides = list(instances(f, "conllu", faults))
    else:
        sides = [Igt(tuple(line.split()), where=where) if line else None for where, line in _lines(f, faults)]
    if len(sides) != len(translations):
        what = f"{len(sides)} sentences, but {e.name} has {len(translations)}"
        raise AlignmentError(what, Where(str(f)), "the two sides must have one sentence a line, line by line the same")
    for igt, translation in zip(sides, translations, strict=True):
        yield None if igt is None else replace(igt, translation=translation, translations=())


def _lines(path: Path, faults: Faults) -> Iterator[tuple[Where, str]]:
    with reading(path) as stream:
        for number, raw in enumerate(stream, 1):
            where = Where(name_of(path), number)
            try:
                yield where, " ".join(raw.decode("utf-8-sig").replace("\0", "").split())
            except UnicodeDecodeError:
                faults.sentence(FormatError("the line is not UTF-8 text", where, "save the file as UTF-8"))
                yield where, ""


def items(
    found: Iterable[tuple[str, Igt | None]], trees: Sequence[Path], links: Sequence[Path], faults: Faults
) -> Iterator[Item]:
    """Usable sentences with the trees and links given for them; every sentence gets an id that no other has.

    `found` are (name of the file, sentence).
    """
    e_side = chain.from_iterable(conllu.load(path, faults, keep_places=True) for path in trees)
    lines = chain.from_iterable(pharaoh.load(path) for path in links)
    ids: set[str] = set()
    last = 0
    for last, (file, igt) in enumerate(found, 1):
        tree = next(e_side, None) if trees else None
        line = next(lines, None) if links else None
        if links and line is None:
            raise AlignmentError(
                f"links for {last - 1} sentences, but the text has more", Where(str(links[-1])), "a line a sentence"
            )
        if igt is None:
            continue
        counted = igt.sentence is None and igt.sent_id.isdecimal()  # a number that the reader gave
        if not counted and tree is not None and igt.sent_id and tree.sent_id and igt.sent_id != tree.sent_id:
            what = (
                f"the text has sent_id {igt.sent_id} where the trees ({tree.where.path}:{tree.where.line}) have {tree.sent_id}"
            )
            faults.sentence(AlignmentError(what, igt.where, "put the sentences in one order"))
            continue
        yield Item(replace(igt, sent_id=_unique(igt.sent_id or str(last), file, ids)), tree, line[1] if line else None)
    if trees and next(e_side, None) is not None:
        faults.file(AlignmentError("more sentences than the text has", Where(str(trees[-1])), "the rest was not used"))
    if links and (over := next(lines, None)) is not None and over[1].strip():
        faults.file(AlignmentError("more lines than the text has sentences", over[0], "the rest was not used"))


def _unique(sent_id: str, file: str, ids: set[str]) -> str:
    """The id, or one made of it that is still free."""
    made, number = sent_id, 1
    while made in ids:
        made = f"{file}-{sent_id}" if number == 1 else f"{file}-{sent_id}-{number}"
        number += 1
    ids.add(made)
    return made


def write_text(found: Sequence[Item], folder: Path) -> None:
    """The text, and the given trees and links where there are any, in files that `Text` reads."""
    rows = [named(to_sentence(item.igt), item.igt.sent_id) for item in found]
    with writing(folder / TEXT) as out:
        conllu.dump(rows, out)
    if any(item.tree is not None for item in found):
        with writing(folder / TREES) as out:
            conllu.dump((named(item.tree or missing(), item.igt.sent_id) for item in found), out)
    if any(item.links is not None for item in found):
        with writing(folder / LINKS) as out:
            out.writelines(f"{' '.join((item.links or '').split())}\n" for item in found)
    with writing(folder / PLACES) as out:
        out.write(json.dumps([[Path(i.igt.where.path).name, i.igt.where.line] for i in found], ensure_ascii=False) + "\n")


@dataclass
class Text:
    """The sentences of the text as a stage wrote them."""

    rows: list[Sentence]

    @classmethod
    def read(cls, folder: Path) -> Text:
        rows = _rows(folder / TEXT)
        places = json.loads((folder / PLACES).read_text(encoding="utf-8"))
        found = zip(rows, places, strict=True)
        return cls([replace(row, where=Where(str(file), int(line), row.sent_id)) for row, (file, line) in found])

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def instances(self) -> list[Igt]:
        return [from_sentence(row) for row in self.rows]


def _rows(path: Path) -> list[Sentence]:
    return [row for row in conllu.load(path) if row is not None]


def read_trees(path: Path, faults: Faults | None = None) -> list[DepTree | None]:
    """Trees of a file of ours, None where there is none; what is wrong in them goes to `faults`."""
    made: list[DepTree | None] = []
    for row in _rows(path):
        if row.rows == (NOTHING,):
            made.append(None)
            continue
        tree, found = row.usable_tree()
        for fault in found if faults else ():
            assert faults
            faults.word(fault)
        made.append(tree)
    return made


def read_links(path: Path, text: Text, trees: Sequence[DepTree | None], faults: Faults | None = None) -> list[Links]:
    """Links of every sentence; those that cannot be right go to `faults` and are left out."""
    made = []
    lenient = faults or Faults(strict=False)
    for row, tree, (_, line) in zip(text.rows, trees, pharaoh.load(path), strict=True):
        shape = (len(row.forms), len(tree) if tree else 0)
        made.append(pharaoh.parse(line, shape, row.where, lenient) if tree else Links(frozenset(), shape))
    return made

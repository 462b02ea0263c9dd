"""Enju XML: `<sentence>` with `<cons>` phrases and `<tok>` words, heads and semantic heads by id. Read only.

Words outside `<cons>` (the full stop) are no words of the tree. Attributes pa1, pa2 … on phrases are annotators' alignments
(SPADE, ESPADA): ids of phrases in the other sentence.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from divproj.core.errors import Faults, FormatError, Where
from divproj.forest.trees import Constituent, PhraseTree
from divproj.io.files import Source, name_of, reading
from divproj.io.trees.tiger import elements

_ANNOTATOR = re.compile(r"pa\d+")
Links = dict[str, dict[str, tuple[str, ...]]]
"""annotator -> id of a phrase -> ids of its partners"""


@dataclass
class _Open:
    """A phrase being read."""

    element: Any
    first: int
    kids: list[int] = field(default_factory=list)
    heads: dict[str, tuple[int, int]] = field(default_factory=dict)  # id of a child -> its head and semantic head


def load(source: Source, faults: Faults | None = None, *, keep_places: bool = False) -> Iterator[PhraseTree | None]:
    """Trees of a file; a sentence that cannot be read goes to `faults` (None: raise), and None stands for it with `keep_places`."""
    with reading(source) as stream:
        yield from read(stream, name_of(source), faults or Faults(), keep_places=keep_places)


def loads(text: str, faults: Faults | None = None) -> list[PhraseTree]:
    """
    >>> loads('<sentence id="s0"><cons id="c0" cat="NP" head="t0" sem_head="t0"><tok id="t0" pos="NN" base="dog">dogs</tok></cons></sentence>')[0].lemmas
    ('dog',)
    """
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return [tree for tree in read(stream, "", faults or Faults()) if tree is not None]


def read(stream: BinaryIO, path: str, faults: Faults, *, keep_places: bool = False) -> Iterator[PhraseTree | None]:
    for where, sentence in elements(stream, path, faults, "sentence", keep_places=keep_places):
        if sentence is None:
            yield None
            continue
        try:
            yield _tree(sentence, where)
        except FormatError as error:
            faults.sentence(error)
            if keep_places:
                yield None


def _tree(sentence: Any, where: Where) -> PhraseTree:
    words: list[Any] = []
    nodes: list[Constituent] = []
    top = _Open(sentence, 0)
    stack = [top]
    waiting = [iter(sentence)]
    while stack:
        child = next(waiting[-1], None)
        if child is not None:
            if child.tag == "cons":
                stack.append(_Open(child, len(words)))
                waiting.append(iter(child))
            elif child.tag == "tok" and len(stack) > 1:
                k = len(words)
                words.append(child)
                stack[-1].kids.append(len(nodes))
                stack[-1].heads[child.get("id", "")] = (k, k)
                nodes.append(Constituent(child.get("cat") or child.get("pos") or "_", k, k + 1))
            continue
        waiting.pop()
        done = stack.pop()
        if stack:
            _close(done, stack[-1], words, nodes, where)
    if not top.kids:
        status = sentence.get("parse_status") or "no status given"
        raise FormatError(f"no phrase in the sentence ({status})", where)
    if len(top.kids) > 1:
        nodes.append(Constituent("FRAG", 0, len(words), tuple(top.kids)))
    rows = [tuple(row) for row in zip(*((_form(w), w.get("base", "_"), w.get("pos", "_")) for w in words), strict=True)]
    return PhraseTree(rows[0], tuple(nodes), rows[1], rows[2], where.sent_id, where)


def _form(word: Any) -> str:
    return "".join(word.itertext()).strip() or "_"


def _close(done: _Open, above: _Open, words: list[Any], nodes: list[Constituent], where: Where) -> None:
    element, end = done.element, len(words)
    name, label = element.get("id", ""), element.get("cat") or "_"
    if done.first == end:
        raise FormatError(f"the phrase {name} ({label}) has no words", where)
    head = done.heads.get(element.get("head", ""), (-1, -1))[0]
    sem_head = done.heads.get(element.get("sem_head", ""), (-1, -1))[1]
    if len(done.kids) == 1 and nodes[done.kids[0]].id == "" and not nodes[done.kids[0]].children:
        nodes[-1] = Constituent(label, done.first, end, (), done.first, done.first, name)  # the word is the phrase
        head = sem_head = done.first
    else:
        nodes.append(Constituent(label, done.first, end, tuple(done.kids), head, sem_head, name))
    above.kids.append(len(nodes) - 1)
    if len(done.kids) == 1 and head < 0:
        head, sem_head = next(iter(done.heads.values()))
    above.heads[name] = (head, sem_head if sem_head >= 0 else head)


def load_links(source: Source, faults: Faults | None = None) -> list[Links]:
    """The annotators' alignments of each sentence of a file."""
    alignments = []
    with reading(source) as stream:
        for _, sentence in elements(stream, name_of(source), faults or Faults(), "sentence"):
            links: Links = {}
            for element in sentence.iter("cons"):
                for name, value in element.attrib.items():
                    if _ANNOTATOR.fullmatch(name):
                        links.setdefault(name, {})[element.get("id", "")] = tuple(value.split())
            alignments.append(links)
    return alignments

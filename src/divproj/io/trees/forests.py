"""Forests from a file in any format that has trees: the format is guessed, or named."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, cast

from divproj.core.errors import LONGEST_SENTENCE, Faults, FormatError, ProjError, Where, too_long
from divproj.core.options import TREE_FORMATS
from divproj.core.sentence import Rows
from divproj.forest import build
from divproj.forest.dependencies import phrase_forest, phrase_tree
from divproj.forest.heads import PUNCTUATION
from divproj.forest.hypergraph import Forest
from divproj.forest.trees import PhraseTree
from divproj.io.files import Source, name_of, reading, rewind
from divproj.io.trees import brackets, conllu, enju, forest, tiger

FORMATS = TREE_FORMATS
HEAD = 1 << 16
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)[\s/>]")
_CONLLU = re.compile(r"^\d+(?:-\d+|\.\d+)?\t[^\t\n]*(?:\t[^\t\n]*){8}\r?$", re.MULTILINE)
_MARKS = re.compile(r"[^\w\s]+")


@dataclass(frozen=True)
class ForestOptions:
    """How trees become forests."""

    binarise: str = "head"
    """head, left, right or all (`build.from_tree`)."""
    pack: str = "nodes"
    """N-best lists: nodes or trees (`build.from_n_best`)."""
    punctuation: str = "keep"
    """keep; final: without the sentence's last mark; drop: without any (constituency trees alone). Words are counted anew."""
    empties: bool = False
    functions: bool = True
    constituents: bool = False
    """Whether dependency trees and their forests become constituents (`forest.dependencies`), as alignment wants them."""


def guess(head: bytes) -> str:
    """
    >>> guess(b"(S (NP x))"), guess(b'{"format": "divproj-forest"}'), guess(b"<sentence id='s0'>"), guess(b"<corpus><body>")
    ('brackets', 'json', 'enju', 'tiger')
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text.startswith("{"):
        return "json"
    if text.startswith("<"):
        match = _ELEMENT.search(text)
        name = match[1] if match else ""
        if name in ("corpus", "subcorpus", "body", "s"):
            return "tiger"
        if "<sentence" in text or name == "cons":
            return "enju"
        raise FormatError(f"the XML begins with <{name}>, <sentence> (Enju) or <corpus> (TIGER-XML) expected")
    return "conllu" if _CONLLU.search(text) else "brackets"


def forests_from(
    source: Source,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    options: ForestOptions | None = None,
    *,
    keep_places: bool = False,
) -> Iterator[Forest | None]:
    """Forests of a file. What cannot be read goes to `faults` (None: raise); with `keep_places` None stands in its place."""
    with reading(source) as stream:
        yield from _any(stream, name_of(source), format, faults or Faults(), options or ForestOptions(), keep_places)


def forests_of(
    text: str,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    options: ForestOptions | None = None,
) -> list[Forest]:
    """
    >>> [f.forms for f in forests_of("(S (NN Dogs) (VBP bark))")]
    [('Dogs', 'bark')]
    """
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return [f for f in _any(stream, "", format, faults or Faults(), options or ForestOptions(), False) if f is not None]


def _any(
    stream: BinaryIO, path: str, name: str | None, faults: Faults, options: ForestOptions, keep_places: bool
) -> Iterator[Forest | None]:
    head = stream.read(HEAD)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise FormatError("nothing in the file", Where(path), "is it the right one?")
    try:
        format_name = name or guess(head)
    except FormatError as error:
        raise FormatError(error.message, Where(path), "or name the format") from None
    if format_name not in _READERS:
        raise ProjError(f"unknown format {format_name!r}, one of {', '.join(FORMATS)} expected")
    if options.punctuation not in ("keep", "final", "drop"):
        raise ProjError(f"punctuation={options.punctuation!r}, keep, final or drop expected")
    for item in _READERS[format_name](rewind(head, stream), path, faults, options):
        if item is not None or keep_places:
            yield item


def _one(tree: PhraseTree | None, faults: Faults, options: ForestOptions) -> Forest | None:
    """A forest of one tree; a fault of its own goes to `faults`."""
    if tree is None:
        return None
    return _try_build(
        lambda: build.from_tree(remove_punctuation(_fitting(tree), options.punctuation), binarise=options.binarise),
        tree.where,
        faults,
    )


def _fitting(tree: PhraseTree) -> PhraseTree:
    """The tree; FormatError where it is too long for a forest."""
    if len(tree.forms) > LONGEST_SENTENCE:
        raise too_long(len(tree.forms), replace(tree.where, sent_id=tree.sent_id))
    return tree


def _try_build(make: Callable[[], Forest], where: Where, faults: Faults) -> Forest | None:
    try:
        return make()
    except FormatError as error:
        faults.sentence(FormatError(error.message, error.where or where, error.remedy))
        return None


def remove_punctuation(tree: PhraseTree, punctuation: str) -> PhraseTree:
    """The tree without punctuation: all (`drop`), or the marks at its end (`final`); as it is when nothing would be left."""
    marks = [
        _MARKS.fullmatch(form) and (tag in PUNCTUATION or tag in ("_", ""))
        for form, tag in zip(tree.forms, tree.tags or tree.forms, strict=True)
    ]
    if punctuation == "keep" or all(marks):
        return tree
    last = max(k for k, mark in enumerate(marks) if not mark)
    doomed = iter([bool(mark) and (punctuation == "drop" or k > last) for k, mark in enumerate(marks)])
    return tree.without(lambda _form, _tag: next(doomed))


def _brackets(stream: BinaryIO, path: str, faults: Faults, options: ForestOptions) -> Iterator[Forest | None]:
    how = brackets.BracketOptions(empties=options.empties, functions=options.functions)
    for item in brackets.read(stream, path, faults, how, keep_places=True):
        if item is None or (len(item.trees) == 1 and not item.scores):
            yield _one(item.trees[0] if item else None, faults, options)
            continue
        yield _try_build(partial(_n_best, item.trees, item.scores, options), item.where, faults)


def _n_best(trees: Sequence[PhraseTree], scores: Sequence[float], options: ForestOptions) -> Forest:
    whole = [remove_punctuation(_fitting(tree), options.punctuation) for tree in trees]
    return build.from_n_best(whole, scores, binarise=options.binarise, pack=options.pack)


def _enju(stream: BinaryIO, path: str, faults: Faults, options: ForestOptions) -> Iterator[Forest | None]:
    for tree in enju.read(stream, path, faults, keep_places=True):
        yield _one(tree, faults, options)


def _tiger(stream: BinaryIO, path: str, faults: Faults, options: ForestOptions) -> Iterator[Forest | None]:
    for tree in tiger.read(stream, path, faults, empties=options.empties, keep_places=True):
        yield _one(tree, faults, options)


def _conllu(stream: BinaryIO, path: str, faults: Faults, options: ForestOptions) -> Iterator[Forest | None]:
    for item in conllu.read(stream, path, faults, keep_places=True):
        yield None if item is None else _try_build(partial(_dependency_forest, item, faults, options), item.where, faults)


def _dependency_forest(sentence: Rows, faults: Faults, options: ForestOptions) -> Forest:
    if len(sentence.forms) > LONGEST_SENTENCE:
        raise too_long(len(sentence.forms), replace(sentence.where, sent_id=sentence.sent_id))
    tree, wrong = sentence.usable_tree()
    for error in wrong:
        faults.word(error)
    lemmas = tuple(form if lemma == "_" else lemma for lemma, form in zip(sentence.column(2), sentence.forms, strict=True))
    if options.constituents:
        phrases = phrase_tree(tree, lemmas=lemmas, sent_id=sentence.sent_id, where=sentence.where)
        return build.from_tree(phrases, binarise=options.binarise)
    return build.from_dependencies(tree, lemmas=lemmas, sent_id=sentence.sent_id, where=sentence.where)


def _json(stream: BinaryIO, path: str, faults: Faults, options: ForestOptions) -> Iterator[Forest | None]:
    for item in forest.read(stream, path, faults, keep_places=True):
        if item is None or not (options.constituents and item.arcs):
            yield item
        else:
            yield _try_build(partial(phrase_forest, item, binarise=options.binarise), item.where, faults)


_READERS: dict[str, Callable[[BinaryIO, str, Faults, ForestOptions], Iterator[Forest | None]]] = {
    "brackets": _brackets,
    "enju": _enju,
    "tiger": _tiger,
    "conllu": _conllu,
    "json": _json,
}


def phrase_trees(path: str, kind: str, faults: Faults) -> Iterator[PhraseTree]:
    """Trees of a file of TIGER-XML or Penn brackets; of several for one sentence the first."""
    if kind == "tiger":
        yield from (tree for tree in tiger.load(path, faults) if tree is not None)
    else:
        yield from (n_best.trees[0] for n_best in brackets.load(path, faults) if n_best is not None)

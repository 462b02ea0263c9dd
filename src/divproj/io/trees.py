"""Trees on their way out: rows made from trees, and what a worker hands back of a piece."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from divproj.data.sentence import Sentence
from divproj.data.tree import NO_HEAD, DepTree
from divproj.io import conllu

NOTHING = ("1", *["_"] * 8, "Empty=Yes")
"""The row of a sentence that has no translation: CoNLL-U has no sentence without rows."""


@dataclass(frozen=True)
class Trees:
    """Sentences as CoNLL-U, and what else was asked for."""

    count: int
    text: str
    end: str = "\n\n"
    """Line ends after the last sentence, as they stood in its file."""
    links: str = ""
    e_trees: str = ""
    projections: tuple[Any, ...] = ()
    """For pages that draw them."""
    forests: str = ""
    summary: Any = None
    """What became of the sentences (`projection.summary.Summary`)."""
    shard: Path | None = None
    """Where a worker has written the texts, which are not here then."""


def gathered(sentences: Sequence[Sentence], count: int, **more: Any) -> Trees:
    """The sentences as text."""
    out = io.StringIO()
    conllu.dump(sentences, out)
    return Trees(count, out.getvalue(), sentences[-1].end if sentences else "\n\n", **more)


def written(trees: Iterable[Trees], out: TextIO) -> Iterator[Trees]:
    """Write trees as they come, and pass them on."""
    last = "\n\n"
    for some in trees:
        if some.text:
            out.write("\n\n"[len(last) :])  # as `conllu.dump` does between sentences
            out.write(some.text)
            last = some.end
        yield some


def named(sentence: Sentence, sent_id: str) -> Sentence:
    """The sentence under this id, if there is one, closed by one blank line."""
    comments = tuple(c for c in sentence.comments if not c.replace(" ", "").startswith("#sent_id="))
    first = (f"# sent_id = {sent_id}",) if sent_id else ()
    return replace(sentence, comments=(*first, *comments), end="\n\n")


def missing() -> Sentence:
    """Stands for a translation that is not there."""
    return Sentence((), tuple((cell,) for cell in NOTHING))


def as_sentence(tree: DepTree | None, sent_id: str) -> Sentence:
    """A tree as CoNLL-U rows."""
    if tree is None or not len(tree):
        return named(missing(), sent_id)
    n, none = len(tree), ("_",) * len(tree)
    heads = tuple("_" if head == NO_HEAD else str(head) for head in tree.heads)
    columns = (
        tuple(str(k) for k in range(1, n + 1)), tuple(" ".join(form.split()) or "_" for form in tree.forms), none,
        tree.upos or none, tree.xpos or none, none, heads, tree.rels or none, none, none,
    )  # fmt: skip
    return named(Sentence((), columns), sent_id)

"""The output of a batch of sentences: CoNLL-U text, and how workers hand it back.

`Trees` is what a worker returns for its batch. With `in_shards` each worker writes the texts of its batches to files in a
folder that all of them see and returns only the paths; the main process reads these files in order and removes them.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO, TypeVar
from uuid import uuid4

from divproj.core.errors import Faults, ProjError, Where
from divproj.core.sentence import Rows
from divproj.core.tree import NO_HEAD, DepTree
from divproj.io.files import writing
from divproj.io.trees import conllu
from divproj.runtime import engine
from divproj.runtime.engine import Read, Work
from divproj.runtime.leftovers import new_folder

NOTHING = ("1", *["_"] * 8, "Empty=Yes")
"""The row of a sentence that has no translation: CoNLL-U has no sentence without rows."""


@dataclass(frozen=True)
class Trees:
    """Sentences as CoNLL-U text, and the other outputs that were requested."""

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


def collect_sentences(sentences: Sequence[Rows], count: int, **more: Any) -> Trees:
    """The sentences as text."""
    out = io.StringIO()
    conllu.dump(sentences, out)
    return Trees(count, out.getvalue(), sentences[-1].end if sentences else "\n\n", **more)


def write_trees(trees: Iterable[Trees], out: TextIO) -> Iterator[Trees]:
    """Write trees as they come, and pass them on."""
    last = "\n\n"
    for some in trees:
        if some.text:
            out.write("\n\n"[len(last) :])  # as `conllu.dump` does between sentences
            out.write(some.text)
            last = some.end
        yield some


def with_sent_id(sentence: Rows, sent_id: str) -> Rows:
    """The sentence under this id, if there is one, closed by one blank line."""
    comments = tuple(c for c in sentence.comments if not c.replace(" ", "").startswith("#sent_id="))
    first = (f"# sent_id = {sent_id}",) if sent_id else ()
    return replace(sentence, comments=(*first, *comments), end="\n\n")


def missing() -> Rows:
    """Return the sentence that stands for a missing translation."""
    return Rows((), tuple((cell,) for cell in NOTHING))


def as_sentence(tree: DepTree | None, sent_id: str) -> Rows:
    """A tree as CoNLL-U rows."""
    if tree is None or not len(tree):
        return with_sent_id(missing(), sent_id)
    n, none = len(tree), ("_",) * len(tree)
    heads = tuple("_" if head == NO_HEAD else str(head) for head in tree.heads)
    columns = (
        tuple(str(k) for k in range(1, n + 1)), tuple(" ".join(form.split()) or "_" for form in tree.forms), none,
        tree.upos or none, tree.xpos or none, none, heads, tree.deprels or none, none, none,
    )  # fmt: skip
    return with_sent_id(Rows((), columns), sent_id)


B = TypeVar("B")
TEXTS = ("text", "links", "e_trees", "forests")
"""Fields that go into a shard; the others are small, or needed for drawing."""
SEEN = "every worker must see the folder `shards` under the same path"


def in_shards(
    work: Work[B, Trees], read: Read[B], faults: Faults, where: engine.Workers, folder: Path, caution: Callable[[str], None]
) -> Iterator[Trees]:
    """`engine.run`, each worker writing its trees in the folder; they are put together here, in order, and removed."""
    shared = 0o1733 if where.scheduler else 0o700  # workers of a cluster may be other users: they write, and remove nothing
    with ExitStack() as stack:
        try:
            shard_folder = stack.enter_context(new_folder(folder.absolute(), "divproj-", mode=shared))
        except OSError as error:
            raise ProjError(f"no shards can be written here: {error.strerror}", Where(str(folder)), SEEN) from None
        yield from map(read_shard, engine.run(partial(write_shard, work, shard_folder), read, faults, where, caution))


def write_shard(work: Work[B, Trees], folder: Path, batch: B, faults: Faults) -> Trees:
    """What `work` makes of a batch, its texts in a file."""
    trees = work(batch, faults)
    if not folder.is_dir():
        raise ProjError("a worker does not see the folder for its shard", Where(str(folder)), SEEN)
    shard = folder / f"{uuid4().hex}.json"
    with writing(shard) as out:
        json.dump({name: getattr(trees, name) for name in TEXTS}, out)
    away: dict[str, Any] = dict.fromkeys(TEXTS, "")
    return replace(trees, **away, shard=shard)


def read_shard(trees: Trees) -> Trees:
    """Trees with the texts that a worker wrote."""
    assert trees.shard is not None
    try:
        texts: dict[str, Any] = json.loads(trees.shard.read_text(encoding="utf-8"))
        trees.shard.unlink()
    except OSError as error:
        raise ProjError(f"the shard of a worker is not here: {error.strerror}", Where(str(trees.shard)), SEEN) from None
    return replace(trees, **texts, shard=None)

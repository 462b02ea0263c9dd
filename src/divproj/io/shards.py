"""Shards: what workers write themselves, in a folder that all of them see; only its name travels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from divproj.data.errors import Faults, ProjError, Where
from divproj.io.files import writing
from divproj.io.trees import Trees
from divproj.runtime import engine
from divproj.runtime.engine import Read, Work
from divproj.runtime.leftovers import new_folder

B = TypeVar("B")
TEXTS = ("text", "links", "e_trees", "forests")
"""What of the trees is written; the rest is small, or drawn."""
SEEN = "every worker must see the folder `shards` under the same path"


def in_shards(
    work: Work[B, Trees], read: Read[B], faults: Faults, where: engine.Place, folder: Path, caution: Callable[[str], None]
) -> Iterator[Trees]:
    """`engine.run`, each worker writing its trees in the folder; they are put together here, in order, and removed."""
    shared = 0o1733 if where.scheduler else 0o700  # workers of a cluster may be other users: they write, and remove nothing
    with ExitStack() as stack:
        try:
            own = stack.enter_context(new_folder(folder.absolute(), "divproj-", mode=shared))
        except OSError as error:
            raise ProjError(f"no shards can be written here: {error.strerror}", Where(str(folder)), SEEN) from None
        yield from map(taken, engine.run(partial(sharded, work, own), read, faults, where, caution))


def sharded(work: Work[B, Trees], folder: Path, batch: B, faults: Faults) -> Trees:
    """What `work` makes of a batch, its texts in a file."""
    made = work(batch, faults)
    if not folder.is_dir():
        raise ProjError("a worker does not see the folder for its shard", Where(str(folder)), SEEN)
    shard = folder / f"{uuid4().hex}.json"
    with writing(shard) as out:
        json.dump({name: getattr(made, name) for name in TEXTS}, out)
    away: dict[str, Any] = dict.fromkeys(TEXTS, "")
    return replace(made, **away, shard=shard)


def taken(trees: Trees) -> Trees:
    """Trees with the texts that a worker wrote."""
    assert trees.shard is not None
    try:
        found: dict[str, Any] = json.loads(trees.shard.read_text(encoding="utf-8"))
        trees.shard.unlink()
    except OSError as error:
        raise ProjError(f"the shard of a worker is not here: {error.strerror}", Where(str(trees.shard)), SEEN) from None
    return replace(trees, **found, shard=None)

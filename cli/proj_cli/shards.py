"""Shards: what workers write themselves, in a folder that all of them see; only its name travels."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from divproj.errors import Faults, ProjError, Where
from divproj.io.files import writing

if TYPE_CHECKING:
    from divproj.engine import Read, Work
    from proj_cli.tasks import Trees

B = TypeVar("B")
TEXTS = ("text", "links", "e_trees", "forests")
"""What of the trees is written; the rest is small, or drawn."""
SEEN = "every worker must see the folder of --shards under the same path"


def spread_in_shards(
    work: Work[B, Trees], read: Read[B], faults: Faults, jobs: int, scheduler: str | None, folder: Path
) -> Iterator[Trees]:
    """`common.spread`, each worker writing its trees there; they are put together here, in order, and removed."""
    from proj_cli import common

    try:
        own = Path(tempfile.mkdtemp(prefix="divproj-", dir=folder.absolute()))
        own.chmod(0o777)  # workers may be other users
    except OSError as error:
        raise ProjError(f"no shards can be written here: {error.strerror}", Where(str(folder)), SEEN) from None
    try:
        yield from map(taken, common.spread(partial(written, work, own), read, faults, jobs, scheduler))
    finally:
        shutil.rmtree(own, ignore_errors=True)


def written(work: Work[B, Trees], folder: Path, batch: B, faults: Faults) -> Trees:
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

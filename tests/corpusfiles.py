"""Corpora in temporary folders, said in few words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from divproj import Corpus, DepTree, Faults, Links, Pair


def block(heads: Iterable[object] = (0,), sent_id: str = "", rels: Iterable[str] = ()) -> str:
    """A sentence with these heads, as CoNLL-U."""
    rows = [f"# sent_id = {sent_id}"] if sent_id else []
    labels = [*rels]
    for k, head in enumerate(heads, 1):
        rel = labels[k - 1] if labels else "root" if head == 0 else "dep"
        rows.append(f"{k}\tw{k}\t_\tNOUN\tNN\t_\t{head}\t{rel}\t_\t_")
    return "\n".join(rows) + "\n\n"


def write(folder: Path, f: str | bytes, e: str | bytes, align: str | bytes) -> Path:
    """A corpus folder with these three files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("f.conllu", f), ("e.conllu", e), ("align.txt", align)):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def lenient(folder: Path, **options: bool) -> Corpus:
    return Corpus.at(folder, faults=Faults(strict=False), **options)


def tree(heads: Iterable[int], rels: Iterable[str] = (), upos: Iterable[str] = (), forms: Iterable[str] = ()) -> DepTree:
    """A tree with these heads; its words are w1, w2 …"""
    found = tuple(heads)
    return DepTree(tuple(forms) or tuple(f"w{k}" for k in range(1, len(found) + 1)), found, tuple(rels), tuple(upos))


def pair(f: DepTree | Iterable[int], e: DepTree | Iterable[int], links: Iterable[tuple[int, int]], sent_id: str = "") -> Pair:
    """A pair of trees, or of heads, and links counted from 1."""
    f, e = (side if isinstance(side, DepTree) else tree(side) for side in (f, e))
    return Pair(f, e, Links(frozenset(links), (len(f), len(e))), sent_id)

"""The features of an edge, spelled out: a block of facts to the names that weights are known by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Block = tuple[Any, ...]


def names(block: Block) -> list[str]:
    """The indicator features of a block."""
    return _SPELLED[block[0]](*block[1:])


def _shape(
    r: str, path: str, kind: str, t: str, u: str, side: str, far: str, rel: str, place: tuple[bool, bool, bool, bool]
) -> list[str]:
    found = [
        f"r={r}",
        f"r={r}|{kind}",
        f"r={r}|{kind[0]}|{t}",
        f"r={r}|{t}|{u}",
        f"r={r}|{t}{side}",
        f"r={r}|{side}{far}|{kind}",
        f"t={t}{side}{u}",
        f"t={t}{side}{far}",
        f"t={t}{side}{u}|{far}",
    ]
    if path != "-":
        found += [f"e={path}", f"e={path}|{t}|{u}", f"e={path}|{rel}", f"e={path}|{rel}|{u}{side}"]
    first, last, to_last, to_top = place
    if first:
        found.append(f"first={side}")
    if last:
        found += [f"last={r}", f"last={side}"]
    if to_last:
        found += [f"tolast={t}", f"tolast={kind}"]
    if to_top:
        found.append(f"top={t}|{kind[0]}")
    return found


def _root(
    stands: tuple[bool, bool, bool],
    kind: str,
    tags: tuple[str, str, str],
    last: bool,
    first: bool,
    form: str,
    depth: str,
    gloss: Any,
) -> list[str]:
    t, fine, guess = tags
    where = "".join("01"[x] for x in stands)
    found = [
        f"0s={where}",
        f"0s={where}|{kind}",
        f"0s={where}|{t}",
        f"0s={where}|{last}",
        f"0t={t}",
        f"0t={t}|{kind}",
        f"0f={fine}",
        f"0c={guess}",
        f"0l={last}|{first}",
        f"0w={form}",
        f"0x={form[-3:]}",
        f"0d={depth}",
    ]
    if gloss:
        grams, stem = gloss
        found += [name for gram in grams for name in (f"0g={gram}", f"0g={gram}|{last}")]
        found.append(f"0g={stem}")
    return found


def _word(form: str, side: str, far: str, r: str, u: str, to_top: bool) -> list[str]:
    suffix = form[-3:]
    found = [
        f"w={form}|{side}",
        f"w={form}|{r}",
        f"w={form}|{side}{far}",
        f"w={form}|{u}",
        f"x={suffix}|{side}",
        f"x={suffix}|{r}",
    ]
    return [*found, f"top={form}"] if to_top else found


def _head(form: str, t: str, kind: str, side: str) -> list[str]:
    return [f"h={form}|{t}{side}", f"h={form}|{kind}{side}"]


def _loose(before: str, after: str, side: str, far: str, u: str, t: str) -> list[str]:
    return [
        f"n={before}|{after}|{side}{far}",
        f"n={after}>|{side}{far}",
        f"n={before}<|{side}{far}",
        f"u={u}{side}{far}",
        f"u={u}{side}|{t}",
    ]


def _tags(t: str, u: str, own: tuple[str, str], other: tuple[str, str], side: str, far: str, r: str, kind: str) -> list[str]:
    (fine, guess), (head_fine, head_guess) = own, other
    found = []
    if fine != t or head_fine != u:
        found += [f"F={r}|{kind[0]}|{fine}", f"F={r}|{fine}|{head_fine}", f"F={r}|{fine}{side}"]
        found += [f"F={fine}{side}{head_fine}", f"F={fine}{side}{far}", f"F={fine}{side}{head_fine}|{far}"]
    if guess != t or head_guess != u:
        found += [f"c={guess}{side}{head_guess}|{far}", f"c={r}|{guess}|{head_guess}"]
    return found


def _gloss(gloss: tuple[tuple[str, ...], str], side: str, r: str, u: str, head_grams: tuple[str, ...], t: str) -> list[str]:
    grams, stem = gloss
    found = [name for gram in grams for name in (f"g={gram}{side}", f"g={gram}|{r}", f"g={gram}|{u}")]
    if stem:
        found += [f"s={stem}|{side}", f"s={stem}|{r}"]
    return found + [f"gh={gram}{side}|{t}" for gram in head_grams]


_SPELLED: dict[str, Callable[..., list[str]]] = {
    "root": _root, "shape": _shape, "word": _word, "head": _head, "loose": _loose, "tags": _tags, "gloss": _gloss,
}  # fmt: skip

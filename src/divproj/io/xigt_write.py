"""Xigt XML out: words and morphemes as spans of the phrase where they are, glosses, tags, links and trees aligned to them."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TextIO

from divproj.data.igt import BOUNDARY, Igt, morphs
from divproj.data.tree import NO_HEAD, DepTree
from divproj.io import xigt_rows
from divproj.io.igt_parts import EDGES

_ID = re.compile(r"[A-Za-z][\w.-]*")
_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_KEPT = ("doc-id", "line-range", "tag-types")
"""What ODIN's Xigt files say in attributes of an instance."""
Row = tuple[str, dict[str, str], str]
"""Id, attributes and text of an item."""


def dump(instances: Iterable[Igt], out: TextIO) -> None:
    """Write interlinear text as Xigt."""
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<xigt-corpus>\n')
    for k, igt in enumerate(instances, 1):
        out.writelines(f"{line}\n" for line in _instance(igt, k))
    out.write("</xigt-corpus>\n")


def dumps(instances: Iterable[Igt]) -> str:
    """
    >>> "w1[0:2]" in dumps([Igt(("ja-a",), (), ("yes-Q",))])
    True
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()


def _instance(igt: Igt, number: int) -> Iterator[str]:
    named = _ID.fullmatch(igt.sent_id)
    kept = dict(takewhile(lambda pair: pair[0] in _KEPT, igt.meta))
    yield f"  <igt{_attributes({'id': igt.sent_id if named else f'i{number}', **kept})}>"
    yield from _metadata(igt, "" if named else igt.sent_id, len(kept))
    text = igt.text or " ".join(igt.words)
    if text:
        judged = {"judgment": igt.judgement} if igt.judgement else {}
        yield from _tier("phrases", "p", {}, [("p1", judged, text)])
    yield from _tier("words", "w", {"segmentation": "p"}, _spans("w", "p1", text, igt.words))
    yield from _morphemes(igt)
    yield from _aligned("pos", "w-pos", "w", igt.tags, len(igt.words))
    told = [(code, said) for code, said in igt.translations if said]
    if igt.translation and igt.translation not in [said for _, said in told]:
        told.insert(0, ("", igt.translation))
    rows: list[Row] = []
    for k, (code, said) in enumerate(told, 1):
        rows.append((f"t{k}", {"alignment": "p1", **({"xml:lang": code} if code else {})}, said))
    if igt.e_words and not rows:
        rows = [("t1", {"alignment": "p1"}, " ".join(igt.e_words))] if igt.translations or igt.translation else [("t1", {}, "")]
    yield from _tier("translations", "t", {"alignment": "p"}, rows, even_empty=bool(igt.e_words))
    main = next((k for k, (_, said) in enumerate(told, 1) if said == igt.translation), 1)
    yield from _tier("words", "tw", {"segmentation": "t"}, _spans("tw", f"t{main}", igt.translation, igt.e_words))
    yield from _aligned("pos", "tw-pos", "tw", igt.e_tags, len(igt.e_words))
    if igt.links is not None:
        pairs = [(f"a{k}", {"source": f"tw{j}", "target": f"w{i}"}, "") for k, (i, j) in enumerate(sorted(igt.links), 1)]
        yield from _tier("bilingual-alignments", "a", {"source": "tw", "target": "w"}, pairs, even_empty=True)
    yield from _dependencies("w", igt.tree)
    yield from _dependencies("tw", igt.e_tree)
    for tier in xigt_rows.tiers(igt):
        yield from _tier(*tier)
    yield "  </igt>"


def _metadata(igt: Igt, sent_id: str, said: int) -> Iterator[str]:
    rows = [*([("sent_id", sent_id)] if sent_id else []), *igt.meta[said:]]
    if not rows and not igt.language:
        return
    yield "    <metadata>"
    if igt.language:
        yield f"      <meta{_attributes({'type': 'language', 'iso-639-3': igt.language, 'tiers': 'phrases words morphemes'})}/>"
    for key, value in rows:
        yield f"      <meta{_attributes({'type': key})}>{_escaped(value)}</meta>"
    yield "    </metadata>"


def _morphemes(igt: Igt) -> Iterator[str]:
    """Segmentation, and glosses of words and of morphemes."""
    n = len(igt.words)
    parts = igt.segments if len(igt.segments) == n else igt.words
    if igt.segments and len(igt.segments) != n:
        yield from _tier("morphemes", "m", {}, [(f"m{k}", {}, part) for k, part in enumerate(igt.segments, 1)])
    elif igt.segments or any(len(morphs(word)) > 1 for word in igt.words):
        rows: list[Row] = []
        for k, (word, part) in enumerate(zip(igt.words, parts, strict=True), 1):
            if part == word:
                rows += _spans(f"m{k}.", f"w{k}", word, morphs(part))
            else:
                rows += [(f"m{k}.{j}", {"segmentation": f"w{k}"}, said) for j, said in enumerate(_marked(part), 1)]
        yield from _tier("morphemes", "m", {"segmentation": "w"}, rows)
    yield from _aligned("glosses", "gw", "w", igt.glosses, n)
    if len(igt.glosses) == n and len(igt.segments) in (0, n):
        below = [
            (f"g{k}.{j}", {"alignment": f"m{k}.{j}"}, said)
            for k, (part, gloss) in enumerate(zip(parts, igt.glosses, strict=True), 1)
            if len(morphs(part)) == len(morphs(gloss)) > 1
            for j, said in enumerate(morphs(gloss), 1)
        ]
        yield from _tier("glosses", "g", {"alignment": "m"}, below)


def _marked(part: str) -> list[str]:
    """Morphemes that keep a boundary other than the hyphen at their front.

    >>> _marked("kolu=mi"), _marked("dog-s")
    (['kolu', '=mi'], ['dog', 's'])
    """
    pieces = list(morphs(part))
    if any(piece[:1] in EDGES or piece[-1:] in EDGES for piece in pieces):
        return [part]
    marks = [found[0] for found in BOUNDARY.finditer(part)]
    return [pieces[0], *((mark if mark != "-" else "") + piece for mark, piece in zip(marks, pieces[1:], strict=True))]


def _spans(prefix: str, base: str, text: str, parts: Sequence[str]) -> list[Row]:
    """Parts as spans of a text where they follow one another in it, otherwise spelled out."""
    rows: list[Row] = []
    at, bad = 0, _BAD.search(text)
    for k, part in enumerate(parts, 1):
        start = text.find(part, at)
        if start < 0 or not part or part != " ".join(part.split()) or bad:
            return [(f"{prefix}{n}", {"segmentation": base}, said) for n, said in enumerate(parts, 1)]
        at = start + len(part)
        rows.append((f"{prefix}{k}", {"segmentation": f"{base}[{start}:{at}]"}, ""))
    return rows


def _aligned(kind: str, name: str, base: str, values: tuple[str, ...], n: int) -> Iterator[str]:
    """One value a word; in order and unaligned when their number is another."""
    fits = len(values) == n
    rows: list[Row] = [
        (f"{name}{k}", {"alignment": f"{base}{k}"} if fits else {}, value)
        for k, value in enumerate(values, 1)
        if value or not fits
    ]
    yield from _tier(kind, name, {"alignment": base} if fits else {}, rows)


def _dependencies(base: str, tree: DepTree | None) -> Iterator[str]:
    if tree is None:
        return
    rows: list[Row] = []
    for k, head in enumerate(tree.heads, 1):
        if head != NO_HEAD:
            rel = tree.rels[k - 1] if tree.rels and tree.rels[k - 1] != "_" else ""
            rows.append((f"{base}-ds{k}", {"dep": f"{base}{k}", **({"head": f"{base}{head}"} if head else {})}, rel))
    yield from _tier("dependencies", f"{base}-ds", {"dep": base, "head": base}, rows)


def _tier(kind: str, name: str, attrs: dict[str, str], rows: Sequence[Row], *, even_empty: bool = False) -> Iterator[str]:
    if not rows and not even_empty:
        return
    yield f"    <tier{_attributes({'type': kind, 'id': name, **attrs})}>"
    for item, own, text in rows:
        head = f"      <item{_attributes({'id': item, **own})}"
        yield f"{head}>{_escaped(text)}</item>" if text else f"{head}/>"
    yield "    </tier>"


def _attributes(pairs: dict[str, str]) -> str:
    return "".join(f' {key}="{html.escape(_BAD.sub("�", " ".join(value.split())))}"' for key, value in pairs.items())


def _escaped(text: str) -> str:
    return html.escape(_BAD.sub("�", text), quote=False)

"""Phrase pairs in files against gold pairs, or against annotators (SPADE, ESPADA)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from divproj.data.errors import AlignmentError, FormatError, Where, why
from divproj.evaluation.phrases import PhrasePairs, PhraseScore, ali_score, annotated, constituent_row
from divproj.forest.build import from_tree
from divproj.io import enju
from divproj.io.files import name_of, reading

Quads = frozenset[tuple[int, int, int, int]]
Gold = tuple[Quads, Quads]
"""Tight pairs, for recall, and loose ones, for precision."""


def gold_rows(path: Path) -> list[Gold]:
    """Gold pairs of each line: `tight` and `loose` [s0, s1, t0, t1], or `pairs` as `proj align` writes them."""
    return [_gold(row, where) for where, row in _lines(str(path))]


def _lines(path: str) -> list[tuple[Any, dict[str, Any]]]:
    made = []
    with reading(path) as stream:
        for number, raw in enumerate(stream, 1):
            if not raw.strip():
                continue
            where = Where(name_of(path), number)
            try:
                row = json.loads(raw)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"not JSON: {why(error)}", where) from None
            if not isinstance(row, dict):
                raise FormatError("a JSON object expected", where)
            made.append((where, row))
    return made


def _gold(row: dict[str, Any], where: Any) -> Gold:
    try:
        if "tight" in row:
            tight = _quads(row["tight"])
            return tight, tight | _quads(row.get("loose", []))
        return (found := _quads([*x["source"], *x["target"]] for x in row["pairs"])), found
    except (KeyError, TypeError, ValueError):
        what = "no gold pairs: `tight` [[s0, s1, t0, t1], …] or `pairs` [{source: [s0, s1], target: [t0, t1]}, …] expected"
        raise FormatError(what, where) from None


def _quads(rows: Any) -> Quads:
    made = set()
    for row in rows:
        a, b, c, d = (int(x) for x in row)
        made.add((a, b, c, d))
    return frozenset(made)


def against_constituents(gold: str, system: str) -> dict[str, PhraseScore]:
    """All pairs and those of several words, against tight and loose gold pairs."""
    wanted, found = _lines(gold), _lines(system)
    by_id = {str(row["id"]): row for _, row in wanted if row.get("id")}
    if len(wanted) != len(found) and not by_id:
        raise AlignmentError(
            f"{len(found)} pairs, but {gold} has {len(wanted)}", Where(system), "score the same pairs in the same order"
        )
    scores = {"all": PhraseScore(), "multiword": PhraseScore()}
    for k, (where, row) in enumerate(found):
        answer = _gold(row, where)[0]
        key = str(row.get("id") or "")
        partner = by_id.get(key) if key and key in by_id else wanted[k][1] if k < len(wanted) else None
        if partner is None:
            raise AlignmentError(f"{gold} has no pair '{key}'", where)
        tight, loose = _gold(partner, where)
        scores["all"].add(constituent_row(answer, tight, loose))
        scores["multiword"].add(constituent_row(answer, tight, loose, "both"))
    return scores


def against_annotators(gold: str, system: str) -> dict[str, PhraseScore]:
    """ALIR and ALIP against three annotators, by surface strings, with nulls and without."""
    found = _lines(system)
    names = sorted(path.name[2:] for path in Path(gold).glob("s-*.xml"))
    rows = []
    for name in names:
        sides = [Path(gold) / f"{side}-{name}" for side in "st"]
        trees = [next(iter(enju.load(path))) for path in sides]
        links = [enju.load_links(path)[0] for path in sides]
        assert trees[0] is not None
        assert trees[1] is not None
        rows.append((trees[0], trees[1], annotated(trees[0], trees[1], links[0], links[1])))
    if len(rows) != len(found):
        raise AlignmentError(
            f"{len(found)} pairs, but {gold} has {len(rows)}", Where(system), "score the same pairs in the same order"
        )
    both: dict[str, list[Any]] = {"with nulls": [], "without nulls": []}
    for (src, tgt, people), (where, row) in zip(rows, found, strict=True):
        full = PhrasePairs.complete(_gold(row, where)[0], from_tree(src), from_tree(tgt))
        for name, nulls in (("with nulls", True), ("without nulls", False)):
            kept = people if nulls else [frozenset(x for x in one if "---" not in x) for one in people]
            both[name].append((full.texts(src.forms, tgt.forms, nulls=nulls), kept))
    return {name: ali_score(parts) for name, parts in both.items()}

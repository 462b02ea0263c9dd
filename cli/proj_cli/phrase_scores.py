"""`proj evaluate --phrases`: phrase pairs against gold pairs, or against annotators (SPADE, ESPADA)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proj_cli import common

if TYPE_CHECKING:
    from divproj.evaluate.phrases import PhraseScore

Quads = frozenset[tuple[int, int, int, int]]
Gold = tuple[Quads, Quads]
"""Tight pairs, for recall, and loose ones, for precision."""


def evaluate_phrases(gold: str, system: str, other: str | None, seed: int, as_json: bool) -> None:
    """Scores of what `proj align` wrote; GOLD is JSON lines, or a folder with s-*.xml and t-*.xml."""
    from divproj.evaluate.phrases import significance

    score = _annotated if Path(gold).is_dir() else _constituents
    scores = {path: score(gold, path) for path in (system, *([other] if other else []))}
    sign = common.signature(cmd="evaluate-phrases", seed=seed)
    p = {}
    if other:
        p = {name: significance(scores[system][name], scores[other][name], seed=seed) for name in scores[system]}
    if as_json:
        found = {path: {name: part.as_json() for name, part in parts.items()} for path, parts in scores.items()}
        print(json.dumps({"signature": sign, **found, **({"p": p} if other else {})}, ensure_ascii=False))  # noqa: T201
        return
    console = common.stdout()
    shown = common.table("Phrase pairs, percent", "", "pairs", "recall", "precision", "F1", "found", "wanted", left=2)
    for path, parts in scores.items():
        for name, part in parts.items():
            numbers = part.as_json()
            shown.add_row(common.harmless(path), name, *(f"{numbers[k]:.2f}" for k in ("recall", "precision", "f1")), str(numbers["given"]), str(numbers["wanted"]))  # fmt: skip
    console.print(shown)
    for name, value in p.items():
        console.print(f"{name}: p = {value:.4f}", highlight=False)
    console.print(sign, highlight=False, soft_wrap=True)


def gold_rows(path: Path) -> list[Gold]:
    """Gold pairs of each line: `tight` and `loose` [s0, s1, t0, t1], or `pairs` as `proj align` writes them."""
    return [_gold(row, where) for where, row in _lines(str(path))]


def _lines(path: str) -> list[tuple[Any, dict[str, Any]]]:
    from divproj.errors import FormatError, Where
    from divproj.io.files import name_of, reading

    made = []
    with reading(path) as stream:
        for number, raw in enumerate(stream, 1):
            if not raw.strip():
                continue
            where = Where(name_of(path), number)
            try:
                row = json.loads(raw)
            except ValueError as error:
                raise FormatError(f"not JSON: {error}", where) from None
            if not isinstance(row, dict):
                raise FormatError("a JSON object expected", where)
            made.append((where, row))
    return made


def _gold(row: dict[str, Any], where: Any) -> Gold:
    from divproj.errors import FormatError

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


def metric(gold: Sequence[Gold], places: Sequence[int], multiword: str, name: str) -> Callable[[Sequence[Any]], float]:
    """F1 of alignments of the pairs at these places."""
    from divproj.errors import AlignmentError, Where
    from divproj.evaluate.phrases import PhraseScore, constituent_row

    if places and places[-1] >= len(gold):
        raise AlignmentError(f"gold for {len(gold)} pairs, but there are {places[-1] + 1}", Where(name))

    def score(alignments: Sequence[Any]) -> float:
        total = PhraseScore()
        for place, alignment in zip(places, alignments, strict=True):
            total.add(constituent_row({(*p.src, *p.tgt) for p in alignment.visible}, *gold[place], multiword))
        return total.f1

    return score


def _constituents(gold: str, system: str) -> dict[str, PhraseScore]:
    from divproj.errors import AlignmentError, Where
    from divproj.evaluate.phrases import PhraseScore, constituent_row

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


def _annotated(gold: str, system: str) -> dict[str, PhraseScore]:
    """ALIR and ALIP against three annotators, by surface strings, with nulls and without."""
    from divproj.errors import AlignmentError, Where
    from divproj.evaluate.phrases import PhrasePairs, ali_score, annotated
    from divproj.forest.build import from_tree
    from divproj.io import enju

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

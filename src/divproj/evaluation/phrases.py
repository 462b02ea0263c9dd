"""Phrase pairs against gold: the paper's ALIR and ALIP, constituent pairs, node links, word links kept, reachability.

A system's answer is `PhrasePairs`: spans (start, end, start, end), ends exclusive, counted from 0, and the phrases left
alone. `against_constituents` and `against_annotators` (SPADE, ESPADA) score files.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import AlignmentError, FormatError, Where, why
from divproj.forest.build import from_tree
from divproj.forest.hypergraph import Forest
from divproj.forest.trees import PhraseTree
from divproj.io.files import name_of, reading
from divproj.io.trees import enju

Span = tuple[int, int]
Quad = tuple[int, int, int, int]
Texts = frozenset[tuple[str, str]]
"""Pairs of phrases as text; `NULL` on one side for a phrase left alone."""
Annotations = Mapping[str, Mapping[str, Sequence[str]]]
"""annotator -> id of a phrase -> ids of its partners, as `io.enju.load_links` reads them"""
NULL = "---"
NO_PARTNER = "-1"


@dataclass(frozen=True)
class PhrasePairs:
    """Aligned phrases and, on each side, phrases without a partner."""

    pairs: frozenset[Quad]
    src_nulls: frozenset[Span] = frozenset()
    tgt_nulls: frozenset[Span] = frozenset()

    @classmethod
    def complete(cls, pairs: Iterable[Quad], src: Forest, tgt: Forest) -> PhrasePairs:
        """The pairs, and every phrase of the two trees (virtual ones aside) that is in none as a null."""
        kept = frozenset(pairs)
        used = {p[:2] for p in kept}, {p[2:] for p in kept}
        nulls = [
            frozenset(node.span for node in forest.nodes if not node.virtual and node.span not in spans)
            for forest, spans in zip((src, tgt), used, strict=True)
        ]
        return cls(kept, nulls[0], nulls[1])

    def texts(self, src: Sequence[str], tgt: Sequence[str], *, nulls: bool = True) -> Texts:
        """As the author's scorer compares them: by the words of the phrases.

        >>> sorted(PhrasePairs(frozenset({(0, 1, 0, 2)}), tgt_nulls=frozenset({(0, 1)})).texts(["x"], ["a", "b"]))
        [('---', 'a'), ('x', 'a b')]
        """
        text_pairs = {(" ".join(src[a:b]), " ".join(tgt[c:d])) for a, b, c, d in self.pairs}
        if nulls:
            text_pairs |= {(" ".join(src[a:b]), NULL) for a, b in self.src_nulls}
            text_pairs |= {(NULL, " ".join(tgt[a:b])) for a, b in self.tgt_nulls}
        return frozenset(text_pairs)


@dataclass
class PhraseScore:
    """Counts a sentence: for each gold standard (one, or one for each two annotators) found and wanted, right and given."""

    rows: list[NDArray[np.int64]] = field(default_factory=list)

    def add(self, *golds: tuple[int, int, int, int]) -> None:
        """(found of what is wanted, wanted, right of what is given, given) against each gold standard."""
        self.rows.append(np.array(golds, dtype=np.int64))

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.stack(self.rows) if self.rows else np.zeros((0, 1, 4), np.int64)

    @property
    def recall(self) -> float:
        return float(_scores(self.counts.sum(axis=0))[0])

    @property
    def precision(self) -> float:
        return float(_scores(self.counts.sum(axis=0))[1])

    @property
    def f1(self) -> float:
        return float(_scores(self.counts.sum(axis=0))[2])

    def as_json(self) -> dict[str, Any]:
        hits, wanted, right, given = (int(x) for x in self.counts.sum(axis=(0, 1)))
        said = {"recall": self.recall, "precision": self.precision, "f1": self.f1, "sentences": len(self.rows)}
        return {**said, "found": hits, "wanted": wanted, "right": right, "given": given}


def _scores(totals: NDArray[Any]) -> NDArray[np.float64]:
    """Recall, precision and their harmonic mean in per cent from totals (…, gold standards, 4), averaged over the standards."""
    whole = totals.astype(float)
    shares = [np.where(whole[..., k + 1] > 0, 100 * whole[..., k] / np.maximum(whole[..., k + 1], 1e-9), 100.0) for k in (0, 2)]
    r, p = (share.mean(axis=-1) for share in shares)
    f1 = np.where(r + p > 0, 2 * r * p / np.maximum(r + p, 1e-9), 0.0)
    return np.stack([r, p, f1])


def significance(a: PhraseScore, b: PhraseScore, measure: str = "f1", *, rounds: int = 10_000, seed: int = 0) -> float:
    """p-value of the difference in `recall`, `precision` or `f1`, sentences exchanged at random (Noreen 1989).

    >>> one = PhraseScore([np.array([[1, 1, 1, 1]])] * 8)
    >>> significance(one, one)
    1.0
    """
    if len(a.rows) != len(b.rows):
        raise ValueError(f"{len(a.rows)} and {len(b.rows)} sentences, the same number expected")
    which = ("recall", "precision", "f1").index(measure)
    left, right = a.counts.astype(float), b.counts.astype(float)
    shape = left.shape[1:]

    def difference(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.abs(_scores(x)[which] - _scores(y)[which]))

    seen = difference(left.sum(axis=0), right.sum(axis=0))
    flat = (right - left).reshape(len(left), -1)
    probability = np.random.default_rng(seed)
    at_least = 0
    for start in range(0, rounds, 500):
        size = min(500, rounds - start)
        moved = ((probability.random((size, len(left))) < 0.5) @ flat).reshape(size, *shape)
        at_least += int((difference(left.sum(axis=0) + moved, right.sum(axis=0) - moved) >= seen - 1e-9).sum())
    return (at_least + 1) / (rounds + 1)


def annotator_texts(src: PhraseTree, tgt: PhraseTree, src_links: Annotations, tgt_links: Annotations) -> tuple[Texts, ...]:
    """What each annotator of a SPADE or ESPADA pair aligned, phrases and nulls, as text.

    An annotator's links are those written on either side; a phrase without any is a null. Unknown ids are left out.
    """
    sides = [{node.id: " ".join(tree.forms[node.start : node.end]) for node in tree.nodes if node.id} for tree in (src, tgt)]
    by_annotator = []
    for name in sorted(set(src_links) | set(tgt_links)):
        texts: set[tuple[str, str]] = set()
        for side, links in enumerate((src_links, tgt_links)):
            for node, here in sides[side].items():
                for partner in links.get(name, {}).get(node, ()) or (NO_PARTNER,):
                    there = NULL if partner == NO_PARTNER else sides[1 - side].get(partner)
                    if there is not None:
                        texts.add((here, there) if side == 0 else (there, here))
        by_annotator.append(frozenset(texts))
    return tuple(by_annotator)


def ali_row(system: Texts, annotators: Sequence[Texts]) -> list[tuple[int, int, int, int]]:
    """Counts of one sentence for ALIR and ALIP (Arase & Tsujii 2017, section 6.3), for each two annotators G, G′:

    R = |H ∩ (G ∩ G′)| / |G ∩ G′|,  P = |H ∩ (G ∪ G′)| / |H|
    """
    return [(len(system & (g & h)), len(g & h), len(system & (g | h)), len(system)) for g, h in combinations(annotators, 2)]


def ali_score(sentences: Iterable[tuple[Texts, Sequence[Texts]]]) -> PhraseScore:
    """ALIR (`recall`), ALIP (`precision`) and ALIF (`f1`), micro over sentences and averaged over pairs of annotators."""
    score = PhraseScore()
    for system, annotators in sentences:
        score.add(*ali_row(system, annotators))
    return score


def human_score(sentences: Iterable[Sequence[Texts]]) -> PhraseScore:
    """Each of three annotators as a system, the other two as gold."""
    score = PhraseScore()
    for annotators in sentences:
        rows = []
        for k, one in enumerate(annotators):
            rows += ali_row(one, [other for j, other in enumerate(annotators) if j != k])
        score.add(*rows)
    return score


def is_multiword(pair: Quad, sides: str = "both") -> bool:
    """Whether both phrases (or `either`) have more than one word."""
    long = (pair[1] - pair[0] > 1, pair[3] - pair[2] > 1)
    return all(long) if sides == "both" else any(long)


def constituent_row(
    system: Collection[Quad], tight: Collection[Quad], loose: Collection[Quad], multiword: str = ""
) -> tuple[int, int, int, int]:
    """Recall against tight gold pairs, precision against loose ones; `multiword`: "" for all pairs, both or either.

    >>> constituent_row({(0, 2, 0, 2), (0, 1, 1, 2)}, {(0, 2, 0, 2)}, {(0, 2, 0, 2), (0, 1, 0, 1)})
    (1, 1, 1, 2)
    """
    sets = [
        set(pairs) if not multiword else {p for p in pairs if is_multiword(p, multiword)} for pairs in (system, tight, loose)
    ]
    return len(sets[0] & sets[1]), len(sets[1]), len(sets[0] & (sets[1] | sets[2])), len(sets[0])


def node_quads(
    links: Iterable[tuple[str, str, str]], src: Forest, tgt: Forest, kinds: Collection[str] = ("good", "fuzzy")
) -> tuple[frozenset[Quad], int]:
    """Gold links between named nodes as spans, and how many name a node that the forests do not have."""
    spans = [{name: node.span for node in forest.nodes for name in node.ids if name} for forest in (src, tgt)]
    quads, lost = set(), 0
    for kind, one, two in links:
        if kind not in kinds:
            continue
        if one in spans[0] and two in spans[1]:
            quads.add((*spans[0][one], *spans[1][two]))
        else:
            lost += 1
    return frozenset(quads), lost


def node_row(
    system: Collection[Quad], sure: Collection[Quad], possible: Collection[Quad], multiword: str = ""
) -> tuple[int, int, int, int]:
    """Node links: recall against sure (good) links, precision against all."""
    return constituent_row(system, sure, possible, multiword)


def links_kept(system: Collection[Quad], sure: Collection[tuple[int, int]]) -> tuple[int, int]:
    """How many of the word links (counted from 0) are pairs of the answer, and how many there are.

    >>> links_kept({(0, 1, 2, 3)}, {(0, 2), (1, 1)})
    (1, 2)
    """
    words = {(a, c) for a, b, c, d in system if b - a == 1 and d - c == 1}
    return len(words & set(sure)), len(set(sure))


def reachable(
    src: Forest, tgt: Forest, links: Iterable[tuple[int, int]], final: tuple[Collection[int], Collection[int]] = ((), ())
) -> bool:
    """Whether the roots can be aligned: two links whose words lie in different children of both roots.

    `final` are words that do not count (final punctuation): links of theirs are left out, and while a child of the root has
    nothing else, the root is taken to be the other child.
    """
    usable = [(i, j) for i, j in links if i not in final[0] and j not in final[1]]
    tops = _splits(src, set(final[0])), _splits(tgt, set(final[1]))
    for a in tops[0]:
        for b in tops[1]:
            quarters = {(i < a, j < b) for i, j in usable}
            if {(True, True), (False, False)} <= quarters or {(True, False), (False, True)} <= quarters:
                return True
    return False


def _splits(forest: Forest, final: set[int]) -> set[int]:
    """Where the root, or what is below it without the words in `final`, may be divided in two."""
    positions: set[int] = set()
    stack, seen = [forest.root], {forest.root}
    while stack:
        for k in forest.edges_of[stack.pop()]:
            edge = forest.edges[k]
            only = [x for x in (edge.left, edge.right) if set(range(*forest.nodes[x].span)) <= final]
            if not only:
                positions.add(forest.nodes[edge.left].end)
            for x in {edge.left, edge.right} - set(only) if only else ():
                if x not in seen:
                    seen.add(x)
                    stack.append(x)
    return positions


Quads = frozenset[tuple[int, int, int, int]]
Gold = tuple[Quads, Quads]
"""Tight pairs, for recall, and loose ones, for precision."""


def gold_rows(path: Path) -> list[Gold]:
    """Gold pairs of each line: `tight` and `loose` [s0, s1, t0, t1], or `pairs` as `proj align` writes them."""
    return [_gold(row, where) for where, row in _lines(str(path))]


def _lines(path: str) -> list[tuple[Any, dict[str, Any]]]:
    rows = []
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
            rows.append((where, row))
    return rows


def _gold(row: dict[str, Any], where: Any) -> Gold:
    try:
        if "tight" in row:
            tight = _quads(row["tight"])
            return tight, tight | _quads(row.get("loose", []))
        return (quads := _quads([*x["source"], *x["target"]] for x in row["pairs"])), quads
    except (KeyError, TypeError, ValueError):
        message = "no gold pairs: `tight` [[s0, s1, t0, t1], …] or `pairs` [{source: [s0, s1], target: [t0, t1]}, …] expected"
        raise FormatError(message, where) from None


def _quads(rows: Any) -> Quads:
    quads = set()
    for row in rows:
        a, b, c, d = (int(x) for x in row)
        quads.add((a, b, c, d))
    return frozenset(quads)


def against_constituents(gold: str, system: str) -> dict[str, PhraseScore]:
    """All pairs and those of several words, against tight and loose gold pairs."""
    wanted, system_rows = _lines(gold), _lines(system)
    by_id = {str(row["id"]): row for _, row in wanted if row.get("id")}
    if len(wanted) != len(system_rows) and not by_id:
        raise AlignmentError(
            f"{len(system_rows)} pairs, but {gold} has {len(wanted)}", Where(system), "score the same pairs in the same order"
        )
    scores = {"all": PhraseScore(), "multiword": PhraseScore()}
    for k, (where, row) in enumerate(system_rows):
        answer = _gold(row, where)[0]
        key = str(row.get("id") or "")
        partner = by_id.get(key) if key and key in by_id else wanted[k][1] if k < len(wanted) else None
        if partner is None:
            raise AlignmentError(f"{gold} has no pair '{key}'", where)
        tight, loose = _gold(partner, where)
        scores["all"].add(constituent_row(answer, tight, loose))
        scores["multiword"].add(constituent_row(answer, tight, loose, "both"))
    return scores


def spade_rows(place: Path) -> list[tuple[PhraseTree, PhraseTree, tuple[Texts, ...]]]:
    """Trees of both sides, and what each annotator aligned, of a folder with s-*.xml and t-*.xml."""
    rows = []
    for name in sorted(path.name[2:] for path in place.glob("s-*.xml")):
        sides = [place / f"{side}-{name}" for side in "st"]
        trees = [next(iter(enju.load(path))) for path in sides]
        links = [enju.load_links(path)[0] for path in sides]
        assert trees[0] is not None
        assert trees[1] is not None
        rows.append((trees[0], trees[1], annotator_texts(trees[0], trees[1], links[0], links[1])))
    return rows


def against_annotators(gold: str, system: str) -> dict[str, PhraseScore]:
    """ALIR and ALIP against three annotators, by surface strings, with nulls and without."""
    system_rows, rows = _lines(system), spade_rows(Path(gold))
    if len(rows) != len(system_rows):
        raise AlignmentError(
            f"{len(system_rows)} pairs, but {gold} has {len(rows)}", Where(system), "score the same pairs in the same order"
        )
    both: dict[str, list[Any]] = {"with nulls": [], "without nulls": []}
    for (src, tgt, people), (where, row) in zip(rows, system_rows, strict=True):
        full = PhrasePairs.complete(_gold(row, where)[0], from_tree(src), from_tree(tgt))
        for name, nulls in (("with nulls", True), ("without nulls", False)):
            kept = people if nulls else [frozenset(x for x in one if "---" not in x) for one in people]
            both[name].append((full.texts(src.forms, tgt.forms, nulls=nulls), kept))
    return {name: ali_score(parts) for name, parts in both.items()}

"""Attachment scores of trees against gold (overall, by part of speech, by source of the edge, by confidence), and link scores.

`score_trees` is UAS and LAS, `scored_pairs` reads the trees of two files. `LinkScore` has precision, recall, F1 and alignment
error rate of word links, with sure and possible gold links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from divproj.core.errors import AlignmentError, Faults
from divproj.core.links import Links
from divproj.core.options import EvaluateOptions
from divproj.core.sentence import confidence_of, misc_value
from divproj.core.tree import DepTree
from divproj.io.trees import conllu, pharaoh
from divproj.text.tokens import normal_form

BINS = 10


@dataclass
class Score:
    """Words scored, right heads, right heads with the right relation."""

    total: int = 0
    heads: int = 0
    labelled: int = 0

    def add(self, head: bool, label: bool) -> None:
        self.total += 1
        self.heads += head
        self.labelled += head and label

    def merge(self, other: Score) -> None:
        self.total += other.total
        self.heads += other.heads
        self.labelled += other.labelled

    @property
    def uas(self) -> float:
        """Percent of words with the right head.

        >>> Score(4, 3, 2).uas
        75.0
        """
        return 100 * self.heads / self.total if self.total else 0.0

    @property
    def las(self) -> float:
        return 100 * self.labelled / self.total if self.total else 0.0

    def as_json(self) -> dict[str, Any]:
        return {"uas": self.uas, "las": self.las, "correct": self.heads, "labelled": self.labelled, "total": self.total}


@dataclass
class TreeScores:
    """All scores of one system; `sentences` has (right heads, words) of each, for significance tests."""

    overall: Score = field(default_factory=Score)
    by_pos: dict[str, Score] = field(default_factory=dict)
    by_source: dict[str, Score] = field(default_factory=dict)
    by_confidence: list[Score] = field(default_factory=lambda: [Score() for _ in range(BINS)])
    confidence: list[float] = field(default_factory=lambda: [0.0] * BINS)
    sentences: list[tuple[int, int]] = field(default_factory=list)

    @property
    def uas(self) -> float:
        """Percent of words with the right head."""
        return self.overall.uas

    @property
    def las(self) -> float:
        """Percent of words with the right head and relation; subtypes of relations count only where that was requested."""
        return self.overall.las

    def calibration_error(self) -> float | None:
        """Expected calibration error: mean distance of confidence and accuracy over bins; None without confidences."""
        total = sum(score.total for score in self.by_confidence)
        if not total:
            return None
        return sum(abs(s.heads - c) for s, c in zip(self.by_confidence, self.confidence, strict=True)) / total

    def as_json(self) -> dict[str, Any]:
        return {
            **self.overall.as_json(),
            "by_pos": {name: score.as_json() for name, score in sorted(self.by_pos.items())},
            "by_source": {name: score.as_json() for name, score in sorted(self.by_source.items())},
            "calibration": [
                {"confidence": c / s.total, "uas": s.uas, "total": s.total}
                for s, c in zip(self.by_confidence, self.confidence, strict=True)
                if s.total
            ],
            "calibration_error": self.calibration_error(),
        }


def is_punctuation(form: str, upos: str = "_") -> bool:
    """By the gold tag, or by the form where there is no tag.

    >>> is_punctuation("..."), is_punctuation("ok"), is_punctuation("%", "SYM")
    (True, False, False)
    """
    return upos == "PUNCT" if upos != "_" else not any(map(str.isalnum, form))


def score_trees(
    pairs: Iterable[tuple[DepTree, DepTree, Sequence[str], Sequence[float]]],
    *,
    punctuation: bool = EvaluateOptions.punctuation,
    subtypes: bool = EvaluateOptions.subtypes,
) -> TreeScores:
    """Return scores over (gold, system, source of each edge, confidence of each edge); the last two may be empty.

    The root word counts; words without a gold head do not. LAS compares universal relations, as the CoNLL 2018 shared task does, or
    relations with their `subtypes`; this is the one definition behind `proj evaluate`, `proj experiment`, `proj run` and `dp.evaluate`.
    """
    scores = TreeScores()
    for gold, system, sources, confidence in pairs:
        right = words = 0
        for k, (head, system_head) in enumerate(zip(gold.heads, system.heads, strict=True)):
            tag = gold.upos[k] if gold.upos else "_"
            if head < 0 or (not punctuation and is_punctuation(gold.forms[k], tag)):
                continue
            same = head == system_head
            label = bool(gold.deprels and system.deprels) and _label(gold.deprels[k], subtypes) == _label(
                system.deprels[k], subtypes
            )
            words += 1
            right += same
            scores.overall.add(same, label)
            scores.by_pos.setdefault(tag, Score()).add(same, label)
            if sources:
                scores.by_source.setdefault(sources[k], Score()).add(same, label)
            if confidence:
                at = min(BINS - 1, int(confidence[k] * BINS))
                scores.by_confidence[at].add(same, label)
                scores.confidence[at] += confidence[k]
        scores.sentences.append((right, words))
    return scores


def las_kind(subtypes: bool) -> str:
    """Return what LAS compares, for signatures: universal relations, or relations with their subtypes."""
    return "subtypes" if subtypes else "universal"


def _label(rel: str, subtypes: bool) -> str:
    return rel if subtypes else rel.partition(":")[0]


def scored_pairs(
    gold_path: str, system_path: str, faults: Faults
) -> Iterator[tuple[DepTree, DepTree, tuple[str, ...], tuple[float, ...]]]:
    """Yield (gold tree, system tree, source of each edge, confidence) for each sentence of two files of the same text."""
    for gold, system in zip_longest(conllu.load(gold_path, faults), conllu.load(system_path, faults)):
        if gold is None or system is None:
            shorter = system_path if system is None else gold_path
            raise AlignmentError(f"{shorter} has fewer sentences than its partner", remedy="score files of the same text")
        if gold.forms != system.forms and _bare(gold.forms) != _bare(system.forms):
            raise AlignmentError(
                f"the words differ from {gold.where}: {' '.join(system.forms[:8])} … for {' '.join(gold.forms[:8])} …",
                system.where,
                "score files of the same text in the same order",
            )
        misc = system.column(9)
        sources = tuple(misc_value(cell, "Proj") for cell in misc)
        texts = [confidence_of(cell) for cell in misc]
        confidence = tuple(float(t) for t in texts) if all(t.replace(".", "", 1).isdecimal() for t in texts) else ()
        yield gold.usable_tree()[0], system.usable_tree()[0], sources if any(sources) else (), confidence


def _bare(forms: tuple[str, ...]) -> list[str]:
    """Words without morpheme boundaries, characters composed: interlinear lines are often segmented, and UD wants composed ones."""
    return [normal_form("NFC", "".join(c for c in form if c not in "-=~").lower()) for form in forms]


@dataclass
class LinkScore:
    """Counts behind Och & Ney's measures: A found, S sure, A∩S, A∩P (sure links are possible too)."""

    system: int = 0
    sure: int = 0
    found_sure: int = 0
    found_possible: int = 0

    def add(self, gold: Links, system: Links) -> None:
        self.system += len(system.links)
        self.sure += len(gold.sure)
        self.found_sure += len(system.links & gold.sure)
        self.found_possible += len(system.links & gold.links)

    @property
    def precision(self) -> float:
        return 100 * self.found_possible / self.system if self.system else 100.0

    @property
    def recall(self) -> float:
        return 100 * self.found_sure / self.sure if self.sure else 100.0

    @property
    def f1(self) -> float:
        """
        >>> LinkScore(system=4, sure=4, found_sure=3, found_possible=3).f1
        75.0
        """
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    @property
    def aer(self) -> float:
        """Och & Ney (2003):  AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|)"""
        both = self.system + self.sure
        return 1 - (self.found_sure + self.found_possible) / both if both else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aer": self.aer,
            "found": self.system,
            "sure": self.sure,
        }


def score_links(pairs: Iterable[tuple[Links, Links]]) -> LinkScore:
    """Micro-averaged over (gold, system)."""
    score = LinkScore()
    for gold, system in pairs:
        score.add(gold, system)
    return score


def score_files(gold: str, system: str) -> LinkScore:
    """Links of a Pharaoh file against gold ones, line by line."""
    score = LinkScore()
    for gold_line, other in zip_longest(pharaoh.load(gold), pharaoh.load(system)):
        if gold_line is None or other is None:
            raise AlignmentError(f"{system if other is None else gold} has fewer lines than its partner")
        score.add(*(pharaoh.parse(line, (1 << 30, 1 << 30), where) for where, line in (gold_line, other)))
    return score

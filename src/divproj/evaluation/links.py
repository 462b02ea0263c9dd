"""Word links against gold: precision, recall, F1 and alignment error rate, with sure and possible links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from divproj.data.errors import AlignmentError
from divproj.data.links import Links
from divproj.io import pharaoh


@dataclass
class LinkScore:
    """Counts behind Och & Ney's measures: A found, S sure, A∩S, A∩P (sure links are possible too)."""

    found: int = 0
    sure: int = 0
    found_sure: int = 0
    found_possible: int = 0

    def add(self, gold: Links, system: Links) -> None:
        self.found += len(system.links)
        self.sure += len(gold.sure)
        self.found_sure += len(system.links & gold.sure)
        self.found_possible += len(system.links & gold.links)

    @property
    def precision(self) -> float:
        return 100 * self.found_possible / self.found if self.found else 100.0

    @property
    def recall(self) -> float:
        return 100 * self.found_sure / self.sure if self.sure else 100.0

    @property
    def f1(self) -> float:
        """
        >>> LinkScore(found=4, sure=4, found_sure=3, found_possible=3).f1
        75.0
        """
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    @property
    def aer(self) -> float:
        """Och & Ney (2003):  AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|)"""
        both = self.found + self.sure
        return 1 - (self.found_sure + self.found_possible) / both if both else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aer": self.aer,
            "found": self.found,
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
    for own, other in zip_longest(pharaoh.load(gold), pharaoh.load(system)):
        if own is None or other is None:
            raise AlignmentError(f"{system if other is None else gold} has fewer lines than its partner")
        score.add(*(pharaoh.parse(line, (1 << 30, 1 << 30), where) for where, line in (own, other)))
    return score

"""What a command that makes trees has done, in a few lines: counted while sentences stream, the same as text and as JSON."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

from divproj.projection.direct import Projection
from divproj.projection.expected import CALIBRATIONS, Expected, told

DOUBTFUL = 5
"""Sentences that are named as those to look at first."""
WEAK = 0.5
"""A sentence whose words are less sure than this, on average, is doubtful."""
NOTHING_PROJECTED = 3
"""Exit code when trees were asked for and every one of them is a guess."""


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "sentence"), plural(1276, "sentence")
    ('1 sentence', '1,276 sentences')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


@dataclass
class Summary:
    """Sentences by what became of them; only those with a translation and links count as projected."""

    system: str = ""
    why: str = ""
    """How the system came to be the one: asked for, or the best that what is there allows."""
    least: float = 0.0
    """Coverage below which a tree is left out."""
    projected: int = 0
    untranslated: int = 0
    unlinked: int = 0
    left_out: int = 0
    """Left out with faults."""
    uncovered: int = 0
    """Left out for their coverage."""
    words: int = 0
    linked: int = 0
    judged: int = 0
    sure: float = 0.0
    """Sum of confidences."""
    chance: float = 0.0
    """Sum of calibrated probabilities over the words of projected sentences."""
    mapped: int = 0
    weak: int = 0
    doubtful: list[tuple[float, str]] = field(default_factory=list)
    expected: Expected | None = None
    """Known from gold sentences; without it the calibration speaks."""

    def add(self, found: Projection, name: str = "") -> bool:
        """Count a tree; False when its coverage is too low for it to be written."""
        if found.coverage < self.least:
            self.uncovered += 1
            return False
        self.words += len(found.bitext)
        self.linked += sum(1 for anchor in found.bitext.anchors if anchor)
        if not len(found.bitext.e):
            self.untranslated += 1
        elif not len(found.bitext.links):
            self.unlinked += 1
        else:
            self.projected += 1
            self._judge(found, name or found.bitext.sent_id or f"“{' '.join(found.bitext.forms[:4])} …”")
        return True

    def _judge(self, found: Projection, name: str) -> None:
        if calibration := CALIBRATIONS.get(self.system):
            self.chance += sum(map(calibration.chance, told(found)))
            self.mapped += len(found.bitext)
        if not found.confidence:
            return
        self.judged += len(found.confidence)
        self.sure += sum(found.confidence)
        mean = sum(found.confidence) / len(found.confidence)
        self.weak += mean < WEAK
        self._doubt([*self.doubtful, (mean, name)])

    def _doubt(self, found: list[tuple[float, str]]) -> None:
        self.doubtful = heapq.nsmallest(DOUBTFUL, found)

    def merge(self, other: Summary) -> None:
        """Add what another process has counted."""
        for name in (
            "projected", "untranslated", "unlinked", "left_out", "uncovered", "words", "linked", "judged", "sure", "chance",
            "mapped", "weak",
        ):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self._doubt([*self.doubtful, *other.doubtful])

    @property
    def guessed(self) -> int:
        """Trees that nothing was projected into: chains of words."""
        return self.untranslated + self.unlinked

    @property
    def written(self) -> int:
        return self.projected + self.guessed

    @property
    def coverage(self) -> float:
        return self.linked / self.words if self.words else 0.0

    @property
    def accuracy(self) -> Expected | None:
        """What is expected of the heads of projected sentences."""
        if self.expected or not self.mapped:
            return self.expected
        calibration = CALIBRATIONS[self.system]
        return Expected(self.chance / self.mapped, calibration.error, calibration.source)

    @property
    def exit_code(self) -> int:
        """
        >>> Summary(untranslated=3).exit_code, Summary(projected=1, untranslated=3).exit_code
        (3, 0)
        """
        return NOTHING_PROJECTED if self.guessed and not self.projected else 0

    def lines(self) -> list[str]:
        """As text, one fact per line."""
        by = f" by {self.system}" if self.system else ""
        made = [f"{plural(self.projected, 'sentence')} projected{by}" + (f" ({self.why})" if self.why else "")]
        for count, what in (
            (self.untranslated, "without a translation: the tree is a guess, each word hangs on the one before it"),
            (self.unlinked, "without links: the tree is a guess"),
            (self.uncovered, f"left out: fewer than {100 * self.least:.0f} % of the words are linked"),
            (self.left_out, "left out with faults"),
        ):
            if count:
                made.append(f"{plural(count, 'sentence')} {what}")
        if self.written:
            made.append(f"{100 * self.coverage:.0f} % of {plural(self.words, 'word')} linked")
        if self.projected:
            known = self.accuracy
            made.append(f"expected to be right: {known if known else 'not known; `proj review` tells after a few corrections'}")
        if self.doubtful:
            names = ", ".join(name for _, name in self.doubtful)
            low = f"{plural(self.weak, 'sentence')} below {100 * WEAK:.0f} % confidence; " if self.weak else ""
            made.append(f"to look at first: {low}least sure {names}")
        return made

    def as_json(self) -> dict[str, Any]:
        known = self.accuracy
        return {
            "system": self.system,
            "why": self.why,
            "projected": self.projected,
            "without_translation": self.untranslated,
            "without_links": self.unlinked,
            "left_out": {"faults": self.left_out, "coverage": self.uncovered},
            "words": self.words,
            "coverage": round(self.coverage, 4),
            "mean_confidence": round(self.sure / self.judged, 4) if self.judged else None,
            "expected": known.as_json() if known else None,
            "below_half": self.weak,
            "doubtful": [name for _, name in self.doubtful],
            "exit_code": self.exit_code,
        }

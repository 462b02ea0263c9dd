"""What `proj parse` has done, in a few lines: counted while sentences stream, the same as text and as JSON."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from divproj.data.sentence import Sentence, confidence_of
from divproj.data.wording import plural
from divproj.parsing.settings import WEAK_SENTENCE

DOUBTFUL = 5
"""Sentences that are named as those to look at first."""


@dataclass(kw_only=True)
class Judged:
    """How sure a parser or a projection is of its heads, and of which sentences least."""

    judged: int = 0
    sure: float = 0.0
    """Sum of confidences."""
    weak: int = 0
    doubtful: list[tuple[float, str]] = field(default_factory=list)

    def judge(self, sure: Sequence[float], sent_id: str, forms: Sequence[str]) -> None:
        """Count the confidences of a sentence, which is named by its id or its first words."""
        if not sure:
            return
        self.judged += len(sure)
        self.sure += sum(sure)
        mean = sum(sure) / len(sure)
        self.weak += mean < WEAK_SENTENCE
        one = (mean, sent_id or f"“{' '.join(forms[:4])} …”")
        if len(self.doubtful) < DOUBTFUL or one < self.doubtful[-1]:
            self.doubtful = heapq.nsmallest(DOUBTFUL, [*self.doubtful, one])

    def add_counts(self, other: Judged, *counts: str) -> None:
        """Add what another process has counted, under these names too."""
        for name in ("judged", "sure", "weak", *counts):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.doubtful = heapq.nsmallest(DOUBTFUL, [*self.doubtful, *other.doubtful])

    def look_first(self) -> list[str]:
        """The line that names the sentences to look at first, where there are any."""
        low = f"{plural(self.weak, 'sentence')} below {100 * WEAK_SENTENCE:.0f} % confidence; " if self.weak else ""
        names = ", ".join(name for _, name in self.doubtful)
        return [f"to look at first: {low}least sure {names}"] if self.doubtful else []

    @property
    def mean_confidence(self) -> float | None:
        return round(self.sure / self.judged, 4) if self.judged else None


@dataclass
class ParseSummary(Judged):
    """Sentences that were parsed, and how sure the parser is of their heads."""

    parser: str = ""
    calibration_error: float | None = None
    """How far confidences were from the share of right heads on gold trees; None where nobody has looked."""
    parsed: int = 0
    left_out: int = 0
    words: int = 0

    def add(self, sentences: Sequence[Sentence]) -> ParseSummary:
        """Count parsed sentences; `ParseConf=` in MISC says how sure the parser is."""
        for sentence in sentences:
            self.parsed += 1
            self.words += len(sentence.forms)
            texts = [confidence_of(cell) for cell in sentence.column(9)]
            self.judge([float(text) for text in texts if text], sentence.sent_id, sentence.forms)
        return self

    def merge(self, other: ParseSummary) -> None:
        """Add what another process has counted."""
        self.add_counts(other, "parsed", "left_out", "words")

    @property
    def expected(self) -> float | None:
        """The share of heads that should be right, where confidences are calibrated."""
        return self.sure / self.judged if self.judged and self.calibration_error is not None else None

    def lines(self) -> list[str]:
        """As text, one fact per line."""
        made = [f"{plural(self.parsed, 'sentence')} parsed by {self.parser}, {plural(self.words, 'word')}"]
        if self.left_out:
            made.append(f"{plural(self.left_out, 'sentence')} left out with faults")
        if self.judged:
            known = self.expected
            told = (
                f"{100 * known:.0f} % of the heads (± {200 * (self.calibration_error or 0):.0f}; the pack's calibration)"
                if known
                else ""
            )
            made.append(f"expected to be right: {told or 'not known; this model is not calibrated'}")
            made += self.look_first()
        return made

    def as_json(self) -> dict[str, Any]:
        known = self.expected
        return {
            "parser": self.parser,
            "parsed": self.parsed,
            "left_out": {"faults": self.left_out},
            "words": self.words,
            "mean_confidence": self.mean_confidence,
            "expected": {
                "uas": round(100 * known, 2),
                "standard_error": 100 * (self.calibration_error or 0),
                "source": "the pack's calibration",
            }
            if known
            else None,
            "below_half": self.weak,
            "doubtful": [name for _, name in self.doubtful],
            "exit_code": 0,
        }

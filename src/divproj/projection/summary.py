"""Summary of a command that makes trees: counts of its sentences and words, updated while they stream, as text or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from divproj.core.errors import Faults
from divproj.core.wording import plural
from divproj.parsing.batch import ConfidenceSummary
from divproj.parsing.translations import ForeignTranslationsError
from divproj.projection.confidence import Expected, expected_of_sums
from divproj.projection.direct import Projection

READS_GLOSSES = ("s6", "s6+", "s4+", "s5+")
"""Systems that make trees from glosses where there is no translation."""
NOTHING_PROJECTED = 3
"""Exit code when trees were asked for and every one of them is a guess."""


@dataclass
class Summary(ConfidenceSummary):
    """Sentences by what became of them; only those with a translation and links count as projected."""

    system: str = ""
    why: str = ""
    """Why the system was used: it was requested, or is the best one for the data."""
    least: float = 0.0
    """Coverage below which a tree is left out."""
    projected: int = 0
    untranslated: int = 0
    unlinked: int = 0
    by_glosses: int = 0
    """Of the untranslated and unlinked ones those whose trees come from a model of glosses (s6): no projection, no guess either."""
    unglossed: int = 0
    """Of the unlinked ones those without glosses, by which they could have been linked."""
    left_out: int = 0
    """Left out with faults."""
    uncovered: int = 0
    """Left out for their coverage."""
    words: int = 0
    linked: int = 0
    spread: float = 0.0
    """Sum of p·(1 - p) over calibrated confidences."""
    calibrated: str = ""
    """The system whose map has made confidences probabilities."""
    repairs: Counter[str] = field(default_factory=Counter)
    """Relations that were made to fit UD, by the fact that they broke."""
    expected: Expected | None = None
    """Accuracy estimated from gold sentences; without it, accuracy is estimated from confidences."""
    foreign: str = ""
    """The language of translations that were parsed as another: of such trees the calibration knows nothing."""
    types: str = ""
    """Where answers for word types came from, and how many; '' for none."""
    unparsed: dict[str, int] = field(default_factory=dict)
    """Of the untranslated ones those with a translation in a language that has no parser, by its name."""

    def add(self, projection: Projection, name: str = "") -> bool:
        """Count a tree; False when its coverage is too low for it to be written."""
        if projection.coverage < self.least:
            self.uncovered += 1
            return False
        self.words += len(projection.sentence)
        self.linked += projection.sentence.linked_count
        linked = bool(len(projection.sentence.links))
        self.by_glosses += not linked and self.system in READS_GLOSSES and any(projection.sentence.glosses)
        if not len(projection.sentence.e):
            self.untranslated += 1
        elif not linked:
            self.unlinked += 1
            self.unglossed += not any(projection.sentence.glosses)
        else:
            self.projected += 1
            if projection.calibrated and projection.confidence:
                self.calibrated = projection.calibrated
                self.spread += sum(p * (1 - p) for p in projection.confidence)
            self.judge(projection.confidence, name or projection.sentence.sent_id, projection.sentence.forms)
        return True

    def merge(self, other: Summary) -> None:
        """Add what another process has counted."""
        counts = "projected untranslated unlinked by_glosses unglossed left_out uncovered words linked spread"
        self.add_counts(other, *counts.split())
        self.calibrated = self.calibrated or other.calibrated
        self.repairs += other.repairs

    def close(self, system: str, why: str, faults: Faults) -> None:
        """Add what is known at the end: the system, why it was used, and the faults."""
        self.system, self.why, self.left_out = system, why, faults.sentences
        self.add_foreign(faults)

    def add_foreign(self, faults: Faults) -> None:
        """Count the translations in another language than their parser, as noted in `faults`."""
        for error in faults.noted:
            if isinstance(error, ForeignTranslationsError) and error.parser:
                self.foreign = self.foreign or error.language
            elif isinstance(error, ForeignTranslationsError):
                self.unparsed[error.language] = self.unparsed.get(error.language, 0) + error.count

    @property
    def guesses(self) -> int:
        """Number of trees that are based on neither links nor glosses."""
        return self.untranslated + self.unlinked - self.by_glosses

    @property
    def tree_count(self) -> int:
        return self.projected + self.untranslated + self.unlinked

    @property
    def coverage(self) -> float:
        return self.linked / self.words if self.words else 0.0

    @property
    def accuracy(self) -> Expected | None:
        """What is expected of the heads of projected sentences."""
        if self.expected or self.foreign or not self.calibrated:
            return self.expected
        return expected_of_sums(self.confidence, self.spread, self.judged, self.calibrated)

    @property
    def exit_code(self) -> int:
        """
        >>> Summary(untranslated=3).exit_code, Summary(projected=1, untranslated=3).exit_code
        (3, 0)
        """
        return NOTHING_PROJECTED if self.guesses and self.guesses == self.tree_count else 0

    def lines(self) -> list[str]:
        """As text, one fact per line."""
        by = f" by {self.system}" if self.system else ""
        lines = [f"{plural(self.projected, 'sentence')} projected{by}" + (f" ({self.why})" if self.why else "")]
        rests = "the tree is a guess" if not self.by_glosses else "the tree comes from the glosses alone"
        if self.by_glosses and self.guesses:
            rests += ", or is a guess where there are none"
        others = self.untranslated - sum(self.unparsed.values())
        for count, remark in (
            *((count, f"with a translation in {name}, which has no parser: {rests}") for name, count in self.unparsed.items()),
            (others, f"without a translation: {rests}"),
            (self.unlinked, f"without links to the translation: {rests}{self._remedy}"),
            (self.uncovered, f"left out: fewer than {100 * self.least:.0f} % of the words are linked"),
            (self.left_out, "left out with faults"),
        ):
            if count:
                lines.append(f"{plural(count, 'sentence')} {remark}")
        if self.types:
            lines.append(self.types)
        if self.tree_count:
            lines.append(f"{100 * self.coverage:.0f} % of {plural(self.words, 'word')} linked")
        if self.projected or self.by_glosses:
            only = " in the projected sentences" * (0 < self.projected < self.tree_count)
            known = self.accuracy or f"{self._missing_reason}; `proj review` tells after a few corrections"
            lines.append(f"expected to be right{only}: {known}")
        lines += self.look_first()
        return lines

    @property
    def _remedy(self) -> str:
        return " (without glosses `proj words` finds links)" if self.unglossed else ""

    @property
    def _missing_reason(self) -> str:
        """Why no accuracy can be estimated."""
        if self.foreign:
            return f"not known, since the translations are {self.foreign} and the parser is not"
        return "not known" if self.projected else "not known, since nothing is projected"

    def as_json(self) -> dict[str, Any]:
        known = self.accuracy
        return {
            "system": self.system,
            "why": self.why,
            "projected": self.projected,
            "without_translation": self.untranslated,
            "without_links": self.unlinked,
            "by_glosses_alone": self.by_glosses,
            "without_glosses": self.unglossed,
            "guesses": self.guesses,
            "left_out": {"faults": self.left_out, "coverage": self.uncovered},
            "words": self.words,
            "linked_words": self.linked,
            "coverage": round(self.coverage, 4),
            "min_coverage": self.least,
            "mean_confidence": self.mean_confidence,
            "expected": known.as_json() if known else None,
            "parsed_as_another_language": self.foreign or None,
            "not_parsed": self.unparsed,
            "below_half": self.weak,
            "doubtful": [name for _, name in self.doubtful],
            "types": self.types or None,
            "repaired": dict(sorted(self.repairs.items())),
            "exit_code": self.exit_code,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Summary:
        """Return the summary that `as_json` was made from.

        >>> Summary.from_json(Summary("s6", "as requested", projected=2, words=9, linked=6).as_json()).lines()[:2]
        ['2 sentences projected by s6 (as requested)', '67 % of 9 words linked']
        """
        return cls(
            fields["system"], fields["why"], fields["min_coverage"], fields["projected"], fields["without_translation"],
            fields["without_links"], fields["by_glosses_alone"], fields["without_glosses"], fields["left_out"]["faults"], fields["left_out"]["coverage"],
            fields["words"], fields["linked_words"], weak=fields["below_half"], doubtful=[(0.0, name) for name in fields["doubtful"]],
            repairs=Counter(fields["repaired"]), expected=Expected.from_json(fields["expected"]),
            foreign=fields["parsed_as_another_language"] or "", unparsed=dict(fields["not_parsed"]), types=fields.get("types") or "",
        )  # fmt: skip

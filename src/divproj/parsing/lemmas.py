"""`Lemmatizer`: dictionary forms by rules on the ends of words, learned from (form, UPOS, lemma), and a list of exceptions.

A rule is a case and an edit: `lower 3 y` makes *cit-y* of *Cities*. Which edit a word takes is told by its longest ending that is
known for its UPOS; which case, by its UPOS and how it is written. What the rules get wrong in training is an exception.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError
from divproj.runtime.modelfile import Estimator

FORMAT, VERSION = "divproj-lemmas", 1
PREFIX = "lemmas."
LONGEST = 6
"""Letters of the longest ending."""
CASES = ("lower", "same", "title", "upper")

Triple = tuple[str, str, str]
Edit = tuple[int, str]
"""Letters to cut off the end, letters to add."""


def casing(word: str) -> str:
    """How a word is written: `a` all lower, `A` upper, `Aa` a capital first, `-` another way.

    >>> [casing(word) for word in ("tree", "NATO", "Rosa", "iPod", "I", "7")]
    ['a', 'A', 'Aa', '-', 'A1', 'a']
    """
    if word == word.lower():
        return "a"
    if word == word.upper():
        return "A" if len(word) > 1 else "A1"
    return "Aa" if word[1:] == word[1:].lower() else "-"


def apply_case(word: str, case: str) -> str:
    if case == "title":
        return word[:1].upper() + word[1:].lower()
    return {"lower": word.lower(), "upper": word.upper()}.get(case, word)


def edit_of(word: str, lemma: str) -> Edit:
    """
    >>> edit_of("cities", "city")
    (3, 'y')
    """
    same = 0
    while same < min(len(word), len(lemma)) and word[same] == lemma[same]:
        same += 1
    return len(word) - same, lemma[same:]


def apply(edit: Edit, word: str) -> str:
    cut, add = edit
    return word[: len(word) - cut] + add if cut <= len(word) else word


@dataclass
class Lemmatizer(Estimator):
    """Fit on (form, UPOS, lemma), predict lemmas of (form, UPOS)."""

    seen_at_least: int = 2
    """Word types that an ending must have before it is a rule."""
    cases_: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    edits_: dict[tuple[str, str], Edit] = field(default_factory=dict, repr=False)
    exceptions_: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    def fit(self, triples: Iterable[Triple]) -> Lemmatizer:
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for form, upos, lemma in triples:
            counts[upos, form][lemma] += 1
        if not counts:
            raise ModelError("no words to learn lemmas from", remedy="give at least one (form, UPOS, lemma)")
        best = {
            key: min(lemma_counts, key=lambda lemma: (-lemma_counts[lemma], lemma))
            for key, lemma_counts in sorted(counts.items())
        }
        self.exceptions_ = {}
        self.cases_ = _cases(best)
        self.edits_ = _edits(best, self.seen_at_least)
        lower = {(upos, form): lemma for (upos, form), lemma in best.items() if form == form.lower()}
        self.exceptions_ = {key: lemma for key, lemma in lower.items() if self._one(key[1], key[0]) != lemma}
        rest = {key: lemma for key, lemma in best.items() if key not in lower and self._one(key[1], key[0]) != lemma}
        self.exceptions_.update(rest)
        return self

    def predict(self, words: Iterable[tuple[str, str]]) -> list[str]:
        """Lemmas of (form, UPOS)."""
        known: dict[tuple[str, str], str] = {}
        lemmas = []
        for word in words:
            if word not in known:
                known[word] = self._one(*word)
            lemmas.append(known[word])
        return lemmas

    def score(self, triples: Sequence[Triple]) -> float:
        """Share of words with the right lemma."""
        predicted = self.predict((form, upos) for form, upos, _ in triples)
        return sum(a == b for a, (_, _, b) in zip(predicted, triples, strict=True)) / max(1, len(triples))

    def _one(self, form: str, upos: str) -> str:
        exact = self.exceptions_.get((upos, form))
        if exact is not None:
            return exact
        case = self.cases_.get((upos, casing(form))) or self.cases_.get(("", casing(form)), "same")
        word = apply_case(form, case)
        if case == "lower" and (exact := self.exceptions_.get((upos, word))) is not None:
            return exact
        low = word.lower()
        for size in range(min(LONGEST, len(low)), -1, -1):
            edit = self.edits_.get((upos, low[len(low) - size :]))
            if edit is not None:
                return apply(edit, word) or word
        return word

    def meta(self) -> dict[str, Any]:
        """What belongs in `model.json`."""
        return {"format": FORMAT, "version": VERSION, "params": self.get_params()}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What belongs in `weights.npz`: three tables as UTF-8 text."""
        tables = {
            "cases": ((upos, way, case) for (upos, way), case in sorted(self.cases_.items())),
            "edits": ((upos, end, str(cut), add) for (upos, end), (cut, add) in sorted(self.edits_.items())),
            "exceptions": ((upos, form, lemma) for (upos, form), lemma in sorted(self.exceptions_.items())),
        }
        texts = {name: "\n".join("\t".join(row) for row in rows) for name, rows in tables.items()}
        return {PREFIX + name: np.frombuffer(text.encode("utf-8"), np.uint8) for name, text in texts.items()}

    @classmethod
    def from_arrays(cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Lemmatizer:
        """The lemmatiser that gave `meta` and `arrays`; ModelError when they are not of this version or do not fit."""
        if meta.get("format") != FORMAT or meta.get("version") != VERSION:
            raise ModelError(f"not a lemmatiser of version {VERSION}", remedy="train it again")
        try:
            cases, edits, exceptions = (_table(arrays[PREFIX + name]) for name in ("cases", "edits", "exceptions"))
            lemmatizer = cls(**meta["params"])
            lemmatizer.cases_ = {(upos, way): CASES[CASES.index(case)] for upos, way, case in cases}
            lemmatizer.edits_ = {(upos, end): (int(cut), add) for upos, end, cut, add in edits}
            lemmatizer.exceptions_ = {(upos, form): lemma for upos, form, lemma in exceptions}
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the lemmatiser's tables cannot be used: {error}", remedy="train it again") from None
        return lemmatizer


def _table(array: NDArray[Any]) -> list[list[str]]:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"a table of type {array.dtype} and shape {array.shape}")
    text = array.tobytes().decode("utf-8")
    return [line.split("\t") for line in text.split("\n")] if text else []


def _cases(best: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """The case that lemmas have most often, for each UPOS and way of writing, and for any UPOS ('')."""
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (upos, form), lemma in best.items():
        way = casing(form)
        if way == "a":
            continue
        fits = [case for case in CASES if lemma[:2] == apply_case(form, case)[:2]] or ["same"]
        for case in fits:
            votes[upos, way][case] += 1
            votes["", way][case] += 1
    return {key: max(CASES, key=lambda case: case_votes[case]) for key, case_votes in votes.items()}


def _edits(best: Mapping[tuple[str, str], str], least: int) -> dict[tuple[str, str], Edit]:
    """The commonest edit of each ending, where it is not that of the next shorter ending."""
    votes: dict[tuple[str, str], Counter[Edit]] = defaultdict(Counter)
    for upos, low, lemma in sorted({(upos, form.lower(), lemma.lower()) for (upos, form), lemma in best.items()}):
        edit = edit_of(low, lemma)
        for size in range(min(LONGEST, len(low)) + 1):
            votes[upos, low[len(low) - size :]][edit] += 1
    kept: dict[tuple[str, str], Edit] = {}
    for (upos, end), edit_votes in sorted(votes.items(), key=lambda item: (len(item[0][1]), item[0])):
        shorter = next((kept[upos, end[k:]] for k in range(1, len(end) + 1) if (upos, end[k:]) in kept), None)
        edit = min(edit_votes, key=lambda e: (-edit_votes[e], e != shorter, e))
        if edit != shorter and (not end or edit_votes[edit] >= least):
            kept[upos, end] = edit
    return kept

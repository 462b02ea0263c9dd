"""Calibrated confidences: the probability that a projected head is right, and the accuracy to expect of projected trees.

Each system has a logistic map from features of a word to the probability that its head is right. The features (`NAMES`) are
the system's score of the edge, the confidence of the link and of the parser of E, whether S1-R and S1-L agree, the reason of
the edge, tags, direction and distance. The maps were fitted on treebanks of other languages; they are shipped with the gloss
model (`languages/glossed/calibration.json`) and fitted anew with it. `choose_map` fits one to gold trees of one's own.

The share of right heads in trees that nobody has checked is estimated in two ways: from gold sentences that were not learned
from (`expected_from_counts`, `recalibrate`),
and from the confidences of the words (`expected_accuracy`). Where there are both, `combine` weighs them by their errors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.core.errors import ModelError, Where
from divproj.core.tree import DepTree
from divproj.projection.direct import REASONS, Projection, ProjectionInput, Reason
from divproj.runtime.modelfile import Estimator
from divproj.runtime.resources import folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


USUAL_CONFIDENCE = 0.6
"""Confidence assumed for an edge whose system gives none."""
SURE_GUESS = 0.5
"""Probability from which a head is not called a guess; also the upper limit for guesses in sentences without links."""
CLIP = 0.9995
"""Probabilities are taken to lie between this and its complement."""
KNOTS = (-1.0, 1.0, 3.0, 5.0)
"""Log odds at which the slope of the map may change."""
STRENGTH = 0.005
"""Inverse strength of the fit's penalty on standardised features; of 0.05, 0.005 and 0.0005 the one with the best likelihood on families held out."""
SAMPLES = 60
"""Samples with replacement behind an error."""
WIDE_ERROR = 0.15
"""Standard error of a share that is estimated from a single sentence."""
RECALIBRATION = (0.25, 4.0)
"""Penalties that draw the shift and the slope of a recalibration from gold sentences to 0 and 1."""
TAGS = (
    "NOUN", "PROPN", "PRON", "VERB", "AUX", "ADJ", "ADV", "ADP", "DET", "NUM", "PART", "CCONJ", "SCONJ", "INTJ", "PUNCT", "SYM", "X",
)  # fmt: skip
NAMES = (
    "one", "sure", *(f"sure>{knot:g}" for knot in KNOTS), "sentence sure", "linked", "head linked", "link", "head link", "E edge",
    "E edge of head", "E tree", "coverage", "length", "s1-r agrees", "s1-l agrees", "s1 agreement", "root", "head before", "distance",
    "neighbour", *(f"reason {name}" for name in REASONS), *(f"tag {name}" for name in TAGS), *(f"head {name}" for name in TAGS),
)  # fmt: skip
"""Features of a word that the maps use."""
FIRST_TAG = len(NAMES) - 2 * len(TAGS)
NUMBERS = FIRST_TAG - len(REASONS)
"""Number of real-valued features, which come first; the others are 0 or 1, and few of them 1."""
TAG_NUMBERS = {tag: k for k, tag in enumerate(TAGS)}
SURE = math.log(CLIP / (1 - CLIP))
"""The log odds of what is certain."""
LIKE = {
    "s1-l": "s1-r", "s2-3": "s2-1", "s2-2": "s2-1", "s3-2": "s3-1", "s3-3": "s3-1", "s3-4": "s3-1", "s3-5": "s3-1", "s4-2": "s4-1",
    "s4-3": "s4-1", "s6+": "s6",
}  # fmt: skip
"""Systems that take the map of another where they have none of their own."""
WITHOUT_GLOSSES = " without glosses"
"""Ending of the name of a map for sentences without glosses whose words are linked by word alignment of the text, not by hand."""
NOT_ENGLISH = ", not in English"
"""Ending of the name of a map for text whose glosses, or without glosses whose translations, are in another language than English."""
FILE = "calibration.json"
KIND, VERSION = "divproj-calibration", 1


@dataclass(frozen=True)
class Calibration:
    """A logistic map from the features of a word to the probability that its head is right."""

    weights: tuple[float, ...]
    """Of the features in `NAMES`."""
    error: float
    """Standard error of a text's mean: its spread over treebanks whose family the map was not fitted on."""
    source: str

    def probabilities(self, table: Floats) -> Floats:
        """Probabilities for rows of features."""
        import numpy as np

        probabilities: Floats = 1 / (1 + np.exp(-(table @ np.array(self.weights))))
        return probabilities

    @cached_property
    def _by_name(self) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        """Weights of reasons, of tags, and of tags of heads."""
        reasons, tags = self.weights[NUMBERS:FIRST_TAG], self.weights[FIRST_TAG:]
        return dict(zip(REASONS, reasons)), dict(zip(TAGS, tags)), dict(zip(TAGS, tags[len(TAGS) :]))  # noqa: B905

    def _of_sure(self, odds: float) -> float:
        score = self.weights[1] * odds
        for knot, weight in zip(KNOTS, self.weights[2:], strict=False):
            score += weight * (odds - knot) if odds > knot else 0.0
        return score

    def confidence(self, projection: Projection) -> tuple[float, ...]:
        """The probabilities of the words of a projection, to four places.

        As `probabilities(features(found))`; but sentences are short, so weights are added up where their features are found instead
        of making rows of numbers that are mostly 0.
        """
        sentence, heads, n = projection.sentence, projection.heads, len(projection.heads)
        anchors, e = sentence.anchors, sentence.e
        (
            sentence_sure, linked, head_linked, link, head_link, edge, head_edge, e_tree, coverage, length, agrees_right, agrees_left,
            agreement, root, before, distance, neighbour,
        ) = self.weights[2 + len(KNOTS) : NUMBERS]  # fmt: skip
        by_reason, by_tag, by_head = self._by_name
        odds = [*map(_odds, projection.confidence)]
        confidence = [*map(self._of_sure, odds)] if odds else [self._of_sure(0.0)] * n
        parsed = [*map(_odds, e.confidence)] or [SURE] * len(e)
        weights = dict(sentence.links.weights)
        as_word, as_head = [0.0], [0.0]
        if weights or e.confidence:
            for i, a in enumerate(anchors[1:], 1):
                x = (_odds(weights.get((i, a), 1.0)) if weights else SURE) if a else 0.0
                y = parsed[min(a, len(parsed)) - 1] if a else 0.0
                as_word.append(linked + link * x + edge * y if a else 0.0)
                as_head.append(head_linked + head_link * x + head_edge * y if a else 0.0)
        else:
            word_score, above = linked + (link + edge) * SURE, head_linked + (head_link + head_edge) * SURE
            as_word = [word_score if a else 0.0 for a in anchors]
            as_head = [above if a else 0.0 for a in anchors]
        right, left = sentence.plain
        agree = sum(map(eq, right, heads)) + sum(map(eq, left, heads))
        base = self.weights[0] + sentence_sure * sum(odds) / n + e_tree * sum(parsed) / max(len(parsed), 1)
        base += coverage * projection.coverage + length * math.log(n) + agreement * agree / (2 * n)
        tags, probabilities = projection.upos or sentence.classes, []
        for k, (head, reason, tag, by_right, by_left) in enumerate(
            zip(heads, projection.reasons, tags, right, left, strict=True), 1
        ):
            total = base + confidence[k - 1] + as_word[k] + by_reason[reason] + by_tag.get(tag, 0.0)
            if by_right == head:
                total += agrees_right
            if by_left == head:
                total += agrees_left
            if head > 0:
                far = abs(head - k)
                total += as_head[head] + by_head.get(tags[head - 1], 0.0) + distance * math.log1p(far)
                if head < k:
                    total += before
                if far == 1:
                    total += neighbour
            else:
                total += root
            probabilities.append(round(1e4 / (1 + math.exp(-max(total, -700.0)))) / 1e4)
        return tuple(probabilities)


def log_odds(confidence: Floats | Sequence[float]) -> Floats:
    import numpy as np

    clipped = np.clip(np.asarray(confidence, float), 1 - CLIP, CLIP)
    odds: Floats = np.log(clipped / (1 - clipped))
    return odds


def features(projection: Projection) -> Floats:
    """[word, feature] of a projection, in the order of `NAMES`."""
    import numpy as np

    table = np.zeros((len(projection.heads), len(NAMES)))
    for k, (values, marks) in enumerate(rows(projection)):
        table[k, :NUMBERS] = values
        table[k, marks] = 1.0
    return table


def rows(projection: Projection) -> Iterator[tuple[tuple[float, ...], list[int]]]:
    """Yield for each word the values of its real-valued features, and the indices of its other features that are 1."""
    sentence, heads, n = projection.sentence, projection.heads, len(projection.heads)
    if not n:
        return
    anchors, e = sentence.anchors, sentence.e
    confidence = [*map(_odds, projection.confidence)] or [0.0] * n
    weights = dict(sentence.links.weights)
    link = [SURE, *((_odds(weights.get((i, a), 1.0)) if weights else SURE) if a else 0.0 for i, a in enumerate(anchors[1:], 1))]
    parsed = [SURE, *map(_odds, e.confidence)] if e.confidence else [SURE] * (len(e) + 1)
    edge = [parsed[min(a, len(parsed) - 1)] if a else 0.0 for a in anchors]
    right, left = ([word_value == head for word_value, head in zip(side, heads, strict=True)] for side in sentence.plain)
    mean, e_mean = sum(confidence) / n, sum(parsed[1:]) / max(len(parsed) - 1, 1)
    agreement, coverage, length = (sum(right) + sum(left)) / (2 * n), projection.coverage, math.log(n)
    tags = [TAG_NUMBERS.get(tag, -1) for tag in projection.upos or sentence.classes]
    for k, (head, word_value, reason, tag) in enumerate(zip(heads, confidence, projection.reasons, tags, strict=True)):
        marks = [NUMBERS + REASONS.index(reason)]
        if tag >= 0:
            marks.append(FIRST_TAG + tag)
        above = far = 0
        if head > 0:
            above, far = head, abs(head - k - 1)
            if tags[head - 1] >= 0:
                marks.append(FIRST_TAG + len(TAGS) + tags[head - 1])
        yield (
            1.0, word_value, *[word_value - knot if word_value > knot else 0.0 for knot in KNOTS], mean, anchors[k + 1] > 0, anchors[above] > 0, link[k + 1],
            link[above] if above else 0.0, edge[k + 1], edge[above] if above else 0.0, e_mean, coverage, length, right[k], left[k],
            agreement, not above, 0 < above <= k, math.log1p(far), far == 1,
        ), marks  # fmt: skip


def _odds(probability: float) -> float:
    """`log_odds` of one number."""
    clipped = min(max(probability, 1 - CLIP), CLIP)
    return math.log(clipped / (1 - clipped))


def calibrate(projection: Projection, system: str, file: str | Path | None = None) -> Projection:
    """Return the projection with probabilities as confidences; unchanged where the system has no map.

    `file` has maps of one's own (`proj calibrate`), one of which must be of this system.
    """
    if file:
        if system not in (table := calibrations_in(str(file))):
            message = f"the calibration is for {', '.join(sorted(table))}, but the trees are by {system}"
            raise ModelError(message, Where(str(file)), f"calibrate {system}, or choose the system that it is for")
        system = f"{file}{OF}{system}"
    else:
        system = shipped_map(projection, system)
    calibration = calibration_of(system)
    if calibration is None or not projection.heads:
        return projection
    confidence, reasons = calibration.confidence(projection), projection.reasons
    if "guess" in reasons:
        confidence, reasons = _guesses(projection, confidence)
    return replace(projection, reasons=reasons, confidence=confidence, calibrated=system)


def shipped_map(projection: Projection, system: str) -> str:
    """Return the name of the shipped map that is made for such a sentence; the system's code where it has no map of its own."""
    maps, language = shipped_calibrations(), projection.gloss_language
    if f"{system}{WITHOUT_GLOSSES}" in maps and is_linked_by_text(projection.sentence):
        system, language = f"{system}{WITHOUT_GLOSSES}", projection.sentence.e_language
    return f"{system}{NOT_ENGLISH}" if language not in ("", "en") and f"{system}{NOT_ENGLISH}" in maps else system


def is_linked_by_text(sentence: ProjectionInput) -> bool:
    """Return whether a sentence has a translation and no glosses, and its links, if any, have probabilities, as those of word alignment have."""
    by_hand = sentence.links.links and not sentence.links.weights
    return bool(len(sentence.e)) and not by_hand and not any(gloss not in ("", "_") for gloss in sentence.glosses)


def _guesses(projection: Projection, confidence: Sequence[float]) -> tuple[tuple[float, ...], tuple[Reason, ...]]:
    """Return confidences and reasons such that no guess has a high probability.

    A head with more than even odds, a mark attached by rule and the only word of a sentence are no guesses: the system chose
    them without a link, or against it. Of a sentence without links nothing is known, and more than even odds would promise too much.
    """
    anchors, known = projection.sentence.anchors, bool(projection.sentence.linked_count)
    reasons, bounded = list(projection.reasons), list(confidence)
    for k, (reason, p, form) in enumerate(zip(projection.reasons, confidence, projection.sentence.forms, strict=True)):
        if reason != "guess":
            continue
        if len(confidence) == 1 or (known and (p >= SURE_GUESS or not any(map(str.isalnum, form)))):
            reasons[k] = "parsed" if anchors[k + 1] else "spontaneous"
        else:
            bounded[k] = min(p, SURE_GUESS)
    return tuple(bounded), tuple(reasons)


OF = "#"
"""Between a file of maps and the system that is meant."""


def calibration_of(system: str) -> Calibration | None:
    """The map of a system, of the file that stands before it (`my.json#s6`), or shipped; None where there is none."""
    file, _, system = system.rpartition(OF)
    table = calibrations_in(file) if file else shipped_calibrations()
    return table.get(system) or table.get(LIKE.get(system, ""))


@lru_cache(maxsize=4)
def calibrations_in(file: str) -> dict[str, Calibration]:
    """The maps of a file."""
    return load(file)


@lru_cache(maxsize=1)
def shipped_calibrations() -> dict[str, Calibration]:
    """The maps that come with the package; none where its pack is missing."""
    place = folder("languages") / "glossed" / FILE
    return load(place) if place.is_file() else {}


def load(place: str | Path) -> dict[str, Calibration]:
    """Maps by system; ModelError where the file is damaged or of another version."""
    where, remedy = Where(str(place)), "make it anew with `proj calibrate`; if it is the shipped one, install divproj again"
    try:
        document = json.loads(Path(place).read_text(encoding="utf-8"))
        if document["kind"] != KIND or document["version"] != VERSION or document["features"] != list(NAMES):
            raise ModelError("the maps of confidences are of another version", where, remedy)
        calibrations = {
            str(name): Calibration(tuple(map(float, row["weights"])), float(row["error"]), str(row["source"]))
            for name, row in document["systems"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelError("the maps of confidences cannot be read", where, remedy) from None
    if not all(
        len(calibration.weights) == len(NAMES) and all(map(math.isfinite, (*calibration.weights, calibration.error)))
        for calibration in calibrations.values()
    ):
        raise ModelError(f"a map has not {len(NAMES)} finite weights", where, remedy)
    return calibrations


def save(table: Mapping[str, Calibration], place: str | Path, about: Mapping[str, Any]) -> None:
    """Keep maps in a file."""
    from divproj.io.files import writing

    rows = {
        name: {
            "weights": [round(w, 5) for w in calibration.weights],
            "error": round(calibration.error, 5),
            "source": calibration.source,
        }
        for name, calibration in sorted(table.items())
    }
    with writing(place) as out:
        document = {"kind": KIND, "version": VERSION, "about": dict(about), "features": list(NAMES), "systems": rows}
        out.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class CalibrationSample:
    """A treebank as a system projected it that had not learned from its family: features of words, and whether heads are right."""

    name: str
    family: str
    table: Floats
    right: NDArray[np.bool_]

    @classmethod
    def of(cls, name: str, family: str, pairs: Iterable[tuple[DepTree, Projection]]) -> CalibrationSample:
        """From gold trees and projections; words without a gold head are left out."""
        import numpy as np

        tables, right = [np.zeros((0, len(NAMES)))], [np.zeros(0, bool)]
        for gold, projection in pairs:
            known = np.array(gold.heads) >= 0
            tables.append(features(projection)[known])
            right.append((np.array(gold.heads) == np.array(projection.heads))[known])
        return cls(name, family, np.concatenate(tables), np.concatenate(right))


def fit(samples: Sequence[CalibrationSample], strength: float = STRENGTH) -> Floats:
    """Weights of a ridge logistic regression in which every treebank counts the same."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    some = [s for s in samples if len(s.right)]
    x, y = np.concatenate([s.table for s in some]), np.concatenate([s.right for s in some])
    each = np.concatenate([np.full(len(s.right), 1000 / len(s.right)) for s in some])
    if y.all() or not y.any():  # nothing to tell apart
        intercept_only = np.zeros(len(NAMES))
        intercept_only[0] = float(log_odds([(y.sum() + 1) / (len(y) + 2)])[0])
        return intercept_only
    centre, spread = np.average(x, 0, each), np.sqrt(np.average((x - np.average(x, 0, each)) ** 2, 0, each))
    spread[spread < 1e-9] = np.inf  # what never varies has no weight
    regression = LogisticRegression(C=strength, max_iter=1000).fit((x - centre) / spread, y, each)
    weights: Floats = regression.coef_[0] / spread
    weights[0] = regression.intercept_[0] - float(weights @ centre)
    return weights


def held_out_probabilities(samples: Sequence[CalibrationSample]) -> dict[str, Floats]:
    """Probabilities of the words of each treebank by a map fitted on treebanks of other families."""
    probabilities: dict[str, Floats] = {}
    for family in sorted({s.family for s in samples}):
        calibration = Calibration(tuple(fit([s for s in samples if s.family != family]).tolist()), 0.0, "")
        probabilities |= {s.name: calibration.probabilities(s.table) for s in samples if s.family == family}
    return probabilities


def learn(samples: Sequence[CalibrationSample]) -> Calibration:
    """The map fitted on all treebanks, with the error it makes on families that it was not fitted on."""
    import numpy as np

    held = held_out_probabilities(samples)
    misses = [float(held[s.name].mean() - s.right.mean()) for s in samples if len(s.right)]
    source = f"calibrated on {len(misses)} treebanks of other languages"
    return Calibration(tuple(fit(samples).tolist()), float(np.sqrt(np.mean(np.square(misses)))), source)


MOVED = (NAMES.index("one"), NAMES.index("coverage"))
"""Features whose weights `move` fits: how sure the system is in general, and in sentences with few links."""


def move(calibration: Calibration, samples: Sequence[CalibrationSample]) -> Floats:
    """Return the weights of a map moved to fit a few treebanks of another kind, each of which counts the same.

    Only the weights of `MOVED` change: so few treebanks cannot tell more.
    """
    import numpy as np

    table, right = np.concatenate([s.table for s in samples]), np.concatenate([s.right for s in samples])
    each = np.concatenate([np.full(len(s.right), 1000 / max(1, len(s.right))) for s in samples])
    weights, design = np.array(calibration.weights), table[:, MOVED]
    for _ in range(30):
        p = 1 / (1 + np.exp(-(table @ weights)))
        curve = (design * (each * p * (1 - p))[:, None]).T @ design
        step = np.linalg.solve(curve + np.eye(len(MOVED)), design.T @ (each * (p - right)))
        weights[[*MOVED]] -= step / max(1.0, float(np.abs(step).max()))
    return weights


class ConfidenceMap(Estimator):
    """A map as scikit-learn fits and compares it: `fit` on features of words and whether their heads are right.

    `kind` is "shipped" (the shipped map as it is), "shifted" (its log odds with another shift and slope) or "new" (weights of its own,
    of which `strength` is the inverse penalty). `weights` are those of the shipped map.
    """

    def __init__(self, kind: str = "shifted", strength: float = STRENGTH, weights: tuple[float, ...] = ()) -> None:
        self.kind, self.strength, self.weights = kind, strength, weights

    def fit(self, X: Floats, y: NDArray[np.bool_]) -> ConfidenceMap:  # noqa: N803
        """Fit to rows of `features`, and whether each word's head is right."""
        import numpy as np

        given = np.array(self.weights)
        if self.kind == "new":
            self.coef_ = fit([CalibrationSample("", "", X, np.asarray(y, bool))], self.strength)
        elif self.kind == "shifted":
            shift, slope = _logistic(X @ given, np.asarray(y, float))
            self.coef_ = slope * given
            self.coef_[0] += shift
        else:
            self.coef_ = given
        return self

    def predict(self, X: Floats) -> Floats:  # noqa: N803
        """Probabilities that heads are right."""
        return Calibration(tuple(self.coef_.tolist()), 0.0, "").probabilities(X)

    def score(self, X: Floats, y: NDArray[np.bool_]) -> float:  # noqa: N803
        """Mean log likelihood of a word, which is 0 at best."""
        import numpy as np

        p = np.clip(self.predict(X), 1 - CLIP, CLIP)
        return float(np.where(y, np.log(p), np.log(1 - p)).mean())


STRENGTHS = (0.0005, 0.005, 0.05)
"""Strengths that are tried for weights of one's own."""
LEAST_SENTENCES = 10
"""Gold sentences without which nothing is calibrated: a map from fewer follows chance."""


@dataclass(frozen=True)
class MapChoice:
    """A map fitted to gold trees of one's own, and how it and the shipped map do on sentences that neither was fitted to."""

    calibration: Calibration
    kind: str
    words: int
    right: float
    """Share of right heads."""
    errors: dict[str, float]
    """Calibration error of the raw confidences, the shipped map, and the chosen one in folds."""
    likelihoods: dict[str, float]
    """Mean log likelihood of each kind of map in folds."""


def choose_map(system: str, tables: Sequence[Floats], right: Sequence[NDArray[np.bool_]], *, folds: int = 5) -> MapChoice:
    """Fit a map to sentences with gold trees: of the shipped map, a shifted one and a new one that which is likeliest in folds of sentences.

    `tables` are the `features` of each sentence, as the system projects it without having learned from it.
    """
    import numpy as np
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict

    if len(tables) < LEAST_SENTENCES:
        raise ModelError(f"{len(tables)} gold sentences, {LEAST_SENTENCES} or more expected", remedy="correct more trees")
    x, y = np.concatenate(tables), np.concatenate(right)
    groups = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    shipped = calibration_of(system)
    weights = shipped.weights if shipped else (0.0, 1.0, *(0.0,) * (len(NAMES) - 2))
    grid: list[dict[str, list[Any]]] = [{"kind": ["shifted"]}, {"kind": ["new"], "strength": list(STRENGTHS)}]
    if shipped:
        grid.insert(0, {"kind": ["shipped"]})
    parts = GroupKFold(min(folds, len(tables)))
    search = GridSearchCV(ConfidenceMap(weights=weights), grid, cv=parts).fit(x, y, groups=groups)
    likelihoods: dict[str, float] = {}
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        likelihoods[params["kind"]] = max(float(score), likelihoods.get(params["kind"], -math.inf))
    best: ConfidenceMap = search.best_estimator_
    held = cross_val_predict(best, x, y, groups=groups, cv=parts)
    misses = [float(held[k].mean() - y[k].mean()) for _, k in parts.split(x, y, groups)]
    error = float(np.sqrt(np.mean(np.square(misses)) / len(misses)))
    errors = {"raw": calibration_error(1 / (1 + np.exp(-x[:, 1])), y)}
    if shipped:
        errors["shipped"] = calibration_error(shipped.probabilities(x), y)
    errors["chosen"] = calibration_error(held, y)
    source = f"calibrated on {len(tables)} gold sentences"
    calibration = Calibration(tuple(best.coef_.tolist()), error, source)
    return MapChoice(calibration, best.kind, len(y), float(y.mean()), errors, likelihoods)


def calibration_error(probabilities: Floats, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error: mean distance of probability and share of right heads over bins.

    >>> import numpy as np
    >>> round(calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, True, False, False])), 3)
    0.1
    """
    import numpy as np

    at = np.minimum((probabilities * bins).astype(int), bins - 1)
    gaps = np.bincount(at, weights=probabilities - right, minlength=bins)
    return float(np.abs(gaps).sum() / max(len(right), 1))


Counts = tuple[int, int]
"""Right heads and words of a sentence."""


@dataclass(frozen=True)
class Expected:
    """The share of heads expected to be right, its standard error, and what both rest on."""

    share: float
    error: float
    source: str

    def __str__(self) -> str:
        """
        >>> print(Expected(0.784, 0.041, "5 folds of 40 gold sentences"))
        about 78 % of the heads should be right (± 8 points; 5 folds of 40 gold sentences)
        """
        return self.sentence()

    def sentence(self, which: str = "") -> str:
        """In words, of these heads (` of the projected sentences`)."""
        return f"about {100 * self.share:.0f} % of the heads{which} should be right (± {200 * self.error:.0f} points; {self.source})"

    def as_json(self) -> dict[str, Any]:
        return {"uas": round(100 * self.share, 2), "standard_error": round(100 * self.error, 2), "source": self.source}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any] | None) -> Expected | None:
        """What `as_json` gave."""
        return cls(fields["uas"] / 100, fields["standard_error"] / 100, fields["source"]) if fields else None


def expected_from_counts(sentences: Iterable[Counts], source: str) -> Expected | None:
    """Return the accuracy expected from the counts of gold sentences; for its error, observations are sentences, not words.

    >>> expected_from_counts([(3, 4), (5, 6), (1, 2)], "3 gold sentences")
    Expected(share=0.75, error=0.150..., source='3 gold sentences')
    """
    counts = [pair for pair in sentences if pair[1]]
    words = sum(total for _, total in counts)
    if not words:
        return None
    share = sum(right for right, _ in counts) / words
    count = len(counts)
    if count == 1:
        return Expected(share, WIDE_ERROR, source)
    spread = sum((right - share * total) ** 2 for right, total in counts)
    sampled = math.sqrt(spread * count / (count - 1)) / words
    least = math.sqrt((share * (1 - share) + 1 / words) / words)  # few sentences may agree by chance
    return Expected(share, max(sampled, least), source)


def combine(calibration: Expected | None, gold: Expected | None) -> Expected | None:
    """Return the mean of the two estimates, by calibration and by gold sentences, weighted by precision; they are independent.

    >>> print(combine(Expected(0.7, 0.05, "calibrated on 19 treebanks"), Expected(0.8, 0.05, "30 gold sentences")))
    about 75 % of the heads should be right (± 7 points; calibrated on 19 treebanks, and checked on 30 gold sentences)
    """
    if calibration is None or gold is None:
        return calibration or gold
    a, b = (1 / max(x.error, 1e-3) ** 2 for x in (calibration, gold))
    share = (a * calibration.share + b * gold.share) / (a + b)
    return Expected(share, (a + b) ** -0.5, f"{calibration.source}, and checked on {gold.source}")


def recalibrate(
    checked: Sequence[Sequence[tuple[float, bool]]], rest: Sequence[float], source: str, *, seed: int = 1
) -> Expected | None:
    """The share of heads that are right among words of these confidences (`rest`), judged by checked sentences.

    The log odds of being right are a + b·(log odds of the confidence), with a ~ N(0, 2²) and b ~ N(1, ½²), fitted to
    (confidence, right) of the words of checked sentences. So it does not matter that a person looks at the least sure
    sentences first. The error is that over samples of the checked sentences with replacement.
    """
    import numpy as np

    sentences = [list(words) for words in checked if words]
    if not sentences or not rest:
        return None
    rng = np.random.default_rng(seed)
    x = [log_odds(np.array([c for c, _ in words])) for words in sentences]
    y = [np.array([right for _, right in words], float) for words in sentences]
    there = log_odds(np.array(rest))
    shares = []
    for k in range(SAMPLES + 1):
        chosen = range(len(x)) if k == 0 else rng.integers(0, len(x), len(x))
        a, b = _logistic(np.concatenate([x[i] for i in chosen]), np.concatenate([y[i] for i in chosen]))
        shares.append(float((1 / (1 + np.exp(-(a + b * there)))).mean()))
    few = WIDE_ERROR / len(sentences)  # few sentences agree by chance
    return Expected(shares[0], float(np.hypot(np.std(shares[1:]), few)), source)


def _logistic(x: Floats, y: Floats) -> tuple[float, float]:
    """The two parameters of `recalibrate`, by Newton's method."""
    import numpy as np

    w = np.array([0.0, 0.0])
    design = np.stack([np.ones_like(x), x])
    strength, centre = np.array(RECALIBRATION), np.array([0.0, 1.0])
    for _ in range(20):
        p = 1 / (1 + np.exp(-(w @ design)))
        slope = design @ (p - y) + strength * (w - centre)
        curve = (design * (p * (1 - p))) @ design.T + np.diag(strength)
        step = np.linalg.solve(curve, slope)
        w = w - step / max(1.0, float(np.abs(step).max()))  # no step is long: far out the curve is flat
    return float(w[0]), float(w[1])


def expected_accuracy(confidences: Iterable[Sequence[float]], system: str) -> Expected | None:
    """The share of heads expected to be right in a set of trees, from the calibrated confidences of their words.

    One sequence of probabilities for each tree, as `Projection.confidence` or `ProjConf=` has them, and the system that made
    them. The error joins two: how far the map of the system was off in treebanks of other families, and that of the draw.
    None for no words, or a system without a map.

    >>> expected_accuracy([], "s6") is None
    True
    """
    calibration = calibration_of(system)
    total = spread = 0.0
    words = 0
    for tree in confidences:
        words += len(tree)
        total += sum(tree)
        spread += sum(p * (1 - p) for p in tree)
    return expected_of_sums(total, spread, words, system) if calibration and words else None


def expected_of_sums(total: float, spread: float, words: int, system: str) -> Expected | None:
    """`expected_accuracy` from sums over words, kept while sentences stream: of p, and of p·(1 - p)."""
    calibration = calibration_of(system)
    if calibration is None or not words:
        return None
    return Expected(total / words, math.hypot(calibration.error, math.sqrt(spread) / words), calibration.source)

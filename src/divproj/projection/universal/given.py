"""What the user says of word classes: universal tags, or part-of-speech labels of their own that allow several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divproj.links.gloss.grams import Grams
from divproj.projection.direct import ProjectionInput
from divproj.projection.settings import GIVEN_TAG, KNOWN_LABELS, LABEL_TRUST
from divproj.projection.universal.english import UPOS

Floats = NDArray[np.float64]


def understood(text: Iterable[ProjectionInput], grams: Grams) -> bool:
    """Whether the labels of a text are mostly ones that the table knows; those of another tag set say something else."""
    labels = [label for bitext in text for label in bitext.labels if label != "_"]
    return bool(labels) and sum(bool(grams.classes(label)) for label in labels) >= KNOWN_LABELS * len(labels)


@dataclass(frozen=True)
class GivenTags:
    """Tags that the words of a sentence may have, by what the user says."""

    allowed: NDArray[np.bool_]
    """[word, tag]; everything where nothing is said."""
    trust: Floats
    """How far that holds, for each word."""

    def of(self, words: Sequence[int]) -> GivenTags:
        """Those of some words, counted from 1."""
        places = np.array(words, np.int64) - 1
        return GivenTags(self.allowed[places], self.trust[places])

    def applied(self, chances: Floats) -> Floats:
        """Probabilities of tags [word, tag] after what the user says."""
        kept = np.maximum(chances, 1e-9) * self.allowed
        trust = self.trust[:, None]
        mixed: Floats = trust * kept / kept.sum(1, keepdims=True) + (1 - trust) * chances
        return mixed


def given_tags(bitext: ProjectionInput, grams: Grams, labelled: bool = True) -> GivenTags | None:
    """Universal tags first, then labels, if `labelled`; None where nothing is given."""
    labels = bitext.labels if labelled else ()
    if not (bitext.tags or labels):
        return None
    made = GivenTags(np.ones((len(bitext), len(UPOS)), np.bool_), np.zeros(len(bitext)))
    classes = [(grams.classes(label), LABEL_TRUST) for label in labels or ("_",) * len(bitext)]
    for k, tag in enumerate(bitext.tags):
        if tag in UPOS:
            classes[k] = (tag,), GIVEN_TAG
    for k, (allowed, trust) in enumerate(classes):
        if allowed:
            made.allowed[k] = False
            made.allowed[k, [UPOS.index(tag) for tag in allowed]] = True
            made.trust[k] = trust
    return made

"""What is known of spans beside their tags: links that contradict them, and words that seldom stand at an edge.

Both are logarithms added to a span's ratio of constituent to distituent while trees are sampled; parsing new sentences needs
neither. The numbers were chosen on the `--tune` parts of `bench/accuracy/induction_accuracy.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divproj.induction.settings import LEAST_EDGE_ODDS
from divproj.induction.spans import Floats, Ints, Text


@dataclass(frozen=True)
class SpanWeights:
    """Log weights of the spans of one side, in the places of `Text.yields`, and which spans links contradict."""

    weights: Floats
    against: Floats

    @property
    def given(self) -> bool:
        """Whether there is any weight at all."""
        return len(self.weights) > 0

    def conflicts(self, places: Ints) -> int:
        """How many of the spans at these places links contradict."""
        return int(self.against[places].sum()) if len(self.against) else 0


NOTHING = SpanWeights(np.zeros(0), np.zeros(0))


def span_weights(text: Text, kinds: Floats, contradiction: float, edges: float) -> SpanWeights:
    """The weights of one side of a bitext; `kinds` as in `state.TagArrays`.

    Only contradictions count. Every binary tree of n words has n-1 phrases, so a reward for phrases that links agree with is
    a fine for phrases without links, and where links are few trees are built around their absence.
    """
    found = np.zeros(len(text.yields))
    if contradiction:
        found[kinds < 0] -= contradiction
    if edges:
        found += edges * edge_cue(text)
    return SpanWeights(found, (kinds < 0) * 1.0 if contradiction else np.zeros(0))


def edge_cue(text: Text) -> Floats:
    """For every span, how little its first tag looks like one that begins phrases, and its last like one that ends them.

    Sentences are phrases whose edges can be seen: with lb, le the log odds (at most 0, at least -2) of a tag at the beginning and
    end of sentences, a span has  min(0, lb - le)(first tag) + min(0, le - lb)(last tag);  true edges of the sentence are free.
    The difference of the two leaves alone tags that are rare at both edges.
    """
    firsts, lasts = edge_odds(text)
    begins, ends = np.minimum(0.0, firsts - lasts), np.minimum(0.0, lasts - firsts)
    found = np.zeros(len(text.yields))
    for k, n in enumerate(np.diff(text.at).tolist()):
        base = int(text.grid_at[k])
        tags = _tags(text, base, n)
        left, right = np.zeros(n + 1), np.zeros(n + 1)
        left[1:n], right[1:n] = begins[tags[1:]], ends[tags[: n - 1]]
        found[base : base + (n + 1) ** 2] = (left[:, None] + right[None, :]).ravel()
    return found


def edge_odds(text: Text) -> tuple[Floats, Floats]:
    """For each yield of one word lb and le: log of (times it begins or ends a sentence + 1) / (times expected + 1)."""
    kinds = int(text.yields.max(initial=0)) + 1
    counts = np.zeros((3, kinds))
    for k, n in enumerate(np.diff(text.at).tolist()):
        tags = _tags(text, int(text.grid_at[k]), n)
        np.add.at(counts[0], tags, 1.0)
        counts[1, tags[0]] += 1.0
        counts[2, tags[-1]] += 1.0
    expected = counts[0] * len(text) / max(text.words, 1)
    odds = np.clip(np.log((counts[1:] + 1.0) / (expected + 1.0)), LEAST_EDGE_ODDS, 0.0)
    return odds[0], odds[1]


def _tags(text: Text, base: int, n: int) -> Ints:
    """Yields of the single words: one id for each tag."""
    found: Ints = text.yields[base + np.arange(n) * (n + 1) + np.arange(n) + 1]
    return found

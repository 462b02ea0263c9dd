"""What passes over a treebank change: weights with the sums for their average, in arrays that a checkpoint can keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.parsing.atoms import Batch, Ints
from divproj.parsing.labels import label_epoch
from divproj.parsing.settings import LABEL_EPOCHS
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import Checkpoint

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """Weights of edges and votes for relations while they are learned; `best_…` are the averages that a judge liked best."""

    weights: Floats
    later: Doubles
    votes: Floats
    votes_later: Doubles
    state: Doubles
    """Steps so far; wrong heads and words of this pass."""
    passes: Ints
    best: Doubles
    best_weights: Floats
    best_votes: Floats

    @classmethod
    def empty(cls, size: int, votes: tuple[int, int], *, judged: bool) -> Course:
        single = np.float32
        return cls(
            np.zeros(size, single), np.zeros(size), np.zeros(votes, single), np.zeros(votes),
            np.zeros(3), np.zeros(1, np.int64), np.full(1, -1.0),
            np.zeros(size if judged else 0, single), np.zeros(votes if judged else (0, 0), single),
        )  # fmt: skip

    def average(self) -> tuple[Floats, Floats]:
        steps = self.state[0]
        return averaged(self.weights, self.later, steps), averaged(self.votes, self.votes_later, steps)

    def judge(self, score: float, found: tuple[Floats, Floats]) -> None:
        """Keep these averages where none before was better."""
        if score >= self.best[0]:
            self.best[0] = score
            self.best_weights[:], self.best_votes[:] = found

    def best_average(self) -> tuple[Floats, Floats]:
        return (self.best_weights, self.best_votes) if self.best[0] >= 0 else self.average()


def averaged(now: Floats, later: Doubles, steps: float) -> Floats:
    """The mean of the weights after every step: `later` is the sum of step × change, and the changes sum to the weights."""
    return (now - (later - now) / steps).astype(np.float32)


def learn_labels(weights: Floats, batch: Batch, heads: Ints, rels: Ints, seed: int, keep: Checkpoint, name: str) -> Floats:
    """Weights for the relations of given trees, from passes in changing order."""
    later, place = np.zeros(weights.shape), np.zeros(2, np.int64)  # passes, steps
    arrays: dict[str, NDArray[Any]] = {"weights": weights, "later": later, "place": place}
    keep.restore(name, arrays)
    random = np.random.default_rng(seed)
    known = np.where(heads < 0, 0, heads)
    known[batch.first[:-1]] = -1
    for done in passing(range(LABEL_EPOCHS), "training the labels: pass", LABEL_EPOCHS):
        order = random.permutation(len(batch))
        if done < place[0]:
            continue
        step = label_epoch.compiled(weights, later, int(place[1]), order, batch.first, batch.atoms, batch.more, known, rels)
        place[:] = done + 1, step
        keep.offer(name, arrays)
    keep.finish(name, arrays)
    return averaged(weights, later, max(1, int(place[1])))

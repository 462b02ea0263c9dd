"""Training of the gloss model's network on prepared banks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from divproj.projection.glossed.model import COLUMNS, EDGE, OF_GLOSS, OF_LINKS, SHAPES, SentenceInput, edge_columns
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.phrasal import chart
from model import Batch, Network

FULL = 1000
"""Words of a bank from which each further word counts less: none must drown the rest."""
UNTAGGED = 0.5
"""What a word of a synthetic bank counts; the only value tried."""
NAMES = list(COLUMNS)


@dataclass(frozen=True)
class Course:
    """How a network learns."""

    seed: int = 1
    epochs: int = 12
    rate: float = 3e-3
    hold: float = 0.4
    width: int = 64
    words: int = 240
    """Words of a step."""
    unglossed: float = 0.06
    """Share of sentences that are seen without their glosses."""
    untranslated: float = 0.06


@dataclass(frozen=True)
class Example:
    sentence: SentenceInput
    heads: np.ndarray
    rels: np.ndarray
    tags: np.ndarray
    text: np.ndarray
    trust: float


def examples(banks: Sequence[GlossedTreebank]) -> list[Example]:
    found = []
    for bank in banks:
        words = sum(map(len, bank.inputs))
        trust = min(1.0, (FULL / max(words, 1)) ** 0.5) * (1.0 if bank.tagged else UNTAGGED)
        for s, heads, (rels, tags) in zip(bank.inputs, bank.heads(), bank.numbers(), strict=True):
            if len(s):
                found.append(Example(s, heads, rels, tags if bank.tagged else np.full_like(tags, -1), bank.text, trust))
    return found


def without_glosses(s: SentenceInput) -> SentenceInput:
    columns = s.columns.copy()
    for name in OF_GLOSS:
        columns[:, NAMES.index(name)] = 0
    columns[:, NAMES.index("shape")] = SHAPES.index("-") + 1
    columns[:, NAMES.index("words")] = 1
    none = np.zeros_like(s.grams)
    return SentenceInput(s.real, columns, none, none, np.zeros_like(s.gloss), s.linked, s.edges, s.phrases, s.codes)


def without_translation(s: SentenceInput) -> SentenceInput:
    columns = s.columns.copy()
    for name in OF_LINKS:
        columns[:, NAMES.index(name)] = int(name in ("link", "linked"))
    n = len(s) + 1
    codes = np.full((n, n), chart.LOOSE, np.int8)
    codes[0] = chart.ROOT
    even = np.ones((n, n))
    np.fill_diagonal(even, 0.0)
    even[:, 0] = 0.0
    even /= np.maximum(even.sum(0), 1e-9)
    edges = edge_columns(codes, np.zeros(n, np.int64), even)
    edges[1] = s.edges[1]
    return SentenceInput(s.real, columns, s.grams, s.kinds, s.gloss, np.zeros_like(s.linked), edges, even, codes)


def batch(some: Sequence[Example], seen: Sequence[SentenceInput]) -> Batch:
    """Sentences side by side, filled up with nothing."""
    size, n = len(some), max(len(s) for s in seen)
    first = seen[0]
    b = {
        "columns": np.zeros((size, n, len(COLUMNS)), np.int64),
        "grams": np.zeros((size, n, first.grams.shape[1]), np.int64),
        "kinds": np.zeros((size, n, first.grams.shape[1]), np.int64),
        "gloss": np.zeros((size, n, first.gloss.shape[1]), np.float32),
        "linked": np.zeros((size, n, first.gloss.shape[1]), np.float32),
        "edges": np.zeros((len(EDGE), size, n + 1, n + 1), np.int64),
        "said": np.zeros((size, n + 1, n + 1), np.float32),
        "heads": np.full((size, n), -1, np.int64),
        "rels": np.full((size, n), -1, np.int64),
        "tags": np.full((size, n), -1, np.int64),
        "length": np.array([len(s) for s in seen]),
        "text": np.stack([e.text for e in some]),
        "trust": np.array([e.trust for e in some], np.float32),
    }
    for k, (e, s) in enumerate(zip(some, seen, strict=True)):
        m = len(s)
        for name in ("columns", "grams", "kinds", "gloss", "linked"):
            b[name][k, :m] = getattr(s, name)
        b["edges"][:, k, : m + 1, : m + 1] = s.edges
        b["said"][k, : m + 1, : m + 1] = s.phrase_log_scores
        b["heads"][k, :m], b["rels"][k, :m], b["tags"][k, :m] = e.heads, e.rels, e.tags
    return {name: torch.from_numpy(array) for name, array in b.items()}


def train(turns: Sequence[list[Example]], course: Course, grams: int, kinds: int, log: str = "") -> Network:
    """A network that has seen the examples of one turn in each pass, and those of the first again after the last."""
    torch.manual_seed(course.seed)
    chance = np.random.default_rng(course.seed)
    network = Network(grams, kinds, course.width, course.hold)
    network.train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=course.rate, weight_decay=1e-4, betas=(0.9, 0.95))
    total = course.epochs * len(_steps(turns[0], course.words, chance))
    step, start = 0, time.process_time()
    for epoch in range(course.epochs):
        data, lost = turns[epoch % len(turns)], 0.0
        for some in _steps(data, course.words, chance):
            for group in optimiser.param_groups:
                group["lr"] = course.rate * min(1.0, step / 100) * max(0.03, 1 - step / total)
            step += 1
            rows = [data[k] for k in some]
            loss = _loss(network, batch(rows, [_seen(e.sentence, course, chance) for e in rows]))
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            lost += float(loss.detach())
        print(f"{log} epoch {epoch + 1}: loss {lost:.1f}, {time.process_time() - start:.0f} s", flush=True)
    network.eval()
    return network


def _seen(s: SentenceInput, course: Course, chance: np.random.Generator) -> SentenceInput:
    drawn = chance.random()
    if drawn < course.unglossed:
        return without_glosses(s)
    return without_translation(s) if drawn < course.unglossed + course.untranslated else s


def _steps(data: list[Example], words: int, chance: np.random.Generator) -> list[list[int]]:
    """Sentences of about one length together."""
    order = sorted(range(len(data)), key=lambda k: len(data[k].sentence) + 4 * chance.random())
    found: list[list[int]] = [[]]
    size = 0
    for k in order:
        if size >= words:
            found.append([])
            size = 0
        found[-1].append(k)
        size += len(data[k].sentence)
    chance.shuffle(found)
    return found


def _loss(network: Network, b: Batch) -> torch.Tensor:
    tags, scores, rels = network(b)
    trust = b["trust"][:, None].expand_as(b["tags"])
    total = torch.zeros(())
    for found, right, known, share in (
        (tags, b["tags"], b["tags"] >= 0, 0.5),
        (scores, b["heads"], b["heads"] >= 0, 1.0),
        (rels, b["rels"], (b["rels"] > 0) & (b["heads"] > 0), 0.5),
    ):
        if known.any():
            each = functional.cross_entropy(found[known], right[known], reduction="none")
            total = total + share * (each * trust[known]).sum()
    return total / 100

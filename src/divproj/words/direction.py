"""One direction of word alignment: IBM-1 and HMM by EM, then sampling with fertility."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.words import kernel
from divproj.words.kernel import FERTILITIES, JUMPS

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
TURN = 10
"""Sweeps between two looks at the user."""
Watch = Callable[[str, int, float], None]
"""Called with stage, iteration and log-likelihood."""


@dataclass(frozen=True)
class Settings:
    """Knobs of the models; the defaults suit a thousand to some ten thousand pairs."""

    ibm1: int = 4
    hmm: int = 1
    sweeps: int = 40
    burn_in: int = 10
    alpha: float = 0.001
    kappa: float = 2.0
    beta: float = 0.001
    null: float = 0.2

    def for_pairs(self, count: int) -> Settings:
        """Fewer sweeps for a large text, whose counts say more: a quarter at 80,000 pairs, never fewer than that."""
        share = max(0.25, min(1.0, (5000 / count) ** 0.5)) if count else 1.0
        return replace(self, sweeps=int(self.sweeps * share), burn_in=int(self.burn_in * share))


@dataclass
class Bitext:
    """Sentence pairs as numbers, with the cells of both words and stems; `turned` exchanges the sides."""

    src: Ints
    src_at: Ints
    tgt: Ints
    tgt_at: Ints
    src_stem: Ints
    tgt_stem: Ints
    sizes: tuple[int, int, int, int]
    """Vocabularies: words of both sides, stems of both sides."""
    src_tag: Ints
    tgt_tag: Ints
    tags: tuple[int, int] = (1, 1)
    """How many tags each side has; 1 where there are none."""
    cell_at: Ints = field(init=False)
    turned_at: Ints = field(init=False)
    """Where each pair's block of cells starts, as it stands and turned."""

    def __post_init__(self) -> None:
        n, m = np.diff(self.src_at), np.diff(self.tgt_at)
        self.cell_at, self.turned_at = np.zeros(len(self.src_at), np.int64), np.zeros(len(self.src_at), np.int64)
        np.cumsum((n + 1) * m, out=self.cell_at[1:])
        np.cumsum((m + 1) * n, out=self.turned_at[1:])

    @property
    def turned(self) -> Bitext:
        a, b, c, d = self.sizes
        sides = (self.tgt, self.tgt_at, self.src, self.src_at, self.tgt_stem, self.src_stem)
        return Bitext(*sides, (b, a, d, c), self.tgt_tag, self.src_tag, self.tags[::-1])

    def cells(self, src: Ints, tgt: Ints) -> tuple[Ints, Ints]:
        """Numbers of type pairs in every cell, and the source type of each number."""
        total = int(self.cell_at[-1])
        cells, sources = np.zeros(total, np.int32), np.zeros(max(1, total), np.int32)
        slots = np.zeros(1 << max(10, int(2 * total + 1).bit_length()), np.int32)
        count = kernel.number_cells.compiled(src, self.src_at, tgt, self.tgt_at, self.cell_at, cells, sources, slots)
        return cells, sources[:count].copy()


class Direction:
    """p(target | source): tables, and posteriors for the pairs at hand."""

    def __init__(self, bitext: Bitext, settings: Settings, known: Floats | None = None) -> None:
        self.bitext, self.settings = bitext, settings
        self.cells, self.cell_src = bitext.cells(bitext.src, bitext.tgt)
        self.table = np.ones(len(self.cell_src))
        self.known = known if known is not None else np.zeros(len(self.cell_src))
        self.sums = np.zeros(bitext.sizes[0])
        self.jumps = np.ones(JUMPS)

    def cell_targets(self) -> Ints:
        """The target type of every cell number."""
        b = self.bitext
        targets = np.zeros(len(self.cell_src), np.int64)
        kernel.target_types.compiled(b.src_at, b.tgt, b.tgt_at, b.cell_at, self.cells, targets)
        return targets

    def em(self, watch: Watch | None = None) -> None:
        """IBM Model 1, then the HMM."""
        b, s = self.bitext, self.settings
        table = self.table
        table[:] = 1.0 + self.known
        kernel.normalise.compiled(table, self.cell_src, self.sums, 0.0)
        for turn in range(s.ibm1 + s.hmm):
            counts = self.known.copy()
            if turn < s.ibm1:
                score = kernel.ibm1_expect.compiled(b.src_at, b.tgt_at, b.cell_at, self.cells, table, s.null, counts)
            else:
                jumps, norms = np.zeros(JUMPS), np.zeros(JUMPS)
                score = kernel.hmm_expect.compiled(
                    b.src_at, b.tgt_at, b.cell_at, self.cells, table, self.jumps, s.null, counts, jumps, norms
                )
                self.jumps = np.where(norms > 0, np.maximum(jumps, 1e-12) / np.maximum(norms, 1e-300), self.jumps)
            table[:] = counts
            kernel.normalise.compiled(table, self.cell_src, self.sums, 0.0)
            if watch:
                watch("ibm1" if turn < s.ibm1 else "hmm", turn, float(score))

    def best_links(self) -> Ints:
        """For each target word the source word with the highest probability under the table, 0 for none."""
        b = self.bitext
        links = np.zeros(len(b.tgt), np.int32)
        for k in range(len(b.src_at) - 1):
            n, m = b.src_at[k + 1] - b.src_at[k], b.tgt_at[k + 1] - b.tgt_at[k]
            block = self.table[self.cells[b.cell_at[k] : b.cell_at[k + 1]]].reshape(n + 1, m)
            links[b.tgt_at[k] : b.tgt_at[k + 1]] = block.argmax(axis=0) if n else 0
        return links

    def sample(self, seed: int, watch: Watch | None = None, stop: Event | None = None) -> Floats:
        """Posteriors of every cell by Gibbs sampling; `stop` ends it early with what there is."""
        b, s = self.bitext, self.settings
        links = self.best_links()
        of_target = np.repeat(np.arange(len(b.src_at) - 1), np.diff(b.tgt_at))
        width = np.diff(b.tgt_at)[of_target]
        place = b.cell_at[of_target] + links * width + (np.arange(len(links)) - b.tgt_at[of_target])
        pairs = (np.bincount(self.cells[place], minlength=len(self.cell_src)) + self.known).astype(np.float32)
        sources = np.bincount(self.cell_src, weights=pairs, minlength=b.sizes[0]).astype(np.float32)
        stem_cells, stem_src = b.cells(b.src_stem, b.tgt_stem)
        if min(b.tags) > 1:
            tag_cells, tag_src = b.cells(b.src_tag, b.tgt_tag)
        else:
            tag_cells, tag_src = np.zeros_like(self.cells), np.zeros(1, np.int32)
        stem_pairs = np.bincount(stem_cells[place], minlength=len(stem_src)).astype(np.float32)
        stem_sources = np.bincount(stem_src, weights=stem_pairs, minlength=b.sizes[2]).astype(np.float32)
        tag_pairs = np.bincount(tag_cells[place], minlength=len(tag_src)).astype(np.float32)
        tag_sources = np.bincount(tag_src, weights=tag_pairs, minlength=b.tags[0] + 1).astype(np.float32)
        jumps, fertility = self._jump_counts(links), self._fertilities(links)
        post = np.zeros(len(self.cells), np.float32)
        settings = np.array([s.alpha, s.kappa, s.beta, s.null, b.sizes[1], b.sizes[3], min(b.tags)])
        state = np.uint64(seed * 2 + 88172645463325253)
        kept = 0
        for done in range(0, s.sweeps, TURN):
            burning = done < s.burn_in
            state = kernel.sample.compiled(
                b.src_at, b.tgt_at, b.cell_at, self.cells, stem_cells, tag_cells, b.src,
                self.cell_src, stem_src, tag_src, links,
                pairs, sources, stem_pairs, stem_sources, tag_pairs, tag_sources, jumps, fertility,
                post, settings, TURN, TURN if burning else 0, state,
            )  # fmt: skip
            kept += 0 if burning else TURN
            if watch:
                watch("sampling", done + TURN, float("nan"))
            if stop is not None and stop.is_set():
                break
        return post / kept if kept else self._one_hot(place)

    def hmm(self) -> Floats:
        """Posteriors of every cell under the HMM alone: fast, and less exact."""
        b = self.bitext
        post = np.zeros(len(self.cells), np.float32)
        kernel.hmm_all.compiled(b.src_at, b.tgt_at, b.cell_at, self.cells, self.table, self.jumps, self.settings.null, post)
        return post

    def _one_hot(self, place: Ints) -> Floats:
        post = np.zeros(len(self.cells), np.float32)
        post[place] = 1.0
        return post

    def _jump_counts(self, links: Ints) -> Floats:
        b, half = self.bitext, JUMPS // 2
        counts = (2 * np.exp(-0.7 * np.abs(np.arange(JUMPS) - half - 1)) + 0.01).astype(np.float32)
        for k in range(len(b.src_at) - 1):
            chain = links[b.tgt_at[k] : b.tgt_at[k + 1]]
            chain = chain[chain > 0]
            steps = np.diff(np.concatenate(([0], chain, [b.src_at[k + 1] - b.src_at[k] + 1])))
            np.add.at(counts, np.clip(steps, -half, half) + half, 1)
        return counts

    def _fertilities(self, links: Ints) -> Floats:
        b = self.bitext
        counts = np.tile(np.array([0.6, 1.2, 0.3, 0.1, 0.03, 0.01, 0.005, 0.003], np.float32), (b.sizes[0], 1))
        of_target = np.repeat(np.arange(len(b.src_at) - 1), np.diff(b.tgt_at))
        linked = links > 0
        filled = np.bincount(b.src_at[of_target][linked] + links[linked] - 1, minlength=len(b.src))
        np.add.at(counts, (b.src, np.minimum(filled, FERTILITIES - 1)), 1)
        return counts

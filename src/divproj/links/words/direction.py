"""One direction of word alignment: IBM-1 and HMM by EM, then sampling with fertility."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.links.settings import FERTILITY, JUMP_COUNT, JUMP_DECAY, JUMP_FLOOR
from divproj.links.words import kernel
from divproj.links.words.kernel import FERTILITIES, JUMPS
from divproj.runtime.checkpoint import NOTHING, Checkpoint

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
TURN = 10
"""Sweeps between two looks at the user."""
SHORTEST = 10
"""Sweeps of a chain, however large the text."""
Watch = Callable[[str, int, float], None]
"""Called with stage, iteration and log-likelihood."""


@dataclass(frozen=True)
class Settings:
    """Knobs of the models; the defaults suit a thousand to some ten thousand pairs."""

    ibm1: int = 4
    hmm: int = 1
    chains: int = 4
    """Samplers that start alike and whose posteriors are averaged: each is caught in links of its own."""
    sweeps: int = 20
    burn_in: int = 5
    """Sweeps of each chain, and how many of them come before those that count."""
    alpha: float = 0.001
    kappa: float = 2.0
    beta: float = 0.001
    null: float = 0.2

    def for_pairs(self, count: int) -> Settings:
        """Less work for a large text, whose counts say more: from 5,000 pairs on shorter chains, and in the end one of them."""
        share = min(1.0, (5000 / count) ** 0.5) if count else 1.0
        sweeps = min(self.sweeps, max(SHORTEST, int(self.sweeps * share)))
        burn_in = self.burn_in * sweeps // max(1, self.sweeps)
        return replace(self, chains=max(1, round(self.chains * share)), sweeps=sweeps, burn_in=burn_in)

    @property
    def all_sweeps(self) -> int:
        return self.chains * self.sweeps


@dataclass
class WordArrays:
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
    def turned(self) -> WordArrays:
        a, b, c, d = self.sizes
        sides = (self.tgt, self.tgt_at, self.src, self.src_at, self.tgt_stem, self.src_stem)
        return WordArrays(*sides, (b, a, d, c), self.tgt_tag, self.src_tag, self.tags[::-1])

    def cells(self, src: Ints, tgt: Ints) -> tuple[Ints, Ints]:
        """Numbers of type pairs in every cell, and the source type of each number."""
        total = int(self.cell_at[-1])
        cells, sources = np.zeros(total, np.int32), np.zeros(max(1, total), np.int32)
        slots = np.zeros(1 << max(10, int(2 * total + 1).bit_length()), np.int32)
        count = kernel.number_cells.compiled(src, self.src_at, tgt, self.tgt_at, self.cell_at, cells, sources, slots)
        return cells, sources[:count].copy()

    def targets(self, tgt: Ints, cells: Ints, count: int) -> Ints:
        """The target type of each number in `cells`."""
        targets = np.zeros(count, np.int64)
        kernel.target_types.compiled(self.src_at, tgt, self.tgt_at, self.cell_at, cells, targets)
        return targets


@dataclass(frozen=True)
class Prior:
    """Pseudo-counts of pairs of source and target types, by number."""

    keys: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    values: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, pairs: Mapping[tuple[int, int], float]) -> Prior:
        ordered = sorted(pairs.items())
        keys = [src << 32 | tgt for (src, tgt), _ in ordered]
        return cls(np.array(keys, np.int64), np.array([count for _, count in ordered], float))

    def counts(self, src: Ints, tgt: Ints) -> Floats:
        """Those of these pairs, 0 where there are none."""
        found = np.zeros(len(src))
        if len(self.keys):
            wanted = (src.astype(np.int64) << 32) | tgt
            at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            there = self.keys[at] == wanted
            found[there] = self.values[at[there]]
        return found


@dataclass(frozen=True)
class Chain:
    """A sampler's links, what is counted of them, the sums of the posteriors so far, and the state of its random numbers."""

    first: Ints
    """The links that every chain starts from."""
    links: Ints
    pairs: Floats
    sources: Floats
    stem_pairs: Floats
    stem_sources: Floats
    tag_pairs: Floats
    tag_sources: Floats
    jumps: Floats
    fertility: Floats
    post: Floats
    state: NDArray[np.uint64]
    done: Ints
    kept: Ints


class Direction:
    """p(target | source): tables, and posteriors for the pairs at hand."""

    def __init__(self, bitext: WordArrays, settings: Settings, words: Prior | None = None, stems: Prior | None = None) -> None:
        self.bitext, self.settings, self.stems = bitext, settings, stems or Prior()
        self.cells, self.cell_src = bitext.cells(bitext.src, bitext.tgt)
        self.table = np.ones(len(self.cell_src))
        self.known = (words or Prior()).counts(self.cell_src, bitext.targets(bitext.tgt, self.cells, len(self.cell_src)))
        self.sums = np.zeros(bitext.sizes[0])
        self.jumps = np.ones(JUMPS)

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

    def sample(
        self, seed: int, watch: Watch | None = None, stop: Event | None = None, keep: Checkpoint = NOTHING, name: str = "links"
    ) -> Floats:
        """Posteriors of every cell by Gibbs sampling; `stop` ends it early with what there is.

        Where `keep` has the state of an interrupted run under `name`, it goes on from there and needs no `em` before.
        """
        b, s = self.bitext, self.settings
        stem_cells, stem_src = b.cells(b.src_stem, b.tgt_stem)
        if min(b.tags) > 1:
            tag_cells, tag_src = b.cells(b.src_tag, b.tgt_tag)
        else:
            tag_cells, tag_src = np.zeros_like(self.cells), np.zeros(1, np.int32)
        chain = self._empty_chain(len(stem_src), len(tag_src))
        if keep.restore(name, vars(chain)):
            words = np.repeat(np.diff(b.src_at), np.diff(b.tgt_at))
            places = all(((links >= 0) & (links <= words)).all() for links in (chain.first, chain.links))
            if not (0 <= chain.kept <= chain.done <= s.all_sweeps and places):
                raise keep.broken(name, "links or sweeps that cannot be")
        else:
            self.em(watch)
            chain.first[:] = self.best_links()
            chain.state[0] = seed * 2 + 88172645463325253
        settings = np.array([s.alpha, s.kappa, s.beta, s.null, b.sizes[1], b.sizes[3], min(b.tags)])
        while chain.done < s.all_sweeps and not (chain.done and stop is not None and stop.is_set()):
            done = int(chain.done[0]) % s.sweeps
            if not done:
                self._begin(chain, stem_cells, tag_cells, stem_src, tag_src)
            turn = min(TURN, s.sweeps - done)
            burning = min(turn, max(0, s.burn_in - done))
            chain.state[0] = kernel.sample.compiled(
                b.src_at, b.tgt_at, b.cell_at, self.cells, stem_cells, tag_cells, b.src,
                self.cell_src, stem_src, tag_src, chain.links,
                chain.pairs, chain.sources, chain.stem_pairs, chain.stem_sources, chain.tag_pairs, chain.tag_sources,
                chain.jumps, chain.fertility, chain.post, settings, turn, burning, chain.state[0],
            )  # fmt: skip
            chain.done[0] += turn
            chain.kept[0] += turn - burning
            if watch:
                watch("sampling", int(chain.done[0]), float("nan"))
            keep.offer(name, vars(chain))
        return chain.post / int(chain.kept[0]) if chain.kept else self._one_hot(self._places(chain.links))

    def _empty_chain(self, stems: int, tags: int) -> Chain:
        b, single = self.bitext, np.float32
        return Chain(
            first=np.zeros(len(b.tgt), np.int32), links=np.zeros(len(b.tgt), np.int32),
            pairs=np.zeros(len(self.cell_src), single), sources=np.zeros(b.sizes[0], single),
            stem_pairs=np.zeros(stems, single), stem_sources=np.zeros(b.sizes[2], single),
            tag_pairs=np.zeros(tags, single), tag_sources=np.zeros(b.tags[0] + 1, single),
            jumps=np.zeros(JUMPS, single), fertility=np.zeros((b.sizes[0], FERTILITIES), single),
            post=np.zeros(len(self.cells), single),
            state=np.zeros(1, np.uint64), done=np.zeros(1, np.int64), kept=np.zeros(1, np.int64),
        )  # fmt: skip

    def _begin(self, chain: Chain, stem_cells: Ints, tag_cells: Ints, stem_src: Ints, tag_src: Ints) -> None:
        """The links that a chain starts from, and the counts that follow from them."""
        b = self.bitext
        chain.links[:] = chain.first
        place = self._places(chain.links)
        chain.pairs[:] = np.bincount(self.cells[place], minlength=len(self.cell_src)) + self.known
        chain.sources[:] = np.bincount(self.cell_src, weights=chain.pairs, minlength=b.sizes[0])
        known = self.stems.counts(stem_src, b.targets(b.tgt_stem, stem_cells, len(stem_src)))
        chain.stem_pairs[:] = np.bincount(stem_cells[place], minlength=len(stem_src)) + known
        chain.stem_sources[:] = np.bincount(stem_src, weights=chain.stem_pairs, minlength=b.sizes[2])
        chain.tag_pairs[:] = np.bincount(tag_cells[place], minlength=len(tag_src))
        chain.tag_sources[:] = np.bincount(tag_src, weights=chain.tag_pairs, minlength=b.tags[0] + 1)
        chain.jumps[:], chain.fertility[:] = self._jump_counts(chain.links), self._fertilities(chain.links)

    def _places(self, links: Ints) -> Ints:
        """The cell of every link."""
        b = self.bitext
        of_target = np.repeat(np.arange(len(b.src_at) - 1), np.diff(b.tgt_at))
        width = np.diff(b.tgt_at)[of_target]
        return b.cell_at[of_target] + links * width + (np.arange(len(links)) - b.tgt_at[of_target])

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
        counts = (JUMP_COUNT * np.exp(-JUMP_DECAY * np.abs(np.arange(JUMPS) - half - 1)) + JUMP_FLOOR).astype(np.float32)
        of_target = np.repeat(np.arange(len(b.src_at) - 1), np.diff(b.tgt_at))
        linked = np.flatnonzero(links > 0)
        sentence, place = of_target[linked], links[linked].astype(np.int64)
        first = np.diff(sentence, prepend=-1) > 0
        last = np.zeros(len(b.src_at) - 1, np.int64)
        last[sentence] = place  # the later of two is kept
        steps = np.concatenate((place - np.where(first, 0, np.roll(place, 1)), np.diff(b.src_at) + 1 - last))
        counts += np.bincount(np.clip(steps, -half, half) + half, minlength=JUMPS).astype(np.float32)
        return counts

    def _fertilities(self, links: Ints) -> Floats:
        b = self.bitext
        counts = np.tile(np.array(FERTILITY, np.float32), (b.sizes[0], 1))
        of_target = np.repeat(np.arange(len(b.src_at) - 1), np.diff(b.tgt_at))
        linked = links > 0
        filled = np.bincount(b.src_at[of_target][linked] + links[linked] - 1, minlength=len(b.src))
        np.add.at(counts, (b.src, np.minimum(filled, FERTILITIES - 1)), 1)
        return counts

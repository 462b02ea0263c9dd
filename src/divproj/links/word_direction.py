"""One direction of word alignment: IBM Model 1 and HMM by EM, then Gibbs sampling with fertilities.

Each target word j has one source word i, or none (i = 0).

Sentences lie end to end. `cells` holds for each pair of sentences an (n+1) x m block of numbers of (source, target) word
types that stand together somewhere; row 0 is the empty word. So tables have one place a type pair, and no look-up is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.jit import kernel

JUMP_COUNT, JUMP_DECAY, JUMP_FLOOR = 2, 0.7, 0.01
"""Pseudo-counts of jumps: of the jump by one word, how fast they fall away from it (in logarithms), and what every jump has."""
FERTILITY = (0.6, 1.2, 0.3, 0.1, 0.03, 0.01, 0.005, 0.003)
"""Pseudo-counts of 0, 1, 2 … words that a word is linked to."""


JUMPS = 129
"""Jumps from -64 to +64; longer ones count as those."""
FERTILITIES = 8


@kernel("i8(i4[::1], i8[::1], i4[::1], i8[::1], i8[::1], i4[::1], i4[::1], i4[::1])")
def number_cells(src, src_at, tgt, tgt_at, cell_at, cells, cell_src, slots):  # type: ignore[no-untyped-def]
    """Fill `cells`, and `cell_src` with the source type of each number; returns how many there are.

    `slots` is an open-addressing table of numbers + 1; the keys are compared through the arrays below.
    """
    mask = len(slots) - 1
    keys_s = np.empty(len(slots), np.int32)
    keys_t = np.empty(len(slots), np.int32)
    count = 0
    for k in range(len(src_at) - 1):
        n, m = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k]
        for i in range(n + 1):
            s = src[src_at[k] + i - 1] if i > 0 else 0
            for j in range(m):
                t = tgt[tgt_at[k] + j]
                slot = (s * 40503 + t * 2654435) & mask
                while slots[slot] != 0 and (keys_s[slot] != s or keys_t[slot] != t):
                    slot = (slot + 1) & mask
                if slots[slot] == 0:
                    keys_s[slot], keys_t[slot] = s, t
                    cell_src[count] = s
                    count += 1
                    slots[slot] = count
                cells[cell_at[k] + i * m + j] = slots[slot] - 1
    return count


@kernel("void(i8[::1], i4[::1], i8[::1], i8[::1], i4[::1], i8[::1])")
def target_types(src_at, tgt, tgt_at, cell_at, cells, targets):  # type: ignore[no-untyped-def]
    """The target type of every number in `cells`."""
    for k in range(len(src_at) - 1):
        n, m = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k]
        for i in range(n + 1):
            for j in range(m):
                targets[cells[cell_at[k] + i * m + j]] = tgt[tgt_at[k] + j]


@kernel("f8(i8[::1], i8[::1], i8[::1], i4[::1], f8[::1], f8, f8[::1])")
def ibm1_expect(src_at, tgt_at, cell_at, cells, table, null, counts):  # type: ignore[no-untyped-def]
    """Expected counts under IBM Model 1 and the log-likelihood; the empty word has weight `null` of one."""
    total = 0.0
    for k in range(len(src_at) - 1):
        n, m, base = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k], cell_at[k]
        for j in range(m):
            z = null * table[cells[base + j]]
            for i in range(1, n + 1):
                z += (1 - null) / n * table[cells[base + i * m + j]]
            if z <= 0:
                continue
            total += np.log(z)
            counts[cells[base + j]] += null * table[cells[base + j]] / z
            for i in range(1, n + 1):
                cell = cells[base + i * m + j]
                counts[cell] += (1 - null) / n * table[cell] / z
    return total


@kernel("void(f8[::1], i4[::1], f8[::1], f8)")
def normalise(table, cell_src, sums, prior):  # type: ignore[no-untyped-def]
    """Counts to probabilities of target given source, with `prior` added to each."""
    sums[:] = 0.0
    for c in range(len(table)):
        sums[cell_src[c]] += table[c] + prior
    for c in range(len(table)):
        s = sums[cell_src[c]]
        table[c] = (table[c] + prior) / s if s > 0 else 0.0


@kernel("f8(i8, i8, i8, i4[::1], f8[::1], f8[::1], f8, f8[:, ::1], f8[:, ::1], f8[::1], f8[::1])")
def hmm_posteriors(n, m, base, cells, table, jumps, null, post, forward, jump_counts, jump_norms):  # type: ignore[no-untyped-def]
    """Forward-backward for one pair: post[i, j], row 0 the empty word; returns the log-likelihood.

    States 1..n are source words; a target word may have none, and then the state before is kept (Och & Ney's null).
    jump_counts / jump_norms are the next jump weights: the likelihood cannot fall by them (Hunter's MM step, since jumps are
    normalised over the places that a sentence has).
    """
    half = len(jumps) // 2
    norm = np.zeros(n + 1)
    for i in range(1, n + 1):
        for to in range(1, n + 1):
            norm[i] += jumps[min(max(to - i, -half), half) + half]
    first = 1.0 / n
    scale = np.zeros(m)
    # forward[2i-2] is state i emitting, forward[2i-1] is state i while the target word has no source
    for j in range(m):
        total = 0.0
        for i in range(1, n + 1):
            if j == 0:
                move = first
                stay = first
            else:
                move = 0.0
                for h in range(1, n + 1):
                    at = forward[2 * h - 2, j - 1] + forward[2 * h - 1, j - 1]
                    move += at * jumps[min(max(i - h, -half), half) + half] / norm[h]
                stay = forward[2 * i - 2, j - 1] + forward[2 * i - 1, j - 1]
            forward[2 * i - 2, j] = (1 - null) * move * table[cells[base + i * m + j]]
            forward[2 * i - 1, j] = null * stay * table[cells[base + j]]
            total += forward[2 * i - 2, j] + forward[2 * i - 1, j]
        if total <= 0:
            return -np.inf
        scale[j] = total
        for s in range(2 * n):
            forward[s, j] /= total
    back = np.ones(n + 1)
    for j in range(m - 1, -1, -1):
        empty = 0.0
        for i in range(1, n + 1):
            post[i, j] = forward[2 * i - 2, j] * back[i]
            empty += forward[2 * i - 1, j] * back[i]
        post[0, j] = empty
        if j == 0:
            break
        before = np.zeros(n + 1)
        for h in range(1, n + 1):
            value = null * table[cells[base + j]] * back[h]
            at = forward[2 * h - 2, j - 1] + forward[2 * h - 1, j - 1]
            moved = 0.0
            for i in range(1, n + 1):
                slot = min(max(i - h, -half), half) + half
                step = (1 - null) * jumps[slot] / norm[h] * table[cells[base + i * m + j]] * back[i]
                jump_counts[slot] += at * step / scale[j]
                moved += step
            value += moved
            for i in range(1, n + 1):
                jump_norms[min(max(i - h, -half), half) + half] += at * moved / scale[j] / norm[h]
            before[h] = value / scale[j]
        back = before
    return np.log(scale).sum()


@kernel("f8(i8[::1], i8[::1], i8[::1], i4[::1], f8[::1], f8[::1], f8, f8[::1], f8[::1], f8[::1])")
def hmm_expect(src_at, tgt_at, cell_at, cells, table, jumps, null, counts, jump_counts, jump_norms):  # type: ignore[no-untyped-def]
    """Expected counts under the HMM and the log-likelihood."""
    total = 0.0
    for k in range(len(src_at) - 1):
        n, m, base = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k], cell_at[k]
        if n == 0 or m == 0:
            continue
        post, forward = np.zeros((n + 1, m)), np.zeros((2 * n, m))
        total += hmm_posteriors(n, m, base, cells, table, jumps, null, post, forward, jump_counts, jump_norms)
        for i in range(n + 1):
            for j in range(m):
                counts[cells[base + i * m + j]] += post[i, j]
    return total


@kernel("void(i8[::1], i8[::1], i8[::1], i4[::1], f8[::1], f8[::1], f8, f4[::1])")
def hmm_all(src_at, tgt_at, cell_at, cells, table, jumps, null, post):  # type: ignore[no-untyped-def]
    """Posteriors of every cell under the HMM."""
    unused = np.zeros(len(jumps))
    for k in range(len(src_at) - 1):
        n, m, base = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k], cell_at[k]
        if n == 0 or m == 0:
            continue
        posteriors, forward = np.zeros((n + 1, m)), np.zeros((2 * n, m))
        hmm_posteriors(n, m, base, cells, table, jumps, null, posteriors, forward, unused, unused)
        for i in range(n + 1):
            for j in range(m):
                post[base + i * m + j] = posteriors[i, j]


@kernel("u8(u8)")
def step_random(state):  # type: ignore[no-untyped-def]
    """xorshift64*: the same numbers on every machine, compiled or not."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    return state


@kernel(
    "u8(i8[::1], i8[::1], i8[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], "
    "f4[::1], f4[::1], f4[::1], f4[::1], f4[::1], f4[::1], f4[::1], f4[:, ::1], f4[::1], f8[::1], i8, i8, u8)"
)
def sample(  # type: ignore[no-untyped-def]
    src_at, tgt_at, cell_at, cells, stem_cells, tag_cells, src, cell_src, stem_src, tag_src, links,
    pairs, sources, stem_pairs, stem_sources, tag_pairs, tag_sources, jumps, fertility, post, settings, sweeps, burn_in, state,
):  # fmt: skip
    """Gibbs sweeps over all target words; after `burn_in`, `post` sums the conditional distributions.

    Counts hold the present links and whatever is known beforehand.

    settings = alpha (lexical), kappa (weight of the stems' distribution), beta (stems), null share, vocabulary, stem vocabulary,
    number of tags. Words of tags that seldom go together are less likely to be linked.
    """
    alpha, kappa, beta, null, vocabulary, stem_vocabulary, tags = settings
    half = len(jumps) // 2
    most = FERTILITIES - 1
    for sweep in range(sweeps):
        all_jumps = jumps.sum()
        for k in range(len(src_at) - 1):
            n, m, base = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k], cell_at[k]
            s0, t0 = src_at[k], tgt_at[k]
            filled = np.zeros(n + 1, np.int64)
            for j in range(m):
                filled[links[t0 + j]] += 1
            weights = np.empty(n + 1)
            before = 0  # the last source position before j
            for j in range(m):
                old = links[t0 + j]
                after = n + 1
                for x in range(j + 1, m):
                    if links[t0 + x] > 0:
                        after = links[t0 + x]
                        break
                # take the old link out
                cell = base + old * m + j
                pairs[cells[cell]] -= 1
                sources[cell_src[cells[cell]]] -= 1
                stem_pairs[stem_cells[cell]] -= 1
                stem_sources[stem_src[stem_cells[cell]]] -= 1
                tag_pairs[tag_cells[cell]] -= 1
                tag_sources[tag_src[tag_cells[cell]]] -= 1
                if old > 0:
                    jumps[min(max(old - before, -half), half) + half] -= 1
                    jumps[min(max(after - old, -half), half) + half] -= 1
                    word = src[s0 + old - 1]
                    f = min(filled[old], most)
                    fertility[word, f] -= 1
                    fertility[word, f - 1 if filled[old] <= most else most] += 1
                    filled[old] -= 1
                else:
                    filled[0] -= 1
                    jumps[min(max(after - before, -half), half) + half] -= 1
                through = jumps[min(max(after - before, -half), half) + half]
                total = 0.0
                for i in range(n + 1):
                    cell = base + i * m + j
                    c, d = cells[cell], stem_cells[cell]
                    back_off = (stem_pairs[d] + beta) / (stem_sources[stem_src[d]] + beta * stem_vocabulary)
                    lexical = (pairs[c] + alpha + kappa * back_off) / (sources[cell_src[c]] + alpha * vocabulary + kappa)
                    if tags > 1:
                        e = tag_cells[cell]
                        lexical *= (tag_pairs[e] + 1.0) / (tag_sources[tag_src[e]] + tags)
                    if i == 0:
                        weight = null * lexical * through * all_jumps
                    else:
                        word = src[s0 + i - 1]
                        f = filled[i]
                        more = 1.0
                        if f < most:  # the word itself is counted at f
                            more = fertility[word, f + 1] / (fertility[word, f] - 1)
                        weight = (
                            (1 - null)
                            * lexical
                            * jumps[min(max(i - before, -half), half) + half]
                            * jumps[min(max(after - i, -half), half) + half]
                            * more
                        )
                    weights[i] = weight
                    total += weight
                if sweep >= burn_in:
                    for i in range(n + 1):
                        post[base + i * m + j] += weights[i] / total
                state = step_random(state)
                pick = (state * np.uint64(2685821657736338717) >> np.uint64(11)) / 9007199254740992.0 * total
                new = n
                for i in range(n + 1):
                    pick -= weights[i]
                    if pick <= 0:
                        new = i
                        break
                links[t0 + j] = new
                cell = base + new * m + j
                pairs[cells[cell]] += 1
                sources[cell_src[cells[cell]]] += 1
                stem_pairs[stem_cells[cell]] += 1
                stem_sources[stem_src[stem_cells[cell]]] += 1
                tag_pairs[tag_cells[cell]] += 1
                tag_sources[tag_src[tag_cells[cell]]] += 1
                if new > 0:
                    jumps[min(max(new - before, -half), half) + half] += 1
                    jumps[min(max(after - new, -half), half) + half] += 1
                    word = src[s0 + new - 1]
                    f = min(filled[new], most)
                    fertility[word, f] -= 1
                    fertility[word, min(f + 1, most)] += 1
                    filled[new] += 1
                    before = new
                else:
                    filled[0] += 1
                    jumps[min(max(after - before, -half), half) + half] += 1
    return state


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
    """Samplers that start alike and whose posteriors are averaged, since each may be caught in another local optimum."""
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
    """Sentence pairs as numbers, with the cells of both words and stems; `transpose` exchanges the sides."""

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
    def transpose(self) -> WordArrays:
        a, b, c, d = self.sizes
        sides = (self.tgt, self.tgt_at, self.src, self.src_at, self.tgt_stem, self.src_stem)
        return WordArrays(*sides, (b, a, d, c), self.tgt_tag, self.src_tag, self.tags[::-1])

    def cells(self, src: Ints, tgt: Ints) -> tuple[Ints, Ints]:
        """Numbers of type pairs in every cell, and the source type of each number."""
        total = int(self.cell_at[-1])
        cells, sources = np.zeros(total, np.int32), np.zeros(max(1, total), np.int32)
        slots = np.zeros(1 << max(10, int(2 * total + 1).bit_length()), np.int32)
        count = number_cells.compiled(src, self.src_at, tgt, self.tgt_at, self.cell_at, cells, sources, slots)
        return cells, sources[:count].copy()

    def targets(self, tgt: Ints, cells: Ints, count: int) -> Ints:
        """The target type of each number in `cells`."""
        targets = np.zeros(count, np.int64)
        target_types.compiled(self.src_at, tgt, self.tgt_at, self.cell_at, cells, targets)
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
        pseudo_counts = np.zeros(len(src))
        if len(self.keys):
            wanted = (src.astype(np.int64) << 32) | tgt
            at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            there = self.keys[at] == wanted
            pseudo_counts[there] = self.values[at[there]]
        return pseudo_counts


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

    def __init__(
        self,
        bitext: WordArrays,
        settings: Settings,
        words: Prior | None = None,
        stems: Prior | None = None,
        jumps: Floats | None = None,
    ) -> None:
        """`words`, `stems` and `jumps` are what was counted in another text."""
        self.bitext, self.settings, self.stems = bitext, settings, stems or Prior()
        self.known_jumps = np.zeros(JUMPS) if jumps is None else jumps
        self.links: Ints = np.zeros(0, np.int32)
        """The last links of the sampler."""
        self.cells, self.cell_src = bitext.cells(bitext.src, bitext.tgt)
        self.table = np.ones(len(self.cell_src))
        self.known = (words or Prior()).counts(self.cell_src, bitext.targets(bitext.tgt, self.cells, len(self.cell_src)))
        self.sums = np.zeros(bitext.sizes[0])
        self.jumps = np.ones(JUMPS) if jumps is None else (jumps + JUMP_FLOOR) / (jumps + JUMP_FLOOR).mean()

    def em(self, watch: Watch | None = None) -> None:
        """IBM Model 1, then the HMM."""
        b, s = self.bitext, self.settings
        table = self.table
        table[:] = 1.0 + self.known
        normalise.compiled(table, self.cell_src, self.sums, 0.0)
        for turn in range(s.ibm1 + s.hmm):
            counts = self.known.copy()
            if turn < s.ibm1:
                score = ibm1_expect.compiled(b.src_at, b.tgt_at, b.cell_at, self.cells, table, s.null, counts)
            else:
                jumps, norms = np.zeros(JUMPS), np.zeros(JUMPS)
                score = hmm_expect.compiled(
                    b.src_at, b.tgt_at, b.cell_at, self.cells, table, self.jumps, s.null, counts, jumps, norms
                )
                self.jumps = np.where(norms > 0, np.maximum(jumps, 1e-12) / np.maximum(norms, 1e-300), self.jumps)
            table[:] = counts
            normalise.compiled(table, self.cell_src, self.sums, 0.0)
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
        self,
        seed: int,
        watch: Watch | None = None,
        stop: Event | None = None,
        checkpoint: Checkpoint = NOTHING,
        name: str = "links",
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
        if checkpoint.restore(name, vars(chain)):
            words = np.repeat(np.diff(b.src_at), np.diff(b.tgt_at))
            places = all(((links >= 0) & (links <= words)).all() for links in (chain.first, chain.links))
            if not (0 <= chain.kept <= chain.done <= s.all_sweeps and places):
                raise checkpoint.broken(name, "links or sweeps that cannot be")
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
            chain.state[0] = sample.compiled(
                b.src_at, b.tgt_at, b.cell_at, self.cells, stem_cells, tag_cells, b.src,
                self.cell_src, stem_src, tag_src, chain.links,
                chain.pairs, chain.sources, chain.stem_pairs, chain.stem_sources, chain.tag_pairs, chain.tag_sources,
                chain.jumps, chain.fertility, chain.post, settings, turn, burning, chain.state[0],
            )  # fmt: skip
            chain.done[0] += turn
            chain.kept[0] += turn - burning
            if watch:
                watch("sampling", int(chain.done[0]), float("nan"))
            checkpoint.offer(name, vars(chain))
        self.links = chain.links
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
        hmm_all.compiled(b.src_at, b.tgt_at, b.cell_at, self.cells, self.table, self.jumps, self.settings.null, post)
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
        return counts + self.known_jumps.astype(np.float32)

    @property
    def jump_counts(self) -> Floats:
        """How often the links of this text jump so far, for `jumps` of another."""
        if not len(self.links):
            return self.known_jumps
        none = np.zeros_like(self.links)
        return self._jump_counts(self.links) - self._jump_counts(none) + self.known_jumps

    def _fertilities(self, links: Ints) -> Floats:
        b = self.bitext
        counts = np.tile(np.array(FERTILITY, np.float32), (b.sizes[0], 1))
        of_target = np.repeat(np.arange(len(b.src_at) - 1), np.diff(b.tgt_at))
        linked = links > 0
        filled = np.bincount(b.src_at[of_target][linked] + links[linked] - 1, minlength=len(b.src))
        np.add.at(counts, (b.src, np.minimum(filled, FERTILITIES - 1)), 1)
        return counts

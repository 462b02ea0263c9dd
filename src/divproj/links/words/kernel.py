"""The array core of word alignment. One direction: each target word j has one source word i, or none (i = 0).

Sentences lie end to end. `cells` holds for each pair of sentences an (n+1) x m block of numbers of (source, target) word
types that stand together somewhere; row 0 is the empty word. So tables have one place a type pair, and no look-up is needed.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

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
        found, forward = np.zeros((n + 1, m)), np.zeros((2 * n, m))
        hmm_posteriors(n, m, base, cells, table, jumps, null, found, forward, unused, unused)
        for i in range(n + 1):
            for j in range(m):
                post[base + i * m + j] = found[i, j]


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

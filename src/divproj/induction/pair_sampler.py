"""The array core of the bilingual model: Metropolis-Hastings within Gibbs over pairs of trees (Snyder et al. 2009, 3.5)."""

from __future__ import annotations

import numpy as np

from divproj.induction.sampler import find_slot
from divproj.runtime.jit import kernel

CAP = 3
"""Giza-scores are cut at this value, m in the paper."""
PAIR, SINGLE, BOTH, GUIDED = 0, 1, 2, 3


@kernel("void(i8, i8, i8, i8, i4[:, ::1], f8[::1], f8[:, ::1])")
def link_sums(n1, n2, first, last, links, weights, sums):  # type: ignore[no-untyped-def]
    """sums[x, y] = weight of the links between the first x words of one side and the first y of the other."""
    for x in range(n1 + 1):
        for y in range(n2 + 1):
            sums[x, y] = 0.0
    for k in range(first, last):
        sums[links[k, 0] + 1, links[k, 1] + 1] += weights[k]
    for x in range(1, n1 + 1):
        row = 0.0
        for y in range(1, n2 + 1):
            row += sums[x, y]
            sums[x, y] = row + sums[x - 1, y]


@kernel("void(i8, i8, i8, f8[:, ::1], i8, f8[::1])")
def link_kinds(n, other_n, base, sums, side, kinds):  # type: ignore[no-untyped-def]
    """For every span of `side` 1 where no link leaves the block that its links span on the other side, -1 where one does.

    0 where the span has no link. This is what makes a phrase pair consistent in phrase-based translation.
    """
    for i in range(n):
        for j in range(i + 1, n + 1):
            good, first, last = 0.0, -1, -1
            for y in range(other_n):
                if side == 0:
                    here = sums[j, y + 1] - sums[i, y + 1] - sums[j, y] + sums[i, y]
                else:
                    here = sums[y + 1, j] - sums[y + 1, i] - sums[y, j] + sums[y, i]
                if here > 1e-9:
                    good += here
                    first = y if first < 0 else first
                    last = y
            if first < 0:
                continue
            touching = sums[n, last + 1] - sums[n, first] if side == 0 else sums[last + 1, n] - sums[first, n]
            kinds[base + i * (n + 1) + j] = 1.0 if touching - good < 0.5 else -1.0


@kernel("i8(f8[:, ::1], i8, i8, i8, i8, i8, i8)")
def giza_pair(sums, n1, n2, i, j, k, m):  # type: ignore[no-untyped-def]
    """Giza-score of span (i, j) aligned with (k, m), from 0 (-3 or less) to 6 (3 or more): good links minus bad ones."""
    good = sums[j, m] - sums[i, m] - sums[j, k] + sums[i, k]
    touching = sums[j, n2] - sums[i, n2] + sums[n1, m] - sums[n1, k]
    score = np.floor(3.0 * good - touching + 0.5)
    return int(min(max(score, -CAP), CAP)) + CAP


@kernel("i8(f8)")
def giza_node(touching):  # type: ignore[no-untyped-def]
    """Minus the Giza-score of a node left alone, from 0 to 3: how many links touch it."""
    return int(min(np.floor(touching + 0.5), CAP))


@kernel("void(f8[::1], f8[::1])")
def shares(counts, found):  # type: ignore[no-untyped-def]
    """Counts (pseudo-counts included) as probabilities."""
    total = 0.0
    for k in range(len(counts)):
        total += counts[k]
    for k in range(len(counts)):
        found[k] = counts[k] / total


@kernel("f8(i8, i8, i8, i8[::1], i4[::1], f8[::1], f8[::1])")
def coupling(y1, y2, kinds, keys, values, in_pairs, settings):  # type: ignore[no-untyped-def]
    """omega/Z of two yields: (c + beta) / (beta + S); spec of the normaliser in `inducer`."""
    beta, norm = settings[0], settings[1]
    if in_pairs[y1] == 0:
        return beta / norm
    key = y1 * kinds + y2
    slot = find_slot(keys, values, key)
    return (beta + values[slot]) / norm if keys[slot] == key else beta / norm


@kernel(
    "f8(i8, i8, i4[::1], i4[::1], i4[::1], i4[::1], i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[::1], f8[::1], "
    "i8[::1], i4[::1], f8[::1], f8[::1], i8, f8[:, ::1])"
)
def fill_rho(  # type: ignore[no-untyped-def]
    n1, n2, start1, end1, start2, end2, base1, base2, yields1, yields2, sums, gz_pair, gz_node,
    keys, values, in_pairs, settings, kinds, rho,
):  # fmt: skip
    """rho(a, b) = w(a, b) / (u(a) u(b)) for all nodes of two trees; returns the log of the product of all u."""
    leaves = settings[2] > 0
    alone2 = np.empty(2 * n2 - 1)
    base = 0.0
    for b in range(2 * n2 - 1):
        alone2[b] = 1.0
        if leaves or end2[b] - start2[b] > 1:
            alone2[b] = gz_node[giza_node(sums[n1, end2[b]] - sums[n1, start2[b]])]
            base += np.log(alone2[b])
    for a in range(2 * n1 - 1):
        i, j = start1[a], end1[a]
        if not leaves and j - i == 1:
            for b in range(2 * n2 - 1):
                rho[a, b] = 0.0
            continue
        alone = gz_node[giza_node(sums[j, n2] - sums[i, n2])]
        base += np.log(alone)
        y1 = yields1[base1 + i * (n1 + 1) + j]
        for b in range(2 * n2 - 1):
            k, m = start2[b], end2[b]
            if not leaves and m - k == 1:
                rho[a, b] = 0.0
                continue
            y2 = yields2[base2 + k * (n2 + 1) + m]
            w = coupling(y1, y2, kinds, keys, values, in_pairs, settings)
            rho[a, b] = w * gz_pair[giza_pair(sums, n1, n2, i, j, k, m)] / (alone * alone2[b])
    return base


@kernel(
    "void(i8, i8, i8, i4[::1], i4[::1], i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[::1], f8[::1], "
    "i8[::1], i4[::1], f8[::1], f8[::1], i8, f8[:, ::1])"
)
def guide(  # type: ignore[no-untyped-def]
    side, n, other_n, start, end, base, other_base, yields, other_yields, sums, gz_pair, gz_node,
    keys, values, in_pairs, settings, kinds, bonus,
):  # fmt: skip
    """bonus[i, j] = log of u(a) (1 + sum over nodes b of the other tree of rho(a, b)) for every span a = (i, j) of `side`.

    Departs: the paper proposes from the CCM alone; a proposal that looks at the other tree is accepted far more often, and
    the acceptance rule takes it into account.
    """
    leaves = settings[2] > 0
    nodes = 2 * other_n - 1
    alone = np.empty(nodes)
    for b in range(nodes):
        k, m = start[b], end[b]
        touching = sums[n, m] - sums[n, k] if side == 0 else sums[m, n] - sums[k, n]
        alone[b] = gz_node[giza_node(touching)]
    for i in range(n - 1):
        for j in range(i + 2, n + 1):
            touching = sums[j, other_n] - sums[i, other_n] if side == 0 else sums[other_n, j] - sums[other_n, i]
            own = gz_node[giza_node(touching)]
            y = yields[base + i * (n + 1) + j]
            total = own
            for b in range(nodes):
                k, m = start[b], end[b]
                if not leaves and m - k == 1:
                    continue
                z = other_yields[other_base + k * (other_n + 1) + m]
                if side == 0:
                    score = giza_pair(sums, n, other_n, i, j, k, m)
                    w = coupling(y, z, kinds, keys, values, in_pairs, settings)
                else:
                    score = giza_pair(sums, other_n, n, k, m, i, j)
                    w = coupling(z, y, kinds, keys, values, in_pairs, settings)
                total += w * gz_pair[score] / alone[b]
            bonus[i, j] = np.log(total)


@kernel("f8(i8, i4[::1], i4[::1], f8[:, ::1])")
def tree_bonus(n, start, end, bonus):  # type: ignore[no-untyped-def]
    """Sum of `bonus` over the internal nodes of a tree, the root left out."""
    total = 0.0
    for node in range(1, 2 * n - 1):
        if end[node] - start[node] > 1:
            total += bonus[start[node], end[node]]
    return total


@kernel("void(i8, f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def add_charts(n, a, b, into):  # type: ignore[no-untyped-def]
    """into = a + b over the spans that trees may differ in; a alone elsewhere."""
    for i in range(n):
        for j in range(i + 1, n + 1):
            into[i, j] = a[i, j] + b[i, j] if 1 < j - i < n else a[i, j]


@kernel(
    "void(i8, i8, i8, i8, i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], f8[:, ::1], "
    "i8[::1], i4[::1], f8[::1], f8[::1], f8[::1], f8[::1], i8, f8)"
)
def count_alignment(  # type: ignore[no-untyped-def]
    n1, n2, base1, base2, start1, end1, start2, end2, yields1, yields2, mate, sums,
    keys, values, in_pairs, pair_scores, node_scores, settings, kinds, by,
):  # fmt: skip
    """Add or take away what an alignment counts: yields and Giza-scores of aligned pairs, Giza-scores of nodes left alone."""
    leaves = settings[2] > 0
    taken = np.zeros(2 * n2 - 1, np.int32)
    for a in range(2 * n1 - 1):
        i, j, b = start1[a], end1[a], mate[a]
        if b < 0:
            if leaves or j - i > 1:
                node_scores[giza_node(sums[j, n2] - sums[i, n2])] += by
            continue
        taken[b] = 1
        k, m = start2[b], end2[b]
        pair_scores[giza_pair(sums, n1, n2, i, j, k, m)] += by
        y1, y2 = yields1[base1 + i * (n1 + 1) + j], yields2[base2 + k * (n2 + 1) + m]
        key = y1 * kinds + y2
        slot = find_slot(keys, values, key)
        keys[slot] = key
        values[slot] += int(by)
        in_pairs[y1] += by
    for b in range(2 * n2 - 1):
        if taken[b] == 0 and (leaves or end2[b] - start2[b] > 1):
            node_scores[giza_node(sums[n1, end2[b]] - sums[n1, start2[b]])] += by

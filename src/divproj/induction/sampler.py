"""The kernels of the two models: charts, samples and counts of binary trees, and the sweeps of both samplers.

A sentence of n words has a grid of (n+1) x (n+1) spans; `yields` and `contexts` give each span's integer id, computed once
(-1 where training never saw it). A tree is 2n-1 nodes, parents before kids, the root first, `left` and `right` -1 at leaves.
Randomness comes in as an array of uniform numbers, so the compiled and the plain twin draw the same trees.

`ccm_sweep` is one Gibbs sweep over the sentences of one language. `pair_sweep` is one sweep of the bilingual model,
Metropolis-Hastings within Gibbs over pairs of trees (Snyder et al. 2009, 3.5): for every pair propose trees, accept or
reject, draw an alignment, count. `inducer` explains it by an example.
"""

from __future__ import annotations

import numpy as np

from divproj.induction.tree_alignment import TABLES, sample_in_matchings, sample_in_trees, sum_matchings, sum_trees
from divproj.runtime.jit import kernel

FAR = 40.0
"""Log distance from the largest term beyond which a term cannot be seen in a sum of doubles."""


@kernel("i8(i8[::1], i4[::1], i8)")
def find_slot(keys, values, key):  # type: ignore[no-untyped-def]
    """Where `key` is or would be in an open-addressing table; a place is free when its key is -1."""
    mask = len(keys) - 1
    mixed = int(key) ^ (int(key) >> 29)
    slot = ((mixed & 0x3FFFFFFF) * 1000003 + (mixed >> 30)) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel("void(i8[::1], i4[::1], i8[::1], i4[::1])")
def fill_table(keys, values, table, table_values):  # type: ignore[no-untyped-def]
    """Put keys with their values into an empty table."""
    for k in range(len(keys)):
        slot = find_slot(table, table_values, keys[k])
        table[slot], table_values[slot] = keys[k], values[k]


@kernel("i8(i4[::1], i8[::1], i8[::1], i8, i8, i8[::1], i4[::1], i4[::1])")
def number_yields(tags, at, grid_at, kinds, known, keys, values, yields):  # type: ignore[no-untyped-def]
    """Ids of all yields: a yield is its longest proper prefix (an id) and one tag. Returns how many ids there are.

    `kinds` is the number of tags; a negative tag is unknown. New yields get ids only when `known` is negative; 0 is the
    empty yield.
    """
    count = max(known, 1)
    for k in range(len(at) - 1):
        n, base = at[k + 1] - at[k], grid_at[k]
        for i in range(n + 1):
            yields[base + i * (n + 1) + i] = 0
            prefix = 0
            for j in range(i + 1, n + 1):
                tag = tags[at[k] + j - 1]
                if prefix >= 0 and tag >= 0:
                    key = prefix * kinds + tag
                    slot = find_slot(keys, values, key)
                    if keys[slot] == -1:
                        if known < 0:
                            keys[slot], values[slot] = key, count
                            prefix = count
                            count += 1
                        else:
                            prefix = -1
                    else:
                        prefix = values[slot]
                else:
                    prefix = -1
                yields[base + i * (n + 1) + j] = prefix
    return count


@kernel("void(i4[::1], i8[::1], i8[::1], i8, i4[::1])")
def number_contexts(tags, at, grid_at, kinds, contexts):  # type: ignore[no-untyped-def]
    """Ids of all contexts: the tags before and after a span, `kinds` standing for the sentence's edge."""
    for k in range(len(at) - 1):
        n, base = at[k + 1] - at[k], grid_at[k]
        for i in range(n + 1):
            before = tags[at[k] + i - 1] if i > 0 else kinds
            for j in range(i, n + 1):
                after = tags[at[k] + j] if j < n else kinds
                known = before >= 0 and after >= 0
                contexts[base + i * (n + 1) + j] = before * (kinds + 1) + after if known else -1


@kernel("void(i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8[:, ::1])")
def log_ratios(n, base, yields, contexts, in_yields, in_contexts, totals, prior, ratio):  # type: ignore[no-untyped-def]
    """ratio[i, j] = log piC phiC / (piD phiD) of each span; of single words log piC phiC (they are never distituents).

    Row 0 of the counts is of constituents, row 1 of distituents; `prior` is aC, aD, yield types, context types.
    """
    a_c, a_d = prior[0], prior[1]
    norm_c = np.log(totals[0] + a_c * prior[2]) + np.log(totals[0] + a_c * prior[3])
    norm_d = np.log(totals[1] + a_d * prior[2]) + np.log(totals[1] + a_d * prior[3])
    for i in range(n):
        for j in range(i + 1, n + 1):
            y, x = yields[base + i * (n + 1) + j], contexts[base + i * (n + 1) + j]
            up, down = a_c * a_c, a_d * a_d
            if y >= 0:
                up, down = up / a_c * (in_yields[0, y] + a_c), down / a_d * (in_yields[1, y] + a_d)
            if x >= 0:
                up, down = up / a_c * (in_contexts[0, x] + a_c), down / a_d * (in_contexts[1, x] + a_d)
            ratio[i, j] = np.log(up) - norm_c if j == i + 1 else np.log(up / down) - norm_c + norm_d


@kernel("void(i8, i8, f8[::1], f8[:, ::1])")
def add_weights(n, base, weights, ratio):  # type: ignore[no-untyped-def]
    """Add the other evidence about spans (`ccm.span_weights`) to their ratios."""
    for i in range(n - 1):
        for j in range(i + 2, n + 1):
            ratio[i, j] += weights[base + i * (n + 1) + j]


@kernel("f8(i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8)")
def log_distituents(n, base, yields, contexts, in_yields, in_contexts, totals, prior, empty):  # type: ignore[no-untyped-def]
    """Log of the constant that `log_ratios` divides by: every span a distituent, empty ones too where they count."""
    a = prior[1]
    norm = np.log(totals[1] + a * prior[2]) + np.log(totals[1] + a * prior[3])
    log_sum = 0.0
    for i in range(n + 1):
        for j in range(i, n + 1):
            if j == i + 1 or (j == i and empty == 0):
                continue
            at = base + i * (n + 1) + j
            log_sum += np.log((in_yields[1, yields[at]] + a) * (in_contexts[1, contexts[at]] + a)) - norm
    return log_sum


@kernel("f8(i8, f8[:, ::1], f8[:, ::1])")
def inside(n, ratio, chart):  # type: ignore[no-untyped-def]
    """chart[i, j] = log of the sum over trees of (i, j) of the product of ratios; returns that of the whole sentence.

    I(i,j) = r(i,j) sum_k I(i,k) I(k,j)   (Johnson et al. 2007)
    """
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            if width == 1:
                chart[i, j] = ratio[i, j]
                continue
            top = -np.inf
            for k in range(i + 1, j):
                top = max(top, chart[i, k] + chart[k, j])
            total = 0.0
            for k in range(i + 1, j):
                below = chart[i, k] + chart[k, j] - top
                if below > -FAR:
                    total += np.exp(below)
            chart[i, j] = ratio[i, j] + top + np.log(total)
    return chart[0, n]


@kernel("void(i8, f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def marginals(n, ratio, chart, post):  # type: ignore[no-untyped-def]
    """post[i, j] = probability that (i, j) is a node, top-down from the inside chart."""
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            post[i, i + width] = 0.0
    post[0, n] = 1.0
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            j = i + width
            if post[i, j] <= 0.0:
                continue
            norm = chart[i, j] - ratio[i, j]
            for k in range(i + 1, j):
                below = chart[i, k] + chart[k, j] - norm
                if below > -FAR:
                    share = post[i, j] * np.exp(below)
                    post[i, k] += share
                    post[k, j] += share


@kernel("f8(i8, f8[:, ::1], f8[:, ::1], i4[:, ::1], i4[::1], i4[::1], i4[::1], i4[::1])")
def best_tree(n, ratio, chart, back, start, end, left, right):  # type: ignore[no-untyped-def]
    """The tree with the largest sum of `ratio`, ties to the smallest split point; returns that sum."""
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            chart[i, j] = ratio[i, j]
            if width == 1:
                continue
            top, at = -np.inf, i + 1
            for k in range(i + 1, j):
                score = chart[i, k] + chart[k, j]
                if score > top:
                    top, at = score, k
            chart[i, j] += top
            back[i, j] = at
    start[0], end[0] = 0, n
    count = 1
    for node in range(2 * n - 1):
        i, j = start[node], end[node]
        left[node] = right[node] = -1
        if j - i > 1:
            k = back[i, j]
            left[node], right[node] = count, count + 1
            start[count], end[count], start[count + 1], end[count + 1] = i, k, k, j
            count += 2
    return chart[0, n]


@kernel("i8(i8, f8[:, ::1], f8[::1], i8, i4[::1], i4[::1], i4[::1], i4[::1])")
def sample_tree(n, chart, probability, used, start, end, left, right):  # type: ignore[no-untyped-def]
    """A tree from the inside chart: split k of (i, j) with probability ~ I(i,k) I(k,j). Returns the next `used`.

    With `chart` all zero the splits are uniform, as for the first state.
    """
    start[0], end[0] = 0, n
    count = 1
    for node in range(2 * n - 1):
        i, j = start[node], end[node]
        left[node] = right[node] = -1
        if j - i == 1:
            continue
        top, total = -np.inf, 0.0
        for k in range(i + 1, j):
            top = max(top, chart[i, k] + chart[k, j])
        for k in range(i + 1, j):
            total += np.exp(chart[i, k] + chart[k, j] - top)
        wanted, at = probability[used] * total, j - 1
        used += 1
        for k in range(i + 1, j):
            wanted -= np.exp(chart[i, k] + chart[k, j] - top)
            if wanted < 0.0:
                at = k
                break
        left[node], right[node] = count, count + 1
        start[count], end[count], start[count + 1], end[count + 1] = i, at, at, j
        count += 2
    return used


@kernel("void(i8, i8, i4[::1], i4[::1], i4[::1], i4[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8, f8)")
def count_tree(n, base, yields, contexts, start, end, in_yields, in_contexts, totals, empty, by):  # type: ignore[no-untyped-def]
    """Add (by = 1) or take away (by = -1) what a tree counts: nodes are constituents, all other spans distituents."""
    for i in range(n + 1):
        for j in range(i, n + 1):
            if j == i + 1 or (j == i and empty == 0):
                continue
            at = base + i * (n + 1) + j
            in_yields[1, yields[at]] += by
            in_contexts[1, contexts[at]] += by
            totals[1] += by
    for node in range(2 * n - 1):
        at = base + start[node] * (n + 1) + end[node]
        in_yields[0, yields[at]] += by
        in_contexts[0, contexts[at]] += by
        totals[0] += by
        if end[node] - start[node] > 1:
            in_yields[1, yields[at]] -= by
            in_contexts[1, contexts[at]] -= by
            totals[1] -= by


@kernel(
    "void(i8[::1], i8[::1], i8[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], "
    "f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8, f8[::1], i8, f8[::1], i8)"
)
def ccm_sweep(  # type: ignore[no-untyped-def]
    order, at, grid_at, yields, contexts, start, end, left, right, in_yields, in_contexts, totals, prior, empty, probability, longest,
    weights, fresh,
):  # fmt: skip
    """One Gibbs sweep over sentences of one language: every tree drawn anew given all the others.

    `weights` (see `add_weights`) may be empty. With `fresh` the sentences have no tree yet.
    """
    ratio, chart = np.zeros((longest + 1, longest + 1)), np.zeros((longest + 1, longest + 1))
    for k in order:
        n, base, node = at[k + 1] - at[k], grid_at[k], 2 * at[k] - k
        to = node + 2 * n - 1
        if fresh == 0:
            count_tree(n, base, yields, contexts, start[node:to], end[node:to], in_yields, in_contexts, totals, empty, -1.0)
        log_ratios(n, base, yields, contexts, in_yields, in_contexts, totals, prior, ratio)
        if len(weights) > 0:
            add_weights(n, base, weights, ratio)
        inside(n, ratio, chart)
        sample_tree(n, chart, probability, at[k], start[node:to], end[node:to], left[node:to], right[node:to])
        count_tree(n, base, yields, contexts, start[node:to], end[node:to], in_yields, in_contexts, totals, empty, 1.0)


@kernel(
    "f8(i8[::1], i8[::1], i4[::1], i4[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8, f8[:, ::1], f8[:, ::1], f8[::1], i8, i8)"
)
def expect(  # type: ignore[no-untyped-def]
    at,
    grid_at,
    yields,
    contexts,
    in_yields,
    in_contexts,
    totals,
    prior,
    empty,
    new_yields,
    new_contexts,
    new_totals,
    first,
    longest,
):
    """Expected counts of all sentences into `new_…` and the log-likelihood; `first` starts from uniform splits instead."""
    ratio, chart = np.zeros((longest + 1, longest + 1)), np.zeros((longest + 1, longest + 1))
    post = np.zeros((longest + 1, longest + 1))
    score = 0.0
    for k in range(len(at) - 1):
        n, base = at[k + 1] - at[k], grid_at[k]
        if first:
            uniform_marginals(n, post)
        else:
            log_ratios(n, base, yields, contexts, in_yields, in_contexts, totals, prior, ratio)
            score += log_distituents(n, base, yields, contexts, in_yields, in_contexts, totals, prior, empty)
            score += inside(n, ratio, chart)
            marginals(n, ratio, chart, post)
        for i in range(n + 1):
            for j in range(i, n + 1):
                where = base + i * (n + 1) + j
                if j == i:
                    share, other = 0.0, empty
                else:
                    share = min(post[i, j], 1.0)
                    other = 0.0 if j == i + 1 else 1.0 - share
                new_yields[0, yields[where]] += share
                new_contexts[0, contexts[where]] += share
                new_totals[0] += share
                new_yields[1, yields[where]] += other
                new_contexts[1, contexts[where]] += other
                new_totals[1] += other
    return score


@kernel("void(i8, f8[:, ::1])")
def uniform_marginals(n, post):  # type: ignore[no-untyped-def]
    """Probability of each node when every split is uniform: P(tree) = prod 1/(length - 1)."""
    for i in range(n):
        for j in range(i + 1, n + 1):
            post[i, j] = 0.0
    post[0, n] = 1.0
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            share = post[i, i + width] / (width - 1)
            for k in range(i + 1, i + width):
                post[i, k] += share
                post[k, i + width] += share


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
def shares(counts, probabilities):  # type: ignore[no-untyped-def]
    """Counts (pseudo-counts included) as probabilities."""
    total = 0.0
    for k in range(len(counts)):
        total += counts[k]
    for k in range(len(counts)):
        probabilities[k] = counts[k] / total


@kernel("f8(i8, i8, i8, i8[::1], i4[::1], f8[::1], f8[::1])")
def coupling(y1, y2, kinds, keys, values, in_pairs, settings):  # type: ignore[no-untyped-def]
    """omega/Z of two yields: (c + beta) / (beta + S); for S see `inducer.PairState.normaliser`."""
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
            alone_weight = gz_node[giza_node(touching)]
            y = yields[base + i * (n + 1) + j]
            total = alone_weight
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


CHANCES = 14
"""Uniform numbers a word (and 16 a pair) that suffice for one visit."""
TREE = "UniTuple(i4[::1], 4)"
TABLE_OF_PAIRS = "i8[::1], i4[::1], f8[::1], f8[::1], i8"


@kernel(
    f"f8(i8, i8, {TREE}, {TREE}, i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[::1], f8[::1], {TABLE_OF_PAIRS}, i8, "
    "f8[:, ::1], f8[:, :, ::1], i4[:, ::1])"
)
def weigh(  # type: ignore[no-untyped-def]
    n1, n2, tree1, tree2, base1, base2, yields1, yields2, sums, gz_pair, gz_node,
    keys, values, in_pairs, settings, kinds, matchings, rho, table, scale,
):  # fmt: skip
    """log M(T1, T2): everything about two trees but their CCM probabilities, summed over alignments."""
    alone = fill_rho(
        n1, n2, tree1[0], tree1[1], tree2[0], tree2[1], base1, base2, yields1, yields2, sums, gz_pair, gz_node,
        keys, values, in_pairs, settings, kinds, rho,
    )  # fmt: skip
    if matchings:
        return alone + sum_matchings(tree1[2], tree1[3], tree2[2], tree2[3], rho, table, scale)
    return alone + sum_trees(tree1[2], tree1[3], tree2[2], tree2[3], rho, table, scale)


@kernel(f"{TREE}({TREE}, i8, i8)")
def part(tree, first, last):  # type: ignore[no-untyped-def]
    """The nodes first..last-1 of the arrays start, end, left, right."""
    return tree[0][first:last], tree[1][first:last], tree[2][first:last], tree[3][first:last]


@kernel(f"void({TREE}, {TREE})")
def copy(tree, into):  # type: ignore[no-untyped-def]
    """All four arrays of a tree into those of another."""
    for k in range(4):
        for node in range(len(tree[k])):  # a slice would take numba four seconds to compile
            into[k][node] = tree[k][node]


@kernel(
    "void(i8[::1], UniTuple(i8[::1], 2), UniTuple(i8[::1], 2), UniTuple(i4[::1], 2), UniTuple(i4[::1], 2), "
    f"UniTuple({TREE}, 2), UniTuple(f8[:, ::1], 2), UniTuple(f8[:, ::1], 2), UniTuple(f8[::1], 2), UniTuple(f8[::1], 2), f8, "
    f"i8[::1], i4[:, ::1], f8[::1], UniTuple(f8[::1], 2), i4[::1], {TABLE_OF_PAIRS}, f8[::1], f8[::1], i8, i8, i8, f8[::1], f8[::1])"
)
def pair_sweep(  # type: ignore[no-untyped-def]
    order, ats, grid_ats, yields, contexts, trees, in_yields, in_contexts, totals, priors, empty,
    link_at, links, link_weights, span_weights, mates, keys, values, in_pairs, settings, kinds, pair_scores, node_scores,
    matchings, moves, longest, probability, tallies,
):  # fmt: skip
    """Visit the pairs in `order`; `told` gathers proposals, acceptances and aligned pairs.

    accept = min(1, M(T*) Q(T) / (M(T) Q(T*))), where Q is what is left of the proposals once the CCM has cancelled.
    """
    side = longest + 1
    ratio = (np.zeros((side, side)), np.zeros((side, side)))
    chart = (np.zeros((side, side)), np.zeros((side, side)))
    bonus, sums = np.zeros((side, side)), np.zeros((side, side))
    guided_ratio, guided_chart = np.zeros((side, side)), np.zeros((side, side))
    nodes = 2 * longest - 1
    rho, table, scale = np.zeros((nodes, nodes)), np.zeros((TABLES, nodes, nodes)), np.zeros((nodes, nodes), np.int32)
    new_rho, new_table, new_scale = (
        np.zeros((nodes, nodes)),
        np.zeros((TABLES, nodes, nodes)),
        np.zeros((nodes, nodes), np.int32),
    )
    room = np.zeros((8, nodes), np.int32)
    gz_pair, gz_node = np.zeros(2 * CAP + 1), np.zeros(CAP + 1)
    for k in order:
        used = CHANCES * (ats[0][k] + ats[1][k]) + 16 * k
        n = (ats[0][k + 1] - ats[0][k], ats[1][k + 1] - ats[1][k])
        base = (grid_ats[0][k], grid_ats[1][k])
        first1, first2 = 2 * ats[0][k] - k, 2 * ats[1][k] - k
        size1, size2 = 2 * n[0] - 1, 2 * n[1] - 1
        tree = (part(trees[0], first1, first1 + size1), part(trees[1], first2, first2 + size2))
        new = (
            (room[0, :size1], room[1, :size1], room[2, :size1], room[3, :size1]),
            (room[4, :size2], room[5, :size2], room[6, :size2], room[7, :size2]),
        )
        mate = mates[first1 : first1 + size1]
        link_sums(n[0], n[1], link_at[k], link_at[k + 1], links, link_weights, sums)
        count_alignment(
            n[0], n[1], base[0], base[1], tree[0][0], tree[0][1], tree[1][0], tree[1][1], yields[0], yields[1], mate, sums,
            keys, values, in_pairs, pair_scores, node_scores, settings, kinds, -1.0,
        )  # fmt: skip
        for s in range(2):
            count_tree(
                n[s],
                base[s],
                yields[s],
                contexts[s],
                tree[s][0],
                tree[s][1],
                in_yields[s],
                in_contexts[s],
                totals[s],
                empty,
                -1.0,
            )
            log_ratios(n[s], base[s], yields[s], contexts[s], in_yields[s], in_contexts[s], totals[s], priors[s], ratio[s])
            add_weights(n[s], base[s], span_weights[s], ratio[s])
            inside(n[s], ratio[s], chart[s])
        shares(pair_scores, gz_pair)
        shares(node_scores, gz_node)
        weight = weigh(
            n[0], n[1], tree[0], tree[1], base[0], base[1], yields[0], yields[1], sums, gz_pair, gz_node,
            keys, values, in_pairs, settings, kinds, matchings, rho, table, scale,
        )  # fmt: skip
        for turn in range(3):  # a tree of the first side, of the second, of both
            if (moves == PAIR and turn < 2) or (moves != PAIR and moves != BOTH and moves != GUIDED and turn == 2):
                continue
            if turn < 2 and n[turn] < 3:
                continue
            if turn == 2 and n[0] < 3 and n[1] < 3:
                continue
            correction = 0.0
            if turn == 2:
                lead = 0
                if moves == GUIDED:
                    lead = int(probability[used] * 2)
                    used += 1
                used = sample_tree(
                    n[lead], chart[lead], probability, used, new[lead][0], new[lead][1], new[lead][2], new[lead][3]
                )
                s = 1 - lead
            else:
                s = turn
                copy(tree[1 - s], new[1 - s])
            o = 1 - s
            if moves == GUIDED:
                for later in range(2 if turn == 2 else 1):  # the reverse proposal, then the proposal itself
                    seen = tree[o] if turn == 2 and later == 0 else new[o]
                    guide(
                        s, n[s], n[o], seen[0], seen[1], base[s], base[o], yields[s], yields[o], sums, gz_pair, gz_node,
                        keys, values, in_pairs, settings, kinds, bonus,
                    )  # fmt: skip
                    add_charts(n[s], ratio[s], bonus, guided_ratio)
                    total = inside(n[s], guided_ratio, guided_chart)
                    if later == 0:
                        correction += tree_bonus(n[s], tree[s][0], tree[s][1], bonus) - total
                    if later == 1 or turn < 2:
                        used = sample_tree(n[s], guided_chart, probability, used, new[s][0], new[s][1], new[s][2], new[s][3])
                        correction -= tree_bonus(n[s], new[s][0], new[s][1], bonus) - total
            else:
                used = sample_tree(n[s], chart[s], probability, used, new[s][0], new[s][1], new[s][2], new[s][3])
            new_weight = weigh(
                n[0], n[1], new[0], new[1], base[0], base[1], yields[0], yields[1], sums, gz_pair, gz_node,
                keys, values, in_pairs, settings, kinds, matchings, new_rho, new_table, new_scale,
            )  # fmt: skip
            tallies[0] += 1
            accepted = np.log(max(probability[used], 1e-300)) < settings[3] * (new_weight - weight) + correction
            used += 1
            if accepted:
                tallies[1] += 1
                weight = new_weight
                copy(new[0], tree[0])
                copy(new[1], tree[1])
                rho, new_rho = new_rho, rho
                table, new_table = new_table, table
                scale, new_scale = new_scale, scale
        if matchings:
            sample_in_matchings(tree[0][2], tree[0][3], tree[1][2], tree[1][3], rho, table, scale, probability, used, mate)
        else:
            sample_in_trees(tree[0][2], tree[0][3], tree[1][2], tree[1][3], rho, table, scale, probability, used, mate)
        for s in range(2):
            count_tree(
                n[s],
                base[s],
                yields[s],
                contexts[s],
                tree[s][0],
                tree[s][1],
                in_yields[s],
                in_contexts[s],
                totals[s],
                empty,
                1.0,
            )
        count_alignment(
            n[0], n[1], base[0], base[1], tree[0][0], tree[0][1], tree[1][0], tree[1][1], yields[0], yields[1], mate, sums,
            keys, values, in_pairs, pair_scores, node_scores, settings, kinds, 1.0,
        )  # fmt: skip
        for a in range(size1):
            tallies[2] += mate[a] >= 0

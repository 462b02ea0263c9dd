"""The array core of the constituent-context model: charts, samples and counts of binary trees over one sentence.

A sentence of n words has a grid of (n+1) x (n+1) spans; `yields` and `contexts` give each span's integer id, computed once
(-1 where training never saw it). A tree is 2n-1 nodes, parents before kids, the root first, `left` and `right` -1 at leaves.
Chance comes in as an array of uniform numbers, so the compiled and the plain twin draw the same trees.
"""

from __future__ import annotations

import numpy as np

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
def fill_table(keys, values, table, found):  # type: ignore[no-untyped-def]
    """Put keys with their values into an empty table."""
    for k in range(len(keys)):
        slot = find_slot(table, found, keys[k])
        table[slot], found[slot] = keys[k], values[k]


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
                found = before >= 0 and after >= 0
                contexts[base + i * (n + 1) + j] = before * (kinds + 1) + after if found else -1


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
    """Ratios with what else is known of the spans (`span_weights`)."""
    for i in range(n - 1):
        for j in range(i + 2, n + 1):
            ratio[i, j] += weights[base + i * (n + 1) + j]


@kernel("f8(i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8)")
def log_distituents(n, base, yields, contexts, in_yields, in_contexts, totals, prior, empty):  # type: ignore[no-untyped-def]
    """Log of the constant that `log_ratios` divides by: every span a distituent, empty ones too where they count."""
    a = prior[1]
    norm = np.log(totals[1] + a * prior[2]) + np.log(totals[1] + a * prior[3])
    found = 0.0
    for i in range(n + 1):
        for j in range(i, n + 1):
            if j == i + 1 or (j == i and empty == 0):
                continue
            at = base + i * (n + 1) + j
            found += np.log((in_yields[1, yields[at]] + a) * (in_contexts[1, contexts[at]] + a)) - norm
    return found


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
def sample_tree(n, chart, chance, used, start, end, left, right):  # type: ignore[no-untyped-def]
    """A tree from the inside chart: split k of (i, j) with probability ~ I(i,k) I(k,j). Returns the chances used.

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
        wanted, at = chance[used] * total, j - 1
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
    order, at, grid_at, yields, contexts, start, end, left, right, in_yields, in_contexts, totals, prior, empty, chance, longest,
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
        sample_tree(n, chart, chance, at[k], start[node:to], end[node:to], left[node:to], right[node:to])
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

"""Sums over all alignment trees of two binary trees, and samples of them, in O(|T1||T2|).

Trees are as in `sampler`: node 0 is the root, kids come after their parents, `left` is -1 at leaves. `rho[i, j]` is the
weight of aligning node i with node j over that of leaving both alone. Every cell of a table has its own
power of 2**256 (`scale`), so that nothing overflows and no logarithm is needed.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

BLOCK = 2.0**256
W, P, L, R = 0, 1, 2, 3
"""Tables of `sum_trees`: one tree over both subtrees; two forests of kids; (i, -) on top; (-, j) on top."""
H, RR, G, X, K, K1, K2 = 0, 1, 2, 3, 4, 5, 6
"""Tables of `sum_matchings`."""
TABLES = 7


@kernel("f8(i4, i4)")
def shift(top, scale):  # type: ignore[no-untyped-def]
    """What brings a number of scale `own` to scale `top`."""
    if scale == top:
        return 1.0
    return 1.0 / BLOCK if scale == top - 1 else 0.0


@kernel("f8(i4[::1], i4[::1], i4[::1], i4[::1], f8[:, ::1], f8[:, :, ::1], i4[:, ::1])")
def sum_trees(left1, right1, left2, right2, rho, table, scale):  # type: ignore[no-untyped-def]
    """Log of W(root, root): each alignment tree counts once (the default of the model)."""
    for i in range(len(left1) - 1, -1, -1):
        a, b = left1[i], right1[i]
        for j in range(len(left2) - 1, -1, -1):
            c, d = left2[j], right2[j]
            top = 0
            if a >= 0:
                top = max(top, scale[a, j], scale[b, j])
            if c >= 0:
                top = max(top, scale[i, c], scale[i, d])
            if a >= 0 and c >= 0:
                top = max(top, scale[a, c] + scale[b, d], scale[a, d] + scale[b, c])
            one = shift(top, 0)
            p = lo = ro = one
            if a >= 0 and c >= 0:
                ac, ad = table[W, a, c] * shift(top, scale[a, c]), table[W, a, d] * shift(top, scale[a, d])
                bc, bd = table[W, b, c] * shift(top, scale[b, c]), table[W, b, d] * shift(top, scale[b, d])
                straight = table[W, a, c] * table[W, b, d] * shift(top, scale[a, c] + scale[b, d])
                inverted = table[W, a, d] * table[W, b, c] * shift(top, scale[a, d] + scale[b, c])
                p += ac + ad + bc + bd + straight + inverted
                p += table[P, a, j] * shift(top, scale[a, j]) + table[P, b, j] * shift(top, scale[b, j])
                p += table[P, i, c] * shift(top, scale[i, c]) + table[P, i, d] * shift(top, scale[i, d])
            if a >= 0:
                lo += table[W, a, j] * shift(top, scale[a, j]) + table[W, b, j] * shift(top, scale[b, j]) + p
            if c >= 0:
                ro += table[W, i, c] * shift(top, scale[i, c]) + table[W, i, d] * shift(top, scale[i, d]) + p
            w = rho[i, j] * p + lo + ro
            if w >= BLOCK:
                w, p, lo, ro, top = w / BLOCK, p / BLOCK, lo / BLOCK, ro / BLOCK, top + 1
            table[W, i, j], table[P, i, j], table[L, i, j], table[R, i, j] = w, p, lo, ro
            scale[i, j] = top
    return np.log(table[W, 0, 0]) + scale[0, 0] * np.log(BLOCK)


@kernel("void(i4[::1], i8, i8, i8)")
def put(row, state, i, j):  # type: ignore[no-untyped-def]
    """Note a table and its cell."""
    row[0], row[1], row[2] = state, i, j


@kernel("i8(f8[::1], i8, f8)")
def pick(weights, count, probability):  # type: ignore[no-untyped-def]
    """An index below `count`, with probability in proportion to its weight."""
    total = 0.0
    for k in range(count):
        total += weights[k]
    wanted = probability * total
    last = 0
    for k in range(count):
        if weights[k] > 0.0:
            last = k
            wanted -= weights[k]
            if wanted < 0.0:
                break
    return last


@kernel("i8(i4[::1], i4[::1], i4[::1], i4[::1], f8[:, ::1], f8[:, :, ::1], i4[:, ::1], f8[::1], i8, i4[::1])")
def sample_in_trees(left1, right1, left2, right2, rho, table, scale, probability, used, mate):  # type: ignore[no-untyped-def]
    """Draw an alignment tree top-down from the tables of `sum_trees`; mate[i] = j where aligned, else -1."""
    mate[:] = -1
    room = len(left1) + len(left2) + 4
    todo = np.empty((room, 3), np.int32)
    term = np.empty((11, 3), np.int32)
    weight = np.empty(11)
    todo[0, 0], todo[0, 1], todo[0, 2] = W, 0, 0
    height = 1
    while height > 0:
        height -= 1
        state, i, j = todo[height, 0], todo[height, 1], todo[height, 2]
        a, b, c, d = left1[i], right1[i], left2[j], right2[j]
        top = scale[i, j]
        if state == W:
            weight[0], weight[1], weight[2] = rho[i, j] * table[P, i, j], table[L, i, j], table[R, i, j]
            k = pick(weight, 3, probability[used])
            used += 1
            if k == 0:
                mate[i] = j
            todo[height, 0] = P if k == 0 else L if k == 1 else R
            height += 1
            continue
        if (state == P and (a < 0 or c < 0)) or (state == L and a < 0) or (state == R and c < 0):
            continue
        weight[0] = shift(top, 0)
        if state == P:
            put(term[1], W, a, c)
            put(term[2], W, a, d)
            put(term[3], W, b, c)
            put(term[4], W, b, d)
            put(term[5], P, a, j)
            put(term[6], P, b, j)
            put(term[7], P, i, c)
            put(term[8], P, i, d)
            count = 9
        elif state == L:
            put(term[1], W, a, j)
            put(term[2], W, b, j)
            put(term[3], P, i, j)
            count = 4
        else:
            put(term[1], W, i, c)
            put(term[2], W, i, d)
            put(term[3], P, i, j)
            count = 4
        for k in range(1, count):
            weight[k] = table[term[k, 0], term[k, 1], term[k, 2]] * shift(top, scale[term[k, 1], term[k, 2]])
        if state == P:
            weight[9] = table[W, a, c] * table[W, b, d] * shift(top, scale[a, c] + scale[b, d])
            weight[10] = table[W, a, d] * table[W, b, c] * shift(top, scale[a, d] + scale[b, c])
            count = 11
        k = pick(weight, count, probability[used])
        used += 1
        if k == 0:
            continue
        if k < 9:
            todo[height] = term[k]
            height += 1
        else:
            put(todo[height], W, a, c if k == 9 else d)
            put(todo[height + 1], W, b, d if k == 9 else c)
            height += 2
    return used


@kernel("f8(i4[::1], i4[::1], i4[::1], i4[::1], f8[:, ::1], f8[:, :, ::1], i4[:, ::1])")
def sum_matchings(left1, right1, left2, right2, rho, table, scale):  # type: ignore[no-untyped-def]
    """Log of 1 + H(root, root): each set of aligned pairs that some alignment tree has counts once."""
    for i in range(len(left1) - 1, -1, -1):
        a, b = left1[i], right1[i]
        for j in range(len(left2) - 1, -1, -1):
            c, d = left2[j], right2[j]
            top = 0
            if a >= 0:
                top = max(top, scale[a, j], scale[b, j])
            if c >= 0:
                top = max(top, scale[i, c], scale[i, d])
            if a >= 0 and c >= 0:
                top = max(top, scale[a, c] + scale[b, d], scale[a, d] + scale[b, c])
            k = k1 = k2 = rr = h = 0.0
            x = shift(top, 0)
            if a >= 0 and c >= 0:
                k = table[H, a, c] * table[H, b, d] * shift(top, scale[a, c] + scale[b, d])
                k += table[H, a, d] * table[H, b, c] * shift(top, scale[a, d] + scale[b, c])
                x += table[H, a, c] * shift(top, scale[a, c]) + table[H, a, d] * shift(top, scale[a, d])
                x += table[H, b, c] * shift(top, scale[b, c]) + table[H, b, d] * shift(top, scale[b, d])
            if a >= 0:
                u, v = shift(top, scale[a, j]), shift(top, scale[b, j])
                k1 = table[K1, a, j] * u + table[K1, b, j] * v
                h = table[H, a, j] * u + table[H, b, j] * v
            if c >= 0:
                u, v = shift(top, scale[i, c]), shift(top, scale[i, d])
                k2 = table[K2, i, c] * u + table[K2, i, d] * v
                rr = table[RR, i, c] * u + table[RR, i, d] * v
            x += k1 + k2 + k
            k1 += k
            k2 += k
            g = rho[i, j] * x + k
            rr += g
            h += rr
            if h >= BLOCK:
                h, rr, g, x, top = h / BLOCK, rr / BLOCK, g / BLOCK, x / BLOCK, top + 1
                k, k1, k2 = k / BLOCK, k1 / BLOCK, k2 / BLOCK
            table[H, i, j], table[RR, i, j], table[G, i, j], table[X, i, j] = h, rr, g, x
            table[K, i, j], table[K1, i, j], table[K2, i, j] = k, k1, k2
            scale[i, j] = top
    return np.log(shift(scale[0, 0], 0) + table[H, 0, 0]) + scale[0, 0] * np.log(BLOCK)


@kernel("i8(i4[::1], i4[::1], i4[::1], i4[::1], f8[:, ::1], f8[:, :, ::1], i4[:, ::1], f8[::1], i8, i4[::1])")
def sample_in_matchings(left1, right1, left2, right2, rho, table, scale, probability, used, mate):  # type: ignore[no-untyped-def]
    """Draw a set of aligned pairs top-down from the tables of `sum_matchings`."""
    mate[:] = -1
    room = len(left1) + len(left2) + 4
    todo = np.empty((room, 3), np.int32)
    term = np.empty((11, 3), np.int32)
    weight = np.empty(11)
    weight[0], weight[1] = shift(scale[0, 0], 0), table[H, 0, 0]
    height = pick(weight, 2, probability[used])
    used += 1
    todo[0, 0], todo[0, 1], todo[0, 2] = H, 0, 0
    while height > 0:
        height -= 1
        state, i, j = todo[height, 0], todo[height, 1], todo[height, 2]
        a, b, c, d = left1[i], right1[i], left2[j], right2[j]
        top = scale[i, j]
        count = 1
        put(term[0], K, i, j)
        if state == H:
            put(term[0], RR, i, j)
            if a >= 0:
                put(term[1], H, a, j)
                put(term[2], H, b, j)
                count = 3
        elif state == RR:
            put(term[0], G, i, j)
            if c >= 0:
                put(term[1], RR, i, c)
                put(term[2], RR, i, d)
                count = 3
        elif state == G:
            weight[0], weight[1] = rho[i, j] * table[X, i, j], table[K, i, j]
            if pick(weight, 2, probability[used]) == 0:
                mate[i] = j
                put(todo[height], X, i, j)
            else:
                put(todo[height], K, i, j)
            used += 1
            height += 1
            continue
        elif state == K:
            weight[0] = table[H, a, c] * table[H, b, d] * shift(top, scale[a, c] + scale[b, d])
            weight[1] = table[H, a, d] * table[H, b, c] * shift(top, scale[a, d] + scale[b, c])
            straight = pick(weight, 2, probability[used]) == 0
            used += 1
            put(todo[height], H, a, c if straight else d)
            put(todo[height + 1], H, b, d if straight else c)
            height += 2
            continue
        elif state == K1 and a >= 0:
            put(term[1], K1, a, j)
            put(term[2], K1, b, j)
            count = 3
        elif state == K2 and c >= 0:
            put(term[1], K2, i, c)
            put(term[2], K2, i, d)
            count = 3
        elif state == X:
            if a >= 0:
                put(term[count], K1, a, j)
                put(term[count + 1], K1, b, j)
                count += 2
            if c >= 0:
                put(term[count], K2, i, c)
                put(term[count + 1], K2, i, d)
                count += 2
            if a >= 0 and c >= 0:
                put(term[count], H, a, c)
                put(term[count + 1], H, a, d)
                put(term[count + 2], H, b, c)
                put(term[count + 3], H, b, d)
                count += 4
        for k in range(count):
            weight[k] = table[term[k, 0], term[k, 1], term[k, 2]] * shift(top, scale[term[k, 1], term[k, 2]])
        if state == X:
            weight[count] = shift(top, 0)
            count += 1
        k = pick(weight, count, probability[used])
        used += 1
        if state == X and k == count - 1:
            continue
        todo[height] = term[k]
        height += 1
    return used

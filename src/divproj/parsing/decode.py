"""Decoding: best trees and edge probabilities from edge scores. Trees have exactly one root.

scores[h, c] is the score of head h for child c; words count from 1, the root is 0.

    best tree        `eisner` (projective), `eisner_siblings` (and with adjacent siblings), `chu_liu_edmonds` (edges may cross):
                     fill `heads` (length n + 1); of equal scores the lowest index wins
    probabilities    `projective` (Eisner's inside and outside), `nonprojective` (Matrix-Tree), `elimination` (the same, slower,
                     without loss of digits): fill `chances` (shape of `scores`) with the probability of each edge under
                     exp(score), and return log Z
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import LOW, kernel, log_add


@kernel("void(f8[:,::1], i8[::1])")
def eisner(scores, heads):  # type: ignore[no-untyped-def]
    """The best projective tree: O(n³)."""
    n1 = len(scores)
    full_l, full_r = np.zeros((n1, n1)), np.zeros((n1, n1))  # complete spans [s, t] with head t, head s
    half_l, half_r = np.zeros((n1, n1)), np.zeros((n1, n1))
    cut, cut_l, cut_r = np.zeros((n1, n1), np.int16), np.zeros((n1, n1), np.int16), np.zeros((n1, n1), np.int16)
    for width in range(1, n1 - 1):
        for s in range(1, n1 - width):
            t = s + width
            best, at = LOW, s
            for r in range(s, t):
                value = full_r[s, r] + full_l[r + 1, t]
                if value > best:
                    best, at = value, r
            cut[s, t] = at
            half_l[s, t], half_r[s, t] = best + scores[t, s], best + scores[s, t]
            best, at = LOW, s
            for r in range(s, t):
                value = full_l[s, r] + half_l[r, t]
                if value > best:
                    best, at = value, r
            full_l[s, t], cut_l[s, t] = best, at
            best, at = LOW, t
            for r in range(s + 1, t + 1):
                value = half_r[s, r] + full_r[r, t]
                if value > best:
                    best, at = value, r
            full_r[s, t], cut_r[s, t] = best, at
    heads[0] = -1
    best, root = LOW, 1
    for r in range(1, n1):
        value = full_l[1, r] + full_r[r, n1 - 1] + scores[0, r]
        if value > best:
            best, root = value, r
    if n1 < 2:
        return
    heads[root] = 0
    stack = np.empty((4 * n1 + 8, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 1, root, 0
    stack[1, 0], stack[1, 1], stack[1, 2] = root, n1 - 1, 1
    top = 2
    while top > 0:
        top -= 1
        s, t, right = stack[top, 0], stack[top, 1], stack[top, 2]
        if s == t:
            continue
        if right == 1:  # s heads: down to the half [s, r], then [r, t]
            r = cut_r[s, t]
            heads[r] = s
            stack[top, 0], stack[top, 1], stack[top, 2] = r, t, 1
            lo, hi = s, r
        else:
            r = cut_l[s, t]
            heads[r] = t
            stack[top, 0], stack[top, 1], stack[top, 2] = s, r, 0
            lo, hi = r, t
        m = cut[lo, hi]
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = lo, m, 1
        stack[top + 2, 0], stack[top + 2, 1], stack[top + 2, 2] = m + 1, hi, 0
        top += 3


@kernel("void(f8[:,::1], f4[:,:,::1], i8[::1])")
def eisner_siblings(scores, siblings, heads):  # type: ignore[no-untyped-def]
    """The best projective tree where siblings[h, s, c] adds to child c whose inner neighbour is s (s = h: none): O(n³)."""
    n1 = len(scores)
    full_l, full_r = np.zeros((n1, n1)), np.zeros((n1, n1))
    half_l, half_r = np.zeros((n1, n1)), np.zeros((n1, n1))
    pair = np.zeros((n1, n1))  # two siblings s and t with all between them
    cut_l, cut_r = np.zeros((n1, n1), np.int16), np.zeros((n1, n1), np.int16)
    cut, inner_l, inner_r = np.zeros((n1, n1), np.int16), np.zeros((n1, n1), np.int16), np.zeros((n1, n1), np.int16)
    for width in range(1, n1 - 1):
        for s in range(1, n1 - width):
            t = s + width
            best, at = LOW, s
            for r in range(s, t):
                value = full_r[s, r] + full_l[r + 1, t]
                if value > best:
                    best, at = value, r
            pair[s, t], cut[s, t] = best, at
            best, at = full_l[s + 1, t] + siblings[s, s, t], s
            for r in range(s + 1, t):
                value = half_r[s, r] + pair[r, t] + siblings[s, r, t]
                if value > best:
                    best, at = value, r
            half_r[s, t], inner_r[s, t] = best + scores[s, t], at
            best, at = full_r[s, t - 1] + siblings[t, t, s], t
            for r in range(s + 1, t):
                value = pair[s, r] + half_l[r, t] + siblings[t, r, s]
                if value > best:
                    best, at = value, r
            half_l[s, t], inner_l[s, t] = best + scores[t, s], at
            best, at = LOW, s
            for r in range(s, t):
                value = full_l[s, r] + half_l[r, t]
                if value > best:
                    best, at = value, r
            full_l[s, t], cut_l[s, t] = best, at
            best, at = LOW, t
            for r in range(s + 1, t + 1):
                value = half_r[s, r] + full_r[r, t]
                if value > best:
                    best, at = value, r
            full_r[s, t], cut_r[s, t] = best, at
    heads[0] = -1
    best, root = LOW, 1
    for r in range(1, n1):
        value = full_l[1, r] + full_r[r, n1 - 1] + scores[0, r] + siblings[0, 0, r]
        if value > best:
            best, root = value, r
    if n1 < 2:
        return
    heads[root] = 0
    stack = np.empty((8 * n1 + 16, 3), np.int64)  # (s, t, kind): 0 full left, 1 full right, 2 half left, 3 half right, 4 pair
    stack[0, 0], stack[0, 1], stack[0, 2] = 1, root, 0
    stack[1, 0], stack[1, 1], stack[1, 2] = root, n1 - 1, 1
    top = 2
    while top > 0:
        top -= 1
        s, t, kind = stack[top, 0], stack[top, 1], stack[top, 2]
        if s == t:
            continue
        if kind == 0:
            r = cut_l[s, t]
            stack[top, 0], stack[top, 1], stack[top, 2] = s, r, 0
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = r, t, 2
            top += 2
        elif kind == 1:
            r = cut_r[s, t]
            stack[top, 0], stack[top, 1], stack[top, 2] = s, r, 3
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = r, t, 1
            top += 2
        elif kind == 2:
            heads[s] = t
            r = inner_l[s, t]
            if r == t:
                stack[top, 0], stack[top, 1], stack[top, 2] = s, t - 1, 1
                top += 1
            else:
                stack[top, 0], stack[top, 1], stack[top, 2] = s, r, 4
                stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = r, t, 2
                top += 2
        elif kind == 3:
            heads[t] = s
            r = inner_r[s, t]
            if r == s:
                stack[top, 0], stack[top, 1], stack[top, 2] = s + 1, t, 0
                top += 1
            else:
                stack[top, 0], stack[top, 1], stack[top, 2] = s, r, 3
                stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = r, t, 4
                top += 2
        else:
            r = cut[s, t]
            stack[top, 0], stack[top, 1], stack[top, 2] = s, r, 1
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = r + 1, t, 0
            top += 2


@kernel("void(f8[:,::1], i8[::1])")
def chu_liu_edmonds(scores, heads):  # type: ignore[no-untyped-def]
    """The best tree, crossing edges allowed: O(n³) at worst, O(n²) a contraction.

    One root: a root edge costs more than all that a tree can gain, so the best arborescence has a single one.
    """
    n1 = len(scores)
    size = 2 * n1
    work = np.full((size, size), LOW)
    low, high = np.inf, -np.inf
    for h in range(n1):
        for c in range(1, n1):
            if h != c:
                work[h, c] = scores[h, c]
                low, high = min(low, scores[h, c]), max(high, scores[h, c])
    if n1 < 2:
        heads[0] = -1
        return
    for c in range(1, n1):
        work[0, c] -= (high - low + 1.0) * (n1 + 1)
    enter = np.zeros((size, size), np.int32)  # for an edge of contracted graph: the child it really enters
    leave = np.zeros((size, size), np.int32)
    for h in range(n1):
        for c in range(n1):
            leave[h, c], enter[h, c] = h, c
    alive = np.zeros(size, np.bool_)
    alive[:n1] = True
    inside = np.full(size, -1, np.int64)  # the contraction that a node went into
    choice = np.full(size, -1, np.int64)
    total = n1
    mark = np.zeros(size, np.int64)
    while True:
        for c in range(1, total):
            if alive[c] and choice[c] < 0:
                best, at = -np.inf, -1
                for h in range(total):
                    if alive[h] and h != c and work[h, c] > best:
                        best, at = work[h, c], h
                choice[c] = at
        mark[:] = 0
        start = -1
        for c in range(1, total):  # look for a cycle
            if not alive[c] or mark[c]:
                continue
            k = c
            while k > 0 and mark[k] == 0:
                mark[k] = c
                k = choice[k]
            if k > 0 and mark[k] == c:
                start = k
                break
        if start < 0:
            break
        new = total
        total += 1
        k = start
        while True:
            inside[k] = new
            alive[k] = False
            k = choice[k]
            if k == start:
                break
        for v in range(new):
            if not alive[v]:
                continue
            into, out = -np.inf, -np.inf
            k = start
            while True:
                gain = work[v, k] - work[choice[k], k]
                if gain > into:
                    into = gain
                    work[v, new], leave[v, new], enter[v, new] = gain, leave[v, k], enter[v, k]
                if work[k, v] > out:
                    out = work[k, v]
                    work[new, v], leave[new, v], enter[new, v] = out, leave[k, v], enter[k, v]
                k = choice[k]
                if k == start:
                    break
        for v in range(1, new):
            if alive[v] and inside[choice[v]] == new:
                choice[v] = new
        alive[new] = True
    done = np.zeros(size, np.bool_)
    for v in range(total - 1, 0, -1):  # open the contractions from the outermost
        if done[v]:
            continue
        word = enter[choice[v], v]
        heads[word] = leave[choice[v], v]
        k = word
        while k != v and k >= 0:  # what is entered at this word is settled up to v
            done[k] = True
            k = inside[k]
    heads[0] = -1


TRUSTED = 1e4
"""Largest number in an inverse up to which all its digits that matter are right."""


@kernel("f8(f8[:,::1], f8[:,::1])")
def projective(scores, probabilities):  # type: ignore[no-untyped-def]
    """Sums over projective trees: O(n³)."""
    n1 = len(scores)
    probabilities[:] = 0.0
    if n1 < 2:
        return 0.0
    full_l, full_r = np.full((n1, n1), LOW), np.full((n1, n1), LOW)
    half_l, half_r = np.full((n1, n1), LOW), np.full((n1, n1), LOW)
    for s in range(1, n1):
        full_l[s, s] = full_r[s, s] = 0.0
    for width in range(1, n1 - 1):
        for s in range(1, n1 - width):
            t = s + width
            total = LOW
            for r in range(s, t):
                total = log_add(total, full_r[s, r] + full_l[r + 1, t])
            half_l[s, t], half_r[s, t] = total + scores[t, s], total + scores[s, t]
            total = LOW
            for r in range(s, t):
                total = log_add(total, full_l[s, r] + half_l[r, t])
            full_l[s, t] = total
            total = LOW
            for r in range(s + 1, t + 1):
                total = log_add(total, half_r[s, r] + full_r[r, t])
            full_r[s, t] = total
    z = LOW
    for r in range(1, n1):
        z = log_add(z, full_l[1, r] + full_r[r, n1 - 1] + scores[0, r])
    out_fl, out_fr = np.full((n1, n1), LOW), np.full((n1, n1), LOW)
    out_hl, out_hr = np.full((n1, n1), LOW), np.full((n1, n1), LOW)
    last = n1 - 1
    for r in range(1, n1):
        probabilities[0, r] = np.exp(full_l[1, r] + full_r[r, last] + scores[0, r] - z)
        out_fl[1, r] = log_add(out_fl[1, r], full_r[r, last] + scores[0, r])
        out_fr[r, last] = log_add(out_fr[r, last], full_l[1, r] + scores[0, r])
    for width in range(n1 - 2, 0, -1):
        for s in range(1, n1 - width):
            t = s + width
            up = out_fr[s, t]
            if up > LOW:
                for r in range(s + 1, t + 1):
                    out_hr[s, r] = log_add(out_hr[s, r], up + full_r[r, t])
                    out_fr[r, t] = log_add(out_fr[r, t], up + half_r[s, r])
            up = out_fl[s, t]
            if up > LOW:
                for r in range(s, t):
                    out_fl[s, r] = log_add(out_fl[s, r], up + half_l[r, t])
                    out_hl[r, t] = log_add(out_hl[r, t], up + full_l[s, r])
        for s in range(1, n1 - width):
            t = s + width
            probabilities[s, t] = np.exp(out_hr[s, t] + half_r[s, t] - z)
            probabilities[t, s] = np.exp(out_hl[s, t] + half_l[s, t] - z)
            up = log_add(out_hr[s, t] + scores[s, t], out_hl[s, t] + scores[t, s])
            if up > LOW:
                for r in range(s, t):
                    out_fr[s, r] = log_add(out_fr[s, r], up + full_l[r + 1, t])
                    out_fl[r + 1, t] = log_add(out_fl[r + 1, t], up + full_r[s, r])
    return z


@kernel("f8(f8[:,::1], f8[:,::1])")
def elimination(scores, probabilities):  # type: ignore[no-untyped-def]
    """Sums over all trees, any scores: words are taken out one by one, their paths kept, and nothing is ever subtracted.

    It is the elimination of `nonprojective`'s matrix in logarithms (Grassmann et al. 1985), then its derivative backwards.
    """
    n1 = len(scores)
    probabilities[:] = 0.0
    if n1 < 2:
        return 0.0
    paths = scores.copy()
    sums = np.full(n1, LOW)
    shares = np.zeros(n1 * (n1 + 1) * (2 * n1 + 1) // 6)  # of each path, the part that leads through the word taken out
    at = len(shares)
    z = 0.0
    for k in range(n1 - 1, 1, -1):
        for i in range(1, k):
            sums[k] = log_add(sums[k], paths[i, k])
        z += sums[k]
        at -= k * k
        for i in range(k):
            for j in range(1, k):
                if i != j:
                    through = paths[i, k] + paths[k, j] - sums[k]
                    paths[i, j] = log_add(paths[i, j], through)
                    shares[at + i * k + j] = np.exp(through - paths[i, j])
    probabilities[0, 1] = 1.0
    for k in range(2, n1):
        rest = 1.0
        for i in range(k):
            for j in range(1, k):
                if i != j:
                    moved = probabilities[i, j] * shares[at + i * k + j]
                    probabilities[i, j] -= moved
                    probabilities[i, k] += moved
                    probabilities[k, j] += moved
                    rest -= moved
        for i in range(1, k):
            probabilities[i, k] += rest * np.exp(paths[i, k] - sums[k])
        at += k * k
    return z + paths[0, 1]


def nonprojective(scores, probabilities):  # type: ignore[no-untyped-def]
    """Sums over all trees by the Matrix-Tree theorem (Koo et al. 2007): the Laplacian's first row holds the root's weights.

    Plain numpy: the factorisation is the work, and it is compiled already. Where words would rather be each other's heads
    than anything else by far, digits are lost, and `elimination` does it.
    """
    n1 = len(scores)
    probabilities[:] = 0.0
    if n1 < 2:
        return 0.0
    words = np.arange(n1 - 1)
    shifted = scores[:, 1:].copy()
    shifted[words + 1, words] = -np.inf
    tops = shifted.max(axis=0)
    shifted -= tops  # each child's odds up to a factor of its own
    top_root = shifted[0].max()
    inner, root = np.exp(shifted[1:]), np.exp(shifted[0] - top_root)
    laplacian = np.diag(inner.sum(axis=0)) - inner
    laplacian[0] = root
    try:
        inverse = np.linalg.inv(laplacian)
    except np.linalg.LinAlgError:
        return elimination.compiled(scores, probabilities)
    if not np.abs(inverse).max() < TRUSTED:
        return elimination.compiled(scores, probabilities)
    _, log_det = np.linalg.slogdet(laplacian)
    keep = np.ones(n1 - 1)
    keep[0] = 0.0
    probabilities[0, 1:] = root * inverse[:, 0]
    down = inner * (np.diag(inverse) * keep)  # column c: the child's own diagonal
    across = inner * inverse.T * keep[:, None]
    probabilities[1:, 1:] = np.clip(down - across, 0.0, 1.0)
    return float(log_det + tops.sum() + top_root)

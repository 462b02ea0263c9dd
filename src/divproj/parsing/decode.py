"""Best trees under edge scores: Eisner, Eisner with adjacent siblings, Chu-Liu/Edmonds. One root always.

scores[h, c] is the score of head h for child c, words from 1, the root 0; `heads` (length n + 1) is filled. Of equals the
lowest index wins.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel
from divproj.runtime.logs import LOW



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

"""Sums over all sets without logarithms: the recurrences of `chart.sum_rows` and `chart.outside` on scaled numbers.

Every score is raised by a constant for each word, which cancels since the words of a phrase are those of its parts. With the right
constant the whole sum is near 1 and no number on the way to it leaves the range of floats; where one does, the caller sees it
(nothing, infinite or not a number) and takes the slower kernels.

Arrays are as in `chart`, but `pair`, `null_s`, `null_t` and the weights of edges are exp of what they are there.
"""

from __future__ import annotations

import numpy as np

from divproj.phrases.chart import CELLS, TWO
from divproj.runtime.jit import kernel


@kernel("void(i4[::1], u4[::1])")
def mothers(first, mother):  # type: ignore[no-untyped-def]
    """For each edge the node above it."""
    for v in range(len(first) - 1):
        for f in range(first[v], first[v + 1]):
            mother[f] = v


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS}, {CELLS})")
def sum_rows(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, low, high, A, F, E):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Rows [low, high) of the sums; the rows below must be filled."""
    m, edges = len(t_first) - 1, len(t_left)
    left, right = t_left.view(np.uint32), t_right.view(np.uint32)
    mother = np.empty(edges, np.uint32)
    mothers(t_first, mother)
    for u in range(low, high):
        e0, e1 = s_first[u], s_first[u + 1]
        local, own, climbed, row = pair[u], A[u], F[u], E[u]
        for v in range(m):
            row[v] = 0.0
            own[v] = 0.0 if e0 < e1 and t_first[v] < t_first[v + 1] else 1.0
        for e in range(e0, e1):
            le, re, we = s_left[e], s_right[e], s_weight[e]
            one, two = E[le], E[re]
            null_one, null_two = null_s[le] * we, null_s[re] * we
            for v in range(m):
                row[v] += one[v] * null_two + two[v] * null_one
            for f in range(edges):
                own[mother[f]] += we * t_weight[f] * (one[left[f]] * two[right[f]] + one[right[f]] * two[left[f]])
        for v in range(m):
            own[v] *= local[v]
            climbed[v] = own[v]
        for f in range(edges):
            lf, rf = left[f], right[f]
            climbed[mother[f]] += t_weight[f] * (climbed[lf] * null_t[rf] + climbed[rf] * null_t[lf])
        for v in range(m):
            row[v] += climbed[v]


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS}, {CELLS}, {CELLS}, {CELLS}, f8[::1], f8[::1])")
def outside(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, root_s, root_t, A, F, E, g, post, post_s, post_t):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Posteriors of pairs and of nulls, by the derivative of log Σ. `g` and `post…` come in as zeros."""
    m, edges = len(t_first) - 1, len(t_left)
    left, right = t_left.view(np.uint32), t_right.view(np.uint32)
    mother, share = np.empty(edges, np.uint32), np.empty(edges)
    mothers(t_first, mother)
    for u in range(root_s, -1, -1):
        row, some = g[u], u == root_s
        for v in range(m):
            some |= row[v] > 0.0
        if not some:
            continue
        e0, e1 = s_first[u], s_first[u + 1]
        for e in range(e0, e1):
            le, re, we = s_left[e], s_right[e], s_weight[e]
            one, two, g_one, g_two = E[le], E[re], g[le], g[re]
            null_one, null_two = null_s[le] * we, null_s[re] * we
            alone_one, alone_two = 0.0, 0.0
            for v in range(m):
                g_one[v] += row[v] * null_two
                g_two[v] += row[v] * null_one
                alone_two += row[v] * one[v]
                alone_one += row[v] * two[v]
            post_s[re] += alone_two * null_two
            post_s[le] += alone_one * null_one
        climbed = F[u]
        for f in range(edges - 1, -1, -1):
            lf, rf, x = left[f], right[f], row[mother[f]] * t_weight[f]
            row[lf] += x * null_t[rf]
            row[rf] += x * null_t[lf]
            post_t[rf] += x * climbed[lf] * null_t[rf]
            post_t[lf] += x * climbed[rf] * null_t[lf]
        if u == root_s:
            row[root_t] += 1.0 / A[root_s, root_t]
        for v in range(m):
            post[u, v] = row[v] * A[u, v]
        if e0 == e1:
            continue
        for f in range(edges):
            share[f] = row[mother[f]] * pair[u, mother[f]] * t_weight[f]
        for e in range(e0, e1):
            le, re, we = s_left[e], s_right[e], s_weight[e]
            one, two, g_one, g_two = E[le], E[re], g[le], g[re]
            for f in range(edges):
                x = share[f] * we
                if x > 0.0:
                    lf, rf = left[f], right[f]
                    g_one[lf] += x * two[rf]
                    g_two[rf] += x * one[lf]
                    g_one[rf] += x * two[lf]
                    g_two[lf] += x * one[rf]

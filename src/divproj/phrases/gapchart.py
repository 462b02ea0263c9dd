"""The chart with a bound μg on the generations between a pair and its kids (§5.1 of the paper); arrays as in `chart`.

B(u,v)[a][b] is the best pair inside (u,v) reached by climbing a generations on the source side and b on the target side, both below
μg, since the merge itself is one more.
"""

from __future__ import annotations

import numpy as np

from divproj.phrases.chart import CELLS, TWO, best_edges
from divproj.runtime.jit import kernel
from divproj.runtime.logs import log_add

GAPS = "f8[:, :, :, ::1]"


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], f8, f8[::1], f8[::1], i8, i8, {GAPS}, {CELLS})")
def gap_rows(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, mix, rho_s, rho_t, low, high, B, E):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Fill rows [low, high) of B and of E, its maximum over gaps."""
    m, gap = len(t_first) - 1, B.shape[2]
    keep, take = np.log(1.0 - mix), np.log(mix) if mix > 0 else -np.inf
    for u in range(low, high):
        e0, e1 = s_first[u], s_first[u + 1]
        for v in range(m):
            f0, f1 = t_first[v], t_first[v + 1]
            B[u, v] = -np.inf
            a = pair[u, v]
            if e0 < e1 and f0 < f1 and a > -np.inf:
                inner = -np.inf
                for e in range(e0, e1):
                    le, re, we = s_left[e], s_right[e], s_weight[e]
                    for f in range(f0, f1):
                        lf, rf = t_left[f], t_right[f]
                        inner = max(inner, we + t_weight[f] + max(E[le, lf] + E[re, rf], E[le, rf] + E[re, lf]))
                a += inner
            if mix > 0 and a > -np.inf:
                a = log_add(keep + a, take + rho_s[u] + rho_t[v])
            B[u, v, 0, 0] = a
            for e in range(e0, e1):
                le, re, we = s_left[e], s_right[e], s_weight[e]
                for x in range(gap - 1):
                    for y in range(gap):
                        up = max(B[le, v, x, y] + null_s[re] + we, B[re, v, x, y] + null_s[le] + we)
                        B[u, v, x + 1, y] = max(B[u, v, x + 1, y], up)
            for f in range(f0, f1):
                lf, rf, wf = t_left[f], t_right[f], t_weight[f]
                for x in range(gap):
                    for y in range(gap - 1):
                        up = max(B[u, lf, x, y] + null_t[rf] + wf, B[u, rf, x, y] + null_t[lf] + wf)
                        B[u, v, x, y + 1] = max(B[u, v, x, y + 1], up)
            best = -np.inf
            for x in range(gap):
                for y in range(gap):
                    best = max(best, B[u, v, x, y])
            E[u, v] = best


@kernel(f"void({TWO}, f8[::1], f8[::1], {GAPS}, {CELLS}, i8, i8, i4[:, ::1], i4[:, ::1], i4[:, ::1], i8[::1])")
def gap_decode(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, null_s, null_t, B, E, u, v, pairs, nulls, edges, counts):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """`chart.decode` for a chart with gaps, from ⟨u,v⟩ itself."""
    gap = B.shape[2]
    stack = np.empty((len(pairs) + 2, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = u, v, -1, 0
    top, n_pairs, n_nulls, n_edges = 1, 0, 0, 0
    while top:
        top -= 1
        u, v, mother, loose = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        x, y = 0, 0
        if loose:
            for i in range(gap):
                for j in range(gap):
                    if B[u, v, i, j] > B[u, v, x, y]:
                        x, y = i, j
        while x + y > 0:
            best, move, edge = -np.inf, 0, -1
            if x > 0:
                for e in range(s_first[u], s_first[u + 1]):
                    le, re, we = s_left[e], s_right[e], s_weight[e]
                    if B[le, v, x - 1, y] + null_s[re] + we > best:
                        best, move, edge = B[le, v, x - 1, y] + null_s[re] + we, 1, e
                    if B[re, v, x - 1, y] + null_s[le] + we > best:
                        best, move, edge = B[re, v, x - 1, y] + null_s[le] + we, 2, e
            if y > 0:
                for f in range(t_first[v], t_first[v + 1]):
                    lf, rf, wf = t_left[f], t_right[f], t_weight[f]
                    if B[u, lf, x, y - 1] + null_t[rf] + wf > best:
                        best, move, edge = B[u, lf, x, y - 1] + null_t[rf] + wf, 3, f
                    if B[u, rf, x, y - 1] + null_t[lf] + wf > best:
                        best, move, edge = B[u, rf, x, y - 1] + null_t[lf] + wf, 4, f
            if move < 3:
                down, alone = (s_left[edge], s_right[edge]) if move == 1 else (s_right[edge], s_left[edge])
                u, x = down, x - 1
            else:
                down, alone = (t_left[edge], t_right[edge]) if move == 3 else (t_right[edge], t_left[edge])
                v, y = down, y - 1
            nulls[n_nulls, 0], nulls[n_nulls, 1], nulls[n_nulls, 2] = move > 2, alone, mother
            edges[n_edges, 0], edges[n_edges, 1] = move > 2, edge
            n_nulls += 1
            n_edges += 1
        pairs[n_pairs, 0], pairs[n_pairs, 1], pairs[n_pairs, 2] = u, v, mother
        n_pairs += 1
        if s_first[u] < s_first[u + 1] and t_first[v] < t_first[v + 1]:
            e, f = best_edges(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, E, u, v)
            lf, rf = (t_right[-1 - f], t_left[-1 - f]) if f < 0 else (t_left[f], t_right[f])
            edges[n_edges, 0], edges[n_edges, 1] = 0, e
            edges[n_edges + 1, 0], edges[n_edges + 1, 1] = 1, -1 - f if f < 0 else f
            n_edges += 2
            stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = s_right[e], rf, n_pairs - 1, 1
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2], stack[top + 1, 3] = s_left[e], lf, n_pairs - 1, 1
            top += 2
    counts[0], counts[1], counts[2] = n_pairs, n_nulls, n_edges

"""The exact chart on two packed forests: best score, best set, sums and posteriors in O(|E_s|·|E_t|), without a beam.

Arrays only. A forest is `first` (edges of node k are first[k] … first[k+1]-1), `left`, `right` and the log weights of its
edges; children stand before parents. `pair[u, v]` is the local score of ⟨u,v⟩ with its costs; if u or v is a leaf, it is the
score of a pair without kids (-inf if there is no such pair). `null_s`, `null_t` are the scores of phrases left alone.

Let A(u,v) be the best set with ⟨u,v⟩ on top, and E(u,v) the best aligned pair somewhere inside (u,v), with the score of the
phrases that are left alone on both paths down to it:

    A(u,v) = pair(u,v) + max over edges e of u, f of v of  E(l_e,l_f) + E(r_e,r_f),  E(l_e,r_f) + E(r_e,l_f)
    E(u,v) = max of A(u,v),  E(l_e,v) + null_s(r_e), E(r_e,v) + null_s(l_e),  and the same for f on the other side

which is a weighted maximum agreement subtree. An example: "old dog" and "chien vieux", one tree each. Word candidates are
old-vieux and dog-chien, with a score of 2; the pair of both phrases has 1; a word left alone costs 3.

    A        chien  vieux  phrase        E        chien  vieux  phrase
    old       -inf      2    -inf        old       -inf      2      -1    E(old, phrase)   = E(old, vieux) + null_t(chien)
    dog          2   -inf    -inf        dog          2   -inf      -1    E(phrase, chien) = E(dog, chien) + null_s(old)
    phrase    -inf   -inf       5        phrase      -1     -1       5    A(phrase, phrase) = 1 + E(old, vieux) + E(dog, chien)

`best_rows` fills A and E, row by row; `decode` follows the best choices from the root pair: ⟨old dog, chien vieux⟩ with the
kids ⟨old, vieux⟩ and ⟨dog, chien⟩, inverted. `sum_rows` and `outside` put sums in the place of maxima: log Σ over all sets,
and its derivative by every local score, which is the posterior of that pair or null.

`gap_rows` and `gap_decode` bound the generations between a pair and its kids by μg (§5.1 of the paper): B(u,v)[a][b] is the
best pair inside (u,v) that is reached by climbing a generations on the source side and b on the target side, both below μg,
since the merge itself is one more.

`scaled_sum_rows` and `scaled_outside` compute the same sums without logarithms: `pair`, `null_s`, `null_t` and the weights of
edges are exp of what they are elsewhere. Every score is raised by a constant for each word, which cancels since the words of
a phrase are those of its parts. With the right constant the whole sum is near 1 and no number leaves the range of floats; if
one does, the caller sees it (zero, infinite or not a number) and takes the slower kernels.

Departs: Algorithm 4.1 keeps a beam of packed supports; `beam_search` does that.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel, log_add

FOREST = "i4[::1], i4[::1], i4[::1], f8[::1]"
TWO = f"{FOREST}, {FOREST}"
CELLS = "f8[:, ::1]"


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], f8, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS})")
def best_rows(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, mix, rho_s, rho_t, low, high, A, E):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Fill rows [low, high) of A and E; the rows below must be filled.

    `mix` > 0 puts (1-mix)·α + mix·ρ(u)ρ(v) in the place of α (§5.4 of the paper, literally).
    """
    m, edges = np.uint64(len(t_first) - 1), len(t_left)
    keep, take = np.log(1.0 - mix), np.log(mix) if mix > 0 else -np.inf
    # Flat arrays and unsigned indices: row views cost reference counting, and signed indices a check for negative values.
    A, E, pair = A.reshape(-1), E.reshape(-1), pair.reshape(-1)
    left_s, right_s, left, right = (
        s_left.view(np.uint32),
        s_right.view(np.uint32),
        t_left.view(np.uint32),
        t_right.view(np.uint32),
    )
    mother, given = np.empty(edges, np.uint32), np.empty(m + 2 * edges)
    alone, null_left, null_right = given[:m], given[m : m + edges], given[m + edges :]
    for v in range(m):
        alone[v] = 0.0
        for f in range(t_first[v], t_first[v + 1]):
            mother[f], alone[v] = v, -np.inf
            null_left[f], null_right[f] = null_t[left[f]] + t_weight[f], null_t[right[f]] + t_weight[f]
    leaves, count = np.empty(high - low, np.uint64), 0
    for u in range(low, high):
        if s_first[u] == s_first[u + 1]:
            here = np.uint64(u) * m
            leaves[count] = here
            count += 1
            for v in range(m):
                x = pair[here + v]
                if mix > 0 and x > -np.inf:
                    x = log_add(keep + x, take + rho_s[u] + rho_t[v])
                A[here + v] = E[here + v] = x
    for f in range(edges):  # all leaves together: their rows do not wait for each other
        lf, rf, t, null_l, null_r = left[f], right[f], mother[f], null_left[f], null_right[f]
        for k in range(count):
            here = leaves[k]
            x, y = E[here + lf] + null_r, E[here + rf] + null_l
            x = x if x > y else y
            E[here + t] = x if x > E[here + t] else E[here + t]
    for u in range(low, high):  # flat loops over targets and target edges
        e0, e1 = s_first[u], s_first[u + 1]
        if e0 == e1:
            continue
        here = np.uint64(u) * m
        for v in range(m):
            x = alone[v] + pair[here + v]
            A[here + v] = x
            E[here + v] = x if mix == 0 else -np.inf
        for e in range(e0, e1):
            one, two, we = left_s[e] * m, right_s[e] * m, s_weight[e]
            null_one, null_two = null_s[left_s[e]] + we, null_s[right_s[e]] + we
            for v in range(m):
                x, y = E[one + v] + null_two, E[two + v] + null_one
                x = x if x > y else y
                E[here + v] = x if x > E[here + v] else E[here + v]
            for f in range(edges):
                lf, rf, t = left[f], right[f], here + mother[f]
                x, y = E[one + lf] + E[two + rf], E[one + rf] + E[two + lf]
                x = (x if x > y else y) + (we + t_weight[f]) + pair[t]
                A[t] = x if x > A[t] else A[t]
        if mix > 0:
            for v in range(m):
                x = A[here + v]
                if x > -np.inf:
                    A[here + v] = x = log_add(keep + x, take + rho_s[u] + rho_t[v])
                E[here + v] = x if x > E[here + v] else E[here + v]
        for f in range(edges):
            x, y = E[here + left[f]] + null_right[f], E[here + right[f]] + null_left[f]
            t = here + mother[f]
            x = x if x > y else y
            x = x if x > A[t] else A[t]
            E[t] = x if x > E[t] else E[t]


@kernel(f"UniTuple(i8, 2)({TWO}, {CELLS}, i8, i8)")
def best_edges(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, E, u, v):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """The edges that make A(u,v) best: (e, f), with f as -1-f when inverted."""
    best, at_e, at_f = -np.inf, -1, -1
    for e in range(s_first[u], s_first[u + 1]):
        le, re = s_left[e], s_right[e]
        for f in range(t_first[v], t_first[v + 1]):
            lf, rf, weight = t_left[f], t_right[f], s_weight[e] + t_weight[f]
            score = E[le, lf] + E[re, rf] + weight
            if score > best:
                best, at_e, at_f = score, e, f
            score = E[le, rf] + E[re, lf] + weight
            if score > best:
                best, at_e, at_f = score, e, -1 - f
    return at_e, at_f


@kernel(f"void({TWO}, f8[::1], f8[::1], {CELLS}, {CELLS}, i8, i8, b1, i4[:, ::1], i4[:, ::1], i4[:, ::1], i8[::1])")
def decode(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, null_s, null_t, A, E, u, v, inside, pairs, nulls, edges, counts):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Follow the best choices from ⟨u,v⟩ itself, or from the best pair `inside` it.

    Fills `pairs` (u, v, index of the mother pair or -1; mothers first), `nulls` (side, node, mother pair) and `edges` (side,
    edge), and in `counts` how many of each.
    """
    stack = np.empty((len(pairs) + 2, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = u, v, -1, 1 if inside else 0
    top, n_pairs, n_nulls, n_edges = 1, 0, 0, 0
    while top:
        top -= 1
        u, v, mother, loose = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        while loose:  # climb down E to the pair it comes from
            best, move, edge = A[u, v], 0, -1
            for e in range(s_first[u], s_first[u + 1]):
                le, re, we = s_left[e], s_right[e], s_weight[e]
                if E[le, v] + null_s[re] + we > best:
                    best, move, edge = E[le, v] + null_s[re] + we, 1, e
                if E[re, v] + null_s[le] + we > best:
                    best, move, edge = E[re, v] + null_s[le] + we, 2, e
            for f in range(t_first[v], t_first[v + 1]):
                lf, rf, wf = t_left[f], t_right[f], t_weight[f]
                if E[u, lf] + null_t[rf] + wf > best:
                    best, move, edge = E[u, lf] + null_t[rf] + wf, 3, f
                if E[u, rf] + null_t[lf] + wf > best:
                    best, move, edge = E[u, rf] + null_t[lf] + wf, 4, f
            if move == 0:
                loose = 0
                continue
            if move < 3:
                down, alone = (s_left[edge], s_right[edge]) if move == 1 else (s_right[edge], s_left[edge])
                u = down
            else:
                down, alone = (t_left[edge], t_right[edge]) if move == 3 else (t_right[edge], t_left[edge])
                v = down
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


NOTHING = 40.0
"""A number so much below another, as logarithms, does not change the sum of the two."""


@kernel("UniTuple(f8, 2)(f8, f8, f8)")
def more(peak, total, x):  # type: ignore[no-untyped-def]
    """Add x to a sum total·exp(peak) kept as two numbers; what is too small to show is not added."""
    if x <= peak - NOTHING or x == -np.inf:
        return peak, total
    if x > peak:
        return x, total * np.exp(peak - x) + 1.0
    return peak, total + np.exp(x - peak)


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS}, {CELLS})")
def sum_rows(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, low, high, A, F, E):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Rows [low, high) of the sums; A(root,root) is log Σ_H α(H) over all sets H and the paths that hold them.

    F(u,v) climbs the target side only and E(u,v) the source side above it, so that no embedding counts twice.
    """
    m = len(t_first) - 1
    for u in range(low, high):
        e0, e1 = s_first[u], s_first[u + 1]
        for v in range(m):
            f0, f1 = t_first[v], t_first[v + 1]
            a = pair[u, v]
            if e0 < e1 and f0 < f1 and a > -np.inf:
                peak, total = -np.inf, 0.0
                for e in range(e0, e1):
                    le, re, we = s_left[e], s_right[e], s_weight[e]
                    for f in range(f0, f1):
                        lf, rf, weight = t_left[f], t_right[f], we + t_weight[f]
                        peak, total = more(peak, total, E[le, lf] + E[re, rf] + weight)
                        peak, total = more(peak, total, E[le, rf] + E[re, lf] + weight)
                a += peak + np.log(total) if total > 0 else -np.inf
            A[u, v] = a
            peak, total = more(-np.inf, 0.0, a)
            for f in range(f0, f1):
                lf, rf, wf = t_left[f], t_right[f], t_weight[f]
                peak, total = more(peak, total, F[u, lf] + null_t[rf] + wf)
                peak, total = more(peak, total, F[u, rf] + null_t[lf] + wf)
            F[u, v] = peak + np.log(total) if total > 0 else -np.inf
            for e in range(e0, e1):
                le, re, we = s_left[e], s_right[e], s_weight[e]
                peak, total = more(peak, total, E[le, v] + null_s[re] + we)
                peak, total = more(peak, total, E[re, v] + null_s[le] + we)
            E[u, v] = peak + np.log(total) if total > 0 else -np.inf


TINY = 1e-12
"""Posterior mass below which a cell is not followed further down."""


@kernel(
    f"void({TWO}, {CELLS}, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS}, {CELLS}, {CELLS}, {CELLS}, {CELLS}, f8[::1], f8[::1])"
)
def outside(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, root_s, root_t, A, F, E, gF, gE, post, post_s, post_t):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """The derivative of log Σ by every local score: posteriors of pairs and of nulls. `g…` and `post…` come in as zeros."""
    for u in range(root_s, -1, -1):
        e0, e1 = s_first[u], s_first[u + 1]
        for v in range(len(t_first) - 2, -1, -1):
            f0, f1 = t_first[v], t_first[v + 1]
            g = gE[u, v]
            if g > TINY:
                gF[u, v] += g * np.exp(F[u, v] - E[u, v])
                for e in range(e0, e1):
                    le, re, we = s_left[e], s_right[e], s_weight[e]
                    x = g * np.exp(E[le, v] + null_s[re] + we - E[u, v])
                    gE[le, v] += x
                    post_s[re] += x
                    x = g * np.exp(E[re, v] + null_s[le] + we - E[u, v])
                    gE[re, v] += x
                    post_s[le] += x
            g = gF[u, v]
            a = 1.0 if u == root_s and v == root_t else 0.0
            if g > TINY:
                a += g * np.exp(A[u, v] - F[u, v])
                for f in range(f0, f1):
                    lf, rf, wf = t_left[f], t_right[f], t_weight[f]
                    x = g * np.exp(F[u, lf] + null_t[rf] + wf - F[u, v])
                    gF[u, lf] += x
                    post_t[rf] += x
                    x = g * np.exp(F[u, rf] + null_t[lf] + wf - F[u, v])
                    gF[u, rf] += x
                    post_t[lf] += x
            post[u, v] = a
            if a > TINY and e0 < e1 and f0 < f1:
                whole = A[u, v] - pair[u, v]
                for e in range(e0, e1):
                    le, re, we = s_left[e], s_right[e], s_weight[e]
                    for f in range(f0, f1):
                        lf, rf, weight = t_left[f], t_right[f], we + t_weight[f] - whole
                        x = E[le, lf] + E[re, rf] + weight
                        if x > -NOTHING:
                            x = a * np.exp(x)
                            gE[le, lf] += x
                            gE[re, rf] += x
                        x = E[le, rf] + E[re, lf] + weight
                        if x > -NOTHING:
                            x = a * np.exp(x)
                            gE[le, rf] += x
                            gE[re, lf] += x


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], i4[::1])")
def best_below(first, left, right, weight, edge_of):  # type: ignore[no-untyped-def]
    """For each node the edge of its best tree, -1 for a leaf."""
    score = np.zeros(len(first) - 1)
    for node in range(len(first) - 1):
        edge_of[node] = -1
        for e in range(first[node], first[node + 1]):
            value = weight[e] + score[left[e]] + score[right[e]]
            if edge_of[node] < 0 or value > score[node]:
                edge_of[node], score[node] = e, value


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


@kernel("void(i4[::1], u4[::1])")
def mothers(first, mother):  # type: ignore[no-untyped-def]
    """For each edge the node above it."""
    for v in range(len(first) - 1):
        for f in range(first[v], first[v + 1]):
            mother[f] = v


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS}, {CELLS})")
def scaled_sum_rows(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, low, high, A, F, E):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Rows [low, high) of the sums; the rows below must be filled."""
    m, edges = len(t_first) - 1, len(t_left)
    left, right = t_left.view(np.uint32), t_right.view(np.uint32)
    mother = np.empty(edges, np.uint32)
    mothers(t_first, mother)
    for u in range(low, high):
        e0, e1 = s_first[u], s_first[u + 1]
        local, pair_sums, climbed, row = pair[u], A[u], F[u], E[u]
        for v in range(m):
            row[v] = 0.0
            pair_sums[v] = 0.0 if e0 < e1 and t_first[v] < t_first[v + 1] else 1.0
        for e in range(e0, e1):
            le, re, we = s_left[e], s_right[e], s_weight[e]
            one, two = E[le], E[re]
            null_one, null_two = null_s[le] * we, null_s[re] * we
            for v in range(m):
                row[v] += one[v] * null_two + two[v] * null_one
            for f in range(edges):
                pair_sums[mother[f]] += we * t_weight[f] * (one[left[f]] * two[right[f]] + one[right[f]] * two[left[f]])
        for v in range(m):
            pair_sums[v] *= local[v]
            climbed[v] = pair_sums[v]
        for f in range(edges):
            lf, rf = left[f], right[f]
            climbed[mother[f]] += t_weight[f] * (climbed[lf] * null_t[rf] + climbed[rf] * null_t[lf])
        for v in range(m):
            row[v] += climbed[v]


@kernel(f"void({TWO}, {CELLS}, f8[::1], f8[::1], i8, i8, {CELLS}, {CELLS}, {CELLS}, {CELLS}, {CELLS}, f8[::1], f8[::1])")
def scaled_outside(s_first, s_left, s_right, s_weight, t_first, t_left, t_right, t_weight, pair, null_s, null_t, root_s, root_t, A, F, E, g, post, post_s, post_t):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
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

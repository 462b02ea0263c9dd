"""Kernels of forests: sums and maxima over all trees, on the arrays of `ForestArrays`.

Edges of node v are first[v] … first[v+1]-1; children have lower numbers than parents; weights are logarithms.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1])")
def inside(first, left, right, weight, out):  # type: ignore[no-untyped-def]
    """log β(v) = log Σ_e exp(w_e + log β(left) + log β(right)); leaves have 0."""
    for v in range(len(first) - 1):
        low, high = first[v], first[v + 1]
        if low == high:
            out[v] = 0.0
            continue
        top = -np.inf
        for e in range(low, high):
            value = weight[e] + out[left[e]] + out[right[e]]
            if value > top:
                top = value
        if top == -np.inf:
            out[v] = top
            continue
        total = 0.0
        for e in range(low, high):
            total += np.exp(weight[e] + out[left[e]] + out[right[e]] - top)
        out[v] = top + np.log(total)


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i8, f8[::1], f8[::1])")
def marginals(first, left, right, weight, beta, root, node, edge):  # type: ignore[no-untyped-def]
    """ρ of nodes and edges: the share of all trees, by weight, that have them. `beta` is from `inside`.

    Top down: ρ(e) = ρ(v) · exp(w_e + β(left) + β(right) − β(v)), ρ(child) = Σ ρ(e). Nothing overflows, outside values are not needed.
    """
    node[:] = 0.0
    edge[:] = 0.0
    if beta[root] == -np.inf:
        return
    node[root] = 1.0
    for v in range(root, -1, -1):
        if node[v] <= 0.0:
            continue
        for e in range(first[v], first[v + 1]):
            share = node[v] * np.exp(weight[e] + beta[left[e]] + beta[right[e]] - beta[v])
            edge[e] = share
            node[left[e]] += share
            node[right[e]] += share


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i8, f8[::1])")
def outside(first, left, right, weight, beta, root, out):  # type: ignore[no-untyped-def]
    """log of the weight of all that lies around a node; −∞ for nodes that no tree has."""
    out[:] = -np.inf
    out[root] = 0.0
    for v in range(root, -1, -1):
        if out[v] == -np.inf:
            continue
        for e in range(first[v], first[v + 1]):
            a, b = left[e], right[e]
            around = out[v] + weight[e]
            out[a] = np.logaddexp(out[a], around + beta[b])
            out[b] = np.logaddexp(out[b], around + beta[a])


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i4[::1])")
def best(first, left, right, weight, out, back):  # type: ignore[no-untyped-def]
    """Weight of the best tree below each node and its edge there (the first of equals), −1 at leaves."""
    for v in range(len(first) - 1):
        low, high = first[v], first[v + 1]
        back[v] = -1
        out[v] = 0.0 if low == high else -np.inf
        for e in range(low, high):
            value = weight[e] + out[left[e]] + out[right[e]]
            if back[v] < 0 or value > out[v]:
                out[v] = value
                back[v] = e


@kernel("i8(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i8, f8[::1], i4[::1])")
def draw(first, left, right, weight, beta, root, chances, edges):  # type: ignore[no-untyped-def]
    """One tree at random by weight; fills `edges` with its edges, top down, and returns how many. `chances` are uniform in [0, 1)."""
    stack = np.empty(len(chances) + 1, np.int64)
    stack[0] = root
    high, count = 1, 0
    while high > 0:
        high -= 1
        v = stack[high]
        if first[v] == first[v + 1]:
            continue
        rest = chances[count]
        chosen = first[v + 1] - 1
        for e in range(first[v], first[v + 1]):
            rest -= np.exp(weight[e] + beta[left[e]] + beta[right[e]] - beta[v])
            if rest < 0.0:
                chosen = e
                break
        edges[count] = chosen
        count += 1
        stack[high] = right[chosen]
        stack[high + 1] = left[chosen]
        high += 2
    return count

"""Kernels of the log-linear model: objective and gradient over the events of many pairs, lying end to end.

Pair k has a block of (n+1)·(m+1) cells from cell_at[k]; its kinds have counts from src_at[k] and tgt_at[k]. `events` are the
observed counts: ⟨u,v⟩ and ⟨u,∅⟩ in the context u, ⟨∅,v⟩ in the context v.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

BLOCKS = "i8[::1], i8[::1], i8[::1], u1[::1], i4[::1], i4[::1], f8[::1], f8[::1], f8[::1]"


@kernel("f8(f8[::1], u1, i4, i4, i8)")
def potential(weights, flags, category, lexical, fixed):  # type: ignore[no-untyped-def]
    """w·F of one cell; `lexical` is the number of its family 1 feature, -1 for none."""
    total = weights[category]
    for bit in range(6):
        if flags >> bit & 1:
            total += weights[bit]
    if lexical >= 0:
        total += weights[fixed + lexical]
    return total


@kernel("void(f8[::1], u1, i4, i4, i8, f8)")
def spread(gradient, flags, category, lexical, fixed, amount):  # type: ignore[no-untyped-def]
    """Add `amount` to the derivative by every weight of a cell."""
    gradient[category] += amount
    for bit in range(6):
        if flags >> bit & 1:
            gradient[bit] += amount
    if lexical >= 0:
        gradient[fixed + lexical] += amount


@kernel(f"f8(f8[::1], {BLOCKS}, i8, i8, f8[::1])")
def objective(weights, cell_at, src_at, tgt_at, flags, category, lexical, count_s, count_t, events, norm, fixed, gradient):  # type: ignore[no-untyped-def]  # fmt: skip
    """Σ c·log Pr(outcome | context), its derivative added to `gradient`.

    log Pr(u,v) = w·F(u,v) - log Z(u),  Z(u) = Σ_v' exp w·F(u,v') + exp w·F(u,∅). Norm 0, literal: Pr(∅,v) is normalised over
    all v'; 1, mirrored: over all u' and ∅; 2, symmetric: so too, and every pair is an event of its target's context as well.
    """
    total = 0.0
    for k in range(len(cell_at) - 1):
        n, m = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k]
        at, s0, t0 = cell_at[k], src_at[k], tgt_at[k]
        width = m + 1
        L = np.empty((n + 1, width))
        for i in range(n + 1):
            for j in range(width):
                c = at + i * width + j
                L[i, j] = potential(weights, flags[c], category[c], lexical[c], fixed)
        residual = np.zeros((n + 1, width))
        for i in range(n):
            mass = 0.0
            for j in range(width):
                mass += events[at + i * width + j]
            if mass <= 0.0:
                continue
            top = np.max(L[i])
            Z = np.exp(L[i, m] - top)
            for j in range(m):
                Z += count_t[t0 + j] * np.exp(L[i, j] - top)
            log_Z = top + np.log(Z)
            for j in range(width):
                seen = events[at + i * width + j]
                total += seen * (L[i, j] - log_Z)
                share = np.exp(L[i, j] - log_Z)
                residual[i, j] = seen - mass * (share if j == m else share * count_t[t0 + j])
        if norm > 0:
            for j in range(m):
                alone = events[at + n * width + j]
                mass = alone
                if norm == 2:
                    for i in range(n):
                        mass += events[at + i * width + j]
                if mass <= 0.0:
                    continue
                top = np.max(L[:, j])
                Z = np.exp(L[n, j] - top)
                for i in range(n):
                    Z += count_s[s0 + i] * np.exp(L[i, j] - top)
                log_Z = top + np.log(Z)
                total += alone * (L[n, j] - log_Z)
                residual[n, j] += alone - mass * np.exp(L[n, j] - log_Z)
                for i in range(n):
                    seen = events[at + i * width + j] if norm == 2 else 0.0
                    total += seen * (L[i, j] - log_Z)
                    residual[i, j] += seen - mass * count_s[s0 + i] * np.exp(L[i, j] - log_Z)
        else:
            mass = 0.0
            for j in range(m):
                mass += events[at + n * width + j]
            if mass > 0.0:
                top = np.max(L[n, :m])
                Z = 0.0
                for j in range(m):
                    Z += count_t[t0 + j] * np.exp(L[n, j] - top)
                log_Z = top + np.log(Z)
                for j in range(m):
                    seen = events[at + n * width + j]
                    total += seen * (L[n, j] - log_Z)
                    residual[n, j] += seen - mass * count_t[t0 + j] * np.exp(L[n, j] - log_Z)
        for i in range(n + 1):
            for j in range(width):
                if residual[i, j] != 0.0:
                    c = at + i * width + j
                    spread(gradient, flags[c], category[c], lexical[c], fixed, residual[i, j])
    return total

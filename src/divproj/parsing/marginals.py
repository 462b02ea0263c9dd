"""Probabilities of edges under exp(score): Eisner's inside and outside for projective trees, Matrix-Tree for all.

scores[h, c] as in `decode`; `chances` (same shape) is filled with the probability of each edge; log Z is returned.
One root always.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel
from divproj.runtime.logs import LOW, log_add

TRUSTED = 1e4
"""Largest number in an inverse up to which all its digits that matter are right."""


@kernel("f8(f8[:,::1], f8[:,::1])")
def projective(scores, chances):  # type: ignore[no-untyped-def]
    """Sums over projective trees: O(n³)."""
    n1 = len(scores)
    chances[:] = 0.0
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
        chances[0, r] = np.exp(full_l[1, r] + full_r[r, last] + scores[0, r] - z)
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
            chances[s, t] = np.exp(out_hr[s, t] + half_r[s, t] - z)
            chances[t, s] = np.exp(out_hl[s, t] + half_l[s, t] - z)
            up = log_add(out_hr[s, t] + scores[s, t], out_hl[s, t] + scores[t, s])
            if up > LOW:
                for r in range(s, t):
                    out_fr[s, r] = log_add(out_fr[s, r], up + full_l[r + 1, t])
                    out_fl[r + 1, t] = log_add(out_fl[r + 1, t], up + full_r[s, r])
    return z


@kernel("f8(f8[:,::1], f8[:,::1])")
def elimination(scores, chances):  # type: ignore[no-untyped-def]
    """Sums over all trees, any scores: words are taken out one by one, their paths kept, and nothing is ever subtracted.

    It is the elimination of `nonprojective`'s matrix in logarithms (Grassmann et al. 1985), then its derivative backwards.
    """
    n1 = len(scores)
    chances[:] = 0.0
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
    chances[0, 1] = 1.0
    for k in range(2, n1):
        own = 1.0
        for i in range(k):
            for j in range(1, k):
                if i != j:
                    moved = chances[i, j] * shares[at + i * k + j]
                    chances[i, j] -= moved
                    chances[i, k] += moved
                    chances[k, j] += moved
                    own -= moved
        for i in range(1, k):
            chances[i, k] += own * np.exp(paths[i, k] - sums[k])
        at += k * k
    return z + paths[0, 1]


def nonprojective(scores, chances):  # type: ignore[no-untyped-def]
    """Sums over all trees by the Matrix-Tree theorem (Koo et al. 2007): the Laplacian's first row holds the root's weights.

    Plain numpy: the factorisation is the work, and it is compiled already. Where words would rather be each other's heads
    than anything else by far, digits are lost, and `elimination` does it.
    """
    n1 = len(scores)
    chances[:] = 0.0
    if n1 < 2:
        return 0.0
    own = np.arange(n1 - 1)
    shifted = scores[:, 1:].copy()
    shifted[own + 1, own] = -np.inf
    tops = shifted.max(axis=0)
    shifted -= tops  # each child's odds up to a factor of its own
    top_root = shifted[0].max()
    inner, root = np.exp(shifted[1:]), np.exp(shifted[0] - top_root)
    laplacian = np.diag(inner.sum(axis=0)) - inner
    laplacian[0] = root
    try:
        inverse = np.linalg.inv(laplacian)
    except np.linalg.LinAlgError:
        return elimination.compiled(scores, chances)
    if not np.abs(inverse).max() < TRUSTED:
        return elimination.compiled(scores, chances)
    _, log_det = np.linalg.slogdet(laplacian)
    keep = np.ones(n1 - 1)
    keep[0] = 0.0
    chances[0, 1:] = root * inverse[:, 0]
    down = inner * (np.diag(inverse) * keep)  # column c: the child's own diagonal
    across = inner * inverse.T * keep[:, None]
    chances[1:, 1:] = np.clip(down - across, 0.0, 1.0)
    return float(log_det + tops.sum() + top_root)

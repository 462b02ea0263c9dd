"""Sums of numbers that are kept as logarithms."""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

LOW = -1e30
"""Stands for the logarithm of 0 where arrays must be finite."""


@kernel("f8(f8, f8)")
def log_add(a, b):  # type: ignore[no-untyped-def]
    """log(exp a + exp b); `LOW` and less count as nothing.

    >>> round(float(log_add(0.0, 0.0)), 4), log_add(0.0, LOW), log_add(-np.inf, -np.inf)
    (0.6931, 0.0, -inf)
    """
    if a < b:
        a, b = b, a
    return a if b <= LOW else a + np.log1p(np.exp(b - a))

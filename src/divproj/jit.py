"""Kernels: array functions that run as plain Python, and compiled with numba when the job is large.

numba costs 0.6 s to import, so it is imported only when `compiled` is asked for.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

WORTH = 4000
"""Words from which compiling (or loading what was compiled before) pays."""


class Kernel(Generic[P, R]):
    """A function of arrays and numbers; calls other kernels by their global names."""

    def __init__(self, plain: Callable[P, R], signature: str) -> None:
        self.plain, self.signature = plain, signature
        self.__doc__ = plain.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.plain(*args, **kwargs)

    def for_work(self, words: int, longest: int = 0) -> Callable[P, R]:
        """The version that is faster for so many words, the longest sentence (whose cost may be quadratic) of so many."""
        return self.compiled if words + longest * longest // 20 >= WORTH else self.plain

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """Machine code, kept on disk beside the source or, where that is read-only, in the user's cache folder."""
        import numba

        func: Any = self.plain
        scope = dict(func.__globals__)
        for name in func.__code__.co_names:
            if isinstance(scope.get(name), Kernel):
                scope[name] = scope[name].compiled
        twin = types.FunctionType(func.__code__, scope, func.__name__, func.__defaults__)
        twin.__module__, twin.__qualname__ = func.__module__, func.__qualname__
        try:
            return numba.njit(self.signature, cache=True, nogil=True)(twin)  # type: ignore[no-any-return]
        except RuntimeError:  # no folder for the cache can be written: compile for this run alone
            return numba.njit(self.signature, nogil=True)(twin)  # type: ignore[no-any-return]


def compile_all(jobs: int = 0) -> int:
    """Compile every kernel of the package into its cache, in so many processes (0: one a core); how many there are."""
    import os
    import pkgutil
    from concurrent.futures import ProcessPoolExecutor

    import divproj

    names = [x.name for x in pkgutil.walk_packages(divproj.__path__, "divproj.") if not x.name.endswith("__main__")]
    with ProcessPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        return sum(pool.map(_compile, names))


def _compile(name: str) -> int:
    """Compile the kernels that a module has of its own."""
    found = [x for x in vars(importlib.import_module(name)).values() if isinstance(x, Kernel) and x.plain.__module__ == name]
    for each in found:
        _ = each.compiled
    return len(found)


def kernel(signature: str) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Decorator for the functions of a kernel module; one numba signature each keeps compiling short."""
    return lambda plain: Kernel(plain, signature)

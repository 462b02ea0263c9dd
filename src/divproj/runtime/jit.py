"""Kernels: array functions that run as plain Python, and compiled with numba when the job is large.

numba costs 0.6 s to import, so it is imported only when `compiled` is asked for.

`log_add`, the sum of two numbers that are kept as logarithms, is a kernel that others call.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import numpy as np

from divproj.runtime import announce
from divproj.runtime.safe_path import protected_children

if TYPE_CHECKING:
    from concurrent.futures import Executor


P = ParamSpec("P")
R = TypeVar("R")


WORTH = 4000
"""Words from which compiling (or loading what was compiled before) pays."""


LOADING, FIRST_RUN = "loading kernels", "compiling kernels (first run only)"
"""Names of the stage in which kernels are made ready."""
OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
"""numba's: no C function is asked for, and each takes time to compile."""


class Kernel(Generic[P, R]):
    """A function of arrays and numbers; calls other kernels by their global names."""

    def __init__(self, plain: Callable[P, R], signature: str) -> None:
        self.plain, self.signature = plain, signature
        self.__doc__ = plain.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.plain(*args, **kwargs)

    def for_work(self, words: int, longest: int = 0) -> Callable[P, R]:
        """The version that is faster for so many words, the longest sentence (whose cost may be quadratic) of so many.

        What is loaded already is used for any number.
        """
        return self.compiled if "compiled" in vars(self) or words + longest * longest // 20 >= WORTH else self.plain

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """Machine code, kept on disk beside the source or, where that is read-only, in the user's cache folder."""
        with _announce(self) as counted:
            machine_code = self._build()
            counted.advance()
        return machine_code

    def _build(self) -> Callable[P, R]:
        import numba

        _without_scipy()
        func: Any = self.plain
        twin = types.FunctionType(func.__code__, _Scope(func.__globals__), func.__name__, func.__defaults__)
        twin.__module__, twin.__qualname__ = func.__module__, func.__qualname__
        cache = _cache(twin, self.sources)
        if cache is not None and not cache.exists:
            for each in announce.stages:
                each.name = FIRST_RUN if each.name == LOADING else each.name
        machine: Any = numba.njit(**OPTIONS)(twin)
        if machine is not twin:  # NUMBA_DISABLE_JIT
            if cache is not None:
                machine._cache = cache
            machine.compile(self.signature)
            machine.disable_compile()
        return machine  # type: ignore[no-any-return]

    @cached_property
    def sources(self) -> str:
        """A digest of all that the machine code depends on: this kernel, those below it, and the constants that they use."""
        digest = hashlib.blake2b(repr(sorted(OPTIONS.items())).encode(), digest_size=16)
        for each in sorted(_below(self), key=lambda each: (each.plain.__module__, each.plain.__qualname__)):
            digest.update(repr(each.facts).encode())
        return digest.hexdigest()

    @property
    def facts(self) -> tuple[Any, ...]:
        """What this kernel says, without comments and docstring: names of kernels and modules, values of constants."""
        code, scope = self.plain.__code__, self.plain.__globals__
        used = {name: _fact(scope[name]) for name in code.co_names if name in scope}
        constants = [each for each in code.co_consts if each != self.plain.__doc__]
        names = code.co_names, code.co_varnames, code.co_argcount
        return self.plain.__module__, self.plain.__qualname__, self.signature, code.co_code, constants, names, used

    @property
    def callees(self) -> dict[str, Kernel[..., Any]]:
        """The kernels that this one calls, by the names that it has for them."""
        scope, names = self.plain.__globals__, self.plain.__code__.co_names
        return {name: scope[name] for name in names if isinstance(scope.get(name), Kernel)}


class _Scope(dict[str, Any]):
    """The globals of a kernel as numba sees them: kernels are compiled when it asks for them, and it asks only when it compiles.

    Machine code on the disk has what it calls inside.
    """

    def __getitem__(self, name: str) -> Any:
        entry = super().__getitem__(name)
        return entry.compiled if isinstance(entry, Kernel) else entry


def _without_scipy() -> None:
    """Get numba ready without scipy.linalg: it would load that (0.1 s) to know whether `dot` can work, which no kernel uses."""
    if "numba.np.arraymath" in sys.modules:
        return
    try:
        from numba.np import linalg

        look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    except (ImportError, AttributeError):  # another numba: it takes its time
        return
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look


@contextmanager
def _announce(each: Kernel[..., Any]) -> Iterator[announce.Stage]:
    """One stage for a kernel and all that it calls."""
    under_way = [stage for stage in announce.stages if stage.name in (LOADING, FIRST_RUN)]
    if under_way:
        yield under_way[-1]
        return
    with announce.stage(LOADING, sum("compiled" not in vars(one) for one in _below(each))) as begun:
        yield begun


def _below(each: Kernel[..., Any]) -> set[Kernel[..., Any]]:
    """A kernel and all kernels that it needs."""
    needed: set[Kernel[..., Any]] = set()
    waiting = [each]
    while waiting:
        one = waiting.pop()
        if one not in needed:
            needed.add(one)
            waiting += one.callees.values()
    return needed


def _fact(value: Any) -> Any:
    """A global of a kernel as it is compared: a kernel or module by its name, anything else by its value."""
    if isinstance(value, Kernel):
        return value.plain.__module__, value.plain.__qualname__
    return value.__name__ if isinstance(value, types.ModuleType) else value


def _cache(twin: types.FunctionType, stamp: str) -> Any:
    """The kernel's machine code on the disk; None where no folder for it can be written."""
    from divproj.runtime.kernel_cache import KernelCache

    try:
        return KernelCache(twin, stamp)
    except RuntimeError:  # it is compiled for this run alone
        return None


def compile_all(jobs: int = 0) -> int:
    """Compile every kernel of the package into its cache, in so many processes (0: one a core); how many there are.

    Each is compiled once, after those that it calls; what most work waits for goes first.
    """
    import os
    from concurrent.futures import FIRST_COMPLETED, Future, wait

    left, jobs = _most_awaited_first(_kernels()), jobs or os.cpu_count() or 1
    running: dict[Future[None], Kernel[..., Any]] = {}
    done: set[Kernel[..., Any]] = set()
    counted = announce.stage("compiling kernels", len(left))
    with protected_children(), counted as count, _compilers(jobs) as pool:
        while left or running:
            ready = [each for each in left if done.issuperset(each.callees.values())]
            for each in ready[: jobs - len(running)]:
                left.remove(each)
                running[pool.submit(_compile, each.plain.__module__, each.plain.__name__)] = each
            for task in wait(running, return_when=FIRST_COMPLETED).done:
                task.result()
                done.add(running.pop(task))
                count.advance()
    return len(done)


@contextmanager
def _compilers(jobs: int) -> Iterator[Executor]:
    """Processes that compile; who leaves early does not wait for what they are at."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    others = multiprocessing.active_children()
    with ProcessPoolExecutor(jobs, initializer=_prepare_compiler) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                if process not in others:
                    process.kill()
            raise


def _prepare_compiler() -> None:
    """Called in each process that compiles: Ctrl-C is for its parent, and numba makes much garbage that lives long."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _kernels() -> list[Kernel[..., Any]]:
    """Those of all modules of the package."""
    import pkgutil
    from pathlib import Path

    package = str(Path(__file__).parents[1])
    names = [x.name for x in pkgutil.walk_packages([package], "divproj.") if not x.name.endswith("__main__")]
    inside = [(name, each) for name in names for each in vars(importlib.import_module(name)).values()]
    return [each for name, each in inside if isinstance(each, Kernel) and each.plain.__module__ == name]


def _most_awaited_first(kernels: list[Kernel[..., Any]]) -> list[Kernel[..., Any]]:
    """By the bytecode from each kernel to the end of the longest chain of its callers."""
    callers: dict[Kernel[..., Any], list[Kernel[..., Any]]] = {each: [] for each in kernels}
    for each in kernels:
        for one in each.callees.values():
            callers[one].append(each)

    @cache
    def chain(each: Kernel[..., Any]) -> int:
        return len(each.plain.__code__.co_code) + max(map(chain, callers[each]), default=0)

    return sorted(kernels, key=chain, reverse=True)


def _compile(module: str, name: str) -> None:
    _ = getattr(importlib.import_module(module), name).compiled


def kernel(signature: str) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Decorator for the functions of a kernel module; one numba signature each keeps compiling short."""
    return lambda plain: Kernel(plain, signature)


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

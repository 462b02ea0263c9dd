"""Kernels: plain and compiled."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from divproj import jit


@jit.kernel("i8(i8)")
def double(x):
    """Twice."""
    return 2 * x


@jit.kernel("i8(i8[::1])")
def fourfold(xs):
    total = 0
    for x in xs:
        total += double(double(x))
    return total


@pytest.fixture(autouse=True)
def _compile_for_this_run_alone(monkeypatch):
    """A function of a test module needs no place in the cache on disk."""
    real = numba.njit
    monkeypatch.setattr(numba, "njit", lambda *args, **options: real(*args, **options | {"cache": False}))
    yield
    for kernel in (double, fourfold):
        kernel.__dict__.pop("compiled", None)


def test_call_is_plain():
    assert double(21) == 42
    assert fourfold([1, 2]) == 12
    assert double.__doc__ == "Twice."


def test_compiled_calls_compiled():
    machine = fourfold.compiled
    assert machine is fourfold.compiled
    assert machine is not fourfold.plain
    assert machine(np.arange(5)) == fourfold(range(5)) == 40
    assert machine.py_func.__globals__["double"] is double.compiled
    assert fourfold.plain.__globals__["double"] is double, "the plain function keeps its own globals"


def test_for_work_compiles_only_what_is_worth_it(monkeypatch):
    monkeypatch.setattr(jit, "WORTH", 10)
    assert double.for_work(9) is double.plain
    assert "compiled" not in double.__dict__
    assert double.for_work(10) is double.compiled


def test_without_a_cache_folder_compiles_for_this_run(monkeypatch):
    real, asked = numba.njit, []

    def njit(*args, **options):
        asked.append(options.get("cache", False))
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*args, **options)

    monkeypatch.setattr(numba, "njit", njit)
    assert double.compiled(4) == 8
    assert asked == [True, False]


def test_all_kernels_of_a_module_are_compiled():
    assert jit._compile("divproj.phrases.sums") > 0
    assert jit._compile("divproj.errors") == 0

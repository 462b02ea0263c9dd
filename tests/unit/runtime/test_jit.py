"""Kernels: plain and compiled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

from divproj.phrases import sums
from divproj.runtime import jit


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


def test_all_kernels_of_the_package_are_found_and_most_awaited_first():
    found = jit._kernels()
    assert {sums.sum_rows, sums.mothers, sums.outside} <= set(found)
    assert len({(each.plain.__module__, each.plain.__name__) for each in found}) == len(found) > 100
    order = jit._most_awaited_first(found)
    assert sorted(map(id, order)) == sorted(map(id, found))
    place = {each: k for k, each in enumerate(order)}
    assert all(place[one] < place[each] for each in found for one in each.called.values())


def test_each_is_compiled_once_after_those_that_it_calls(monkeypatch):
    lines = []
    monkeypatch.setattr(jit, "_compile", lambda module, name: lines.append(f"{module}.{name}"))
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", lambda jobs, initializer: ThreadPoolExecutor(jobs))
    assert jit.compile_all(2) == len(jit._kernels())
    names = {f"{each.plain.__module__}.{each.plain.__name__}": each for each in jit._kernels()}
    assert sorted(lines) == sorted(names)
    place = {names[line]: k for k, line in enumerate(lines)}
    assert all(place[one] < place[each] for each in names.values() for one in each.called.values())


def test_a_kernel_is_compiled_by_its_name(monkeypatch):
    monkeypatch.delitem(sums.mothers.__dict__, "compiled", raising=False)
    jit._compile("divproj.phrases.sums", "mothers")
    assert "compiled" in sums.mothers.__dict__

"""Kernels: plain and compiled."""

from __future__ import annotations

import importlib
import os
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba.core import caching

from divproj.phrases import chart
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
def _compile_for_this_run_alone(monkeypatch, request):
    """A function of a test module needs no place in the cache on disk."""
    if "folder" not in request.fixturenames:
        monkeypatch.setattr(jit, "_cache", lambda twin, stamp: None)
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


CALLED = (
    "from divproj.runtime.jit import kernel\nBONUS = {bonus}\n\n\n@kernel('i8(i8)')\ndef {name}(x):\n    return x {sign} 2\n"
)
CALLS = "from divproj.runtime.jit import kernel\n{imports}\n\n\n@kernel('i8(i8)')\ndef {name}(x):\n    return {value}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three modules: `top` calls `middle`, which calls `bottom` and uses a constant of its module."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    write_bottom(tmp_path)
    imports = "from jit_bottom import BONUS, bottom"
    (tmp_path / "jit_middle.py").write_text(CALLS.format(imports=imports, name="middle", value="bottom(x) + BONUS"))
    (tmp_path / "jit_top.py").write_text(CALLS.format(imports="from jit_middle import middle", name="top", value="middle(x)"))
    yield tmp_path
    forget()


def write_bottom(folder, sign="*", bonus=100):
    (folder / "jit_bottom.py").write_text(CALLED.format(name="bottom", sign=sign, bonus=bonus))
    os.utime(folder / "jit_bottom.py", (1, 1))  # time and size do not tell that it has changed


def forget():
    for name in ("jit_bottom", "jit_middle", "jit_top"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def machine_code(folder, monkeypatch):
    """What the compiled `top` makes of 5, and whether it was loaded from the disk; as in a new process."""
    forget()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    machine = importlib.import_module("jit_top").top.compiled
    return machine(5), sum(machine.stats.cache_hits.values()) == 1


def cache_files(folder, ending):
    return sorted((folder / "__pycache__").glob(f"*.{ending}"))


def test_machine_code_follows_the_kernels_below_it(folder, monkeypatch):
    """numba looks at the kernel's own file alone."""
    assert machine_code(folder, monkeypatch) == (110, False)
    assert machine_code(folder, monkeypatch) == (110, True)
    write_bottom(folder, sign="+")
    assert machine_code(folder, monkeypatch) == (107, False)
    write_bottom(folder, sign="+", bonus=200)
    assert machine_code(folder, monkeypatch) == (207, False)
    assert machine_code(folder, monkeypatch) == (207, True)
    assert len(cache_files(folder, "nbc")) == 3, "old machine code is replaced"
    (folder / "jit_bottom.py").write_text("# a comment\n" + (folder / "jit_bottom.py").read_text())
    assert machine_code(folder, monkeypatch) == (207, True)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["empty", "cut", "zeros", "noise"])
def test_damaged_machine_code_is_compiled_anew(folder, monkeypatch, ending, damage):
    assert machine_code(folder, monkeypatch) == (110, False)
    for path in cache_files(folder, ending):
        data = path.read_bytes()
        half = len(data) // 2
        zeros, noise = bytes(len(data) - half), bytes(byte ^ 85 for byte in data[half:])
        path.write_bytes({"empty": b"", "cut": data[:half], "zeros": data[:half] + zeros, "noise": data[:half] + noise}[damage])
    assert machine_code(folder, monkeypatch) == (110, False)
    assert machine_code(folder, monkeypatch) == (110, True)


def test_an_index_that_is_newer_than_its_data(folder, monkeypatch):
    """Killed between the two, numba would load the old machine code by the new index."""
    machine_code(folder, monkeypatch)
    old = {path: path.read_bytes() for path in cache_files(folder, "nbc")}
    write_bottom(folder, sign="+")
    machine_code(folder, monkeypatch)
    for path, data in old.items():
        path.write_bytes(data)
    assert machine_code(folder, monkeypatch) == (107, False)


def test_a_full_disk_stops_no_work(folder, monkeypatch):
    def full(self, filepath):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "_open_for_write", full)
    assert machine_code(folder, monkeypatch) == (110, False)
    assert cache_files(folder, "nbi") == []


def test_without_a_cache_folder_compiles_for_this_run(folder, monkeypatch):
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    assert machine_code(folder, monkeypatch) == (110, False)
    assert not (folder / "__pycache__").exists()


def test_what_kernels_use_can_be_compared():
    """By value; functions and arrays would have to be taught to the digest first."""
    for each in jit._kernels():
        scope, code = each.plain.__globals__, each.plain.__code__
        used = [scope[name] for name in code.co_names if name in scope]
        assert {type(value) for value in used} <= {jit.Kernel, types.ModuleType, int, float, bool, str}, each.facts
        assert {value.__name__ for value in used if isinstance(value, types.ModuleType)} <= {"numpy", "math"}
        assert not any(isinstance(value, types.CodeType) for value in code.co_consts)


def test_all_kernels_of_the_package_are_found_and_most_awaited_first():
    found = jit._kernels()
    assert {chart.scaled_sum_rows, chart.mothers, chart.scaled_outside} <= set(found)
    assert len({(each.plain.__module__, each.plain.__name__) for each in found}) == len(found) > 100
    order = jit._most_awaited_first(found)
    assert sorted(map(id, order)) == sorted(map(id, found))
    place = {each: k for k, each in enumerate(order)}
    assert all(place[one] < place[each] for each in found for one in each.callees.values())


def test_each_is_compiled_once_after_those_that_it_calls(monkeypatch):
    lines = []
    monkeypatch.setattr(jit, "_compile", lambda module, name: lines.append(f"{module}.{name}"))
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", lambda jobs, initializer: ThreadPoolExecutor(jobs))
    assert jit.compile_all(2) == len(jit._kernels())
    names = {f"{each.plain.__module__}.{each.plain.__name__}": each for each in jit._kernels()}
    assert sorted(lines) == sorted(names)
    place = {names[line]: k for k, line in enumerate(lines)}
    assert all(place[one] < place[each] for each in names.values() for one in each.callees.values())


def test_a_kernel_is_compiled_by_its_name(monkeypatch):
    monkeypatch.delitem(chart.mothers.__dict__, "compiled", raising=False)
    jit._compile("divproj.phrases.chart", "mothers")
    assert "compiled" in chart.mothers.__dict__

"""Any number of workers gives the same results in the same order, faults and errors included, and a killed one is not missed."""

from __future__ import annotations

import os
import sys
from functools import partial
from types import SimpleNamespace

import pytest
from enginework import a_bug, always_dies, dies_once, double, odd_is_bad, stops_at_five

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.runtime import engine
from divproj.runtime.engine import Workers, run

PLACES = [Workers(1), Workers(2)]


def numbers(count=40, size=2):
    def read(faults):
        for start in range(0, count, size):
            if start == 20:
                faults.sentence(FormatError("twenty", Where("numbers", 20)))
            yield list(range(start, start + size))
        faults.file(FormatError("at the end", Where("numbers")))

    return read


def broken_at(place):
    def read(faults):
        yield from ([k] for k in range(place))
        raise FormatError(f"broken at {place}", Where("numbers", place))

    return read


def lenient():
    told = []
    return Faults(strict=False, tell=lambda error: told.append(str(error))), told


@pytest.mark.parametrize("place", PLACES)
def test_order_and_faults_are_the_same_for_any_number_of_jobs(place):
    faults, told = lenient()
    assert list(run(double, numbers(), faults, place)) == [[4 * k, 4 * k + 2] for k in range(20)]
    faults, told = lenient()
    assert list(run(odd_is_bad, numbers(), faults, place)) == [4 * k + 1 for k in range(20)]
    odd = [f"numbers:{k}: {k} is odd" for k in range(1, 40, 2)]
    assert told == [*odd[:10], "numbers:20: twenty", *odd[10:], "numbers: at the end"]
    assert (faults.words, faults.sentences, len(faults.noted)) == (20, 1, 22)


@pytest.mark.parametrize("place", PLACES)
def test_an_error_comes_in_its_turn_and_with_its_message(place):
    faults, told = lenient()
    steps = run(stops_at_five, numbers(), faults, place)
    assert [next(steps), next(steps)] == [1, 5]
    with pytest.raises(FormatError, match="numbers:5: five; leave it out"):
        next(steps)
    assert told == ["four before"]


@pytest.mark.parametrize("place", PLACES)
def test_strict_faults_stop(place):
    with pytest.raises(FormatError, match="numbers:1: 1 is odd"):
        list(run(odd_is_bad, numbers(), Faults(), place))
    with pytest.raises(FormatError, match="numbers:20: twenty"):
        list(run(double, numbers(), Faults(), place))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("count", [0, 1, 30])
def test_input_that_breaks_in_the_middle(place, count):
    steps = run(double, broken_at(count), None, place)
    assert [next(steps) for _ in range(count)] == [[2 * k] for k in range(count)]
    with pytest.raises(FormatError, match=f"broken at {count}$"):
        next(steps)


@pytest.mark.parametrize("place", PLACES)
def test_a_bug_stays_one(place):
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(run(a_bug, numbers(), lenient()[0], place))


@pytest.mark.parametrize("place", PLACES)
def test_results_that_nobody_takes(place):
    steps = run(double, numbers(400, 1), lenient()[0], place)
    assert next(steps) == [0]
    steps.close()


def test_memory_is_bounded():
    """Not more batches are read than a window and a half ahead of what was taken."""
    read = taken = most = 0

    def batches(faults):
        nonlocal read
        for k in range(200):
            read += 1
            yield [k]

    for _ in run(double, batches, None, Workers(2)):
        taken += 1
        most = max(most, read - taken)
    assert (taken, most) == (200, engine.WINDOW * 2)


def test_one_batch_needs_no_pool():
    assert list(run(lambda batch, faults: os.getpid(), numbers(2), lenient()[0], Workers(2))) == [os.getpid()]
    assert list(run(double, lambda faults: (), None, Workers(2))) == []


def test_a_killed_worker_is_not_missed(tmp_path):
    faults, told = lenient()
    said = []
    totals = list(run(partial(dies_once, tmp_path / "mark"), numbers(400), faults, Workers(2), said.append))
    assert totals == [4 * k + 1 for k in range(200)]
    assert told[:10] == [f"numbers:{k}: {k} is odd" for k in range(1, 20, 2)]
    assert (faults.words, faults.sentences) == (200, 1)
    assert said == ["a worker process was killed (out of memory?): its sentences are done again"]
    assert (tmp_path / "mark").exists()


def test_workers_that_always_die():
    with pytest.warns(RuntimeWarning, match="a worker process was killed"):
        assert list(run(partial(always_dies, os.getpid()), numbers(6), lenient()[0], Workers(2))) == [1, 5, 9]


def test_dask_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ProjError, match=r"tcp://x:1: a scheduler needs Dask.*pip install 'divproj\[dask\]'"):
        list(run(double, numbers(), lenient()[0], Workers(scheduler="tcp://x:1")))


class FakeClient:
    def __init__(self, versions):
        self.versions = versions

    def wait_for_workers(self, count, timeout):
        if not self.versions:
            raise TimeoutError

    def run(self, function, name, on_error):
        return self.versions


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        ({}, "s: the Dask cluster has no worker; start some with `PYTHONSAFEPATH=1 dask worker s`"),
        ({"w2": ImportError("x"), "w1": "0.1.0"}, "Dask worker w2 has no divproj; every worker needs the divproj"),
        ({"w1": "0.0.1"}, "Dask worker w1 has divproj 0.0.1, not "),
    ],
)
def test_workers_that_will_not_do(versions, message):
    with pytest.raises(ProjError, match=message):
        engine._check_workers(FakeClient(versions), Where("s"))


def test_a_batch_that_workers_die_on(monkeypatch):
    distributed = pytest.importorskip("distributed")

    class Client(FakeClient):
        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *_: None  # noqa: E731
        ncores = lambda self: self.versions  # noqa: E731
        register_plugin = lambda self, plugin, name: None  # noqa: E731

    monkeypatch.setattr(distributed, "Client", lambda *_, **__: Client({}))
    for name in ("_knock", "_check_workers", "_backend"):
        monkeypatch.setattr(engine, name, lambda *_: None)
    error = distributed.KilledWorker("batch", SimpleNamespace(address="w1"), 3)
    message = "tcp://x:1: a batch was given up after several workers died on it: .*; give the workers more memory"
    with pytest.raises(ProjError, match=message), engine._cluster("tcp://x:1"):
        raise error


def test_stamps_tell_changes(tmp_path):
    assert engine.stamp(tmp_path / "none") == ""
    (tmp_path / "a").write_text("one")
    before = engine.stamp(tmp_path)
    assert before == engine.stamp(tmp_path / "a")
    (tmp_path / "a").write_text("another")
    assert engine.stamp(tmp_path) == engine.stamp(tmp_path / "a") != before

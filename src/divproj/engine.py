"""Corpus jobs on one core, many, or a Dask cluster: batches in, results out in order, the same for any number of workers.

`read(faults)` gives the batches and runs here. `work(batch, faults)` runs in the workers: a function of a module, or a
`functools.partial` of one, that depends on its arguments alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from divproj.errors import Faults, ProjError, Where

B = TypeVar("B")
R = TypeVar("R")
Work = Callable[[B, Faults], R]
Read = Callable[[Faults], Iterable[B]]
Say = Callable[[str], None]

WINDOW = 8
"""Batches for each worker that are read, worked on or waiting to be taken at a time: memory stays flat."""
MOST = 1 << 20
"""Faults of one batch that are kept."""
DASK = "install it with: pip install 'divproj[dask]'"
SAME = "every worker needs the divproj that you have here: pip install divproj=={}"


@dataclass(frozen=True)
class Place:
    """Where batches are worked on: so many processes here (0: one a core), or the cluster of a Dask scheduler."""

    jobs: int = 1
    scheduler: str | None = None

    @property
    def here(self) -> bool:
        """Whether this process does all the work."""
        return self.jobs == 1 and self.scheduler is None


HERE = Place()


def run(
    work: Work[B, R], read: Read[B], faults: Faults | None = None, place: Place = HERE, say: Say | None = None
) -> Generator[R, None, None]:
    """Results of `work` for each batch that `read` gives, in order.

    What is noted of bad data reaches `faults` in the order of the batches, and an error is raised in the place of its batch,
    whoever met it. `say` is told when a worker dies; its batches are then done again.
    """
    faults = Faults() if faults is None else faults
    if place.here:
        for batch in read(faults):
            yield work(batch, faults)
        return
    calls = _Calls(work, read, faults.strict)
    first = list(islice(calls, 2))
    if len(first) < 2:  # nothing to share
        yield from _taken(map(_task, first), calls, faults)
        return
    with _pool(place) as pool, closing(_outcomes(first, calls, pool, say or _warn)) as outcomes:
        yield from _taken(outcomes, calls, faults)


def stamp(path: str | Path) -> str:
    """Another text when the file or folder at a path has changed: a key for what a worker loads and keeps."""
    found = Path(path)
    files = sorted(found.iterdir()) if found.is_dir() else [found] if found.exists() else []
    return " ".join(f"{file.name}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files)


@dataclass
class _Call:
    """What a worker is sent."""

    work: Work[Any, Any]
    batch: Any
    read: Faults
    """What was noted while the batch was read, and is to be told before what is noted of it."""


@dataclass
class _Outcome:
    """What comes back from a worker: the result or the error that ended it, and the faults met on the way."""

    result: Any
    faults: Faults
    error: ProjError | None = None


class _Calls:
    """The calls for all batches; what stands after the last of them is in `closing` and `error`."""

    def __init__(self, work: Work[B, R], read: Read[B], strict: bool) -> None:
        self.closing = Faults(strict, most=MOST)
        self.error: ProjError | None = None
        self._calls = self._read(work, read)

    def __iter__(self) -> Iterator[_Call]:
        return self._calls

    def _read(self, work: Work[B, R], read: Read[B]) -> Iterator[_Call]:
        try:
            for batch in read(self.closing):
                yield _Call(work, batch, self.closing.moved())
        except ProjError as error:  # to be raised when its turn comes
            self.error = error


def _taken(outcomes: Iterator[_Outcome], calls: _Calls, faults: Faults) -> Iterator[Any]:
    for outcome in outcomes:
        faults.take(outcome.faults)
        if outcome.error is not None:
            raise outcome.error
        yield outcome.result
    faults.take(calls.closing)
    if calls.error is not None:
        raise calls.error


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=3)


_one_at_a_time = Lock()
"""Dask workers may have several threads; models and kernels are used by one."""


def _task(call: _Call) -> _Outcome:
    """One batch in a worker."""
    faults = replace(call.read, noted=[*call.read.noted])  # a call may be made again
    with _one_at_a_time:
        try:
            return _Outcome(call.work(call.batch, faults), faults)
        except ProjError as error:
            return _Outcome(None, faults, error)


@dataclass(frozen=True)
class _Pool:
    """What joblib is told: a backend by name or made, and how many workers it has."""

    backend: Any
    workers: int

    def start(self, calls: list[_Call]) -> Any:
        from joblib import Parallel, delayed

        parallel = Parallel(
            n_jobs=self.workers, backend=self.backend, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs",
            max_nbytes=None,
        )  # fmt: skip
        return parallel(delayed(_task)(call) for call in calls)


def _outcomes(first: list[_Call], calls: _Calls, pool: _Pool, say: Say) -> Generator[_Outcome, None, None]:
    """Windows of calls through joblib, which by itself would read on while nobody takes the results."""
    window = [*first, *islice(calls, WINDOW * pool.workers - len(first))]
    while window:
        coming: list[_Call] = []
        for outcome in _window(window, pool, say):
            coming += islice(calls, 1)  # read on while the workers are busy
            yield outcome
        window = coming


def _window(calls: list[_Call], pool: _Pool, say: Say) -> Iterator[_Outcome]:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    while done < len(calls):
        try:
            with _left_quietly(pool.start(calls[done:])) as found:
                for outcome in found:
                    done += 1
                    yield outcome
        except TerminatedWorkerError:  # a worker was killed and loky gave up its pool: what is due next is done here
            say("a worker process was killed (out of memory?): its sentences are done again")
            done += 1
            yield _task(calls[done - 1])


@contextmanager
def _left_quietly(found: Any) -> Iterator[Any]:
    """Who leaves early is told by joblib that work was lost, and knows."""
    try:
        yield found
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.close()


@contextmanager
def _pool(place: Place) -> Iterator[_Pool]:
    if place.scheduler is not None:
        with _cluster(place.scheduler) as pool:
            yield pool
        return
    from joblib import effective_n_jobs

    yield _Pool("loky", effective_n_jobs(place.jobs or -1))


@contextmanager
def _cluster(address: str) -> Iterator[_Pool]:
    """joblib's Dask backend on a cluster whose workers have been looked at."""
    where = Where(address)
    try:
        import distributed
    except ImportError:
        raise ProjError("a scheduler needs Dask, which is not installed", where, DASK) from None
    try:
        _knock(address)
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        what = f"no Dask scheduler answers: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
        raise ProjError(what, where, "start one with `dask scheduler`, and give the address that it prints") from None
    with client:
        _check_workers(client, where)
        try:
            yield _Pool(_backend(client), sum(client.ncores().values()))
        except distributed.KilledWorker as error:
            what = f"a batch was given up after several workers died on it: {str(error)[:200]}"
            raise ProjError(what, where, "give the workers more memory") from None


def _knock(address: str) -> None:
    """Whether somebody is there at all: a Dask client that finds nobody complains until its process ends."""
    import socket

    from distributed.comm import get_address_host_port

    if address.partition("://")[0] in ("tcp", "tls"):
        socket.create_connection(get_address_host_port(address, strict=True), timeout=10).close()


def _check_workers(client: Any, where: Where) -> None:
    """Each worker has this version of divproj: another could find other trees."""
    from importlib import metadata

    from divproj import __version__

    try:
        client.wait_for_workers(1, timeout=10)
    except TimeoutError:
        raise ProjError("the Dask cluster has no worker", where, f"start some with `dask worker {where.path}`") from None
    found = client.run(metadata.version, "divproj", on_error="return")  # a function that any Python has
    for worker, version in sorted(found.items()):
        if isinstance(version, Exception):
            raise ProjError(f"Dask worker {worker} has no divproj", where, SAME.format(__version__))
        if version != __version__:
            raise ProjError(f"Dask worker {worker} has divproj {version}, not {__version__}", where, SAME.format(__version__))


def _backend(client: Any) -> Any:
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        """joblib's, which does not hear of tasks that failed outside of their function and would wait for them forever."""

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(lambda done: callback(done.exception()) if done.exception() else None)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, BaseException):
                raise out
            return super().retrieve_result_callback(out)

    return Backend(client=client)

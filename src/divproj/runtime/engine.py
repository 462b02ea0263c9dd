"""Jobs over a corpus on one core, several cores, or a Dask cluster: batches in, results out, in order.

    results = run(work, read, faults, Workers(jobs=4))

`read(faults)` yields the batches, in this process. `work(batch, faults)` runs in the workers: it is a function of a module,
or a `functools.partial` of one, and depends on its arguments alone. So the output is the same for any number of workers.
For the same reason there is `one_blas_thread`: sums in another order differ in their last digits.

Workers on other machines need the same code and the same model files. Calls to them carry fingerprints of both (`of_code`,
`of_path`), and what a worker with other code or files was to do is done in this process.
"""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock, Thread, current_thread, main_thread
from typing import Any, TypeVar

from divproj.core.errors import Faults, ProjError, Where
from divproj.runtime.resources import folder
from divproj.runtime.safe_path import protected_children


@cache
def of_code() -> str:
    """Return a fingerprint of the sources of divproj and of the rules and languages that come with it."""
    package = Path(__file__).resolve().parents[1]
    tops = [package]
    with suppress(ProjError):
        tops += [folder("rules"), folder("languages")]
    return _digest(
        (f"{top.name}/{path.relative_to(top).as_posix()}", path)
        for top in tops
        for path in sorted(top.rglob("*"))
        if path.suffix in (".py", ".json", ".npz", ".tsv") and path.is_file() and "shipped" not in path.relative_to(top).parts
    )


_known: dict[Path, tuple[tuple[tuple[str, int, int], ...], str]] = {}
"""Fingerprints by path, with the names, sizes and times of the files that they are of."""


def of_path(path: Path) -> str:
    """Return a fingerprint of a file, or of the files in a folder; '' if there is none. Only what has changed is read again."""
    try:
        files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path] if path.is_file() else []
        seen = tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
        if _known.get(path, ((), ""))[0] != seen:
            _known[path] = seen, _digest((file.name, file) for file in files)
    except OSError:
        return ""
    return _known[path][1] if files else ""


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, path in files:
        digest.update(f"{len(name)} {name} {path.stat().st_size} ".encode("utf-8", "surrogateescape"))
        with open(path, "rb") as stream:
            while data := stream.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()


B = TypeVar("B")
R = TypeVar("R")
Work = Callable[[B, Faults], R]
Read = Callable[[Faults], Iterable[B]]
Say = Callable[[str], None]


WINDOW = 8
"""Batches for each worker that are read, worked on or waiting to be taken at a time: memory stays flat."""
MOST = 1 << 20
"""Faults of one batch that are kept."""
CONNECTING = 30
"""Seconds until a Dask scheduler must answer, and until the first worker must be there."""
SAFE_PATH = "divproj-safe-path"
"""Name of our plugin of Dask workers."""
DASK = "install it with: pip install 'divproj[dask]'"
SAME = "every worker needs the divproj that you have here: pip install divproj=={}"


def quiet_workers() -> None:
    """From here on joblib ends idle workers and starts others without a warning: there is nothing that a user could do about it."""
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)


@dataclass(frozen=True)
class Workers:
    """Where batches are worked on: so many processes here (0: one a core), or the cluster of a Dask scheduler."""

    jobs: int = 1
    scheduler: str | None = None

    @property
    def here(self) -> bool:
        """Whether this process does all the work."""
        return self.jobs == 1 and self.scheduler is None


HERE = Workers()


def run(
    work: Work[B, R], read: Read[B], faults: Faults | None = None, workers: Workers = HERE, on_message: Say | None = None
) -> Generator[R, None, None]:
    """Results of `work` for each batch that `read` gives, in order.

    What is noted of bad data reaches `faults` in the order of the batches, and an error is raised in the place of its batch,
    whoever met it. `say` is told when a worker dies; its batches are then done again.
    """
    faults = Faults() if faults is None else faults
    if workers.here:
        for batch in read(faults):
            yield work(batch, faults)
        return
    calls = _Calls(work, read, faults.strict)
    first = list(islice(calls, 2))
    if len(first) < 2:  # nothing to share
        yield from _results(map(_task, first), calls, faults)
        return
    with protected_children(), _pool(workers) as pool, closing(_outcomes(first, calls, pool, on_message or _warn)) as outcomes:
        yield from _results(outcomes, calls, faults)


def stamp(path: str | Path) -> str:
    """A text that stands for the bytes of the file or folder at a path: a key for what a worker loads and keeps.

    What was stamped travels with each batch to a cluster, whose workers must find the same bytes under this path.
    """
    fingerprint = of_path(Path(path).absolute())
    if fingerprint:
        _stamped[str(Path(path).absolute())] = fingerprint
    return fingerprint


_stamped: dict[str, str] = {}


@dataclass
class _Call:
    """What a worker is sent."""

    work: Work[Any, Any]
    batch: Any
    read: Faults
    """What was noted while the batch was read, and is to be told before what is noted of it."""
    code: str = ""
    """The fingerprint of our code, for a cluster: a worker with another one works on nothing."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of the models and tables that the work opens, by their paths."""


@dataclass
class _Outcome:
    """What comes back from a worker: the result or the error that ended it, and the faults met on the way."""

    result: Any
    faults: Faults
    error: ProjError | None = None
    code: str = ""
    """The fingerprint of the code that did it; of an earlier version none."""
    worker: str = ""
    """Who may not work on the call, and why."""


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
                yield _Call(work, batch, self.closing.split_off())
        except ProjError as error:  # to be raised when its turn comes
            self.error = error


def _results(outcomes: Iterator[_Outcome], calls: _Calls, faults: Faults) -> Iterator[Any]:
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
    counts: dict[str, Any] = {"foreign": call.read.foreign.copy(), "miscoded": call.read.miscoded.copy()}
    faults = replace(call.read, noted=[*call.read.noted], **counts)  # a call may be made again
    if call.code and (why := _unlike(call)):
        return _Outcome(None, faults, worker=why)
    with _one_at_a_time:
        try:
            return _Outcome(call.work(call.batch, faults), faults, code=call.code)
        except ProjError as error:
            return _Outcome(None, faults, error, call.code)


def _unlike(call: _Call) -> str:
    """Why this process cannot do for the one that sent the call; '' if it can."""
    if call.code != of_code():
        return f"{_name()} has other code"
    for path, expected in call.files.items():
        if of_path(Path(path)) != expected:
            return f"{_name()} has another {path}, or none"
    return ""


def _name() -> str:
    try:
        from distributed import get_worker

        return str(get_worker().address)
    except (ImportError, ValueError):
        return "a worker"


@dataclass(frozen=True)
class _Pool:
    """What joblib is told: a backend by name or made, and how many workers it has."""

    backend: Any
    workers: int
    lost: tuple[type[BaseException], ...] = ()
    """What is raised when a worker cannot even read a call."""
    cluster: bool = False
    strangers: set[str] = field(default_factory=set)
    """Workers that were found to be unlike us."""

    def start(self, calls: list[_Call]) -> Any:
        quiet_workers()
        with _deaf():
            return self._start(calls)

    def _start(self, calls: list[_Call]) -> Any:
        from joblib import Parallel, delayed

        parallel = Parallel(
            n_jobs=self.workers, backend=self.backend, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs",
            max_nbytes=None,
        )  # fmt: skip
        if self.cluster:
            code, files = of_code(), dict(_stamped)
            return parallel(delayed(_task)(replace(call, code=code, files=files)) for call in calls)
        return parallel(delayed(_child)(os.getpid(), call) for call in calls)


def _child(parent: int, call: _Call) -> _Outcome:
    """One batch in a process of ours, which ends when we do, however we end."""
    if os.getpid() != parent and parent not in _watched:
        _watched.add(parent)
        _leave_to_parent()
        Thread(target=_watch, args=(parent,), daemon=True).start()
    return _task(call)


@contextmanager
def _deaf() -> Iterator[None]:
    """Within this block new processes and threads do not hear Ctrl-C, which a terminal sends to all: we end our workers ourselves.

    A worker that heard it while it starts would show a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def _leave_to_parent() -> None:
    """From here on a worker does nothing at Ctrl-C; commands that it runs hear it again."""
    if current_thread() is main_thread() and hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


_watched: set[int] = set()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _outcomes(first: list[_Call], calls: _Calls, pool: _Pool, on_message: Say) -> Generator[_Outcome, None, None]:
    """Windows of calls through joblib, which by itself would read on while nobody takes the results."""
    window = [*first, *islice(calls, WINDOW * pool.workers - len(first))]
    while window:
        coming: list[_Call] = []
        for outcome in _window(window, pool, on_message):
            coming += islice(calls, 1)  # read on while the workers are busy
            yield outcome
        window = coming


def _window(calls: list[_Call], pool: _Pool, on_message: Say) -> Iterator[_Outcome]:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    while done < len(calls):
        try:
            with _close_quietly(pool.start(calls[done:])) as outcomes:
                for outcome in outcomes:
                    done += 1
                    yield _accept(outcome, calls[done - 1], pool, on_message)
        except TerminatedWorkerError:  # a worker was killed and loky gave up its pool: what is due next is done here
            on_message("a worker process was killed (out of memory?): its sentences are done again")
            done += 1
            yield _task(calls[done - 1])
        except pool.lost as error:
            on_message(f"a Dask worker cannot read what it is sent ({str(error)[:100]}): its sentences are done here")
            done += 1
            yield _task(calls[done - 1])


def _accept(outcome: _Outcome, call: _Call, pool: _Pool, on_message: Say) -> _Outcome:
    """An outcome that our code gave: what a worker with other code or another model was given is done here."""
    if not pool.cluster or getattr(outcome, "code", "") == of_code():
        return outcome
    who = getattr(outcome, "worker", "") or "a Dask worker has another divproj"
    if who not in pool.strangers:
        pool.strangers.add(who)
        on_message(f"{who}: its sentences are done here; {SAME.format(_version())}")
    return _task(call)


@contextmanager
def _close_quietly(outcomes: Any) -> Iterator[Any]:
    """Who leaves early is told by joblib that work was lost, and knows."""
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes.close()


@contextmanager
def _pool(workers: Workers) -> Iterator[_Pool]:
    if workers.scheduler is not None:
        with _cluster(workers.scheduler) as pool:
            yield pool
        return
    from joblib import effective_n_jobs

    yield _Pool("loky", effective_n_jobs(workers.jobs or -1))


@contextmanager
def _cluster(address: str) -> Iterator[_Pool]:
    """Yield joblib's Dask backend for a cluster, after its workers were checked."""
    from asyncio import CancelledError  # slow to import, and only clusters need it
    from concurrent import futures

    where = Where(address)
    try:
        import distributed
    except ImportError:
        raise ProjError("a scheduler needs Dask, which is not installed", where, DASK) from None
    try:
        _knock(address)
        client = distributed.Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
        raise ProjError(message, where, "start one with `dask scheduler`, and give the address that it prints") from None
    _silence()
    with client:
        _check_workers(client, where)
        try:
            client.register_plugin(_safe_path(), SAFE_PATH)  # for workers that join later too
            workers = max(1, sum(client.ncores().values()))
            yield _Pool(_backend(client), workers, (ImportError, AttributeError), cluster=True)
        except distributed.KilledWorker as error:
            message = f"a batch was given up after several workers died on it: {str(error)[:200]}"
            raise ProjError(message, where, "give the workers more memory") from None
        except (OSError, CancelledError, futures.CancelledError) as error:
            if not _is_lost(client, error):
                raise
            message = f"the Dask scheduler is lost: {str(error)[:200] or type(error).__name__}"
            raise ProjError(message, where, "start it again, and then this command") from None


def _is_lost(client: Any, error: BaseException) -> bool:
    """Whether an error is of the connection to the scheduler, not of the work."""
    from distributed.comm import CommClosedError

    return not isinstance(error, OSError) or isinstance(error, CommClosedError) or client.status != "running"


def _silence() -> None:
    """What Dask has to say of connections that end, also later, it says with tracebacks; what matters is said by us."""
    handlers = [each for name in ("distributed", "") for each in logging.getLogger(name).handlers]
    loggers = [logging.getLogger(name) for name in ("distributed", "asyncio", "tornado.application")]
    for each in (*handlers, *loggers):
        each.addFilter(_is_of_others)


def _is_of_others(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] not in ("distributed", "asyncio", "tornado")


def _knock(address: str) -> None:
    """Whether somebody is there at all: a Dask client that finds nobody complains until its process ends."""
    import socket

    from distributed.comm import get_address_host_port

    if address.partition("://")[0] in ("tcp", "tls"):
        socket.create_connection(get_address_host_port(address, strict=True), timeout=CONNECTING).close()


def _check_workers(client: Any, where: Where) -> None:
    """Each worker has this version of divproj: another could find other trees."""
    from importlib import metadata

    version_here = _version()
    try:
        client.wait_for_workers(1, timeout=CONNECTING)
    except TimeoutError:
        raise ProjError(
            "the Dask cluster has no worker", where, f"start some with `PYTHONSAFEPATH=1 dask worker {where.path}`"
        ) from None
    versions = client.run(metadata.version, "divproj", on_error="return")  # a function that any Python has
    for worker, version in sorted(versions.items()):
        if isinstance(version, Exception):
            raise ProjError(f"Dask worker {worker} has no divproj", where, SAME.format(version_here))
        if version != version_here:
            raise ProjError(f"Dask worker {worker} has divproj {version}, not {version_here}", where, SAME.format(version_here))


def _safe_path() -> Any:
    """Return a plugin that takes the working folder of a Dask worker off its module path, before it imports divproj.

    Dask starts workers with `-m` and `-c`, which put that folder first. The class is a local one, so that it is sent by value: a
    worker that had to import it from divproj would take the `divproj.py` of its working folder.
    """
    from distributed import WorkerPlugin

    class SafePath(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            import os
            import sys
            from importlib import util

            before, unsafe = sys.path[:], ("", ".", os.getcwd())  # noqa: PTH109
            sys.path[:] = [entry for entry in before if entry not in unsafe]
            if util.find_spec("divproj") is None:  # installed nowhere else
                sys.path[:] = before

    return SafePath()


def _version() -> str:
    from divproj import __version__

    return __version__


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


@lru_cache(maxsize=1)
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Within this block matrix products are made by one thread, the same way everywhere."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited

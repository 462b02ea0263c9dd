"""One case under limits: what may come out is nothing, or a ProjError whose text can be shown."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from divproj.core.errors import ProjError

SECONDS = 20.0
"""Of the processor, for one case of some kilobytes."""


class TooLong(BaseException):
    """Not an Exception, so that no reader takes it for damage."""


@contextmanager
def seconds(limit: float = SECONDS) -> Iterator[None]:
    """Processor time for the block (a busy machine is no fault); without limit where the system knows no such clock."""
    if not hasattr(signal, "SIGVTALRM"):
        yield
        return

    def stop(_signal: int, _frame: object) -> None:
        raise TooLong(f"more than {limit} s for one case")

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


@dataclass(frozen=True)
class Target:
    """Something that reads bytes: `use` reads and uses what was read; `make` gives good examples."""

    name: str
    use: Callable[[bytes], object]
    make: Callable[[], Sequence[bytes]] = field(repr=False)
    kind: str = "bytes"

    @cached_property
    def seeds(self) -> tuple[bytes, ...]:
        return tuple(self.make())


def survived(target: Target, data: bytes, limit: float = SECONDS) -> str:
    """'read' or 'refused'; anything else is an error and is raised."""
    with seconds(limit):
        try:
            target.use(data)
        except ProjError as error:
            text = str(error)
            assert text, "a refusal says why"
            assert len(text) < 5000, f"a message of {len(text)} characters"
            return "refused"
    return "read"

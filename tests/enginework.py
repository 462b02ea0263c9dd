"""Work for the engine's tests, in a module that its workers can import."""

from __future__ import annotations

import os
import signal

from divproj.core.errors import FormatError, ProjError, Where


def double(batch, faults):
    return [2 * x for x in batch]


def odd_is_bad(batch, faults):
    for x in batch:
        if x % 2:
            faults.word(FormatError(f"{x} is odd", Where("numbers", x)))
    return sum(batch)


def stops_at_five(batch, faults):
    if 5 in batch:
        faults.sentence(ProjError("four before"))
        raise FormatError("five", Where("numbers", 5), "leave it out")
    return sum(batch)


def a_bug(batch, faults):
    raise ZeroDivisionError("a bug")


def dies_once(mark, batch, faults):
    """Kills its own process the first time that batch 11 comes."""
    if 11 in batch and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return odd_is_bad(batch, faults)


def always_dies(here, batch, faults):
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(batch)

"""Each system in one line, for reports."""

from __future__ import annotations

from divproj.projection.registry import SYSTEMS


def described(system: str) -> str:
    """What a system does, in one line; '' for one that is not known.

    >>> described("s3-2"), described("model:mine"), described("nothing")
    ('a parser trained on trees projected by s2-1', 'a model of `proj train`', '')
    """
    if system.startswith("model:"):
        return "a model of `proj train`"
    about = SYSTEMS[system].about.rstrip(".") if system in SYSTEMS else ""
    return about[:1].lower() + about[1:] if about[1:2] not in "0123456789" else about

"""Exact versions of what divproj needs to run, from the environment that the tests have passed in: `make lock`.

python bench/tools/lock.py > requirements.lock

The runtime dependencies of the installed package and theirs in turn, by their metadata; packages that other Python versions or
systems would add are not listed, since markers are looked at here.
"""

from __future__ import annotations

import platform
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HEAD = """\
# Exact versions of what divproj needs to run, tested together (Python {python}, {system}).
# Written by `make lock`; used by `pip install -r requirements.lock` before `pip install --no-deps divproj`.
"""


def needed(name: str = "divproj") -> dict[str, str]:
    """Versions by name: the dependencies without extras, and all that they need."""
    found: dict[str, str] = {}
    waiting: list[tuple[str, frozenset[str]]] = [(name, frozenset())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        package, extras = waiting.pop()
        if (package, extras) in seen:
            continue
        seen.add((package, extras))
        if package != name:
            found[package] = metadata.version(package)
        for text in metadata.requires(package) or ():
            requirement = Requirement(text)
            wanted = ("", *extras)
            if not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in wanted):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return dict(sorted(found.items()))


if __name__ == "__main__":
    print(HEAD.format(python=platform.python_version(), system=platform.system()), end="")
    for package, version in needed().items():
        print(f"{package}=={version}")

"""The house: which room may use which, read from the imports of the code and from the table in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {"divproj": ROOT / "src" / "divproj", "proj_cli": ROOT / "cli" / "proj_cli"}
DOOR, CLI = "divproj", "cli"
"""The front door (`divproj/__init__.py` and modules beside it), which may use all rooms; and the command line, which may too."""

ARROWS: dict[str, tuple[str, ...]] = {
    "data": (),
    "runtime": ("data.errors",),
    "text": ("data", "runtime"),
    "forest": ("text",),
    "io": ("forest",),
    "divergence": ("io",),
    "links": ("io",),
    "parsing": ("io",),
    "phrases": ("divergence", "links", "parsing"),
    "induction": ("divergence", "links", "parsing"),
    "projection": ("phrases", "induction"),
    "evaluation": ("projection",),
    "search": ("projection",),
    "drawing": ("projection",),
    "review": ("evaluation", "search", "drawing"),
    "run": ("evaluation", "search", "drawing"),
}
"""By room, the rooms (or one module of them) that it may import from, and so all that those may import from."""
BENT = {"data": "drawing", "io": "drawing"}
"""Arrows against the rule: a value that shows itself in a notebook imports its picture in `_repr_html_` or the like."""
HEAVY = {"sklearn", "numba", "scipy", "networkx", "nltk", "matplotlib", "distributed", "dask", "joblib", "numpy"}
"""Packages that are slow to import: no module that `proj --help` loads has them at its top."""

BREACHES: set[str] = set()
"""What breaks the rules today, in the words of the tests. Take away from it, never add to it."""


class Import(NamedTuple):
    """A module imports a module, or a name of it, perhaps inside functions or for types alone."""

    module: str
    target: str
    name: str
    functions: tuple[str, ...]
    typing: bool

    def __str__(self) -> str:
        return f"{self.module} imports {self.target}{'.' * bool(self.name)}{self.name}"

    @property
    def shows(self) -> bool:
        """Whether a notebook asks for it."""
        return any(name.startswith("_repr_") for name in self.functions)


@functools.cache
def modules() -> dict[str, ast.Module]:
    """All modules of the library and the command line."""
    found = {}
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = (package, *path.relative_to(folder).with_suffix("").parts)
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


@functools.cache
def imports() -> tuple[Import, ...]:
    """Every import of every module."""
    return tuple(each for name, tree in modules().items() for each in imports_in(name, tree))


def imports_in(module: str, node: ast.AST, functions: tuple[str, ...] = (), typing: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(module, alias.name, "", functions, typing) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, f"{module}:{child.lineno}: imports are written in full"
            for alias in child.names:
                inner = f"{child.module}.{alias.name}"
                target, name = (inner, "") if inner in modules() else (str(child.module), alias.name)
                yield Import(module, target, name, functions, typing)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imports_in(module, child, (*functions, child.name), typing)
        else:
            types = isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")
            yield from imports_in(module, child, functions, typing or types)


def between_rooms() -> Iterator[tuple[str, str, Import]]:
    """The imports of our own modules that lead to another room, with the rooms."""
    for each in imports():
        if each.target.split(".")[0] in SOURCES and room(each.module) != room(each.target):
            yield room(each.module), room(each.target), each


def room(module: str) -> str:
    package, *parts = module.split(".")
    return CLI if package == "proj_cli" else parts[0] if parts and parts[0] in ARROWS else DOOR


@functools.cache
def allowed(name: str) -> frozenset[str]:
    """The rooms and modules that a room may use."""
    direct = ARROWS.get(name, ())
    return frozenset(direct).union(*(allowed(below) for below in direct))


def against_the_arrows() -> set[str]:
    """Imports that no arrow allows; the version, which stands in the front door, may be had by all."""
    return {
        str(each)
        for here, there, each in between_rooms()
        if here not in (DOOR, CLI) and not (each.shows and BENT.get(here) == there)
        if (each.target, each.name) != (DOOR, "__version__")
        if not any(f"{each.target}.".startswith(f"divproj.{place}.") for place in allowed(here))
    }


def in_a_circle() -> set[str]:
    """Rooms that, whatever the arrows say, use each other by way of others."""
    arrows: dict[str, set[str]] = {name: set() for name in ARROWS}
    for here, there, each in between_rooms():
        if here in ARROWS and there in ARROWS and not each.shows:
            arrows[here].add(there)
    while ready := {name for name, targets in arrows.items() if not targets}:
        arrows = {name: targets - ready for name, targets in arrows.items() if name not in ready}
    return {f"{name} is in a circle" for name in arrows}


def private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_across_rooms() -> set[str]:
    """Names with an underscore that another room imports, or takes from a module it imports."""
    found = set()
    foreign: dict[str, dict[str, str]] = {}
    for _, _, each in between_rooms():
        if any(map(private, (each.name, *each.target.split(".")))):
            found.add(str(each))
        elif not each.name:
            foreign.setdefault(each.module, {})[each.target.split(".")[-1]] = each.target
    for module, names in foreign.items():
        for node in ast.walk(modules()[module]):
            if isinstance(node, ast.Attribute) and private(node.attr) and ast.unparse(node.value) in names:
                found.add(f"{module} uses {names[ast.unparse(node.value)]}.{node.attr}")
    return found


def private_in_the_command_line() -> set[str]:
    """Private attributes of whatever object, but its own."""
    return {
        f"{module} uses {ast.unparse(node)}"
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if room(module) == CLI and isinstance(node, ast.Attribute) and private(node.attr)
        if ast.unparse(node.value) not in ("self", "cls") and ast.unparse(node) not in ("os._exit", "sys._current_frames")
    }


def upstairs() -> set[str]:
    """What of the library knows the command line; `python -m divproj` must."""
    return {str(each) for _, there, each in between_rooms() if there == CLI and each.module != "divproj.__main__"}


@functools.cache
def loaded_by_help() -> frozenset[str]:
    """All modules that there are after `proj --help`."""
    code = (
        "import sys\nfrom proj_cli import main\nsys.argv = ['proj', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "proj_cli.commands" in done.stderr.split()
    return frozenset(done.stderr.split())


def heavy_for_help() -> set[str]:
    tops = (each for each in imports() if each.module in loaded_by_help() and not each.functions and not each.typing)
    found = {str(each) for each in tops if each.target.split(".")[0] in HEAVY}
    return found | {f"proj --help loads {name}" for name in HEAVY & loaded_by_help()}


RULES = (
    against_the_arrows,
    in_a_circle,
    private_across_rooms,
    private_in_the_command_line,
    upstairs,
    heavy_for_help,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(rule: Callable[[], set[str]]):
    assert sorted(rule() - BREACHES) == []


def test_the_list_of_breaches_is_true():
    assert set().union(*(rule() for rule in RULES)) >= BREACHES


def test_every_folder_is_a_room():
    assert {path.parent.name for path in SOURCES["divproj"].glob("*/__init__.py")} <= set(ARROWS)


def test_the_table_in_contributing():
    """Rooms and arrows there and here are the same."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    house = text.partition("## The house\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", house, re.M)
    assert {name: tuple(re.findall(r"`([\w.]+)`", uses)) for name, uses in rows} == ARROWS
    stray = [name for name, _ in rows if name != "search" and not (SOURCES["divproj"] / name).is_dir()]
    assert stray == []


def test_the_guard_sees():
    """What each rule is to find, it finds."""
    code = "import numba\nfrom divproj.run import cache\nfrom divproj.io.files import _UMASK\ndef f():\n    from divproj.data.tree import DepTree\n"
    found = [(each.target, each.name, each.functions) for each in imports_in("divproj.data.new", ast.parse(code))]
    assert found == [
        ("numba", "", ()),
        ("divproj.run.cache", "", ()),
        ("divproj.io.files", "_UMASK", ()),
        ("divproj.data.tree", "DepTree", ("f",)),
    ]
    assert allowed("text") == {"data", "runtime", "data.errors"}
    assert "drawing" not in allowed("projection")
    assert "io" in allowed("run")

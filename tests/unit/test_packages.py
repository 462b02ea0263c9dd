"""Packages: which may import which, read from the imports of the code and from the table in CONTRIBUTING.md."""

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
PUBLIC, CLI = "divproj", "cli"
"""The public API (`divproj/__init__.py` and modules beside it) and the command line, which may import every package."""

LAYERS: dict[str, tuple[str, ...]] = {
    "core": (),
    "runtime": ("core.errors",),
    "text": ("core", "runtime"),
    "forest": ("text",),
    "io": ("forest",),
    "links": ("io",),
    "ud": ("links",),
    "divergence": ("ud",),
    "parsing": ("ud",),
    "phrases": ("divergence", "parsing"),
    "induction": ("divergence", "parsing"),
    "projection": ("phrases", "induction"),
    "evaluation": ("projection",),
    "search": ("projection",),
    "drawing": ("projection",),
    "review": ("evaluation", "search", "drawing"),
    "run": ("evaluation", "search", "drawing"),
}
"""By package, the packages (or one module of them) that it may import, and so all that those may import."""
EXCEPTIONS = {"core": "drawing", "io": "drawing"}
"""The exception: a value that shows itself in a notebook imports its picture in `_repr_html_` or the like."""
HEAVY = {"sklearn", "numba", "scipy", "networkx", "nltk", "matplotlib", "distributed", "dask", "joblib", "numpy"}
"""Packages that are slow to import: no module that `proj --help` loads has them at its top."""

KNOWN_BREACHES: set[str] = set()
"""What breaks the rules today, in the words of the tests. Remove from it, never add to it."""


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
    trees = {}
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = (package, *path.relative_to(folder).with_suffix("").parts)
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            trees[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return trees


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


def between_packages() -> Iterator[tuple[str, str, Import]]:
    """Yield the imports that cross from one package to another, with both packages."""
    for each in imports():
        if each.target.split(".")[0] in SOURCES and package_of(each.module) != package_of(each.target):
            yield package_of(each.module), package_of(each.target), each


def package_of(module: str) -> str:
    package, *parts = module.split(".")
    return CLI if package == "proj_cli" else parts[0] if parts and parts[0] in LAYERS else PUBLIC


@functools.cache
def allowed(name: str) -> frozenset[str]:
    """Return the packages and modules that a package may import."""
    direct = LAYERS.get(name, ())
    return frozenset(direct).union(*(allowed(below) for below in direct))


def against_the_layers() -> set[str]:
    """Imports that no layer allows; all may import the version, which stands in `divproj/__init__.py`."""
    return {
        str(each)
        for here, there, each in between_packages()
        if here not in (PUBLIC, CLI) and not (each.shows and EXCEPTIONS.get(here) == there)
        if (each.target, each.name) != (PUBLIC, "__version__")
        if not any(f"{each.target}.".startswith(f"divproj.{place}.") for place in allowed(here))
    }


def in_a_circle() -> set[str]:
    """Packages that import each other by way of others."""
    layers: dict[str, set[str]] = {name: set() for name in LAYERS}
    for here, there, each in between_packages():
        if here in LAYERS and there in LAYERS and not each.shows:
            layers[here].add(there)
    while ready := {name for name, targets in layers.items() if not targets}:
        layers = {name: targets - ready for name, targets in layers.items() if name not in ready}
    return {f"{name} is in a circle" for name in layers}


def private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_across_packages() -> set[str]:
    """Names with an underscore that another package imports, or takes from a module it imports."""
    found = set()
    foreign: dict[str, dict[str, str]] = {}
    for _, _, each in between_packages():
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
    """Private attributes that the command line takes from objects other than `self`."""
    return {
        f"{module} uses {ast.unparse(node)}"
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if package_of(module) == CLI and isinstance(node, ast.Attribute) and private(node.attr)
        if ast.unparse(node.value) not in ("self", "cls") and ast.unparse(node) not in ("os._exit", "sys._current_frames")
    }


def imports_of_the_command_line() -> set[str]:
    """Modules of the library that import the command line; `python -m divproj` must."""
    return {str(each) for _, there, each in between_packages() if there == CLI and each.module != "divproj.__main__"}


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
    against_the_layers,
    in_a_circle,
    private_across_packages,
    private_in_the_command_line,
    imports_of_the_command_line,
    heavy_for_help,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(rule: Callable[[], set[str]]):
    assert sorted(rule() - KNOWN_BREACHES) == []


def test_the_known_breaches_are_still_there():
    assert set().union(*(rule() for rule in RULES)) >= KNOWN_BREACHES


def test_every_folder_is_a_package_of_the_table():
    assert {path.parent.name for path in SOURCES["divproj"].glob("*/__init__.py")} <= set(LAYERS)


def test_the_table_in_contributing():
    """Packages and layers there and here are the same."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Packages\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", section, re.M)
    assert {name: tuple(re.findall(r"`([\w.]+)`", uses)) for name, uses in rows} == LAYERS
    stray = [name for name, _ in rows if name != "search" and not (SOURCES["divproj"] / name).is_dir()]
    assert stray == []


def test_imports_are_found():
    """The helper finds imports of modules and names, at the top and in functions."""
    code = "import numba\nfrom divproj.run import cache\nfrom divproj.io.files import _UMASK\ndef f():\n    from divproj.core.tree import DepTree\n"
    found = [(each.target, each.name, each.functions) for each in imports_in("divproj.core.new", ast.parse(code))]
    assert found == [
        ("numba", "", ()),
        ("divproj.run.cache", "", ()),
        ("divproj.io.files", "_UMASK", ()),
        ("divproj.core.tree", "DepTree", ("f",)),
    ]
    assert allowed("text") == {"core", "runtime", "core.errors"}
    assert "drawing" not in allowed("projection")
    assert "io" in allowed("run")

"""Counts of modules, names and options of the code, with the limits that we set ourselves.

python bench/tools/count.py [--check] [--list] [--src CHECKOUT]

`--check` exits with 1 where a limit is passed, `--list` names what is counted. What is counted:

modules                   Python files of src/divproj and cli/proj_cli
double classes            names that two or more public classes of the top level of modules have
one-importer modules      modules of the library that exactly one other module imports, which lies in the same folder
participles               functions named by a past participle, by the end of their names
vague variables           places that bind `found`, `made`, `own`, `what` or `told`: assignments, loops, `with`, arguments …
F sentences               public classes (divproj.__all__) with a field for words, and one for what else a sentence of F has
pair folders              functions that name "f.conllu"
options                   options of the commands, hidden ones among them; not --quiet and --verbose, which all have, nor those of `proj` itself
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PARTICIPLE = re.compile(r"_?[a-z_]*(?:ed|ten|ven|own|ound|ade|old)")
VAGUE = ("found", "made", "own", "what", "told")
WORDS = {"forms", "words", "columns", "rows", "tokens"}
"""Fields that hold the words of a sentence."""
SENTENCE = {"gloss", "glosses", "segments", "segmentation", "comments"}
"""Fields that hold what else a sentence of F has."""
PAIR_FOLDER = "f.conllu"
EVERYWHERE = {"--quiet", "--verbose"}


@dataclass(frozen=True)
class Count:
    """What was counted, the limit, and the names of all that counts."""

    title: str
    limit: int
    names: list[str]

    @property
    def is_above(self) -> bool:
        return len(self.names) > self.limit


@dataclass(frozen=True)
class Module:
    """A file of the code, with its syntax tree."""

    name: str
    path: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def modules(root: Path) -> list[Module]:
    """Return the modules of the library and of the command line."""
    code = []
    for source in (root / "src", root / "cli"):
        for path in sorted(source.rglob("*.py")):
            name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
            code.append(Module(name, path.relative_to(root).as_posix(), ast.parse(path.read_text(encoding="utf-8"))))
    return code


def double_classes(code: list[Module]) -> Iterator[str]:
    """Yield names that stand for several public classes, with their modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in code:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.name)
    yield from (f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1)


def imports(module: Module, known: set[str]) -> set[str]:
    """Return the modules that a module imports, at any depth of its code."""
    names: set[str] = set()
    package = module.name if module.path.endswith("__init__.py") else module.name.rpartition(".")[0]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            parts = {f"{source}.{alias.name}" for alias in node.names}
            names.update(parts & known or {source})
    return (names & known) - {module.name}


def one_importer(code: list[Module]) -> Iterator[str]:
    """Yield modules that only one neighbour imports."""
    known = {module.name: module for module in code}
    importers: dict[str, list[Module]] = defaultdict(list)
    for module in code:
        for name in imports(module, set(known)):
            importers[name].append(module)
    for name, users in sorted(importers.items()):
        module = known[name]
        inside = module.path.startswith("src/") and not module.path.endswith("__init__.py")
        if inside and len(users) == 1 and users[0].folder == module.folder:
            yield f"{module.path} (by {users[0].path})"


def participles(code: list[Module]) -> Iterator[str]:
    """Yield functions that are named by a past participle."""
    for module in code:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and PARTICIPLE.fullmatch(node.name):
                yield f"{module.path}:{node.lineno} {node.name}"


def vague_variables(code: list[Module]) -> Iterator[str]:
    """Yield places that bind a name that says nothing."""
    for module in code:
        for node in ast.walk(module.tree):
            name = bound_name(node)
            if name in VAGUE:
                yield f"{module.path}:{getattr(node, 'lineno', 0)} {name}"


def bound_name(node: ast.AST) -> str | None:
    """Return the name that a node binds, if it is a variable, an argument or a caught error."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, ast.ExceptHandler) else None


def pair_folders(code: list[Module]) -> Iterator[str]:
    """Yield functions that name the file of F in a pair folder; a module, where a constant of it does."""

    def visit(node: ast.AST, function: str) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        if isinstance(node, ast.Constant) and node.value == PAIR_FOLDER:
            yield function
        for child in ast.iter_child_nodes(node):
            yield from visit(child, function)

    for module in code:
        yield from (f"{module.path} {name}" for name in dict.fromkeys(visit(module.tree, "(module)")))


def sentence_classes(package: Any) -> Iterator[str]:
    """Yield public classes that hold the words of a sentence of F and more."""
    for name in package.__all__:
        member = getattr(package, name)
        if isinstance(member, type):
            fields = {field for each in member.__mro__ for field in getattr(each, "__annotations__", {})}
            if fields & WORDS and fields & SENTENCE:
                yield f"{name}: {', '.join(sorted(fields & (WORDS | SENTENCE)))}"


def options(group: Any, path: str = "proj") -> Iterator[str]:
    """Yield the options of the commands of a group."""
    for name, command in group.commands.items():
        for parameter in command.params:
            if parameter.param_type_name == "option" and not EVERYWHERE & set(parameter.opts):
                yield f"{path} {name} {parameter.opts[-1]}{' (hidden)' if parameter.hidden else ''}"
        if hasattr(command, "commands"):
            yield from options(command, f"{path} {name}")


def counts(root: Path) -> list[Count]:
    """Return all counts of a checkout."""
    sys.path[:0] = [str(root / "src"), str(root / "cli")]
    import typer.main

    import divproj
    from proj_cli import app

    code = modules(root)
    return [
        Count("modules", 200, [module.path for module in code]),
        Count("double classes", 0, list(double_classes(code))),
        Count("one-importer modules", 15, list(one_importer(code))),
        Count("participles", 60, list(participles(code))),
        Count("vague variables", 100, list(vague_variables(code))),
        Count("F sentences", 1, list(sentence_classes(divproj))),
        Count("pair folders", 1, list(pair_folders(code))),
        Count("options", 270, list(options(typer.main.get_command(app)))),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 where a limit is passed")
    parser.add_argument("--list", action="store_true", help="name what is counted, but for modules and options")
    parser.add_argument("--src", type=Path, default=ROOT, metavar="CHECKOUT", help="whose code is counted; this one")
    given = parser.parse_args()
    every = counts(given.src.resolve())
    print("| count | now | limit | |\n|---|---|---|---|")
    for count in every:
        print(f"| {count.title} | {len(count.names):,} | {count.limit} | {'above' if count.is_above else ''} |")
    names = Counter(entry.split()[-1] for count in every if count.title == "vague variables" for entry in count.names)
    print(f"\nvague variables: {', '.join(f'{name} {names[name]}' for name in VAGUE)}")
    for count in every if given.list else ():
        if count.title not in ("modules", "options"):
            print("\n".join(["", f"## {count.title}", "", *count.names]))
    return int(given.check and any(count.is_above for count in every))


if __name__ == "__main__":
    sys.exit(main())

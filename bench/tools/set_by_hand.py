"""Every number that is set by hand, package by package: its name, its value, and what it is, as the docstring below it says.

python bench/tools/set_by_hand.py [PACKAGE …]

A number stands in the module whose formula uses it. What is listed: constants with a fraction that somebody must have chosen, and
other constants of numbers that a docstring describes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2] / "src" / "divproj"
ELSEWHERE = {
    "drawing/svg.py": "sizes in pixels",
    "drawing/review.py": "sizes in pixels",
    "parsing/network.py": "part of the trained network",
    "projection/glossed/model.py": "part of the trained network",
}
"""Modules some of whose numbers are not choices, and what these are."""
SMALLEST, LARGEST = 5e-4, 39.0
"""Numbers beyond these only keep arithmetic in bounds: a logarithm of nothing, a share that counts as none, seconds, bytes."""


class Number(NamedTuple):
    """A constant of a module."""

    package: str
    module: str
    name: str
    value: str
    about: str


def numbers(source: Path = SOURCE) -> Iterator[Number]:
    """Yield the constants that were chosen, and those that a docstring describes."""
    for path in sorted(source.rglob("*.py")):
        for number, _ in constants(path, source):
            if number.about or number in bare(path, source):
                yield number


def bare(path: Path, source: Path = SOURCE) -> list[Number]:
    """Return the constants of a module that somebody must have chosen and nobody has described."""
    if path.relative_to(source).as_posix() in ELSEWHERE:
        return []
    return [number for number, value in constants(path, source) if not number.about and any(map(chosen, ast.walk(value)))]


def constants(path: Path, source: Path) -> Iterator[tuple[Number, ast.expr]]:
    """What is made of numbers alone at the top of a module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        value = getattr(node, "value", None)
        if target is None or value is None or not plain(value):
            continue
        text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
        module = path.relative_to(source).as_posix()
        about = " ".join(str(text).split())
        yield Number(module.split("/")[0], module, ast.unparse(target), ast.unparse(value), about), value


def plain(node: ast.expr) -> bool:
    """Whether an expression is made of numbers alone, or is a table of such."""
    kinds = ast.Constant | ast.Tuple | ast.List | ast.Dict | ast.UnaryOp | ast.USub | ast.Load
    values = node.values if isinstance(node, ast.Dict) else [node]
    leaves = [n for each in values for n in ast.walk(each) if isinstance(n, ast.Constant)]
    return all(isinstance(n, kinds) for n in ast.walk(node)) and all(isinstance(n.value, int | float) for n in leaves)


def chosen(node: ast.AST) -> bool:
    """Whether this is a number with a fraction that somebody must have chosen."""
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, float) and SMALLEST < abs(value) < LARGEST


def main() -> None:
    package = ""
    for number in numbers():
        if sys.argv[1:] and number.package not in sys.argv[1:]:
            continue
        if number.package != package:
            package = number.package
            print(f"\n## {package}\n\n| number | value | what it is |\n|---|---|---|")
        print(f"| `{number.name}` | {number.value} | {number.about} |")


if __name__ == "__main__":
    main()

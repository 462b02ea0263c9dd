"""Every number that is set by hand, room by room: its name, value, what it is, and where it was chosen, as `settings.py` of the room says it.

python bench/tools/set_by_hand.py [ROOM …]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2] / "src" / "divproj"
PLACE = "settings.py"
ELSEWHERE = {
    "drawing/layout.py": "sizes in pixels",
    "drawing/review.py": "sizes in pixels",
    "parsing/neural/network.py": "part of the trained network",
    "projection/universal/network.py": "part of the trained network",
}
"""Modules with other numbers, and what these are. A kernel keeps its own: machine code on the disk is as old as its source."""
SMALLEST, LARGEST = 5e-4, 39.0
"""Numbers beyond these only keep arithmetic in bounds: a logarithm of nothing, a share that counts as none, seconds, bytes."""


class Number(NamedTuple):
    """A constant of a module."""

    room: str
    module: str
    name: str
    value: str
    about: str


def numbers(source: Path = SOURCE) -> Iterator[Number]:
    """The constants of the settings of all rooms."""
    for path in sorted(source.rglob(PLACE)):
        yield from (number for number, _ in constants(path, source))


def strays(source: Path = SOURCE) -> Iterator[Number]:
    """Constants with a fraction, or tables of such, that are set by hand elsewhere."""
    for path in sorted(source.rglob("*.py")):
        for number, value in constants(path, source):
            if path.name != PLACE and number.module not in ELSEWHERE and any(map(chosen, ast.walk(value))):
                yield number


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
    room = ""
    for number in numbers():
        if sys.argv[1:] and number.room not in sys.argv[1:]:
            continue
        if number.room != room:
            room = number.room
            print(f"\n## {room}\n\n| number | value | what it is |\n|---|---|---|")
        print(f"| `{number.name}` | {number.value} | {number.about} |")


if __name__ == "__main__":
    main()

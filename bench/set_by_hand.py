"""Every number that is set by hand, room by room: its name, value, what it is, and where it was chosen, as the code says it.

python bench/set_by_hand.py [ROOM …]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[1] / "src" / "divproj"


class Number(NamedTuple):
    """A constant of a module."""

    room: str
    module: str
    name: str
    value: str
    about: str


def numbers(source: Path = SOURCE) -> Iterator[Number]:
    """Constants with a fraction, or tables of such, at the top of modules."""
    for path in sorted(source.rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
            target = (
                node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
            )
            value = getattr(node, "value", None)
            if target is None or value is None or not _weighs(value):
                continue
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            module = path.relative_to(source).as_posix()
            yield Number(module.split("/")[0], module, ast.unparse(target), ast.unparse(value), " ".join(str(text).split()))


def _weighs(node: ast.expr) -> bool:
    """Whether an expression is made of numbers alone, one of them with a fraction."""
    leaves = [n for n in ast.walk(node) if isinstance(n, ast.Constant) and not isinstance(n.value, str)]
    plain = all(
        isinstance(n, ast.Constant | ast.Tuple | ast.List | ast.Dict | ast.UnaryOp | ast.USub | ast.Load)
        for n in ast.walk(node)
    )
    values = node.values if isinstance(node, ast.Dict) else [node]
    texts = any(isinstance(n, ast.Constant) and isinstance(n.value, str) for each in values for n in ast.walk(each))
    return plain and not texts and any(isinstance(n.value, float) for n in leaves)


def main() -> None:
    room = ""
    for number in numbers():
        if sys.argv[1:] and number.room not in sys.argv[1:]:
            continue
        if number.room != room:
            room = number.room
            print(f"\n## {room}\n\n| number | value | what it is | module |\n|---|---|---|---|")
        print(f"| `{number.name}` | {number.value} | {number.about} | {number.module} |")


if __name__ == "__main__":
    main()

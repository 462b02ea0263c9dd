"""Examples in docstrings (`>>>`) as code blocks of the documentation site; an extension of griffe, named in `mkdocs.yml`."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^|(?<=\n\n))(>>> .*?)(?=\n\n|\Z)", re.S)


class Examples(griffe.Extension):
    """Fences every paragraph that begins with `>>>`."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """
    >>> print(fenced("Adds.\\n\\n>>> 1 + 1\\n2"))
    Adds.
    <BLANKLINE>
    ```python
    >>> 1 + 1
    2
    ```
    """
    return _EXAMPLE.sub(lambda found: f"```python\n{found[1].rstrip()}\n```", text)

"""Trees in the shapes of other libraries: nested trees of NLTK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import nltk


def nested(forms: Sequence[str], heads: Sequence[int]) -> nltk.Tree:
    """The tree as NLTK draws dependency trees: a word with children is a node over them."""
    import nltk

    kids: dict[int, list[int]] = {}
    for k, h in enumerate(heads, 1):
        kids.setdefault(max(h, 0), []).append(k)
    built: dict[int, Any] = {}
    order = [0]
    for k in order:
        order.extend(kids.get(k, ()))
    for k in reversed(order):
        form = forms[k - 1] if k else "ROOT"
        built[k] = nltk.Tree(form, [built[c] for c in kids[k]]) if k in kids else form
    top = kids.get(0, [])
    if len(top) != 1:
        return built[0] if isinstance(built[0], nltk.Tree) else nltk.Tree("ROOT", [])
    only = built[top[0]]
    return only if isinstance(only, nltk.Tree) else nltk.Tree(only, [])


def unnested(tree: nltk.Tree) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Words and heads in depth-first order: NLTK's trees do not keep word order."""
    forms: list[str] = []
    heads: list[int] = []
    stack: list[tuple[Any, int]] = [(tree, 0)]
    while stack:
        node, head = stack.pop()
        label = getattr(node, "label", None)
        forms.append(str(label() if label else node))
        heads.append(head)
        if label:
            here = len(forms)
            stack.extend((child, here) for child in reversed(list(node)))
    return tuple(forms), tuple(heads)

"""Tables for papers: LaTeX with booktabs."""

from __future__ import annotations

from collections.abc import Sequence

_SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it stands.

    >>> escaped("s1_r & 50 %")
    's1\\_r \\& 50 \\%'
    """
    return "".join(_SIGNS.get(c, c) for c in text)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str, *, left: int = 1, note: str = "") -> str:
    r"""A table with a caption; the first `left` columns are text, the others numbers. `note` becomes a comment.

    >>> print(table(["corpus", "s1-r"], [["deu", "88.5"]], "UAS"), end="")
    \begin{table}
    \centering
    \begin{tabular}{lr}
    \toprule
    corpus & s1-r \\
    \midrule
    deu & 88.5 \\
    \bottomrule
    \end{tabular}
    \caption{UAS}
    \end{table}
    """
    shape = "l" * left + "r" * (len(columns) - left)
    body = [" & ".join(map(escaped, row)) + r" \\" for row in (columns, *rows)]
    lines = [f"% {' '.join(note.split())}"] if note else []
    lines += [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{shape}}}", r"\toprule", body[0], r"\midrule", *body[1:]]
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{escaped(caption)}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"

"""Pairs as plain text, tables for LaTeX, and the HTML that a notebook shows for a corpus.

`pair_text` has one line for each edge: for a terminal, for grep and for people who do not see colours. `table` is a LaTeX
table with booktabs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from divproj.core.errors import Faults, ProjError
from divproj.core.pair import Pair
from divproj.core.tree import DepTree
from divproj.divergence.analysis import batches_in_style, edge_text
from divproj.divergence.operations import Altered, alter
from divproj.drawing.measure import escape, visible
from divproj.drawing.svg import GLYPHS, DrawnEdge, Scene, altered_side, other, pair_svg, scenes
from divproj.io.corpus import Chunk, Corpus
from divproj.io.interlinear.typeset import escape_tex


def pair_text(pair: Pair, altered: Altered | None = None, direction: str = "e_to_f", stage: str = "initial") -> str:
    """A header of comment lines (id, both sentences, matched edges), what the stage did (`- `), and the edges."""
    (scene,) = scenes(altered or alter(pair), direction, [stage])
    side = altered_side(direction)
    trees = {s: _visible_tree(getattr(pair, s), scene, s) for s in "fe"}
    matched, edges = scene.share(side)
    lines = [f"# sent_id = {visible(pair.sent_id)}", *(f"# {s} = {' '.join(trees[s].forms)}" for s in "ef")]
    lines.append(f"# {direction} {stage} = {matched}/{edges} edges match ({100 * matched / edges if edges else 100.0:.1f} %)")
    for op in scene.operations:
        given = replace(trees[op.side], deprels=tuple(map(visible, getattr(pair, op.side).deprels)))
        lines.append(f"- {op.side.upper()}: {GLYPHS[op.kind]} {op.kind}  {edge_text(given, op.child, op.parent)}")
    return "\n".join((*lines, *_lines(scene, trees, side)))


def _lines(scene: Scene, trees: dict[str, DepTree], side: str) -> Iterator[str]:
    for edge in scene.edges[side]:
        line = f"{GLYPHS[edge.kind]} {edge.kind}  {edge_text(trees[side], edge.child, edge.head)}"
        partners = ", ".join(_partners(edge, trees[other(side)]))
        yield f"{line} ~ {partners}" if partners else line


def _partners(edge: DrawnEdge, tree: DepTree) -> Iterator[str]:
    for name in edge.partners:
        child, _, head = name[1:].partition("-")
        yield edge_text(tree, int(child), int(head)) if head else tree.forms[int(child) - 1]


def _visible_tree(tree: DepTree, scene: Scene, side: str) -> DepTree:
    """The tree as it stands after the stage, harmless to a terminal."""
    deprels = list(map(visible, tree.deprels)) or [""] * len(tree)
    for edge in scene.edges[side]:
        deprels[edge.child - 1] = visible(edge.label)
    return DepTree(tuple(map(visible, tree.forms)), scene.heads[side], tuple(deprels))


def tree_text(tree: DepTree, glosses: Sequence[str] = ()) -> str:
    """One tree as text: a line for each word, in order, below its head as far as it is from the root.

    >>> print(tree_text(DepTree(("Hunde", "bellen"), (2, 0), ("nsubj", "root")), ("dog.PL", "bark")))
      Hunde ‘dog.PL’ ←nsubj─ bellen
    bellen ‘bark’ ←root
    """
    lines = []
    for k, (form, head) in enumerate(zip(tree.forms, tree.heads, strict=True), 1):
        depth, up = 0, head
        while up > 0 and depth < len(tree):
            depth, up = depth + 1, tree.heads[up - 1]
        rel = tree.deprels[k - 1] if tree.deprels else ""
        gloss = f" ‘{glosses[k - 1]}’" if glosses and glosses[k - 1] else ""
        above = f"─ {tree.forms[head - 1]}" if head > 0 else "" if head == 0 else "─ ?"
        lines.append(visible(f"{'  ' * depth}{form}{gloss} ←{rel}{above}"))
    return "\n".join(lines)


def edges_of(as_json: bool, extended: bool, paper: bool, style: str, chunk: Chunk, faults: Faults) -> tuple[int, str]:
    """How many pairs a chunk has, and their edges as lines of text."""
    lines: list[str] = []
    for batch in batches_in_style(chunk, style, faults):
        for k in range(len(batch)):
            pair = batch.pair(k)
            altered = alter(pair, extended=extended, paper=paper, compiled=chunk.fast or len(lines) > 300)
            lines.append(json.dumps(altered.as_json(), ensure_ascii=False) if as_json else pair_text(pair, altered) + "\n")
    return len(lines), "".join(f"{line}\n" for line in lines)


SHOWN = 3
"""Pairs that are drawn."""


def corpus_html(corpus: Corpus) -> str:
    """Name, number of pairs and first sentences of a corpus, and pictures of its first pairs.

    >>> "deu-eng" in corpus_html(Corpus.at("deu-eng"))
    True
    """
    try:
        pictures = [pair_svg(pair) for pair in corpus[:SHOWN]]
    except ProjError as error:  # a notebook shows what there is
        pictures = [f"<p>{escape(str(error))}</p>"]
    return f"<div><p>{escape(repr(corpus))}</p>{''.join(pictures)}</div>"


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
    body = [" & ".join(map(escape_tex, row)) + r" \\" for row in (columns, *rows)]
    lines = [f"% {' '.join(note.split())}"] if note else []
    lines += [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{shape}}}", r"\toprule", body[0], r"\midrule", *body[1:]]
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{escape_tex(caption)}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"

"""A projected tree as CoNLL-U: the rows of F with heads, relations and tags filled in, and where each edge came from."""

from __future__ import annotations

from dataclasses import replace

from divproj.projection.s1 import Projection
from divproj.types import Sentence


def annotated(sentence: Sentence, projection: Projection, system: str) -> Sentence:
    """The sentence with the projected tree: HEAD and DEPREL anew, UPOS where there was none, `Proj=` and `ProjConf=` in MISC."""
    tree = projection.tree
    columns = [list(column) for column in sentence.columns]
    confidence = projection.confidence
    for k, row in enumerate(sentence.word_rows):
        columns[6][row] = str(tree.heads[k])
        columns[7][row] = tree.rels[k]
        columns[8][row] = "_"
        if columns[3][row] == "_" and tree.upos[k] != "_":
            columns[3][row] = tree.upos[k]
        kept = [x for x in columns[9][row].split("|") if x != "_" and not x.startswith(("Proj=", "ProjConf="))]
        kept.append(f"Proj={projection.reasons[k]}")
        if confidence:
            kept.append(f"ProjConf={confidence[k]:.2f}")
        columns[9][row] = "|".join(kept)
    links = len(projection.bitext.alignment)
    note = f"# projection = {system} coverage={projection.coverage:.2f} links={links}"
    if not links:
        note += " unlinked"
    comments = tuple(c for c in sentence.comments if not c.startswith("# projection = "))
    return replace(sentence, comments=(*comments, note), columns=tuple(map(tuple, columns)))

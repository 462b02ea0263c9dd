"""A projected tree as CoNLL-U: the rows of F with heads, relations and tags filled in, and where each edge came from."""

from __future__ import annotations

from dataclasses import replace

from divproj.projection.s1 import Projection
from divproj.types import PROJECTED, Sentence


def annotated(sentence: Sentence, projection: Projection, system: str) -> Sentence:
    """The sentence with the projected tree: HEAD and DEPREL anew, UPOS where there was none, `Proj=` and `ProjConf=` in MISC."""
    tree = projection.tree
    tags = tuple(new if old == "_" else old for old, new in zip(sentence.column(3), tree.upos, strict=True))
    confidence = [f"|ProjConf={c:.2f}" for c in projection.confidence] or [""] * len(tree)
    misc = tuple(
        f"{_kept(old)}Proj={reason}{sure}"
        for old, reason, sure in zip(sentence.column(9), projection.reasons, confidence, strict=True)
    )
    new = {3: tags, 6: tuple(map(str, tree.heads)), 7: tree.rels, 8: ("_",) * len(tree), 9: misc}
    links = len(projection.bitext.alignment)
    note = f"{PROJECTED}{system} coverage={projection.coverage:.2f} links={links}"
    if not links:
        note += " unlinked"
    comments = tuple(c for c in sentence.comments if not c.startswith(PROJECTED))
    return replace(sentence.with_columns(new), comments=(*comments, note))


def _kept(misc: str) -> str:
    """MISC without what an earlier projection wrote, ready to be added to."""
    if misc == "_":
        return ""
    if "Proj" in misc:
        misc = "|".join(x for x in misc.split("|") if not x.startswith(("Proj=", "ProjConf=")))
    return f"{misc}|" if misc else ""

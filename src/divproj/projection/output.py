"""A projected tree as CoNLL-U: the rows of F with heads, relations and tags filled in, and where each edge came from."""

from __future__ import annotations

from dataclasses import replace

from divproj.data.head_style import in_style
from divproj.data.sentence import PROJECTED, Sentence
from divproj.links.gloss.grams import Grams
from divproj.projection.direct import Projection
from divproj.projection.ud_rows import completed, shipped_grams
from divproj.projection.universal.english import UPOS
from divproj.projection.word_classes import relation_of


def annotated(
    sentence: Sentence, projection: Projection, system: str, grams: Grams | None = None, style: str = "ud", line: int = 0
) -> Sentence:
    """The sentence with the projected tree: HEAD and DEPREL anew, UPOS where there was none, `Proj=` and `ProjConf=` in MISC.

    A system with tags of its own (s5, s6) fills whole rows of UD: FEATS and LEMMA too, `sent_id`, `text` and `SpaceAfter`.
    `line` is where the sentence stood, for the `sent_id` of one that has none. Style `function` turns adpositions, markers,
    auxiliaries and copulas into heads.
    """
    tree = projection.tree
    if projection.upos:
        tree = replace(tree, upos=tuple(tag if tag in UPOS else "X" for tag in projection.upos))
    if style != "ud":
        tree = in_style(tree, style)
    kept = sentence.column(3) if not projection.upos else tuple(t if t in UPOS else "_" for t in sentence.column(3))
    tags = tuple(new if old == "_" else old for old, new in zip(kept, tree.upos, strict=True))
    confidence = [f"|ProjConf={c:.2f}" for c in projection.confidence] or [""] * len(tree)
    misc = tuple(
        f"{_kept(old)}Proj={reason}{sure}"
        for old, reason, sure in zip(sentence.column(9), projection.reasons, confidence, strict=True)
    )
    new = {3: tags, 6: tuple(map(str, tree.heads)), 7: _named(tree.heads, tree.rels, tags), 8: ("_",) * len(tree), 9: misc}
    if kept != sentence.column(3):  # tags of another set go to the column for them
        rows = zip(sentence.column(3), sentence.column(4), kept, strict=True)
        new[4] = tuple(old if xpos == "_" and not tag.strip("_") else xpos for old, xpos, tag in rows)
    links = len(projection.bitext.links)
    note = f"{PROJECTED}{system} coverage={projection.coverage:.2f} links={links}"
    if not links:
        note += " unlinked"
    comments = tuple(c for c in sentence.comments if not c.startswith(PROJECTED))
    made = replace(sentence.with_columns(new), comments=(*comments, note))
    return completed(made, tags, grams or shipped_grams(), line) if projection.upos else made


def _named(heads: tuple[int, ...], rels: tuple[str, ...], tags: tuple[str, ...]) -> tuple[str, ...]:
    """Relations, with those that nothing has named called after the classes that the file gives.

    >>> _named((2, 0), ("dep", "root"), ("DET", "NOUN"))
    ('det', 'root')
    """
    return tuple(
        relation_of(tags[k - 1], tags[head - 1], k < head) or rel if rel == "dep" and head > 0 else rel
        for k, (head, rel) in enumerate(zip(heads, rels, strict=True), 1)
    )


def _kept(misc: str) -> str:
    """MISC without what an earlier projection wrote, ready to be added to."""
    if misc == "_":
        return ""
    if "Proj" in misc:
        misc = "|".join(x for x in misc.split("|") if not x.startswith(("Proj=", "ProjConf=")))
    return f"{misc}|" if misc else ""

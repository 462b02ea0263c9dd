"""A projected tree as CoNLL-U: the rows of F with heads, relations and tags filled in, and where each edge came from."""

from __future__ import annotations

from collections import Counter

from divproj.data.head_style import COMP, in_style
from divproj.data.options import F_STYLES
from divproj.data.sentence import PROJECTED, Sentence
from divproj.data.tree import DepTree, cycles
from divproj.links.gloss.grams import Grams
from divproj.projection.direct import Projection
from divproj.projection.ud_grammar import repaired
from divproj.projection.ud_names import UPOS
from divproj.projection.ud_rows import completed, composed, shipped_grams, with_text
from divproj.projection.universal.marks import hang_marks
from divproj.projection.word_classes import relation_of

_TAGS = frozenset(UPOS)
STYLES = F_STYLES
"""Head styles of what goes out: content words as heads, or function words."""


def annotated(
    sentence: Sentence,
    projection: Projection,
    system: str,
    grams: Grams | None = None,
    style: str = "ud",
    line: int = 0,
    repairs: Counter[str] | None = None,
) -> Sentence:
    """The sentence with the projected tree in whole rows of UD, `Proj=` and `ProjConf=` in MISC.

    HEAD and DEPREL are new; UPOS, FEATS and LEMMA are filled where there were none; `sent_id`, `text` and `SpaceAfter` agree; characters are
    composed (NFC).
    Relations are made to fit UD, which `repairs` counts. `line` is where the sentence stood, for the `sent_id` of one that has
    none. Style `function` turns adpositions, markers, auxiliaries and copulas into heads.
    """
    tree = projection.tree
    given = sentence.column(3)
    table = grams or shipped_grams()
    labels = projection.bitext.labels or ("_",) * len(tree)
    tags = tuple([
        old if old in _TAGS else new if new in _TAGS else (table.classes(label) or ("X",))[0]
        for old, new, label in zip(given, projection.upos or projection.bitext.classes, labels, strict=True)
    ])  # fmt: skip
    heads = _hung(tree.heads, tags, bool(projection.upos), repairs)
    lemmas, feats = completed(sentence, tags, table)
    rels = repaired(heads, _named(heads, tree.rels, tags), tags, feats, repairs)
    origin = range(len(tree))
    if style != "ud":
        tree = in_style(tree.with_heads(heads, rels), style)
        heads, rels, origin = tree.heads, tree.rels, _origins(tree)  # type: ignore[assignment]
    confidence = [f"|ProjConf={c:.2f}" for c in projection.confidence] or [""] * len(tree)
    reasons = projection.reasons
    misc = tuple([f"{_kept(old)}Proj={reasons[k]}{confidence[k]}" for old, k in zip(sentence.column(9), origin, strict=True)])
    new = {2: lemmas, 3: tags, 5: feats, 6: tuple(map(str, heads)), 7: rels, 8: ("_",) * len(tree), 9: misc}
    if any(tag not in _TAGS and tag.strip("_") for tag in given):  # tags of another set go to the column for them
        columns = zip(given, sentence.column(4), strict=True)
        new[4] = tuple(old if xpos == "_" and old not in _TAGS else xpos for old, xpos in columns)
    links = len(projection.bitext.links)
    note = f"{PROJECTED}{system} coverage={projection.coverage:.2f} links={links}"
    if not links:
        note += " unlinked"
    comments = [c for c in sentence.comments if not c.startswith(PROJECTED)]
    made = Sentence((*comments, note), sentence.with_columns(new).columns, sentence.where, sentence.end)
    return composed(with_text(made, line))


def _hung(heads: tuple[int, ...], tags: tuple[str, ...], every: bool, repairs: Counter[str] | None) -> tuple[int, ...]:
    """Heads with no word on a punctuation mark, but on what the mark hangs on; `every` mark is hung as UD does it."""
    marks = [k for k, tag in enumerate(tags, 1) if tag == "PUNCT"]
    if not marks or len(marks) == len(heads):
        return heads
    made = list(heads)
    if 0 in made and tags[made.index(0)] == "PUNCT":  # a word takes the place of a mark that is the root
        root = made.index(0) + 1
        near = [k for k, head in enumerate(made, 1) if head == root and tags[k - 1] != "PUNCT"]
        top = near[0] if near else next(k for k, tag in enumerate(tags, 1) if tag != "PUNCT")
        for k in (*(k for k, head in enumerate(made, 1) if head == root), root):
            made[k - 1] = top
        made[top - 1] = 0
    for k in range(1, len(made) + 1):
        steps = 0
        while made[k - 1] > 0 and tags[made[k - 1] - 1] == "PUNCT" and steps <= len(made):
            made[k - 1] = made[made[k - 1] - 1]
            steps += 1
    if repairs is not None:
        repairs.update(punctuation=sum(a != b for a, b in zip(made, heads, strict=True)))
    if tuple(made) != heads and cycles(made):
        return heads
    if every:
        hang_marks(made, marks)
    return tuple(made)


def _origins(tree: DepTree) -> list[int]:
    """For each word of a turned tree the word (from 0) whose edge is now its own: function word and content word change places."""
    made = list(range(len(tree)))
    inner = {tree.heads[k - 1]: k for k, rel in enumerate(tree.rels, 1) if rel.startswith(COMP)}
    for top in inner:
        if tree.rels[top - 1].startswith(COMP):
            continue
        word = top
        while word in inner:
            made[inner[word] - 1], word = word - 1, inner[word]
        made[top - 1] = word - 1
    return made


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

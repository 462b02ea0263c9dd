"""What hypothesis draws: trees, forests, alignments, pairs and CoNLL-U sentences."""

from __future__ import annotations

from hypothesis import strategies as st

from divproj import DepTree, Links, Pair
from divproj.core.sentence import Rows
from divproj.core.tree import NO_HEAD

RELS = ("root", "nsubj", "nsubj:pass", "obj", "advmod", "dep", "dep:x", "_")
TAGS = ("NOUN", "VERB", "ADV", "DET", "_")
ODD = " \u00a0\u0085\u2028\u2029\u200b\u200d\ufeff\x0b\x0c\x1c\x7f#=|-.'\"\\_0\u0301\u0660٣ñ语𐍈\U0010ffff"
"""Characters that careless readers take for line ends, blanks, numbers or marks."""

_char = st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=("Cs",), exclude_characters="\t\n\r\0"))
fields = st.text(_char, min_size=1, max_size=6)
texts = st.text(_char, max_size=12)


@st.composite
def tree_heads(draw, n: int) -> tuple[int, ...]:
    """Heads of a tree with one root."""
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = order[draw(st.integers(0, k - 1))]
    return tuple(heads)


@st.composite
def trees(draw, min_size: int = 0, max_size: int = 8) -> DepTree:
    n = draw(st.integers(min_size, max_size))
    columns = [draw(st.one_of(st.just(()), st.tuples(*[st.sampled_from(x)] * n))) for x in (RELS, TAGS, TAGS)]
    return DepTree(tuple(f"w{k}" for k in range(1, n + 1)), draw(tree_heads(n)), *columns)


@st.composite
def forests(draw, max_size: int = 8) -> DepTree:
    """Trees with more roots, or with words whose head is not known."""
    tree = draw(trees(max_size=max_size))
    cut = st.sampled_from((None, None, None, 0, NO_HEAD))
    cuts = draw(st.tuples(*[cut] * len(tree)))
    return tree.with_heads(head if new is None else new for head, new in zip(tree.heads, cuts, strict=True))


@st.composite
def alignments(draw, shape: tuple[int, int] | None = None, max_size: int = 8) -> Links:
    """Any set of links, many-to-many ones too, some of them only possible."""
    n, m = shape or (draw(st.integers(0, max_size)), draw(st.integers(0, max_size)))
    if not n or not m:
        return Links(frozenset(), (n, m))
    link = st.tuples(st.integers(1, n), st.integers(1, m))
    links = draw(st.frozensets(link, max_size=2 * max(n, m)))
    possible = draw(st.frozensets(st.sampled_from(sorted(links)), max_size=3)) if links else frozenset()
    return Links(links, (n, m), possible)


@st.composite
def pairs(draw, sides: st.SearchStrategy[DepTree] | None = None) -> Pair:
    """Tree pairs; `sides=forests()` for less than trees."""
    side = trees() if sides is None else sides
    f, e = draw(side), draw(side)
    return Pair(f, e, draw(alignments((len(f), len(e)))), draw(st.sampled_from(("", "s1"))))


@st.composite
def related_pairs(draw, min_size: int = 3, max_size: int = 7) -> Pair:
    """A tree and another that was made of it, so that edges match, merge and are swapped.

    Each word of F stays as it is, loses its links, shares its link with its head, changes places with its head in E, is linked with its head's
    partner too, or depends on any other word in E. A crossed word is linked with the partner of its head's head too: its edge matches and is
    reversed; a tangled word has that link and its head's, so that its edge is to be merged and is reversed.
    """
    f = draw(trees(min_size, max_size))
    n, heads = len(f), list(f.heads)
    links = {(k, k) for k in range(1, n + 1)}
    moved = set()
    for word, kind in enumerate(draw(st.lists(st.sampled_from(FATES), min_size=n, max_size=n)), 1):
        head = f.heads[word - 1]
        if kind == "unlinked":
            links.discard((word, word))
        elif kind == "merged" and head:
            links = links - {(word, word)} | {(word, head)}
        elif kind == "shared" and head:
            links.add((word, head))
        elif kind in ("crossed", "tangled") and head and f.heads[head - 1]:
            links.add((word, f.heads[head - 1]))
            if kind == "tangled":
                links = links - {(word, word)} | {(word, head)}
        elif kind == "swapped" and head and not {word, head} & moved:
            moved |= {word, head}
            heads[word - 1], heads[head - 1] = heads[head - 1], word
        elif kind == "moved" and head:
            other = draw(st.integers(1, n))
            below = {word}
            while more := {k for k in range(1, n + 1) if heads[k - 1] in below} - below:
                below |= more
            if other not in below and heads[word - 1]:
                heads[word - 1] = other
    place = [0, *draw(st.permutations(range(1, n + 1)))]
    turned = [0] * n
    for word, head in enumerate(heads, 1):
        turned[place[word] - 1] = place[head]
    rels = draw(st.one_of(st.just(()), st.tuples(*[st.sampled_from(RELS)] * n)))
    e = DepTree(tuple(f"e{k}" for k in range(1, n + 1)), tuple(turned), rels)
    pair = Pair(f, e, Links(frozenset((i, place[j]) for i, j in links), (n, n)))
    return draw(st.sampled_from((pair, pair.transpose)))


@st.composite
def crossed_pairs(draw, min_size: int = 3, max_size: int = 7) -> Pair:
    """A tree twice, with the links of some edges crossed: child with the other side's parent, parent with its child; and one or two links more."""
    tree = draw(trees(min_size, max_size))
    n = len(tree)
    links, moved = {(k, k) for k in range(1, n + 1)}, set()
    for word in draw(st.permutations(range(1, n + 1))):
        head = tree.heads[word - 1]
        if head and not {word, head} & moved:
            moved |= {word, head}
            links = links - {(word, word), (head, head)} | {(word, head), (head, word)}
            kind = draw(st.sampled_from(("crossed", "crossed", "both", "straight")))
            links |= {(word, word)} if kind == "both" else set()
            links = links - {(word, head), (head, word)} | {(word, word), (head, head)} if kind == "straight" else links
    links |= set(draw(st.lists(st.tuples(st.integers(1, n), st.integers(1, n)), max_size=1)))
    place = [0, *draw(st.permutations(range(1, n + 1)))]
    turned = [0] * n
    for word, head in enumerate(tree.heads, 1):
        turned[place[word] - 1] = place[head]
    e = DepTree(tuple(f"e{k}" for k in range(1, n + 1)), tuple(turned))
    return Pair(tree, e, Links(frozenset((i, place[j]) for i, j in links), (n, n)))


FATES = (
    "same", "same", "unlinked", "merged", "merged", "shared", "swapped", "swapped", "swapped", "moved", "crossed", "tangled", "tangled",
)  # fmt: skip
any_pairs = st.one_of(related_pairs(), related_pairs(), related_pairs(), pairs(), pairs(forests()))

comments = st.one_of(
    texts.map("#".__add__),
    st.builds("# {} = {}".format, st.sampled_from(("sent_id", "text", "text", "key")), texts),
)
tame_comments = st.builds("# {} = {}".format, st.sampled_from(("key", "note")), st.text("abc =#", max_size=8))
"""Comments that tools with a meaning for `sent_id`, `newdoc` and the like leave alone."""


@st.composite
def rows(draw, max_words: int) -> list[tuple[str, ...]]:
    """Rows with multiword tokens and empty nodes among the words."""
    n = draw(st.integers(1, max_words))
    heads = draw(tree_heads(n))
    found: list[tuple[str, ...]] = []

    def add(row_id: str, head: str, rel: str) -> None:
        form, lemma, upos, xpos, feats, deps, misc = draw(st.tuples(*[fields] * 7))
        found.append((row_id, form, lemma, upos, xpos, feats, head, rel, deps, misc))

    covered = 0
    for k in range(n + 1):
        if k:
            if k > covered and draw(st.integers(0, 4)) == 0:
                covered = draw(st.integers(k, n))
                add(f"{k}-{covered}", "_", "_")
            add(str(k), str(heads[k - 1]), draw(fields))
        for empty in range(draw(st.sampled_from((0, 0, 0, 0, 1, 2)))):
            add(f"{k}.{empty + 1}", "_", "_")
    return found


@st.composite
def sentences(draw, comment: st.SearchStrategy[str] = comments, max_words: int = 5) -> Rows:
    columns = tuple(zip(*draw(rows(max_words)), strict=True))
    return Rows(tuple(draw(st.lists(comment, max_size=4))), columns, end=draw(st.sampled_from(("\n\n", "\n\n\n"))))

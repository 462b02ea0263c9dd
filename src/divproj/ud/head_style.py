"""Two head styles of annotation: content words as heads (UD), and function words as heads (as in the papers' trees).

`function_heads` turns a UD tree so that adpositions, markers, auxiliaries and copulas govern their content word, much as in
Surface-Syntactic UD (Gerdes et al. 2018); `content_heads` turns it back. Nothing is lost: `content_heads(function_heads(t)) == t`.

    UD        that he will have been in the house      (house: mark that, nsubj he, aux will have, cop been, case in, det the)
    function  that → will → have → been → in → house   (he under `will`, the finite verb)

How it is written down. The word that a function word of relation R governs has the relation `comp:R`; the outermost function word
takes over head and relation of the content word. So the chain names all that is needed to take it apart. The other dependents of
the content word may move to a function word of its chain and keep their relation; dependents that a function word had before are
marked `own:R`. `fixed` and `goeswith` are the other way round: they belong to the function word, and are `up:R` when they moved.

Which function word is outer: the farther one from the content word; of two on different sides, first markers, then auxiliaries,
copulas, adpositions, determiners. Dependents move as little as a projective tree allows, but a subject goes to the first auxiliary
or copula (after the marker), punctuation as far out as it can, and a conjunct to the function word that matches its own: in
coordination the first conjunct is the head in both styles, `in the house and on the roof` has *on* under *in*. Determiners and
conjunctions stay dependents unless asked for. A function word that has function words of its own is taken for a content word.
A projective tree stays projective.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from divproj.core.errors import FormatError
from divproj.core.options import E_STYLES
from divproj.core.sentence import misc_value
from divproj.core.tree import DepTree

KINDS = ("mark", "aux", "cop", "case")
"""Relations (without subtype) of the function words that become heads; `det` can be added."""
NAMED = {"function": KINDS, "adpositions": ("case",), "determiners": (*KINDS, "det")}
"""Named sets of kinds: ODIN's English trees have adpositions alone as heads, the Copenhagen treebanks determiners too."""
RANKS = {"mark": 0, "aux": 1, "cop": 2, "case": 3, "det": 4}
COMP, OWN, UP = "comp:", "own:", "up:"
STICKY = frozenset({"fixed", "goeswith"})
"""Relations whose words belong to the function word they stand by."""
SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
VERBAL = frozenset({"aux", "cop"})


def base(rel: str) -> str:
    """
    >>> base("aux:pass")
    'aux'
    """
    return rel.partition(":")[0]


def function_heads(tree: DepTree, kinds: Collection[str] = KINDS) -> DepTree:
    """The tree with function words of these relations as heads.

    >>> ud = DepTree(("in", "the", "house"), (3, 3, 0), ("case", "det", "root"))
    >>> function_heads(ud).heads, function_heads(ud).deprels
    ((0, 3, 1), ('root', 'det', 'comp:case'))
    """
    _check(tree, kinds)
    return _HeadConversion(tree, kinds).tree()


def content_heads(tree: DepTree) -> DepTree:
    """The tree with content words as heads: the inverse of `function_heads`.

    A parser's output may hold what no conversion gives: of several complements the first counts, the others become `dep` of it.
    """
    heads, deprels = tree.heads, tree.deprels
    if not deprels:
        return tree
    inner: dict[int, int] = {}
    for k, rel in enumerate(deprels, 1):
        if rel.startswith(COMP) and heads[k - 1] > 0:
            inner.setdefault(heads[k - 1], k)
    new_heads, new_rels = list(heads), list(deprels)

    def content(word: int) -> int:
        while word in inner:
            word = inner[word]
        return word

    for k in range(1, len(heads) + 1):
        if k in inner:
            new_heads[k - 1], new_rels[k - 1] = content(k), deprels[inner[k] - 1][len(COMP) :]
            continue
        top = k
        while inner.get(heads[top - 1]) == top:
            top = heads[top - 1]
        head, rel = heads[top - 1], deprels[top - 1]
        stays = rel.startswith(OWN) or base(rel) in STICKY
        new_heads[k - 1] = content(head) if head in inner and not stays else head
        new_rels[k - 1] = "dep" if rel.startswith(COMP) else rel.removeprefix(OWN).removeprefix(UP)
    return tree.with_heads(new_heads, new_rels)


def _check(tree: DepTree, kinds: Collection[str]) -> None:
    if unknown := sorted(set(kinds) - set(RANKS)):
        raise FormatError(f"no function words of relation '{unknown[0]}'", remedy=f"choose among {', '.join(RANKS)}")
    if len(tree.deprels) != len(tree):
        raise FormatError(
            "the tree has no relations, so its function words are not known", remedy="give a tree with UD relations"
        )
    for k, rel in enumerate(tree.deprels, 1):
        if rel.startswith((COMP, OWN, UP)):
            raise FormatError(f"word {k} has the relation '{rel}': the tree has function words as heads already")


class _HeadConversion:
    """One conversion: the chains of all words, then the places of their other dependents."""

    def __init__(self, tree: DepTree, kinds: Collection[str]) -> None:
        self.source, self.bases = tree, ["", *map(base, tree.deprels)]
        self.children: list[list[int]] = [[] for _ in range(len(tree) + 1)]
        for k, head in enumerate(tree.heads, 1):
            if head > 0:
                self.children[head].append(k)
        wanted = [self.bases[k] in kinds and tree.heads[k - 1] > 0 for k in range(len(tree) + 1)]
        self.function = [want and not any(wanted[c] for c in self.children[k]) for k, want in enumerate(wanted)]
        self.chains = {k: self._chain(k) for k in range(1, len(tree) + 1) if not self.function[k]}

    def _chain(self, content: int) -> list[int]:
        """Function words of a content word, the outermost first."""
        words = [k for k in self.children[content] if self.function[k]]
        left, right = [k for k in words if k < content], [k for k in reversed(words) if k > content]
        chain = []
        while left and right:
            rank_left, rank_right = RANKS[self.bases[left[0]]], RANKS[self.bases[right[0]]]
            chain.append((left if rank_left <= rank_right else right).pop(0))
        return chain + left + right

    def tree(self) -> DepTree:
        heads, deprels = list(self.source.heads), list(self.source.deprels)
        tops = {k: chain[0] if chain else k for k, chain in self.chains.items()}
        for content, chain in self.chains.items():
            top = tops[content]
            if top != content:
                heads[top - 1], deprels[top - 1] = self.source.heads[content - 1], self.source.deprels[content - 1]
            for outer, within in pairwise([*chain, content]):
                heads[within - 1], deprels[within - 1] = outer, COMP + self.source.deprels[outer - 1]
        for content, chain in self.chains.items():
            for child, head in self._places(content, chain) if chain else ():
                heads[tops[child] - 1] = head
                if head != content and self.bases[child] in STICKY:
                    deprels[tops[child] - 1] = UP + self.source.deprels[child - 1]
        for word in range(1, len(heads) + 1):
            if self.function[word]:
                for child in self.children[word]:
                    if self.bases[child] not in STICKY:
                        deprels[tops[child] - 1] = OWN + self.source.deprels[child - 1]
        return self.source.with_heads(heads, deprels)

    def _places(self, content: int, chain: Sequence[int]) -> list[tuple[int, int]]:
        """The new head of each other dependent of a content word: itself or a word of its chain.

        From far to near heads go from outer to inner, between the function words that stand around: no edges cross.
        """
        levels = [*chain, content]
        others = [k for k in self.children[content] if not self.function[k]]
        places = []
        for side in ([k for k in others if k < content], [k for k in reversed(others) if k > content]):
            level = 0
            for child in side:
                near = min(
                    (x for x, k in enumerate(levels) if min(child, content) < k < max(child, content)), default=len(chain)
                )
                beyond = [x for x, k in enumerate(chain) if (k < child < content) or (content < child < k)]
                level = min(max(self._wish(child, chain), level, *beyond), near)
                places.append((child, levels[level]))
        return places

    def _wish(self, child: int, chain: Sequence[int]) -> int:
        """The place in the chain (its length: the content word) where a dependent belongs by its relation."""
        kinds = [self.bases[k] for k in chain]
        after = len(kinds) - kinds[::-1].index("mark") if "mark" in kinds else 0
        finite = next((x for x in range(after, len(kinds)) if kinds[x] in VERBAL), len(kinds))
        rel = self.bases[child]
        if rel == "punct":
            return 0
        if rel in SUBJECTS:
            outer = self.source.deprels[child - 1].endswith(":outer")
            return next((x for x, kind in enumerate(kinds) if kind in VERBAL), len(kinds)) if outer else finite
        if rel == "conj":
            child_kinds = [self.bases[k] for k in self.chains[child]]
            if child_kinds and child_kinds[0] not in VERBAL:
                return kinds.index(child_kinds[0]) if child_kinds[0] in kinds else len(kinds)
            if child_kinds or any(self.bases[k] in SUBJECTS for k in self.children[child]):
                return finite
        return len(kinds)


SUD = {
    "nsubj": "subj", "csubj": "subj", "obj": "comp:obj", "ccomp": "comp:obj", "iobj": "comp:obl", "xcomp": "comp:obj@x", "obl": "udep", "nmod": "udep",
    "advmod": "mod", "amod": "mod", "nummod": "mod", "advcl": "mod", "acl": "mod", "expl": "comp@expl", "fixed": "unk@fixed", "orphan": "unk@orphan",
    "dep": "unk", "reparandum": "conj:dicto",
    "comp:case": "comp:obj", "comp:mark": "comp:obj", "comp:aux": "comp:aux", "comp:cop": "comp:pred", "comp:det": "comp:obj",
}  # fmt: skip
"""Relations of Surface-Syntactic UD for those of UD, and for complements of function words; the others have the same names."""
_SUD_SUBTYPES = {"obl:arg": "comp:obl", "obl:mod": "mod", "obl:agent": "comp:obl@agent", "expl:subj": "subj@expl", "expl:pv": "comp@expl", "aux:pass": "comp:aux@pass"}  # fmt: skip
_DEEP = frozenset({"pass", "caus", "relcl", "poss", "tmod", "lmod", "emph", "outer"})
"""Subtypes that SUD keeps as deep features, behind `@`."""
_SUD_ONLY = frozenset({"subj", "udep", "mod", "unk"})


def sud_names(tree: DepTree) -> tuple[str, ...]:
    """Return relations of SUD for a tree with function words as heads (Gerdes et al. 2018); heads stay as they are, also in coordinations.

    >>> tree = function_heads(DepTree(("it", "was", "seen", "in", "Oslo"), (3, 3, 0, 5, 3), ("nsubj:pass", "aux:pass", "root", "case", "obl")))
    >>> sud_names(tree)
    ('subj@pass', 'root', 'comp:aux@pass', 'udep', 'comp:obj')
    """
    return tuple(_sud(rel, tree.upos[k] if tree.upos else "") for k, rel in enumerate(tree.deprels))


def _sud(rel: str, tag: str) -> str:
    rel = rel.removeprefix(OWN).removeprefix(UP)
    if rel in _SUD_SUBTYPES:
        return _SUD_SUBTYPES[rel]
    complement = COMP if rel.startswith(COMP) else ""
    name, _, subtype = rel.removeprefix(COMP).partition(":")
    if name == "xcomp" and tag in ("ADJ", "NOUN", "PROPN", "PRON", "NUM"):
        return "comp:pred"
    new = SUD.get(complement + name, name)
    return f"{new}@{subtype}" if subtype in _DEEP else f"{new}:{subtype}" if subtype and new == name else new


def _is_sud(tree: DepTree) -> bool:
    """Whether the relations are those of SUD, which cannot be told apart from one another again."""
    return any(
        base(rel.partition("@")[0]) in _SUD_ONLY or (rel.startswith(COMP) and base(rel[len(COMP) :]) not in RANKS)
        for rel in tree.deprels
    )


UD_RELATION = "UDRel"
"""Key of MISC with the relation that a tree with function words as heads has here, from which UD can be made again."""


def as_written(tree: DepTree, misc: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return DEPREL and MISC of a tree with function words as heads: relations of SUD, and our own in MISC (`UDRel=comp:case`)."""
    cells = (f"{'' if cell == '_' else f'{cell}|'}{UD_RELATION}={rel}" for cell, rel in zip(misc, tree.deprels, strict=True))
    return sud_names(tree), tuple(cells)


def from_written(tree: DepTree, misc: Sequence[str]) -> DepTree:
    """Return the tree with the relations that `as_written` has put into MISC; as it is where there are none."""
    deprels = [misc_value(cell, UD_RELATION) for cell in misc]
    return tree.with_heads(tree.heads, deprels) if all(deprels) else tree


STYLES = E_STYLES


def in_style(tree: DepTree, style: str) -> DepTree:
    """The tree as it is, with content words as heads (`ud`), or with the function words of a name in `NAMED` as heads.

    Relations stay those of UD, so that content words can be made heads again; `sud_names` has the names to write.
    """
    if style != "as-is" and _is_sud(tree):
        raise FormatError(
            "the tree has relations of SUD, of which those of UD cannot be made again",
            remedy="use it as it is, or give the trees of UD",
        )
    if style in NAMED:
        return function_heads(content_heads(tree), NAMED[style])
    return content_heads(tree) if style == "ud" else tree

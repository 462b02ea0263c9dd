"""A pair of sentences with the links between their words: what every step takes and gives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from divproj.core.errors import Where
from divproj.core.links import Links
from divproj.core.sentence import Rows, Sentence
from divproj.core.tree import DepTree


class WordAnswer(NamedTuple):
    """What the user says of a word by its type: the universal tags that it may have, and its relation; nothing where empty."""

    tags: tuple[str, ...] = ()
    deprel: str = ""


@dataclass(frozen=True)
class Pair:
    """An aligned sentence pair (F, E, A): the language you study, its translation, and links (f, e).

    Each side has words, tags and glosses, and a tree where there is one (`pair.f.tree` is None where there is none).
    After projection `reasons` says where the head of each F word came from and `confidence` how sure it is.

    >>> f, e = DepTree(("Hunde", "bellen"), (2, 0)), DepTree(("Dogs", "bark"), (2, 0))
    >>> pair = Pair(f, e, Links.of([(1, 1), (2, 2)], (2, 2)))
    >>> pair.f.tree.heads, pair.e.forms, sorted(pair.links)
    ((2, 0), ('Dogs', 'bark'), [(1, 1), (2, 2)])
    """

    f: DepTree
    e: DepTree
    links: Links
    sent_id: str = ""
    translation: str = field(default="", compare=False)
    """The translation as written; empty when only its words are known."""
    glosses: tuple[str, ...] = ()
    """The gloss of each word of F; empty where there is none."""
    reasons: tuple[str, ...] = field(default=(), compare=False)
    confidence: tuple[float, ...] = field(default=(), compare=False)
    f_rows: Rows | None = field(default=None, compare=False, repr=False)
    """The rows of F as they were read, so that nothing of them is lost when the pair is written."""
    sentence: Sentence | None = field(default=None, compare=False, repr=False)
    """The glossed instance that F came from, where it is one."""
    where: Where = field(default=Where(), compare=False, repr=False)
    e_language: str = field(default="", compare=False)
    """Code of the language of the translation, once that was asked; with an E of no words there is no parser of it."""
    answers: tuple[WordAnswer | None, ...] = field(default=(), compare=False, repr=False)
    """What the user says of each word of F by its type; empty where nothing."""

    @property
    def transpose(self) -> Pair:
        """The pair with the roles of F and E exchanged."""
        return Pair(self.e, self.f, self.links.transpose, self.sent_id)

    @property
    def coverage(self) -> float:
        """Share of the F words that have a link."""
        return len({i for i, _ in self.links}) / max(1, len(self.f))

    def to_conllu(self) -> str:
        """The F side as CoNLL-U: the rows as read with this pair's tree, or rows made from its words.

        >>> print(Pair(DepTree(("Hunde",), (0,), ("root",)), DepTree((), ()), Links.of([], (1, 0)), "s1").to_conllu(), end="")
        # sent_id = s1
        # text = Hunde
        1	Hunde	_	_	_	_	0	root	_	_
        <BLANKLINE>
        """
        if self.f_rows is not None:
            return self.f_rows.to_conllu()
        return self.f.to_conllu(self.sent_id, self.glosses)

    def with_tree(self, tree: DepTree) -> Pair:
        """The pair with another tree of F."""
        return replace(self, f=tree)

    def _repr_svg_(self) -> str:
        from divproj.drawing.svg import pair_svg  # imported late: core needs drawing only in notebooks

        return pair_svg(self)

    def _repr_html_(self) -> str:
        return self._repr_svg_()

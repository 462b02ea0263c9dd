"""Sentences as they were read: `Rows` from CoNLL-U, `Sentence` from interlinear text.

A `Rows` has its comments, all rows and columns, and its place in the file, so that it can be written back unchanged;
`Sentence.tree` is its dependency tree. A `Sentence` has the words of a glossed sentence with their segmentation and glosses,
and its translations; `Sentence.pair` makes a pair of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from divproj.core.errors import FormatError, Where
from divproj.core.links import Links
from divproj.core.tree import NO_HEAD, DepTree, cycles

if TYPE_CHECKING:
    from divproj.core.pair import Pair


Columns = tuple[tuple[str, ...], ...]


PROJECTED = "# projection = "
"""Beginning of the comment that projection writes."""


def is_gold(comment: str) -> bool:
    """Return whether a comment says that somebody has checked the tree (`# gold = yes`)."""
    name, _, value = comment[1:].partition("=")
    return name.strip() == "gold" and value.strip() == "yes"


@dataclass(frozen=True)
class Rows:
    """A CoNLL-U sentence as read: comment lines, ten columns, and its place in the file.

    >>> from divproj.io.trees import conllu
    >>> [sentence] = conllu.loads("# sent_id = a\\n1\\tHunde\\tHund\\tNOUN\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> sentence.sent_id, sentence.forms, sentence.column(2)
    ('a', ('Hunde',), ('Hund',))
    """

    comments: tuple[str, ...]
    columns: Columns
    where: Where = field(default=Where(), compare=False)
    end: str = field(default="\n\n", compare=False)
    """Line ends after the last row, as they stood in the file."""

    @property
    def lines(self) -> tuple[tuple[str, ...], ...]:
        """All rows, multiword and empty ones too, ten fields each."""
        return tuple(zip(*self.columns, strict=True))

    def to_conllu(self) -> str:
        """The sentence as it was in its file, with the blank line after it."""
        lines = [*self.comments, *map("\t".join, zip(*self.columns, strict=True))]
        return "\n".join(lines) + self.end

    @cached_property
    def word_rows(self) -> tuple[int, ...]:
        """Indices of the rows that are words: those with an integer id."""
        ids = self.columns[0]
        if "".join(ids).isdecimal() and all(ids):
            return tuple(range(len(ids)))
        return tuple(k for k, row_id in enumerate(ids) if row_id.isdecimal())

    def column(self, k: int) -> tuple[str, ...]:
        """Column `k` (0 = ID … 9 = MISC) of the words, without multiword and empty rows."""
        values = self.columns[k]
        if len(self.word_rows) == len(values):
            return values
        return tuple(values[r] for r in self.word_rows)

    def with_columns(self, new: dict[int, tuple[str, ...]]) -> Rows:
        """The sentence with other values in some columns of its words; multiword and empty rows stay."""
        columns = list(self.columns)
        for k, values in new.items():
            if len(self.word_rows) == len(columns[k]):
                columns[k] = values
            else:
                cells = list(columns[k])
                for row, value in zip(self.word_rows, values, strict=True):
                    cells[row] = value
                columns[k] = tuple(cells)
        return Rows(self.comments, tuple(columns), self.where, self.end)

    @property
    def is_draft(self) -> bool:
        """Whether the tree was projected and not marked gold since, so that nothing is learned from it.

        >>> made = "# projection = s5 coverage=1.00 links=2"
        >>> [Rows(comments, ((),) * 10).is_draft for comments in ((), (made,), (made, "# gold = yes"))]
        [False, True, False]
        """
        return any(c.startswith(PROJECTED) for c in self.comments) and not any(map(is_gold, self.comments))

    @property
    def forms(self) -> tuple[str, ...]:
        return self.column(1)

    @property
    def glosses(self) -> tuple[str, ...]:
        """`Gloss=` of each word ('' where it has none); empty when no word has one."""
        misc = self.column(9)
        if not any("Gloss=" in cell for cell in misc):
            return ()
        word_glosses = tuple(misc_value(cell, "Gloss") for cell in misc)
        return word_glosses if any(word_glosses) else ()

    def comment(self, key: str) -> str | None:
        """Value of the first comment `# key = value`; None when there is none."""
        for line in self.comments:
            if key in line:
                name, eq, value = line[1:].partition("=")
                if eq and name.strip() == key:
                    return value.strip()
        return None

    @property
    def sent_id(self) -> str:
        return self.where.sent_id or self.comment("sent_id") or ""

    @cached_property
    def tree(self) -> DepTree:
        """The dependency tree; FormatError when the heads do not make one."""
        tree, faults = self.usable_tree()
        if faults:
            raise faults[0]
        return tree

    def usable_tree(self) -> tuple[DepTree, list[FormatError]]:
        """The tree without impossible heads, and why each of them was left out.

        A word whose HEAD is missing, out of range, itself, on a cycle or a second root gets `NO_HEAD`.
        """
        texts = self.column(6)
        n = len(texts)
        faults: list[FormatError] = []

        def leave_out(k: int, message: str) -> None:
            row = self.word_rows[k - 1]
            line = self.where.line + len(self.comments) + row if self.where.line else 0
            where = replace(self.where, line=line, sent_id=self.sent_id)
            faults.append(FormatError(message, where))

        digits = "".join(texts)
        if digits.isdecimal() and digits.isascii() and all(0 < len(text) < 19 for text in texts):
            heads = list(map(int, texts))
        else:
            heads = []
            for k, text in enumerate(texts, 1):
                if text.isdecimal() and text.isascii() and len(text) < 19:
                    heads.append(int(text))
                else:
                    heads.append(NO_HEAD)
                    leave_out(k, f"HEAD of word {k} is '{text}', a number from 0 to {n} expected")
        roots = 0
        for k, head in enumerate(heads, 1):
            if head == k:
                leave_out(k, f"word {k} is its own head")
            elif head > n:
                leave_out(k, f"HEAD is {head} but the sentence has {n} words")
            elif head == 0:
                roots += 1
                if roots == 1:
                    continue
                leave_out(k, f"word {k} is a second root, one root expected")
            else:
                continue
            heads[k - 1] = NO_HEAD
        for cycle in cycles(heads):
            shown = " → ".join(map(str, (*cycle[:12], *(["…"] if len(cycle) > 12 else []), cycle[0])))
            for k in cycle:
                heads[k - 1] = NO_HEAD
            leave_out(cycle[0], f"heads make a cycle {shown}, a tree expected")
        if not roots and n and not faults:
            leave_out(1, "no word has HEAD 0, one root expected")
        return (
            DepTree(self.forms, tuple(heads), self.column(7), self.column(3), self.column(4)),
            faults,
        )


def misc_value(misc: str, key: str) -> str:
    """
    >>> misc_value("Gloss=dog|SpaceAfter=No", "Gloss")
    'dog'
    """
    if key in misc:
        for item in misc.split("|"):
            name, eq, value = item.partition("=")
            if eq and name == key:
                return value
    return ""


def confidence_of(misc: str) -> str:
    """Return the confidence of a head as MISC has it, whether the tree was projected or parsed.

    >>> confidence_of("Gloss=dog|ParseConf=0.81")
    '0.81'
    """
    return misc_value(misc, "ProjConf") or misc_value(misc, "ParseConf")


BOUNDARY = re.compile(r"(?<=[^-=~<>\s])[-=~–‐‑−](?=[^-=~<>\s])")
"""Between two morphemes of a token: hyphen (or the dash that a word processor made of it), clitic boundary, reduplication."""


def morphs(token: str) -> tuple[str, ...]:
    """Morphemes of a segmented word or of a gloss.

    >>> morphs("give-CAUS=3SG"), morphs("-")
    (('give', 'CAUS', '3SG'), ('-',))
    """
    return tuple(BOUNDARY.split(token))


@dataclass(frozen=True)
class Sentence:
    """One glossed sentence as its author wrote it; words and glosses need not line up.

    `words` is the language line, one string a word. `segments` has each word as segmented (`dil-vā-yī`), `glosses` the
    gloss of each (`give-CAUS-PST`), `tags` a part of speech each; any of the three may be empty or of another length:
    `gloss.grade` says what does not fit. Readers leave `segments` empty where the words themselves are segmented.
    `translation` is the free translation, `translations` those in all languages by code. `e_words`, `e_tags`, `links`
    (f, e from 1), `tree` and `e_tree` are there when the source has them.

    >>> igt = Sentence(("Hund-e", "bell-en"), glosses=("dog-PL", "bark-3PL"), translation="Dogs bark.")
    >>> igt.lines_up, igt.glosses[0]
    (True, 'dog-PL')
    """

    words: tuple[str, ...]
    segments: tuple[str, ...] = ()
    glosses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    translation: str = ""
    text: str = ""
    """The sentence as written, with punctuation; empty when the source has only words."""
    sent_id: str = ""
    language: str = ""
    """ISO 639-3 code, or the name when the source has no code."""
    translations: tuple[tuple[str, str], ...] = ()
    meta: tuple[tuple[str, str], ...] = ()
    """Anything else the source says of the instance, in order (speaker, source, comment …)."""
    e_words: tuple[str, ...] = ()
    links: frozenset[tuple[int, int]] | None = None
    tree: DepTree | None = None
    e_tree: DepTree | None = None
    judgement: str = ""
    """`*`, `?`, `#` or `%` before the sentence."""
    e_tags: tuple[str, ...] = ()
    rows: Rows | None = field(default=None, compare=False)
    """The CoNLL-U rows it came from, so that gold is never lost."""
    where: Where = field(default=Where(), compare=False)

    @property
    def lines_up(self) -> bool:
        """Whether every word has a gloss."""
        return len(self.glosses) == len(self.words) > 0

    def pair(self) -> Pair:
        """The sentence and its translation as a pair; without a tree in the source, E has only words.

        >>> Sentence(("Hunde", "bellen"), glosses=("dog.PL", "bark"), e_words=("Dogs", "bark")).pair().glosses
        ('dog.PL', 'bark')
        """
        from divproj.core.pair import Pair  # which knows of this type

        glosses = self.glosses if self.lines_up else ()
        f = self.tree or DepTree.from_words(self.words)
        e = self.e_tree or DepTree.from_words(self.e_words or self.translation.split())
        shape = (len(f), len(e))
        links = Links(self.links, shape) if self.links is not None else Links(frozenset(), shape, known=False)
        return Pair(f, e, links, self.sent_id, self.translation, glosses, f_rows=self.rows, sentence=self, where=self.where)

"""The treebank as arrays: what a sentence is to the network, counted once."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from divproj.parsing import network

CLOSING = (".", "!", "?")
"""Marks at the end of a sentence that translations are often written without."""


@dataclass
class Tree:
    """A sentence of the treebank."""

    forms: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)


def read(path: Path, features: tuple[str, ...] = ()) -> list[Tree]:
    """Return the trees of a CoNLL-U file, packed or not; words that were left out in speech are not read.

    With `features`, the second tag of a word is made of these of its FEATS, and not its XPOS.
    """
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")  # noqa: SIM115
    trees, tree = [], Tree()
    with opened as lines:
        for line in lines:
            columns = line.rstrip("\n").split("\t")
            if len(columns) == 10 and columns[0].isdigit():
                if features:
                    columns[4] = chosen(columns[5], features)
                for name, k in (("forms", 1), ("lemmas", 2), ("upos", 3), ("xpos", 4), ("rels", 7)):
                    getattr(tree, name).append(columns[k])
                tree.heads.append(int(columns[6]))
            elif not line.strip() and tree.forms:
                trees.append(tree)
                tree = Tree()
    return [*trees, tree] if tree.forms else trees


def chosen(feats: str, features: tuple[str, ...]) -> str:
    """Return some of the features of a word as one tag.

    >>> chosen("Case=Gen|Gender=Fem|Number=Sing", ("Number", "Case", "Tense"))
    'Case=Gen|Number=Sing'
    """
    return "|".join(item for item in feats.split("|") if item.partition("=")[0] in features) or "_"


def bare(tree: Tree) -> Tree | None:
    """The sentence as translations are often written: first word in small letters, no mark at the end. None if that changes nothing."""
    words, last = len(tree.forms), len(tree.forms)
    if words > 2 and tree.forms[-1] in CLOSING and tree.heads[-1] and last not in tree.heads:
        words -= 1
    forms = tree.forms[:words]
    if tree.upos[0] != "PROPN" and forms[0][1:].islower():
        forms[0] = forms[0].lower()
    if forms == tree.forms:
        return None
    rest = (getattr(tree, name)[:words] for name in ("lemmas", "upos", "xpos", "heads", "rels"))
    return Tree(forms, *rest)


@dataclass
class Names:
    """The lists that numbers stand for."""

    vectors: list[str]
    trained: list[str]
    upos: list[str]
    xpos: list[str]
    rels: list[str]

    @classmethod
    def of(cls, trees: list[Tree], known: list[str]) -> Names:
        counts = Counter(network.word_key(form) for tree in trees for form in tree.forms)
        trained = sorted(word for word, count in counts.items() if count > 1)
        columns = [sorted({tag for tree in trees for tag in getattr(tree, name)}) for name in ("upos", "xpos", "rels")]
        return cls(known, trained, *columns)


@dataclass
class Corpus:
    """Trees as numbers: word types with their rows, and for every word its type, tags, head and relation."""

    vector: np.ndarray
    trained: np.ndarray
    affixes: np.ndarray
    grams: np.ndarray
    gram_at: np.ndarray
    first: np.ndarray
    type_of: np.ndarray
    upos: np.ndarray
    xpos: np.ndarray
    heads: np.ndarray
    rels: np.ndarray

    @classmethod
    def of(cls, trees: list[Tree], names: Names) -> Corpus:
        types = sorted({form for tree in trees for form in tree.forms})
        number = {form: k for k, form in enumerate(types)}
        vector = {word: k + 1 for k, word in enumerate(names.vectors)}
        trained = {word: k + 1 for k, word in enumerate(names.trained)}
        grams = [network.gram_rows(form) for form in types]
        tables = [{tag: k for k, tag in enumerate(tags)} for tags in (names.upos, names.xpos, names.rels)]
        flat = [
            np.array([table.get(tag, -1) for tree in trees for tag in getattr(tree, column)], np.int64)
            for table, column in zip(tables, ("upos", "xpos", "rels"), strict=True)
        ]
        return cls(
            np.array([vector.get(network.word_key(form), 0) for form in types], np.int64),
            np.array([trained.get(network.word_key(form), 0) for form in types], np.int64),
            np.array([network.affix_rows(form) for form in types], np.int64),
            np.array([row for rows in grams for row in rows], np.int64),
            np.concatenate([[0], np.cumsum([len(rows) for rows in grams])]).astype(np.int64),
            np.concatenate([[0], np.cumsum([len(tree.forms) for tree in trees])]).astype(np.int64),
            np.array([number[form] for tree in trees for form in tree.forms], np.int64),
            flat[0],
            flat[1],
            np.array([head for tree in trees for head in tree.heads], np.int64),
            flat[2],
        )

    def batches(self, size: int, sentences: np.ndarray | None = None) -> list[np.ndarray]:
        """Sentences of one length together, `size` words in a batch, in the order given."""
        order = np.arange(len(self.first) - 1) if sentences is None else sentences
        lengths = np.diff(self.first)[order]
        made = []
        for length in np.unique(lengths):
            own = order[lengths == length]
            each = max(1, size // int(length))
            made += [own[k : k + each] for k in range(0, len(own), each)]
        return made

    def grid(self, sentences: np.ndarray) -> np.ndarray:
        """Places of the words of sentences of one length: (sentence, word)."""
        length = self.first[sentences[0] + 1] - self.first[sentences[0]]
        return self.first[sentences][:, None] + np.arange(length)


@dataclass
class Lessons:
    """What networks learn from: the sentences of both parts, then those of them that have a bare form in that form."""

    corpus: Corpus
    trees: list[Tree]
    train: np.ndarray
    both: np.ndarray
    bare: np.ndarray
    """For every sentence of both parts the number of its bare form, its own where there is none."""

    @classmethod
    def of(cls, trees: list[Tree], held: list[Tree], names: Names) -> Lessons:
        both = [*trees, *held]
        number = np.arange(len(both))
        more = []
        for k, tree in enumerate(both):
            if (other := bare(tree)) is not None:
                number[k] = len(both) + len(more)
                more.append(other)
        everything = [*both, *more]
        return cls(Corpus.of(everything, names), everything, np.arange(len(trees)), np.arange(len(both)), number)

    def shuffled(self, own: np.ndarray, size: int, random: np.random.Generator, share: float) -> list[np.ndarray]:
        """Batches of one pass in changing order and company, a share of the sentences in their bare form."""
        order = random.permutation(own)
        chosen = np.where(random.random(len(order)) < share, self.bare[order], order)
        made = self.corpus.batches(size, chosen)
        return [made[k] for k in random.permutation(len(made))]

"""Which words of a sentence fit a query. Sentences are looked at one by one, so files of any length can be searched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from divproj.data.errors import Faults
from divproj.data.limits import LONGEST, too_long
from divproj.data.sentence import Sentence, confidence_of, misc_value
from divproj.search.query import All, Compare, Condition, Not, Path, Query, Some, Value, parse

COLUMNS = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "rel": 7, "misc": 9}


@dataclass(frozen=True)
class Match:
    """A sentence and the words in it that fit, counted from 1."""

    sentence: Sentence
    words: tuple[int, ...]


def find(sentences: Iterable[Sentence], query: Query | str, faults: Faults | None = None) -> Iterator[Match]:
    """The sentences with a word that fits.

    `faults` is given those too long to be searched in good time; without it they are searched, too.

    >>> from divproj.io import conllu
    >>> row = "1\\tDogs\\tdog\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tbark\\tbark\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [match.words for match in find(conllu.loads(row), "rel=nsubj & head.upos=VERB")]
    [(1,)]
    """
    wanted = parse(query) if isinstance(query, str) else query
    for sentence in sentences:
        if faults is not None and len(sentence.forms) > LONGEST:
            faults.sentence(too_long(len(sentence.forms), sentence.where))
            continue
        words = find_in(sentence, wanted)
        if words:
            yield Match(sentence, words)


def find_in(
    sentence: Sentence, query: Query | str, heads: Sequence[int] | None = None, rels: Sequence[str] | None = None
) -> tuple[int, ...]:
    """The words of a sentence that fit; `heads` and `rels` stand in for those of the file."""
    wanted = parse(query) if isinstance(query, str) else query
    view = View(sentence, heads, rels)
    return tuple(k for k in range(1, len(view) + 1) if view.fits(k, wanted.condition))


class View:
    """A sentence as queries see it: a word is its number, from 1."""

    def __init__(self, sentence: Sentence, heads: Sequence[int] | None = None, rels: Sequence[str] | None = None) -> None:
        self.sentence = sentence
        self._heads, self._rels = heads, rels

    def __len__(self) -> int:
        return len(self.sentence.word_rows)

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Heads with 0 for the root and -1 for none that can be right."""
        return tuple(self._heads) if self._heads is not None else self.sentence.usable_tree()[0].heads

    @cached_property
    def children(self) -> list[list[int]]:
        below: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for k, head in enumerate(self.heads, 1):
            if head > 0:
                below[head].append(k)
        return below

    def _column(self, k: int) -> tuple[str, ...]:
        if k == COLUMNS["rel"] and self._rels is not None:
            return tuple(self._rels)
        return self.sentence.column(k)

    # From a word to others.

    def along(self, axis: str, k: int) -> Iterator[int]:
        """The words on an axis from word `k`."""
        return _ALONG[axis](self, k)

    def _head(self, k: int) -> Iterator[int]:
        if self.heads[k - 1] > 0:
            yield self.heads[k - 1]

    def _child(self, k: int) -> Iterator[int]:
        yield from self.children[k]

    def _ancestor(self, k: int) -> Iterator[int]:
        k = self.heads[k - 1]
        while k > 0:
            yield k
            k = self.heads[k - 1]

    def _descendant(self, k: int) -> Iterator[int]:
        waiting = list(self.children[k])
        while waiting:
            found = waiting.pop()
            yield found
            waiting += self.children[found]

    def _sibling(self, k: int) -> Iterator[int]:
        head = self.heads[k - 1]
        if head > 0:
            yield from (other for other in self.children[head] if other != k)

    def _next(self, k: int) -> Iterator[int]:
        if k < len(self):
            yield k + 1

    def _prev(self, k: int) -> Iterator[int]:
        if k > 1:
            yield k - 1

    # What a word is asked for; '' when there is nothing.

    def value(self, k: int, path: Path) -> str:
        """An attribute of word `k` itself."""
        name, key = path.attribute, path.key
        if name in COLUMNS:
            cell = self._column(COLUMNS[name])[k - 1]
            if key:
                return misc_value(cell, key)
            return "" if cell == "_" and name != "form" else cell
        return self._reckoned(k, name, key)

    def _reckoned(self, k: int, name: str, key: str) -> str:
        head = self.heads[k - 1]
        if name == "gloss":
            return misc_value(self._column(COLUMNS["misc"])[k - 1], "Gloss")
        if name == "conf":
            return confidence_of(self._column(COLUMNS["misc"])[k - 1])
        if name == "distance":
            return str(abs(head - k)) if head > 0 else "0" if head == 0 else ""
        if name == "side":
            return "" if head <= 0 else "left" if k < head else "right"
        if name == "comment":
            return (self.sentence.comment(key) or "") if key else "\n".join(self.sentence.comments)
        if name == "sent_id":
            return self.sentence.sent_id
        if name == "text":
            return self.sentence.comment("text") or " ".join(self.sentence.forms)
        counts = {"id": k, "children": len(self.children[k]), "length": len(self)}
        return str(counts[name] if name in counts else sum(1 for _ in self._ancestor(k)))

    def values(self, k: int, path: Path) -> Iterator[str]:
        """The attribute at the end of a path: one value for each word that the axes lead to."""
        words = [k]
        for axis in path.axes:
            words = [other for word in words for other in self.along(axis, word)]
        return (self.value(word, path) for word in words)

    # Conditions.

    def fits(self, k: int, condition: Condition) -> bool:
        """Whether word `k` fits."""
        if isinstance(condition, Compare):
            return self._test(k, condition)
        if isinstance(condition, All):
            return all(self.fits(k, part) for part in condition.parts)
        if isinstance(condition, Some):
            return any(self.fits(k, part) for part in condition.parts)
        if isinstance(condition, Not):
            return not self.fits(k, condition.part)
        return any(self.fits(other, condition.part) for other in self.along(condition.axis, k))

    def _test(self, k: int, test: Compare) -> bool:
        found = self.values(k, test.path)
        if not test.operator:
            return any(found)
        if any(value.path and not any(self.values(k, value.path)) for value in test.values):
            return False  # there is nothing to compare with
        unlike = test.operator in ("!=", "!~")
        return any(any(self._agrees(k, text, test, value) for value in test.values) != unlike for text in found)

    def _agrees(self, k: int, text: str, test: Compare, value: Value) -> bool:
        if value.path is not None:
            return bool(text) and text in self.values(k, value.path)
        if value.regex is not None:
            return bool(value.regex.search(text) if "~" in test.operator else value.regex.fullmatch(text))
        if test.operator[0] in "<>":
            return _compare(text, test.operator, value.text)
        if text == value.text:
            return True
        if test.path.attribute == "rel" and ":" not in value.text:  # obl is also obl:arg
            return text.partition(":")[0] == value.text
        return _same_number(text, value.text)


_ALONG: dict[str, Callable[[View, int], Iterator[int]]] = {
    "head": View._head,
    "child": View._child,
    "ancestor": View._ancestor,
    "descendant": View._descendant,
    "sibling": View._sibling,
    "next": View._next,
    "prev": View._prev,
}
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")


def _compare(text: str, operator: str, other: str) -> bool:
    try:
        a, b = float(text), float(other)
    except ValueError:
        return False
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


def _same_number(a: str, b: str) -> bool:
    return bool(_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b)) and float(a) == float(b)

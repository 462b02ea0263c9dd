"""A review session: the sentences of a file, edits of their trees, undo and redo.

The state is a function of the file and the journal: every change is an entry, and replaying the entries gives the same
bytes. Heads never make a cycle and there is never a second root, whatever is done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from divproj.core.errors import Faults, ModelError, ProjError, Where
from divproj.core.tree import NO_HEAD, cycles
from divproj.review.document import CORRECTED, Block, Document, Entry, Journal, SentenceState, save

LONGEST_RELATION = 60
Data = bytes
"""The type, inside a class that has a method of this name."""


class EditError(ProjError):
    """An edit that cannot be made; `offer` names a repair and `offered` describes it; `stale`: the sentence had changed."""

    def __init__(self, message: str, offer: str = "", offered: str = "", *, stale: bool = False) -> None:
        super().__init__(message)
        self.offer, self.offered, self.stale = offer, offered, stale


class Change(NamedTuple):
    """A change: the sentences before and after it, and a message that describes it."""

    op: str
    before: dict[int, SentenceState]
    after: dict[int, SentenceState]
    message: str


class LearnedTree(NamedTuple):
    """A new tree for a sentence, as a learner gives it."""

    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    reasons: tuple[str, ...]
    confidence: tuple[float, ...] = ()
    note: str = ""


class Session:
    """The document in its present state. All methods may be called from several threads."""

    def __init__(self, document: Document, journal: Journal | None = None) -> None:
        self.document, self.journal = document, journal
        self.states = [block.initial for block in document.blocks]
        self.machine = list(self.states)
        """The latest tree of each sentence that a machine made, without what a person did to it."""
        self.versions = [0] * len(self.states)
        self.history: list[Change] = []
        self.undone: list[Change] = []
        self.epoch = 0
        """Grows when many sentences change at once."""
        self.changed: Callable[[], None] = lambda: None
        """Called after every change."""
        self.lock = threading.RLock()
        for line, entry in journal.entries if journal else ():
            self._replay(line, entry)

    def __len__(self) -> int:
        return len(self.states)

    # What there is.

    def render(self) -> bytes:
        with self.lock:
            return b"".join(self.document.render(self.states))

    def has_been(self, data: Data) -> bool:
        """Return whether the file has had these bytes at some point of the review: after a crash it lags behind the journal."""
        with self.lock:
            if data == self.render():
                return True
            try:
                other = Document(data, self.document.path, Faults(strict=False))
            except ProjError:  # no sentence in it
                return False
            between, theirs = ([p for p in each.parts if not isinstance(p, Block)] for each in (self.document, other))
            if between != theirs or len(other.blocks) != len(self):
                return False
            earlier = Session(self.document)
            wrong = {n for n in range(len(self)) if not earlier._renders(n, other.blocks[n])}
            for _, entry in self.journal.entries if self.journal and wrong else ():
                change = earlier._effect(entry)
                earlier._take(entry["op"], change)
                for n in change.after:
                    (wrong.discard if earlier._renders(n, other.blocks[n]) else wrong.add)(n)
                if not wrong:
                    break
            return not wrong

    def _renders(self, n: int, block: Block) -> bool:
        return self.document.blocks[n].render(self.states[n]) == b"".join(block.lines)

    def save(self, path: Path) -> None:
        save(path, (self.render(),))

    @property
    def gold(self) -> list[int]:
        return [n for n, state in enumerate(self.states) if state.gold]

    @property
    def free(self) -> list[int]:
        """Sentences that learning may change: not gold, and not touched by a person."""
        return [n for n, state in enumerate(self.states) if not state.gold and not state.hand]

    def order(self) -> list[int]:
        """Return the order of the list: least confident first, then sentences without confidence, then gold ones."""

        def key(n: int) -> tuple[bool, bool, float, int]:
            confidence = self.states[n].confidence
            return self.states[n].gold, confidence is None, confidence or 0.0, n

        return sorted(range(len(self)), key=key)

    def relations(self) -> list[str]:
        """Return the relations that the sentences have, the most frequent first."""
        counts: dict[str, int] = {}
        for state in self.states:
            for rel in state.deprels:
                counts[rel] = counts.get(rel, 0) + 1
        counts.pop("_", None)
        return sorted(counts, key=lambda rel: (-counts[rel], rel))

    # What can be done.

    def set_head(self, n: int, word: int, head: int, rel: str = "", *, fix: bool = False, seen: int | None = None) -> Change:
        """Give a word another head, 0 for the root.

        A head below the word itself would make a cycle: it is refused, or repaired by letting that head take the word's
        place. A second root is repaired at once: the old one is attached to the new one.
        """
        with self.lock:
            state = self._seen(n, seen, word)
            if head < 0 or head > len(state.heads):
                raise EditError(f"there is no word {head}")
            if head == word:
                raise EditError(f"{self._name(n, word)} cannot be its own head")
            if head == state.heads[word - 1]:
                return self.set_relation(n, word, rel, seen=seen) if rel else self._nothing(n)
            _check_relation(rel, head)
            if head and word in _above(state.heads, head):
                if not fix:
                    raise self._cycle(n, word, head)
                words, message = self._swap(n, word, head, rel)
            elif head == 0:
                words, message = self._make_root(n, word, rel)
            else:
                old = state.deprels[word - 1]
                words = [(word, head, rel or ("dep" if old in ("root", "_") else old))]
                message = f"{self._name(n, word)} is now attached to {self._name(n, head)}"
            return self._perform({"op": "edit", "n": n, "words": words, "told": message})

    def set_relation(self, n: int, word: int, rel: str, *, seen: int | None = None) -> Change:
        with self.lock:
            state = self._seen(n, seen, word)
            _check_relation(rel, state.heads[word - 1])
            if not rel:
                raise EditError("a relation has at least one letter")
            if rel == state.deprels[word - 1]:
                return self._nothing(n)
            message = f"{self._name(n, word)} is now {rel}"
            return self._perform({"op": "edit", "n": n, "words": [(word, state.heads[word - 1], rel)], "told": message})

    def set_gold(self, n: int, on: bool, *, seen: int | None = None) -> Change:
        """Mark a sentence as right, or take the mark away; only a whole tree can be right."""
        with self.lock:
            state = self._seen(n, seen)
            lacking = incomplete(state)
            if on and lacking:
                raise EditError(f"not gold yet: {lacking}")
            if on == state.gold:
                return self._nothing(n)
            return self._perform({"op": "gold", "n": n, "on": on, "told": "marked gold" if on else "no longer gold"})

    def take_over(self, n: int, old: SentenceState) -> None:
        """Give a sentence the corrections of an earlier review: its whole tree if that was gold, else the words that were corrected."""
        with self.lock:
            heads, deprels = self.states[n].heads, self.states[n].deprels
            words = [
                (k, head, rel)
                for k, (head, rel) in enumerate(zip(old.heads, old.deprels, strict=True), 1)
                if (k in old.hand or old.gold) and (k in old.hand or (head, rel) != (heads[k - 1], deprels[k - 1]))
            ]
            try:
                if words:
                    self._perform({"op": "edit", "n": n, "words": words, "told": "as in the earlier review"})
            except EditError:  # corrected words that make no tree with the new heads of the others
                whole = [(k, head, rel) for k, (head, rel) in enumerate(zip(old.heads, old.deprels, strict=True), 1)]
                self._perform({"op": "edit", "n": n, "words": whole, "told": "as in the earlier review"})
            if old.gold != self.states[n].gold:
                self._perform({"op": "gold", "n": n, "on": old.gold, "told": "as in the earlier review"})

    def learn(self, trees: Iterable[tuple[int, LearnedTree]], message: str, versions: Sequence[int] | None = None) -> Change:
        """Take new trees for the sentences that are still free and, given `versions`, have not changed since."""
        with self.lock:
            free = set(self.free)
            taken = [
                [n, *tree[:3], [round(c, 2) for c in tree.confidence], tree.note]
                for n, tree in trees
                if n in free and (versions is None or versions[n] == self.versions[n])
            ]
            return self._perform({"op": "learn", "trees": taken, "told": message})

    @property
    def latest(self) -> Change | None:
        """The latest learning that was not undone."""
        return next((change for change in reversed(self.history) if change.op == "learn"), None)

    def differing(self) -> dict[int, tuple[SentenceState, SentenceState]]:
        """Return sentences whose tree the latest learning changed and nobody has since: the states before and after."""
        change = self.latest
        candidates = ((n, change.before[n], new) for n, new in change.after.items() if self.states[n] == new) if change else ()
        return {n: (old, new) for n, old, new in candidates if (old.heads, old.deprels) != (new.heads, new.deprels)}

    def refuse(self, n: int) -> Change:
        """Put back the tree that a sentence had before the latest learning."""
        with self.lock:
            self._seen(n, None)
            return self._perform({"op": "refuse", "n": n, "told": "the tree before learning is back"})

    def undo(self) -> Change:
        with self.lock:
            return self._perform({"op": "undo"})

    def redo(self) -> Change:
        with self.lock:
            return self._perform({"op": "redo"})

    # Entries: what each does, and doing it.

    def _perform(self, entry: Entry) -> Change:
        change = self._effect(entry)
        if self.journal:
            self.journal.append(entry)
        self._take(entry["op"], change)
        self.changed()
        return change

    def _replay(self, line: int, entry: Entry) -> None:
        try:
            self._take(entry["op"], self._effect(entry))
        except (EditError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            where = Where(str(self.journal.path) if self.journal else "", line)
            raise ModelError(
                f"an entry that does not fit the file ({error})", where, "put a copy of the journal back"
            ) from None

    def _effect(self, entry: Entry) -> Change:
        op = entry["op"]
        if op in ("undo", "redo"):
            stack = self.history if op == "undo" else self.undone
            if not stack:
                raise EditError(f"there is nothing to {op}")
            last = stack[-1]
            if op == "redo":
                return last
            return Change(last.op, last.after, last.before, last.message)
        if op == "learn":
            after = {_place(row[0], len(self)): self._learn_tree(*row) for row in entry["trees"]}
        else:
            n = _place(entry["n"], len(self))
            if op == "refuse":
                if n not in self.differing():
                    raise EditError("this tree is not one of the latest learning")
                return Change("refuse", {n: self.states[n]}, {n: self.differing()[n][0]}, str(entry["told"]))
            after = {n: self._edit(n, entry["words"]) if op == "edit" else replace(self.states[n], gold=bool(entry["on"]))}
        return Change(str(op), {n: self.states[n] for n in after}, after, str(entry["told"]))

    def _edit(self, n: int, words: Iterable[Sequence[Any]]) -> SentenceState:
        state = self.states[n]
        heads, deprels = list(state.heads), list(state.deprels)
        reasons, confidence = list(state.reasons), list(state.machine_confidence)
        touched = set(state.hand)
        for word, head, rel in words:
            k = _place(word - 1, len(heads))
            if heads[k] != head:
                heads[k], reasons[k], confidence[k] = _place(head, len(heads) + 1), CORRECTED, None
            deprels[k] = str(rel)
            touched.add(word)
        if cycles(heads) or heads.count(0) > 1:
            raise EditError("the heads do not make a tree")
        return replace(
            state,
            heads=tuple(heads),
            deprels=tuple(deprels),
            reasons=tuple(reasons),
            machine_confidence=tuple(confidence),
            hand=frozenset(touched),
        )

    def _learn_tree(
        self, n: int, heads: list[int], deprels: list[str], reasons: list[str], confidence: list[float], note: str
    ) -> SentenceState:
        state = self.states[n]
        size = len(state.heads)
        if not len(heads) == len(deprels) == len(reasons) == size or len(confidence) not in (0, size):
            raise EditError("a tree of another length")
        if not all(isinstance(text, str) for text in (*deprels, *reasons, note)) or not all(
            isinstance(number, float | int) for number in (*heads, *confidence)
        ):
            raise EditError("relations and reasons must be texts, heads and confidences numbers")
        if not all(0 <= head <= size for head in heads) or heads.count(0) != 1 or cycles(heads):
            raise EditError("the heads do not make a tree")
        known: tuple[float | None, ...] = tuple(confidence) or (None,) * size
        return replace(
            state, heads=tuple(heads), deprels=tuple(deprels), reasons=tuple(reasons), machine_confidence=known, note=note
        )

    def _take(self, op: str, change: Change) -> None:
        for n, state in change.after.items():
            self.states[n] = state
            self.versions[n] += 1
            if change.op in ("learn", "refuse"):
                self.machine[n] = state
        self.epoch += change.op == "learn"
        if op == "undo":
            self.undone.append(self.history.pop())
        elif op == "redo":
            self.history.append(self.undone.pop())
        else:
            self.history.append(change)
            self.undone.clear()

    # Helpers of the edits.

    def _seen(self, n: int, version: int | None, word: int = 1) -> SentenceState:
        if not 0 <= n < len(self):
            raise EditError(f"there is no sentence {n}")
        if version is not None and version != self.versions[n]:
            raise EditError("the sentence was changed elsewhere meanwhile; this is how it is now", stale=True)
        if not 1 <= word <= len(self.states[n].heads):
            raise EditError(f"there is no word {word}")
        return self.states[n]

    def _nothing(self, n: int) -> Change:
        """Return an empty change, which is neither journalled nor undone."""
        return Change("none", {}, {n: self.states[n]}, "nothing to change")

    def _name(self, n: int, word: int) -> str:
        return f"{self.document.blocks[n].sentence.forms[word - 1]} ({word})"

    def _cycle(self, n: int, word: int, head: int) -> EditError:
        state = self.states[n]
        ours, theirs = self._name(n, word), self._name(n, head)
        chain = _above(state.heads, head)
        path = " → ".join(self._name(n, k) for k in (head, *chain[: chain.index(word) + 1]))
        up = state.heads[word - 1]
        place = "becomes the root" if up == 0 else f"is attached to {self._name(n, up)}" if up > 0 else "stays without a head"
        return EditError(
            f"that would make a cycle: {theirs} is below {ours} ({path})",
            "swap",
            f"Let {theirs} take the place of {ours}: {theirs} {place}, and {ours} is attached to {theirs}",
        )

    def _swap(self, n: int, word: int, head: int, rel: str) -> tuple[list[tuple[int, int, str]], str]:
        """Put `head`, a descendant of `word`, in its place; `word` is attached to it with the relation that `head` had."""
        state = self.states[n]
        message = f"{self._name(n, head)} took the place of {self._name(n, word)}"
        words = [(head, state.heads[word - 1], state.deprels[word - 1]), (word, head, rel or state.deprels[head - 1])]
        return words, message

    def _make_root(self, n: int, word: int, rel: str) -> tuple[list[tuple[int, int, str]], str]:
        state = self.states[n]
        words = [(word, 0, rel or "root")]
        message = f"{self._name(n, word)} is now the root"
        if 0 in state.heads:
            old = state.heads.index(0) + 1
            words.append((old, word, state.deprels[word - 1] if state.heads[word - 1] == old else "dep"))
            message += f", {self._name(n, old)} is attached to it"
        return words, message


def incomplete(state: SentenceState) -> str:
    """Return what a tree lacks, '' if it is complete.

    >>> incomplete(SentenceState((2, -1), ("_", "_"), ("", ""), (None, None)))
    '1 word has no head'
    """
    loose = state.heads.count(NO_HEAD)
    if loose:
        return f"{loose} word{'s have' if loose > 1 else ' has'} no head"
    return "" if state.heads.count(0) == 1 else "no word is the root"


def _above(heads: Sequence[int], word: int) -> list[int]:
    """Return the ancestors of `word`, its head first."""
    ancestors = []
    word = heads[word - 1]
    while word > 0:
        ancestors.append(word)
        word = heads[word - 1]
    return ancestors


def _check_relation(rel: str, head: int) -> None:
    if len(rel) > LONGEST_RELATION:
        raise EditError(f"a relation has at most {LONGEST_RELATION} characters")
    if any(c.isspace() or not c.isprintable() for c in rel):
        raise EditError("a relation has no blanks and no control characters")
    if rel == "root" and head != 0:
        raise EditError("only the word without a head is root; make this word the root instead")


def _place(value: Any, size: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < size:
        raise EditError(f"{value} is out of range")
    return value

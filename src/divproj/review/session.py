"""A review session: the sentences of a file, edits of all that they have, undo and redo.

The state is a function of the file and the journal: every change is an entry, and replaying the entries gives the same
bytes. Heads never make a cycle and there is never a second root, whatever is done.

A sentence keeps its number n whatever happens to others. `layout` says which numbers each sentence of the file has become:

    (0,) (1,) (2,)          as read
    (0,) (1, 3) (2,)        sentence 1 was split: its second half is number 3
    (0,) (1, 3, …) ()       sentence 2 was joined to 3: it is no longer in the file, and undoing brings it back

Entries are `edit` (heads and relations), `gold`, `learn` and `refuse` (trees of a learner), `undo` and `redo`, and `rows`: sentences as
CoNLL-U, whatever was changed in them, with the words and columns that a person has set, and the groups of `layout` that are new.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from divproj.core.errors import ModelError, ProjError, Where, plural
from divproj.core.sentence import Rows, misc_value
from divproj.core.tree import cycles
from divproj.io.trees import conllu
from divproj.review import edits
from divproj.review.document import (
    BOM,
    CORRECTED,
    PERSONAL_COMMENTS,
    Document,
    Entry,
    Journal,
    SentenceState,
    save,
    sentence_texts,
    state_of,
)
from divproj.review.edits import EditError, Reshaped, ancestors
from divproj.search.replace import ColumnChange, replace_in
from divproj.ud.tagsets import relation_of

LONGEST_RELATION = 60
EMPTY = "(empty)"
NOMINAL_RELATIONS = frozenset({"nmod", "amod", "det", "case", "nummod", "acl", "appos", "clf"})
"""Relations that words have under nouns, and not under verbs."""
CLAUSAL_RELATIONS = frozenset({"nsubj", "obj", "iobj", "obl", "csubj", "ccomp", "xcomp", "advcl", "aux", "mark", "expl"})
"""Relations that words have under verbs, and not under nouns that are no predicates."""
NOUNS, VERBS = frozenset({"NOUN", "PROPN"}), frozenset({"VERB", "AUX"})
Group = tuple[int, ...]


class Change(NamedTuple):
    """A change: the sentences before and after it, and a message that describes it.

    `layout` has the groups of numbers that differ, before and after. `answers` are those for word types: the table's cells before and
    after.
    """

    op: str
    before: dict[int, SentenceState]
    after: dict[int, SentenceState]
    message: str
    layout: dict[int, tuple[Group, Group]] = {}
    answers: dict[str, tuple[list[str], list[str]]] = {}

    @property
    def inverse(self) -> Change:
        turned = {place: (new, old) for place, (old, new) in self.layout.items()}
        answers = {key: (new, old) for key, (old, new) in self.answers.items()}
        return Change(self.op, self.after, self.before, self.message, turned, answers)


class LearnedTree(NamedTuple):
    """A new tree for a sentence, as a learner gives it."""

    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    reasons: tuple[str, ...]
    confidence: tuple[float, ...] = ()
    note: str = ""
    tags: tuple[str, ...] = ()
    """UPOS, where the learner changes it too."""
    feats: tuple[str, ...] = ()


class Session:
    """The document in its present state. All methods may be called from several threads."""

    def __init__(self, document: Document, journal: Journal | None = None) -> None:
        self.document, self.journal = document, journal
        self.states = [block.initial for block in document.blocks]
        self.layout: list[Group] = [(n,) for n in range(len(self.states))]
        self.answers: dict[str, list[str]] = {}
        """Answers for word types that were given in this review: tag and relation."""
        self.machine = list(self.states)
        """The latest tree of each sentence that a machine made, without what a person did to it."""
        self.versions = [0] * len(self.states)
        self.history: list[Change] = []
        self.undone: list[Change] = []
        self._places = dict.fromkeys(range(len(self.states)))
        self.epoch = 0
        """Grows when many sentences change at once."""
        self.changed: Callable[[], None] = lambda: None
        """Called after every change."""
        self.lock = threading.RLock()
        for line, entry in journal.entries if journal else ():
            self._replay(line, entry)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def places(self) -> list[int]:
        """The numbers of the sentences, in the order of the file."""
        return list(self._places)

    # What there is.

    def render(self) -> bytes:
        with self.lock:
            return b"".join(self.document.render([self.states[n] for n in group] for group in self.layout))

    def sentence(self, n: int) -> Rows:
        """Return a sentence as it is now."""
        return self.states[n].sentence

    def has_other_words(self, n: int) -> bool:
        """Whether a sentence has no longer the words that it had in the file."""
        blocks = self.document.blocks
        return n >= len(blocks) or self.states[n].rows.columns[:2] != blocks[n].sentence.columns[:2]

    def has_been(self, content: bytes) -> bool:
        """Return whether the file has had these bytes at some point of the review: after a crash it lags behind the journal."""
        with self.lock:
            if content == self.render():
                return True
            wanted = sum(map(hash, sentence_texts(content)))
            earlier = Session(self.document)
            others = [part for part in self.document.parts if isinstance(part, bytes) and part.strip() and part != BOM]
            # a sum of hashes tells in an instant which moments cannot be it
            weights = [earlier._weight(block) for block in range(len(earlier.layout))]
            total = sum(weights) + sum(hash(text) for part in others for text in sentence_texts(part))
            block_of = {n: n for n in range(len(weights))}
            if total == wanted and earlier.render() == content:
                return True
            for _, entry in self.journal.entries if self.journal else ():
                change = earlier._effect(entry)
                earlier._take(entry["op"], change)
                for block in change.layout:
                    block_of.update(dict.fromkeys(earlier.layout[block], block))
                for block in {block_of[n] for n in change.after if n in block_of} | set(change.layout):
                    new = earlier._weight(block)
                    total, weights[block] = total - weights[block] + new, new
                if total == wanted and earlier.render() == content:
                    return True
            return False

    def _weight(self, block: int) -> int:
        rendered = self.document.blocks[block].render([self.states[n] for n in self.layout[block]])
        return sum(map(hash, sentence_texts(rendered)))

    def save(self, path: Path) -> None:
        save(path, (self.render(),))

    @property
    def gold(self) -> list[int]:
        return [n for n in self.places if self.states[n].gold]

    @property
    def free(self) -> list[int]:
        """Sentences that learning may change: not gold, and not touched by a person."""
        return [n for n in self.places if not self.states[n].gold and not self.states[n].hand]

    def order(self) -> list[int]:
        """Return the order of the list: least confident first, then sentences without confidence, then gold ones."""

        def key(n: int) -> tuple[bool, bool, float, int]:
            confidence = self.states[n].confidence
            return self.states[n].gold, confidence is None, confidence or 0.0, n

        return sorted(self.places, key=key)

    def relations(self) -> list[str]:
        """Return the relations that the sentences have, the most frequent first."""
        counts: dict[str, int] = {}
        for n in self.places:
            for rel in self.states[n].deprels:
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
            if head and word in ancestors(state.heads, head):
                if not fix:
                    raise self._cycle(n, word, head)
                words, message = self._swap(n, word, head, rel)
            elif head == 0:
                words, message = self._make_root(n, word, rel)
            else:
                old = state.deprels[word - 1]
                new = rel or self.proposed_relation(n, word, head)
                words = [(word, head, new)]
                message = f"{self._name(n, word)} is now attached to {self._name(n, head)}"
                message += f" as {new}, which was {old}" if new != old and old not in ("root", "_") and not rel else ""
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

    def proposed_relation(self, n: int, word: int, head: int) -> str:
        """Return the relation that a word should have under a new head: its own, or the usual one where that does not go with the head.

        Usual is what gold sentences have for such words on this side of such heads, else what their parts of speech suggest.
        """
        state = self.states[n]
        tags, old = state.rows.column(3), state.deprels[word - 1]
        up, base = tags[head - 1], old.partition(":")[0]
        foreign = (base in NOMINAL_RELATIONS and up in VERBS) or (
            base in CLAUSAL_RELATIONS and up in NOUNS and not {"cop", "nsubj"} & _below(state, head, word)
        )
        if old not in ("root", "_", "dep") and not foreign:
            return old
        usual: dict[str, int] = {}
        for other in self.gold:
            theirs = self.states[other]
            kinds = theirs.rows.column(3)
            for k, (h, rel) in enumerate(zip(theirs.heads, theirs.deprels, strict=True), 1):
                if h > 0 and (kinds[k - 1], kinds[h - 1], k < h) == (tags[word - 1], up, word < head):
                    usual[rel] = usual.get(rel, 0) + 1
        if usual:
            return min(usual, key=lambda rel: (-usual[rel], rel))
        return relation_of(tags[word - 1], up, word < head) or ("dep" if old in ("root", "_") else old)

    # Columns, words and sentences.

    def set_cells(self, n: int, word: int, values: dict[str, str], *, seen: int | None = None) -> Change:
        """Fill columns of a word: `upos`, `xpos`, `lemma`, `feats`, `gloss`, `note`."""
        with self.lock:
            sentence = self._seen(n, seen, word).sentence
            new = edits.with_cells(sentence, word, values)
            changed = [k for k in range(2, 10) if new.column(k)[word - 1] != sentence.column(k)[word - 1]]
            columns = {(word, k) for k in changed if k != 9}
            message = (
                f"{self._name(n, word)}: {', '.join(f'{name} {value.strip() or EMPTY}' for name, value in values.items())}"
            )
            return self._set(n, new, message, cells=columns)

    def set_comment(self, n: int, key: str, value: str, *, seen: int | None = None) -> Change:
        """Set the note on a sentence (`note`), or a translation (`text_en`)."""
        with self.lock:
            sentence = self._seen(n, seen).sentence
            if key == edits.NOTE:
                return self._set(
                    n, edits.with_comment(sentence, key, value), "note on the sentence" if value else "note removed"
                )
            return self._set(n, edits.with_translation(sentence, key, value), "translation changed")

    def set_state(self, n: int, state: str, annotator: str = "", *, seen: int | None = None) -> Change:
        """Say how far a sentence is (draft, corrected, second, gold), and who says so."""
        with self.lock:
            old = self._seen(n, seen)
            lacking = incomplete(old)
            if state == "gold" and lacking:
                raise EditError(f"not gold yet: {lacking}")
            new = edits.with_annotation_state(old.sentence, state, annotator)
            if state == "gold" and not old.gold:
                new = replace(state_of(new), gold=True).sentence
            named = {"second": "for a second look", "draft": "a draft"}.get(state, state)
            return self._set(n, new, f"the sentence is {named}" if state != "gold" else "marked gold")

    def set_links(self, n: int, pairs: Iterable[Sequence[int]], *, seen: int | None = None) -> Change:
        """Set the word links of a sentence to its translation."""
        with self.lock:
            state = self._seen(n, seen)
            links = [(int(i), int(j)) for i, j in pairs]
            if any(not 1 <= i <= len(state.heads) or j < 1 for i, j in links):
                raise EditError("a link leads from a word of the sentence to one of the translation")
            return self._set(n, edits.with_links(state.sentence, links), plural(len(set(links)), "link"))

    def split_word(self, n: int, word: int, parts: Sequence[str], *, token: bool = False, seen: int | None = None) -> Change:
        with self.lock:
            reshaped = edits.split_word(self._seen(n, seen, word).sentence, word, parts, token=token)
            new = range(reshaped.places[word - 1], reshaped.places[word - 1] + len(parts))
            return self._set(n, reshaped, f"{self._name(n, word)} is now {' | '.join(map(str.strip, parts))}", hand=set(new))

    def join_words(self, n: int, word: int, form: str = "", *, seen: int | None = None) -> Change:
        """Join a word and the next one."""
        with self.lock:
            reshaped = edits.join_words(self._seen(n, seen, word).sentence, word, form)
            place = reshaped.places[word - 1]
            message = f"{self._name(n, word)} and {self._name(n, word + 1)} are now {reshaped.sentence.forms[place - 1]}"
            return self._set(n, reshaped, message, hand={place})

    def set_token(self, n: int, first: int, last: int, form: str = "", *, seen: int | None = None) -> Change:
        """Make words one multiword token, or change its form."""
        with self.lock:
            new = edits.with_token(self._seen(n, seen, first).sentence, first, last, form)
            name = next(token[2] for token in edits.tokens(new) if token[0] == first)
            return self._set(n, new, f"words {first} to {last} are the multiword token {name}")

    def drop_token(self, n: int, word: int, *, seen: int | None = None) -> Change:
        with self.lock:
            return self._set(
                n, edits.without_token(self._seen(n, seen, word).sentence, word), "the multiword token is dissolved"
            )

    def split_sentence(self, n: int, word: int, *, seen: int | None = None) -> Change:
        """Split a sentence before a word; the second half gets a number of its own."""
        with self.lock:
            state = self._seen(n, seen, word)
            names = [self.states[k].rows.comment("sent_id") or "" for k in self.places]
            one, two = edits.split_sentence(state.sentence, word, names)
            block = next(k for k, group in enumerate(self.layout) if n in group)
            at, new = self.layout[block].index(n) + 1, len(self.states)
            group = (*self.layout[block][:at], new, *self.layout[block][at:])
            rows = {n: self._state_after(state, one), new: self._state_after(state, two)}
            return self._put(rows, f"the sentence is split before {self._name(n, word)}", {block: group})

    def join_sentences(self, n: int, *, seen: int | None = None) -> Change:
        """Join a sentence and the next one of the file."""
        with self.lock:
            state = self._seen(n, seen)
            after = self.places[self.places.index(n) + 1 :]
            if not after:
                raise EditError("there is no next sentence to join it with")
            other = self.states[after[0]]
            reshaped = edits.join_sentences(state.sentence, other.sentence)
            shift = len(state.heads)
            new = replace(
                state_of(reshaped.sentence),
                hand=state.hand | {k + shift for k in other.hand},
                cells=state.cells | {(k + shift, column) for k, column in other.cells},
            )
            block = next(k for k, group in enumerate(self.layout) if after[0] in group)
            group = tuple(k for k in self.layout[block] if k != after[0])
            return self._put({n: new}, "the next sentence is joined to this one", {block: group})

    def keep_alternative(self, n: int, *, seen: int | None = None) -> Change:
        """Keep the present tree beside, to try another one."""
        with self.lock:
            state = self._seen(n, seen)
            if lacking := incomplete(state):
                raise EditError(f"only a whole tree is kept beside: {lacking}")
            if (state.heads, state.deprels) in edits.alternatives(state.sentence):
                raise EditError("this tree is kept beside already")
            at = len(edits.alternatives(state.sentence))
            new = edits.with_comment(state.sentence, edits.ALTERNATIVE, edits.as_alternative(state.sentence), at)
            return self._set(n, new, "this tree is kept beside")

    def take_alternative(self, n: int, at: int, *, drop: bool = False, seen: int | None = None) -> Change:
        """Exchange the present tree and one kept beside, or drop that one."""
        with self.lock:
            state = self._seen(n, seen)
            trees = edits.alternatives(state.sentence)
            if not 0 <= at < len(trees):
                raise EditError("there is no such tree beside")
            if drop:
                return self._set(n, edits.with_comment(state.sentence, edits.ALTERNATIVE, "", at), "the tree beside is dropped")
            heads, deprels = trees[at]
            if not heads or cycles(heads) or heads.count(0) != 1:
                raise EditError("the tree beside does not fit the words of the sentence")
            if lacking := incomplete(state):
                raise EditError(f"only a whole tree is kept beside: {lacking}")
            sentence = edits.with_comment(state.sentence, edits.ALTERNATIVE, edits.as_alternative(state.sentence), at)
            differing = [
                k for k, (a, b) in enumerate(zip(zip(state.heads, state.deprels, strict=True), zip(*trees[at], strict=True), strict=True), 1)
                if a != b
            ]  # fmt: skip
            corrected = [(k, heads[k - 1], deprels[k - 1]) for k in differing]
            new = _with_words(replace(state_of(sentence), hand=state.hand, cells=state.cells), corrected)
            return self._put(
                {n: replace(state_of(new.sentence), hand=new.hand, cells=new.cells)}, "the trees have changed places"
            )

    def replace_all(self, replacements: dict[int, tuple[Sequence[int], Sequence[ColumnChange]]], message: str) -> Change:
        """Change words of many sentences as one step: by sentence, the words and the changes."""
        with self.lock:
            states = {}
            for n, (words, changes) in replacements.items():
                state = self._seen(n, None)
                replacement = replace_in(state.sentence, words, changes)
                if replacement.problem or not replacement.differs:
                    continue
                states[n] = self._state_with(state, replacement.after)
            return self._put(states, message) if states else self._nothing(self.places[0])

    def _state_with(self, state: SentenceState, new: Rows) -> SentenceState:
        """Return the state of a sentence in which a person has set what differs now; its words are the same."""
        old, hand, cells = state.sentence, set(state.hand), set(state.cells)
        fresh = state_of(new)
        for k in range(len(state.heads)):
            if (fresh.heads[k], fresh.deprels[k]) != (state.heads[k], state.deprels[k]):
                hand.add(k + 1)
            if fresh.heads[k] != state.heads[k]:
                fresh = replace(
                    fresh,
                    reasons=(*fresh.reasons[:k], CORRECTED, *fresh.reasons[k + 1 :]),
                    machine_confidence=(*fresh.machine_confidence[:k], None, *fresh.machine_confidence[k + 1 :]),
                )
            cells |= {(k + 1, column) for column in (2, 3, 4, 5) if old.column(column)[k] != new.column(column)[k]}
        return replace(state_of(fresh.sentence), hand=frozenset(hand), cells=frozenset(cells))

    def _state_after(self, state: SentenceState, reshaped: Reshaped, hand: Iterable[int] = ()) -> SentenceState:
        """Return the state of a sentence with other words, of which a person has set what was set before."""
        places = reshaped.places
        old = {places[k - 1] for k in state.hand if k <= len(places)}
        cells = {(places[k - 1], column) for k, column in state.cells if k <= len(places) and places[k - 1]}
        return replace(state_of(reshaped.sentence), hand=frozenset((old | set(hand)) - {0}), cells=frozenset(cells))

    def _set(
        self,
        n: int,
        new: Rows | Reshaped,
        message: str,
        *,
        hand: Iterable[int] = (),
        cells: Iterable[tuple[int, int]] = (),
    ) -> Change:
        state = self.states[n]
        if isinstance(new, Reshaped):
            return self._put({n: self._state_after(state, new, hand)}, message)
        if new == state.sentence:
            return self._nothing(n)
        return self._put({n: replace(state_of(new), hand=state.hand, cells=state.cells | frozenset(cells))}, message)

    def _put(self, states: dict[int, SentenceState], message: str, layout: dict[int, Group] | None = None) -> Change:
        rows = [
            [n, "\n".join((*state.rows.comments, *map("\t".join, state.rows.lines))), sorted(state.hand), sorted(state.cells)]
            for n, state in states.items()
        ]
        entry: Entry = {"op": "rows", "rows": rows, "told": message}
        return self._perform(entry | ({"layout": sorted(layout.items())} if layout else {}))

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
        """Give a sentence the corrections of an earlier review: its whole tree if that was gold, else the words that were corrected.

        Columns that a person has filled, notes, state and annotator come with it.
        """
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
            self._set(n, _with_personal(self.states[n].sentence, old), "as in the earlier review", cells=old.cells)

    def learn(
        self,
        trees: Iterable[tuple[int, LearnedTree]],
        message: str,
        versions: Sequence[int] | None = None,
        answers: dict[str, list[str]] | None = None,
        earlier: dict[str, list[str]] | None = None,
    ) -> Change:
        """Take new trees for the sentences that are still free and, given `versions`, have not changed since.

        With `answers` for word types (tag and relation by type, `earlier` those before) sentences that are not free take the tags that the trees have, where no
        person has set one; heads and relations stay.
        """
        with self.lock:
            free = set(self.free)
            taken: list[list[Any]] = []
            tagged: list[list[Any]] = []
            for n, tree in trees:
                if n not in self._places or (versions is not None and (n >= len(versions) or versions[n] != self.versions[n])):
                    continue
                if n not in free:
                    if tree.tags and not self.states[n].gold:
                        tagged.append([n, tree.tags, tree.feats])
                    continue
                row = [n, *tree[:3], [round(c, 2) for c in tree.confidence], tree.note]
                taken.append([*row, tree.tags, tree.feats] if tree.tags else row)
            entry: Entry = {"op": "learn", "trees": taken, "told": message}
            entry |= {"answers": answers, "earlier": earlier or {}, "tags": tagged} if answers else {}
            return self._perform(entry)

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
        except (ProjError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
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
            return stack[-1] if op == "redo" else stack[-1].inverse
        if op == "rows":
            return self._rows(entry)
        answers: dict[str, tuple[list[str], list[str]]] = {}
        if op == "learn":
            after = {self._live(row[0]): self._learn_tree(*row) for row in entry["trees"]}
            after |= {self._live(n): _with_tags(self.states[n], tags, feats) for n, tags, feats in entry.get("tags", ())}
            for key, cells in entry.get("answers", {}).items():
                old = self.answers.get(key) or entry["earlier"].get(key, ["", ""])
                if len(cells) != 2 or len(old) != 2 or not all(isinstance(cell, str) for cell in (key, *cells, *old)):
                    raise EditError("an answer has a tag and a relation")
                answers[key] = list(old), list(cells)
        else:
            n = self._live(entry["n"])
            if op == "refuse":
                if n not in self.differing():
                    raise EditError("this tree is not one of the latest learning")
                return Change("refuse", {n: self.states[n]}, {n: self.differing()[n][0]}, str(entry["told"]))
            after = {n: self._edit(n, entry["words"]) if op == "edit" else replace(self.states[n], gold=bool(entry["on"]))}
        return Change(str(op), {n: self.states[n] for n in after}, after, str(entry["told"]), {}, answers)

    def _rows(self, entry: Entry) -> Change:
        """Return the change of sentences given as CoNLL-U, and of the layout."""
        after: dict[int, SentenceState] = {}
        size = len(self.states)
        for n, text, hand, cells in entry["rows"]:
            state = state_of(conllu.parse(text.encode("utf-8", "surrogatepass"), self.document.path))
            words = len(state.heads)
            if not words or not all(0 < k <= words for k in (*hand, *(k for k, _ in cells))):
                raise EditError("words that the sentence does not have")
            if cycles(state.heads) or state.heads.count(0) > 1:
                raise EditError("the heads do not make a tree")
            number = _place(n, size + 1)
            size = max(size, number + 1)
            after[number] = replace(state, hand=frozenset(hand), cells=frozenset((k, column) for k, column in cells))
        layout = {
            _place(block, len(self.layout)): tuple(_place(n, size) for n in group) for block, group in entry.get("layout", ())
        }
        new = {block: (self.layout[block], group) for block, group in layout.items()}
        numbers = [n for block, group in enumerate(self.layout) for n in layout.get(block, group)]
        if len(set(numbers)) < len(numbers) or not set(after) <= set(numbers):
            raise EditError("a sentence that is not in the file, or twice")
        before = {n: self.states[n] for n in after if n < len(self.states)}
        return Change("rows", before, after, str(entry["told"]), new)

    def _edit(self, n: int, words: Iterable[Sequence[Any]]) -> SentenceState:
        return _with_words(self.states[n], words)

    def _learn_tree(
        self,
        n: int,
        heads: list[int],
        deprels: list[str],
        reasons: list[str],
        confidence: list[float],
        note: str,
        tags: Sequence[str] = (),
        feats: Sequence[str] = (),
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
        if tags:
            state = _with_tags(state, tags, feats)
        return replace(
            state, heads=tuple(heads), deprels=tuple(deprels), reasons=tuple(reasons), machine_confidence=known, note=note
        )

    def _take(self, op: str, change: Change) -> None:
        for n, state in change.after.items():
            if n == len(self.states):
                self.states.append(state)
                self.machine.append(state)
                self.versions.append(0)
                continue
            self.states[n] = state
            self.versions[n] += 1
            if change.op in ("learn", "refuse") and not state.hand:
                self.machine[n] = state
        for block, (_, group) in change.layout.items():
            self.layout[block] = group
        if change.layout:
            self._places = dict.fromkeys(n for group in self.layout for n in group)
        for key, (_, cells) in change.answers.items():
            self.answers[key] = cells
        self.epoch += change.op == "learn" or bool(change.layout)
        if op == "undo":
            self.undone.append(self.history.pop())
        elif op == "redo":
            self.history.append(self.undone.pop())
        else:
            self.history.append(change)
            self.undone.clear()

    # Helpers of the edits.

    def _seen(self, n: int, version: int | None, word: int = 1) -> SentenceState:
        if n not in self._places:
            raise EditError(f"there is no sentence {n}")
        if version is not None and version != self.versions[n]:
            raise EditError("the sentence was changed elsewhere meanwhile; this is how it is now", stale=True)
        if not 1 <= word <= len(self.states[n].heads):
            raise EditError(f"there is no word {word}")
        return self.states[n]

    def _live(self, value: Any) -> int:
        """Return the number of a sentence that is in the file."""
        n = _place(value, len(self.states))
        if n not in self._places:
            raise EditError(f"there is no sentence {n}")
        return n

    def _nothing(self, n: int) -> Change:
        """Return an empty change, which is neither journalled nor undone."""
        return Change("none", {}, {n: self.states[n]}, "nothing to change")

    def _name(self, n: int, word: int) -> str:
        return f"{self.states[n].rows.forms[word - 1]} ({word})"

    def _cycle(self, n: int, word: int, head: int) -> EditError:
        state = self.states[n]
        ours, theirs = self._name(n, word), self._name(n, head)
        chain = ancestors(state.heads, head)
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
    return edits.incomplete(state.heads)


def _with_words(state: SentenceState, words: Iterable[Sequence[Any]]) -> SentenceState:
    """Return a state in which a person has chosen heads and relations: (word, head, relation)."""
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


def _with_tags(state: SentenceState, tags: Sequence[str], feats: Sequence[str]) -> SentenceState:
    """Return a state with other parts of speech and features, but for those that a person has set."""
    size, whole = len(state.heads), state.sentence
    if len(tags) != size or len(feats) != size or not all(isinstance(text, str) for text in (*tags, *feats)):
        raise EditError("tags and features for other words")
    columns = {
        k: tuple(
            old if (word, k) in state.cells else new
            for word, (old, new) in enumerate(zip(whole.column(k), values, strict=True), 1)
        )
        for k, values in ((3, tags), (5, feats))
    }
    return replace(state_of(whole.with_columns(columns)), hand=state.hand, cells=state.cells)


def _with_personal(sentence: Rows, old: SentenceState) -> Rows:
    """Return a sentence with the columns, notes, state and annotator that a person gave it in an earlier review."""
    earlier = old.sentence
    columns = {k: list(sentence.column(k)) for _, k in old.cells}
    for word, k in old.cells:
        columns[k][word - 1] = earlier.column(k)[word - 1]
    sentence = sentence.with_columns({k: tuple(column) for k, column in columns.items()})
    for word, misc in enumerate(earlier.column(9), 1):
        if note := misc_value(misc, "Note"):
            sentence = edits.with_cells(sentence, word, {"note": note})
    for key in PERSONAL_COMMENTS:
        if value := earlier.comment(key):
            sentence = edits.with_comment(sentence, key, value)
    return sentence


def _below(state: SentenceState, head: int, but: int) -> set[str]:
    """Return the relations of the other dependents of a word, without subtypes."""
    rows = enumerate(zip(state.heads, state.deprels, strict=True), 1)
    return {rel.partition(":")[0] for k, (h, rel) in rows if h == head and k != but}


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

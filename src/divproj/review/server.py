"""The server of a review: the answers that the page gets, its edits, and the choice of the sentence to correct next.

`Review` has a session, the file that it is saved to, and perhaps a learning job; each of its public methods answers a path
of `/api`. The functions before it turn sentences, changes and estimates into plain values, ready for JSON.

The sentence to correct next is the one that tells most about the others for the work that it costs:

    gain = Σ_k max(0, doubt(k) − doubt_here(k)) / (1 + seen(k))  /  (1 + cost)

k is a form in lower case, or a construction (tag, relation, source of the head), of its words. doubt(k) sums 1 − confidence
over the words with k in all sentences that nobody has corrected, doubt_here(k) over those of the sentence itself; seen(k) is
their number in gold sentences. cost is the number of heads expected to be wrong, Σ (1 − confidence), plus 0.1 a word for
reading. An example: `dog` has confidence 0.6 in three such sentences, and no gold sentence has it. For each of the three its
form counts 3·0.4 − 0.4 = 0.8; once a gold sentence has the word, half of that. A sentence of four words with confidences 0.6,
0.9, 0.9 and 0.9 costs 0.7 + 0.4 = 1.1.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from divproj.core.errors import LONGEST_SENTENCE, ProjError, plural
from divproj.core.sentence import Rows, misc_value
from divproj.drawing.projected import projection_svg
from divproj.drawing.review import REASONS, DrawnSentence, page, sentence_svg
from divproj.drawing.svg import learning_svg
from divproj.io.interlinear.rows import from_sentence
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.word_types import RELATIONS, WordType
from divproj.review.edits import STATES, EditError, alternatives, tokens, translations
from divproj.review.http import Act, Answer, Fields, PageHandler, PageServer, text, whole
from divproj.review.learning import Learner, LearningJob, ProjectionInputs, TypeQuestions, Verdict, accuracy, current_input
from divproj.review.session import Change, Session, incomplete
from divproj.search.query import QueryError, find_in, parse
from divproj.search.replace import parse_changes, replace_in
from divproj.ud.grammar import check_sentence
from divproj.ud.tagsets import UPOS

UNKNOWN_CONFIDENCE = 0.6
"""Confidence that is assumed of a head without one."""
READING_COST = 0.1
"""Cost of reading a word, in heads changed."""
TAG_WORTH = 0.45
"""Relations that come right for each tag that does: gold tags for 20 types add 8 points of tags and 3.6 of LAS on 13 treebanks."""
LEARNED_SHARE = 0.02
"""Share of the gain of a sentence that learning from it realises; by the curves of `bench/accuracy/review_simulation.py learning`."""
WORTH_NAMING = 0.2
"""What a form that no gold sentence has must be worth, in heads, to be named as a reason."""
WRITE_DELAY = 0.5
"""Seconds between a change and writing the file; the journal has it at once."""


SHOWN = 3
MOST_SHOWN = 200
"""Sentences of a search, or of a change, that the page is sent one by one."""


@dataclass(frozen=True)
class DoubtfulWord:
    """A word as the choice of sentences sees it: form, tag, relation, source of the head, confidence."""

    form: str
    tag: str
    rel: str
    reason: str
    confidence: float

    def keys(self) -> Iterator[tuple[str, ...]]:
        yield "form", self.form.lower()
        yield "construction", self.tag, self.rel, self.reason


@dataclass(frozen=True)
class Suggestion:
    """A sentence to correct, and why."""

    n: int
    gain: float
    why: str


def words_of(session: Session, n: int) -> list[DoubtfulWord]:
    sentence, state = session.sentence(n), session.states[n]
    rows = zip(sentence.forms, sentence.column(3), state.deprels, state.reasons, state.machine_confidence, strict=True)
    return [
        DoubtfulWord(form, tag, rel, reason, UNKNOWN_CONFIDENCE if confidence is None else confidence)
        for form, tag, rel, reason, confidence in rows
    ]


def rank(free: dict[int, Sequence[DoubtfulWord]], gold: Iterable[Sequence[DoubtfulWord]]) -> list[Suggestion]:
    """Return the sentences that nobody has corrected, those with the greatest gain first."""
    seen: Counter[tuple[str, ...]] = Counter()
    for words in gold:
        seen.update(key for word in words for key in word.keys())  # noqa: SIM118
    doubt: Counter[tuple[str, ...]] = Counter()
    for words in free.values():
        for word in words:
            for key in word.keys():  # noqa: SIM118
                doubt[key] += 1 - word.confidence  # type: ignore[assignment]
    suggestions = [_choice(n, words, seen, doubt) for n, words in free.items() if words]
    return sorted(suggestions, key=lambda choice: (-choice.gain, choice.n))


def _choice(
    n: int, words: Sequence[DoubtfulWord], seen: Counter[tuple[str, ...]], doubt: Counter[tuple[str, ...]]
) -> Suggestion:
    keys = {key for word in words for key in word.keys()}  # noqa: SIM118
    sentence_doubt: Counter[tuple[str, ...]] = Counter()
    for word in words:
        for key in word.keys():  # noqa: SIM118
            sentence_doubt[key] += 1 - word.confidence  # type: ignore[assignment]
    worth = {key: max(0.0, doubt[key] - sentence_doubt[key]) / (1 + seen[key]) for key in keys}
    cost = sum(1 - word.confidence for word in words) + READING_COST * len(words)
    return Suggestion(n, sum(worth.values()) / (1 + cost), _why(words, worth, seen))


def _why(words: Sequence[DoubtfulWord], worth: dict[tuple[str, ...], float], seen: Counter[tuple[str, ...]]) -> str:
    parts = []
    weak = sum(1 for word in words if word.confidence < 0.5)
    if weak:
        parts.append(f"{weak} of {len(words)} heads less than 50 % sure")
    written = {word.form.lower(): word.form for word in words}
    new = [
        written[key[1]]
        for key in sorted(worth, key=lambda key: -worth[key])
        if key[0] == "form" and not seen[key] and worth[key] > WORTH_NAMING
    ]
    if new:
        parts.append(f"no gold sentence has {', '.join(f'‘{form}’' for form in new[:SHOWN])} yet, other sentences do")
    if not parts:
        parts.append("its constructions are frequent in the rest")
    return "; ".join(parts)


def next_to_correct(session: Session) -> list[Suggestion]:
    """Return the sentences of a review that nobody has corrected, those with the greatest gain first."""
    free: dict[int, Sequence[DoubtfulWord]] = {n: words_of(session, n) for n in session.free}
    return rank(free, [words_of(session, n) for n in session.gold])


PREVIEW = 90
"""Characters of a sentence in the list."""


def item(session: Session, n: int) -> dict[str, Any]:
    """Return a sentence as a row of the list."""
    state, sentence = session.states[n], session.sentence(n)
    return {
        "id": name(sentence, n),
        "words": " ".join(sentence.forms)[:PREVIEW],
        "sure": state.confidence,
        "gold": state.gold,
        "hand": len(state.hand),
    }


def name(sentence: Rows, n: int) -> str:
    return sentence.sent_id or f"sentence {n + 1}"


def drawn_sentence(session: Session, n: int) -> DrawnSentence:
    """Return a sentence for drawing."""
    sentence, state = session.sentence(n), session.states[n]
    igt = from_sentence(sentence)
    glosses = igt.glosses if len(igt.glosses) == len(sentence.forms) else ()
    tags = next((c for c in (sentence.column(3), sentence.column(4)) if any(tag != "_" for tag in c)), sentence.column(3))
    return DrawnSentence(
        sentence.forms, glosses, tags, state.heads, state.deprels, state.reasons, state.machine_confidence, state.hand
    )


def sentence_view(session: Session, n: int, pair: ProjectionInput | None = None) -> dict[str, Any]:
    """A sentence with its picture."""
    sentence, state = session.sentence(n), session.states[n]
    igt = from_sentence(sentence)
    drawn = drawn_sentence(session, n)
    pair = current_input(session, n, pair)
    misc = sentence.column(9)
    marked = "gold" if state.gold else sentence.comment("state") or "draft"
    columns = {"upos": 3, "xpos": 4, "lemma": 2, "feats": 5}
    trees = [
        plural(sum(a != b for a, b in zip(heads, state.heads, strict=True)), "other head") if heads else "of other words"
        for heads, _ in alternatives(sentence)
    ]
    texts = list(igt.translations) or ([("", igt.translation)] if igt.translation else [])
    return {
        "n": n,
        "id": name(sentence, n),
        "version": session.versions[n],
        "forms": drawn.forms,
        "glosses": drawn.glosses or ("",) * len(drawn.forms),
        "heads": drawn.heads,
        "rels": drawn.deprels,
        "sure": drawn.confidence,
        "why": [_reason_text(drawn, k) for k in range(len(drawn.forms))],
        "confidence": state.confidence,
        "gold": state.gold,
        "lacking": incomplete(state),
        "text": igt.text or " ".join(sentence.forms),
        "translations": texts,
        "comments": sentence.comments,
        "svg": sentence_svg(drawn),
        "pair": _pair(session, n, pair),
        "columns": {
            **{name: ["" if cell == "_" else cell for cell in sentence.column(k)] for name, k in columns.items()},
            "gloss": [misc_value(cell, "Gloss") for cell in misc],
            "note": [misc_value(cell, "Note") for cell in misc],
        },
        "set": [sorted(COLUMN_NAMES[c] for word, c in state.cells if word == k) for k in range(1, len(misc) + 1)],
        "tokens": tokens(sentence),
        "findings": [[finding.level, finding.word, finding.message] for finding in check_sentence(sentence)],
        "texts": translations(sentence),
        "note": sentence.comment("note") or "",
        "state": marked if marked in STATES else "draft",
        "annotator": sentence.comment("annotator") or "",
        "beside": trees,
        "links": sorted(pair.links.links) if pair else [],
        "e": pair.e.forms if pair else [],
    }


COLUMN_NAMES = {2: "lemma", 3: "part of speech", 4: "XPOS", 5: "features"}


def ud_violations(session: Session, n: int) -> list[str]:
    """Return what UD does not allow in the tree of a sentence."""
    sentence = session.sentence(n)
    rows = [finding for finding in check_sentence(sentence) if finding.level >= 3 and not finding.is_advice]
    return [f"{sentence.forms[row.word - 1]} ({row.word}) {row.message}" if row.word else row.message for row in rows]


def offers(session: Session) -> dict[str, Any]:
    """Return the values that columns have in the text, the most frequent first: features and XPOS by part of speech."""
    counts: dict[str, dict[str, Counter[str]]] = {"feats": {}, "xpos": {}}
    for n in session.places:
        rows = session.states[n].rows
        for tag, xpos, feats in zip(*(rows.column(k) for k in (3, 4, 5)), strict=True):
            counts["xpos"].setdefault(tag, Counter())[xpos] += xpos != "_"
            counts["feats"].setdefault(tag, Counter()).update(item for item in feats.split("|") if item != "_")
    values = {
        name: {tag: [value for value, _ in some.most_common(MOST_OFFERED) if some[value]] for tag, some in by_tag.items()}
        for name, by_tag in counts.items()
    }
    for tag, items in USUAL_FEATURES.items():
        there = values["feats"].setdefault(tag, [])
        there += [item for item in items.split() if item not in there][: max(0, MOST_OFFERED - len(there))]
    return {**values, "upos": UPOS}


MOST_OFFERED = 14
"""Values of a column that are offered for a part of speech."""
USUAL_FEATURES = {
    "NOUN": "Number=Sing Number=Plur Case=Nom Case=Acc Case=Gen Case=Dat Case=Loc Definite=Def",
    "PROPN": "Number=Sing Case=Nom Case=Acc Case=Gen",
    "PRON": "PronType=Prs Person=1 Person=2 Person=3 Number=Sing Number=Plur Case=Nom Case=Acc PronType=Int PronType=Dem",
    "DET": "PronType=Art PronType=Dem Definite=Def Definite=Ind Number=Sing Number=Plur",
    "VERB": "VerbForm=Fin VerbForm=Inf VerbForm=Part Tense=Past Tense=Pres Aspect=Perf Aspect=Imp Mood=Ind Mood=Imp Person=3 Number=Sing Voice=Pass",
    "AUX": "VerbForm=Fin Tense=Past Tense=Pres Aspect=Perf Mood=Ind Person=3 Number=Sing",
    "ADJ": "Degree=Pos Degree=Cmp Number=Sing Number=Plur Case=Nom",
    "NUM": "NumType=Card NumType=Ord",
    "PART": "Polarity=Neg",
    "ADV": "PronType=Int PronType=Dem Polarity=Neg",
}
"""Features that words of a part of speech commonly have, offered after those of the text."""


def _reason_text(drawn: DrawnSentence, k: int) -> str:
    reason, confidence = drawn.reasons[k], drawn.confidence[k]
    parts = [f"{reason}: {REASONS[reason]}" if reason in REASONS else reason] if reason else []
    parts += [f"{100 * confidence:.0f} % sure"] if confidence is not None else []
    parts += ["relation corrected"] if k + 1 in drawn.hand and reason != "corrected" else []
    return " · ".join(parts) or "nothing is known of where this head came from"


def _pair(session: Session, n: int, sentence: ProjectionInput | None) -> str:
    """Return a picture of both trees and their links; '' without a translation, or if the tree is incomplete."""
    state = session.states[n]
    if sentence is None or not len(sentence.e) or incomplete(state):
        return ""
    review_reasons = ("corrected", "learned")
    reasons: Any = tuple(
        reason if reason in REASONS and reason not in review_reasons else "projected" for reason in state.reasons
    )
    return projection_svg(Projection(sentence, state.heads, reasons, (), state.deprels), standalone=False)


def word_of(change: Change) -> int:
    """Return the word to show after a change: the first whose head or relation differs, 0 for none."""
    for n, after in change.after.items():
        before = change.before.get(n, after)
        if len(before.heads) != len(after.heads):
            return 0
        pairs = zip(zip(before.heads, before.deprels, strict=True), zip(after.heads, after.deprels, strict=True), strict=True)
        return next((k for k, (old, new) in enumerate(pairs, 1) if old != new), 0)
    return 0


def changes(session: Session) -> list[dict[str, Any]]:
    """What the latest learning changed, tree by tree: words with another head, then those with another relation alone."""
    rows = []
    for n, (old, new) in session.differing().items():
        forms = session.sentence(n).forms
        names = ("root", *forms, "no head")
        words = [
            {"word": k, "form": forms[k - 1], "old": names[a], "new": names[b]}
            for k, (a, b) in enumerate(zip(old.heads, new.heads, strict=True), 1)
            if a != b
        ]
        labels = sum(a == b and r != s for a, b, r, s in zip(old.heads, new.heads, old.deprels, new.deprels, strict=True))
        rows.append({"n": n, "id": name(session.sentence(n), n), "heads": words, "labels": labels})
    return sorted(rows, key=lambda row: -len(row["heads"]))


def choice(session: Session, types: Sequence[WordType] = ()) -> dict[str, Any]:
    """The sentence or word type to correct next with why, and the order of all sentences by what there is to gain.

    An answer for a word type puts `TAG_WORTH` relations right for each wrong tag that it is expected to put right; a correction in a
    sentence one, and those that are learned from it. The type is chosen where the first is more.
    """
    suggestions = next_to_correct(session)
    word = next((row for row in types if row.answer is None), None)
    others = 1 + LEARNED_SHARE * suggestions[0].gain if suggestions else 0.0
    chosen = word if word and TAG_WORTH * word.gain > others else None
    order = [chosen.n for chosen in suggestions]
    rest = set(session.places) - set(order)
    first = suggestions[0] if suggestions else None
    return {
        "n": first.n if first else None,
        "why": first.why if first else "",
        "order": [*order, *sorted(rest)],
        "type": chosen.key if chosen else None,
        "type_why": f"about {chosen.gain:.0f} of its {chosen.count} uses have a wrong tag" if chosen else "",
    }


def accuracy_summary(session: Session, verdict: Verdict | None) -> dict[str, Any]:
    """Return the estimated accuracy of the trees that nobody has corrected, and the learning curve."""
    held = verdict.held if verdict and verdict.better and session.latest else {}
    estimate = accuracy(session, held)
    curve = verdict.curve if verdict else ()
    free = len(session.free)
    message = "Mark some sentences gold to learn how good the other trees are"
    if estimate:
        message = f"In the {free} sentence{'s' * (free != 1)} that nobody has corrected, about {100 * estimate.share:.0f} % (± {200 * estimate.error:.0f}) of the heads are right ({estimate.source})"
    return {
        "told": message,
        "share": estimate.share if estimate else None,
        "error": estimate.error if estimate else None,
        "curve": learning_svg([(p.gold, p.known.share, p.known.error) for p in curve]) if len(curve) > 1 else "",
    }


TYPE_RELATIONS = [name for row in RELATIONS for name in row.names[:1]]
"""Relations in the words of linguists, as they are offered for word types."""


def _type_row(row: WordType) -> dict[str, Any]:
    answer = row.answer
    return {
        "key": row.key, "gloss": "" if row.gloss == "_" else row.gloss, "forms": row.forms, "count": row.count,
        "guess": row.guess, "doubt": row.doubt, "gain": row.gain, "attaches": row.attaches, "example": row.example,
        "status": row.status, "tag": answer.written if answer else "", "relation": answer.relation if answer else "",
    }  # fmt: skip


def _differences(before: Rows, after: Rows, words: Sequence[int]) -> list[dict[str, Any]]:
    """What changes in words: their cells before and after."""
    rows = []
    for word in words:
        for k in (2, 3, 4, 5, 6, 7, 9):
            old, new = before.column(k)[word - 1], after.column(k)[word - 1]
            if old != new:
                rows.append({"word": word, "form": before.forms[word - 1], "old": old, "new": new})
    return rows


class Review:
    """A review as the page sees it: a session, the file it is saved to, and perhaps a learning job."""

    home = ""
    """The address of the workbench that the review was opened from."""

    def __init__(
        self,
        session: Session,
        output: Path,
        *,
        learner: Learner | None = None,
        sentences: ProjectionInputs | None = None,
        name: str = "",
        why_not: str = "",
        types: TypeQuestions | None = None,
    ) -> None:
        self.session, self.output = session, output
        self.title = Path(session.document.path).name
        self.bitexts = sentences or ProjectionInputs()
        self.job = LearningJob(session, learner, self.bitexts, name) if learner and self.bitexts else None
        self.why_not = why_not or "only correction is possible: there are no trees of the translations to learn with"
        self.types = types
        self._written_answers: dict[str, list[str]] = {}
        self.into = ""
        """The user's file that the trees can be written into, for the command that is said at the end."""
        self.error = ""
        self._dirty, self._ended = threading.Event(), threading.Event()
        self._saving = threading.Lock()
        session.changed = self._dirty.set
        self._saver = threading.Thread(target=self._save_soon, name="saving", daemon=True)
        self._saver.start()

    def save(self) -> None:
        """Write the file now."""
        with self._saving:
            self._dirty.clear()
            try:
                self.session.save(self.output)
                answers = dict(self.session.answers)
                if self.types and self._written_answers != answers and self.types.write():
                    self._written_answers = answers
            except ProjError as error:
                self.error = f"not written: {error}"
                raise
            self.error = ""

    def _save_soon(self) -> None:
        while not self._ended.is_set():
            self._dirty.wait()
            if self._ended.wait(WRITE_DELAY):
                return
            try:
                self.save()
            except ProjError:  # the page says so; the journal has every change
                self._ended.wait(10 * WRITE_DELAY)
                self._dirty.set()

    def close(self) -> None:
        """Stop learning and write the file."""
        if self.job:
            self.job.stop()
        self._ended.set()
        self._dirty.set()
        self.save()

    # What the page may ask for.

    def document(self, _: Fields) -> Answer:
        session = self.session
        with session.lock:
            places = set(session.places)
            return HTTPStatus.OK, {
                **self._summary(),
                "title": self.title,
                "order": session.order(),
                "gain": choice(session, self._rows)["order"],
                "sentences": [item(session, n) if n in places else None for n in range(len(session.states))],
                "file": session.places,
                "relations": session.relations(),
                "offers": offers(session),
                "job": self._status(),
            }

    def sentence(self, fields: Fields) -> Answer:
        n = text(fields, "n")
        if not n.isascii() or not n.isdecimal() or len(n) > 9 or int(n) not in self.session.places:
            return HTTPStatus.NOT_FOUND, {"error": "there is no such sentence"}
        return HTTPStatus.OK, self._view(int(n))

    def progress(self, _: Fields) -> Answer:
        return HTTPStatus.OK, {"job": self._status()}

    def differing(self, _: Fields) -> Answer:
        """What the latest learning changed."""
        with self.session.lock:
            return HTTPStatus.OK, {"changes": changes(self.session)}

    def choose(self, _: Fields) -> Answer:
        """The sentence that it pays most to correct next, and why."""
        with self.session.lock:
            return HTTPStatus.OK, choice(self.session, self._rows)

    # What the page may do.

    def edit(self, fields: Fields) -> Answer:
        session = self.session
        n, seen = whole(fields, "n"), whole(fields, "version")
        kind = fields.get("kind")
        if kind == "head":
            word, head = whole(fields, "word"), whole(fields, "head")
            fix = fields.get("fix") is True
            return self._done(n, session.set_head(n, word, head, text(fields, "relation"), fix=fix, seen=seen), word)
        if kind == "relation":
            word = whole(fields, "word")
            return self._done(n, session.set_relation(n, word, text(fields, "relation"), seen=seen), word)
        if kind == "gold" and isinstance(fields.get("gold"), bool):
            if fields["gold"]:
                self._confirm_mark(n, fields)
            return self._done(n, session.set_gold(n, fields["gold"], seen=seen), 0)
        if isinstance(kind, str) and kind in EDITS:
            return self._done(n, EDITS[kind](self, n, seen, fields), whole(fields, "word") if "word" in fields else 0)
        raise ValueError(f"kind is head, relation, gold, {', '.join(EDITS)}")

    def _confirm_mark(self, n: int, fields: Fields) -> None:
        """Raise an EditError that offers to mark a sentence all the same if UD forbids something in its tree."""
        if fields.get("fix") is True or n not in self.session.places or incomplete(self.session.states[n]):
            return
        if problems := ud_violations(self.session, n):
            more = f", and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
            raise EditError(f"UD does not allow this: {'; '.join(problems[:SHOWN])}{more}", "gold", "Mark it gold all the same")

    def _set_state(self, n: int, seen: int, fields: Fields) -> Change:
        if text(fields, "state") == "gold":
            self._confirm_mark(n, fields)
        return self.session.set_state(n, text(fields, "state"), text(fields, "annotator"), seen=seen)

    # Search and replace, and words at once.

    def replace(self, fields: Fields) -> Answer:
        """Show what a query and changes would do; with `do` do it, as one step."""
        session = self.session
        try:
            query, wanted = parse(text(fields, "query")), text(fields, "changes")
            changes = parse_changes(wanted) if wanted.strip() else ()
        except QueryError as error:
            return HTTPStatus.CONFLICT, {"error": str(error)}
        with session.lock:
            rows: list[dict[str, Any]] = []
            taken: dict[int, tuple[Sequence[int], Any]] = {}
            count = gold = 0
            for n in session.places:
                sentence = session.sentence(n)
                words = find_in(sentence, query) if len(sentence.forms) <= LONGEST_SENTENCE else ()
                if not words:
                    continue
                replacement = replace_in(sentence, words, changes)
                count += len(words)
                differs = replacement.differs and not replacement.problem
                if differs:
                    taken[n] = words, changes
                    gold += session.states[n].gold
                if len(rows) < MOST_SHOWN:
                    rows.append({
                        "n": n, "id": name(sentence, n), "forms": sentence.forms, "words": words, "problem": replacement.problem,
                        "changes": _differences(sentence, replacement.after, words) if differs else [],
                    })  # fmt: skip
            if fields.get("do") is not True:
                return HTTPStatus.OK, {
                    "rows": rows, "words": count, "sentences": len(taken), "gold": gold,
                    "stamp": sum(session.versions),
                }  # fmt: skip
            if fields.get("stamp") != sum(session.versions):
                return HTTPStatus.CONFLICT, {"error": "the trees have changed since they were shown; look again"}
            message = f"{wanted.strip()} where {text(fields, 'query').strip()}: {plural(len(taken), 'sentence')}"
            return self._done(None, session.replace_all(taken, message), 0)

    @property
    def _rows(self) -> Sequence[WordType]:
        return self.types.rows if self.types else ()

    def list_types(self, _: Fields) -> Answer:
        """The word types of the text, the most useful question first."""
        if self.types is None or self.types.problem:
            return HTTPStatus.CONFLICT, {
                "error": self.types.problem if self.types else "words at once need a text with glosses"
            }
        rows = self.types.list()
        return HTTPStatus.OK, {"types": [_type_row(row) for row in rows], "tags": UPOS, "relations": TYPE_RELATIONS}

    def answer_types(self, fields: Fields) -> Answer:
        """Take answers for word types; all their uses follow, and the trees are projected anew around them."""
        given = fields.get("answers")
        if not isinstance(given, dict) or not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(cell, str) for cell in pair) for pair in given.values()
        ):
            raise ValueError("answers is an object of tag and relation by type")
        if self.types is None or self.types.problem:
            return HTTPStatus.CONFLICT, {
                "error": self.types.problem if self.types else "words at once need a text with glosses"
            }
        change = self.types.give({key: tuple(cell.strip() for cell in pair) for key, pair in given.items()})
        _, answer = self._done(None, change, 0)
        return HTTPStatus.OK, {**answer, "types": [_type_row(row) for row in self.types.rows], "changed": len(change.after)}

    def refuse(self, fields: Fields) -> Answer:
        """Put back the tree that a sentence had before the latest learning."""
        n = whole(fields, "n")
        return self._done(n, self.session.refuse(n), 0)

    def undo(self, _: Fields) -> Answer:
        return self._done(None, self.session.undo(), 0, "undone: ")

    def redo(self, _: Fields) -> Answer:
        return self._done(None, self.session.redo(), 0, "done again: ")

    def save_now(self, _: Fields) -> Answer:
        self.save()
        return HTTPStatus.OK, {"told": f"written: {self.output}", "document": self._summary()}

    def learn(self, _: Fields) -> Answer:
        if self.job is None:
            return HTTPStatus.CONFLICT, {"error": self.why_not}
        if not self.job.start():
            return HTTPStatus.CONFLICT, {"error": "learning is at work already"}
        return HTTPStatus.OK, {"told": "learning has begun", "job": self._status()}

    def stop(self, _: Fields) -> Answer:
        if self.job:
            self.job.stop()
        return HTTPStatus.OK, {"told": "stopping", "job": self._status()}

    # Parts of answers.

    def refusal(self, error: EditError, fields: Fields) -> Answer:
        """Return why an edit cannot be made, a way to fix it, and the present sentence if the page showed an old version."""
        more: dict[str, Any] = {"sentence": self._view(fields["n"])} if error.stale else {}
        return HTTPStatus.CONFLICT, {"error": str(error), "offer": error.offer, "offered": error.offered, **more}

    def _done(self, n: int | None, change: Change, word: int, before: str = "") -> Answer:
        few = change.op != "learn" and len(change.after) <= MOST_SHOWN
        places = set(self.session.places)
        if n is None and few:
            n = next((k for k in change.after if k in places), None)
        return HTTPStatus.OK, {
            "told": before + change.message,
            "word": word or word_of(change),
            "items": {k: item(self.session, k) for k in change.after if k in places} if few else {},
            "all": not few,
            "document": self._summary(),
            **({"sentence": self._view(n)} if n is not None else {}),
        }

    def _view(self, n: int) -> dict[str, Any]:
        with self.session.lock:
            return sentence_view(self.session, n, self.bitexts.inputs.get(n))

    def _summary(self) -> dict[str, Any]:
        session = self.session
        job = self.job
        message = f"{job.name} learns from the sentences marked gold" if job else self.why_not
        return {
            "epoch": session.epoch,
            "undo": bool(session.history),
            "redo": bool(session.undone),
            "learn": {"possible": job is not None, "told": message},
            "known": accuracy_summary(session, job.verdict if job else None),
            "differing": len(session.differing()),
            "types": {"possible": bool(self.types and not self.types.problem), "answers": len(session.answers)},
            "saved": {"told": f"Saved as {self.output.name}", "error": self.error},
        }

    def _status(self) -> dict[str, Any]:
        return self.job.status if self.job else {"state": "idle", "told": "", "done": 0, "total": 0}


def _texts(fields: Fields, name: str) -> list[str]:
    values = fields.get(name)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} is a list of texts")
    return values


def _cells(fields: Fields) -> dict[str, str]:
    values = fields.get("values")
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise ValueError("values is an object of texts")
    return values


def _pairs(fields: Fields) -> list[list[int]]:
    pairs = fields.get("links")
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(type(end) is int for end in pair) for pair in pairs
    ):
        raise ValueError("links is a list of pairs of numbers")
    return pairs


EDITS: dict[str, Callable[[Review, int, int, Fields], Change]] = {
    "cells": lambda r, n, seen, f: r.session.set_cells(n, whole(f, "word"), _cells(f), seen=seen),
    "comment": lambda r, n, seen, f: r.session.set_comment(n, text(f, "key"), text(f, "text"), seen=seen),
    "state": Review._set_state,
    "links": lambda r, n, seen, f: r.session.set_links(n, _pairs(f), seen=seen),
    "split word": lambda r, n, seen, f: r.session.split_word(
        n, whole(f, "word"), _texts(f, "parts"), token=f.get("token") is True, seen=seen
    ),
    "join words": lambda r, n, seen, f: r.session.join_words(n, whole(f, "word"), text(f, "form"), seen=seen),
    "token": lambda r, n, seen, f: r.session.set_token(n, whole(f, "word"), whole(f, "last"), text(f, "form"), seen=seen),
    "no token": lambda r, n, seen, f: r.session.drop_token(n, whole(f, "word"), seen=seen),
    "split sentence": lambda r, n, seen, f: r.session.split_sentence(n, whole(f, "word"), seen=seen),
    "join sentences": lambda r, n, seen, f: r.session.join_sentences(n, seen=seen),
    "keep": lambda r, n, seen, f: r.session.keep_alternative(n, seen=seen),
    "take": lambda r, n, seen, f: r.session.take_alternative(n, whole(f, "at"), drop=f.get("drop") is True, seen=seen),
}
"""What can be done to a sentence besides heads, relations and the mark, by the name that the page gives it."""


GETS: dict[str, Act] = {
    "/api/document": Review.document,
    "/api/sentence": Review.sentence,
    "/api/job": Review.progress,
    "/api/changes": Review.differing,
    "/api/next": Review.choose,
    "/api/types": Review.list_types,
}
POSTS: dict[str, Act] = {
    "/api/edit": Review.edit,
    "/api/refuse": Review.refuse,
    "/api/replace": Review.replace,
    "/api/types/answers": Review.answer_types,
    "/api/undo": Review.undo,
    "/api/redo": Review.redo,
    "/api/save": Review.save_now,
    "/api/learn": Review.learn,
    "/api/stop": Review.stop,
}


class Handler(PageHandler):
    """Handles the requests of a review's page."""

    server: Server
    gets, posts = GETS, POSTS

    @property
    def leads_here(self) -> bool:
        return bool(self.server.review.home)

    def act(self, act: Act, fields: Fields) -> Answer:
        try:
            return act(self.server.review, fields)
        except EditError as error:
            return self.server.review.refusal(error, fields)
        except ProjError as error:
            return HTTPStatus.INSUFFICIENT_STORAGE, {"error": str(error)}


class Server(PageServer):
    """Serves a review; `url` is the address to open."""

    def __init__(self, review: Review, port: int = 0) -> None:
        self.review = review
        super().__init__(page(review.title, review.home), port, Handler)

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from divproj.core.errors import ProjError
from divproj.core.sentence import Rows
from divproj.drawing.projected import projection_svg
from divproj.drawing.review import REASONS, DrawnSentence, page, sentence_svg
from divproj.drawing.svg import learning_svg
from divproj.io.interlinear.rows import from_sentence
from divproj.projection.direct import Projection, ProjectionInput
from divproj.review.http import Act, Answer, Fields, PageHandler, PageServer, text, whole
from divproj.review.learning import Learner, LearningJob, ProjectionInputs, Verdict, accuracy
from divproj.review.session import Change, EditError, Session, incomplete

UNKNOWN_CONFIDENCE = 0.6
"""Confidence that is assumed of a head without one."""
READING_COST = 0.1
"""Cost of reading a word, in heads changed."""
WORTH_NAMING = 0.2
"""What a form that no gold sentence has must be worth, in heads, to be named as a reason."""
WRITE_DELAY = 0.5
"""Seconds between a change and writing the file; the journal has it at once."""


SHOWN = 3


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
    sentence, state = session.document.blocks[n].sentence, session.states[n]
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
    state, sentence = session.states[n], session.document.blocks[n].sentence
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
    sentence, state = session.document.blocks[n].sentence, session.states[n]
    igt = from_sentence(sentence)
    glosses = igt.glosses if len(igt.glosses) == len(sentence.forms) else ()
    tags = next((c for c in (sentence.column(3), sentence.column(4)) if any(tag != "_" for tag in c)), sentence.column(3))
    return DrawnSentence(
        sentence.forms, glosses, tags, state.heads, state.deprels, state.reasons, state.machine_confidence, state.hand
    )


def sentence_view(session: Session, n: int, pair: ProjectionInput | None = None) -> dict[str, Any]:
    """A sentence with its picture."""
    sentence, state = session.document.blocks[n].sentence, session.states[n]
    igt = from_sentence(sentence)
    drawn = drawn_sentence(session, n)
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
    }


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
        pairs = zip(zip(before.heads, before.deprels, strict=True), zip(after.heads, after.deprels, strict=True), strict=True)
        return next((k for k, (old, new) in enumerate(pairs, 1) if old != new), 0)
    return 0


def changes(session: Session) -> list[dict[str, Any]]:
    """What the latest learning changed, tree by tree: words with another head, then those with another relation alone."""
    rows = []
    for n, (old, new) in session.differing().items():
        forms = session.document.blocks[n].sentence.forms
        names = ("root", *forms, "no head")
        words = [
            {"word": k, "form": forms[k - 1], "old": names[a], "new": names[b]}
            for k, (a, b) in enumerate(zip(old.heads, new.heads, strict=True), 1)
            if a != b
        ]
        labels = sum(a == b and r != s for a, b, r, s in zip(old.heads, new.heads, old.deprels, new.deprels, strict=True))
        rows.append({"n": n, "id": name(session.document.blocks[n].sentence, n), "heads": words, "labels": labels})
    return sorted(rows, key=lambda row: -len(row["heads"]))


def choice(session: Session) -> dict[str, Any]:
    """The sentence to correct next with why, and the order of all by what there is to gain."""
    suggestions = next_to_correct(session)
    order = [chosen.n for chosen in suggestions]
    rest = set(range(len(session))) - set(order)
    first = suggestions[0] if suggestions else None
    return {"n": first.n if first else None, "why": first.why if first else "", "order": [*order, *sorted(rest)]}


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
    ) -> None:
        self.session, self.output = session, output
        self.title = Path(session.document.path).name
        self.bitexts = sentences or ProjectionInputs()
        self.job = LearningJob(session, learner, self.bitexts, name) if learner and self.bitexts else None
        self.why_not = why_not or "only correction is possible: there are no trees of the translations to learn with"
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
            return HTTPStatus.OK, {
                **self._summary(),
                "title": self.title,
                "order": session.order(),
                "gain": choice(session)["order"],
                "sentences": [item(session, n) for n in range(len(session))],
                "relations": session.relations(),
                "job": self._status(),
            }

    def sentence(self, fields: Fields) -> Answer:
        n = text(fields, "n")
        if not n.isascii() or not n.isdecimal() or len(n) > 9 or int(n) >= len(self.session):
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
            return HTTPStatus.OK, choice(self.session)

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
            return self._done(n, session.set_gold(n, fields["gold"], seen=seen), 0)
        raise ValueError("kind is head, relation or gold")

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
        few = change.op != "learn"
        if n is None and few:
            n = next(iter(change.after), None)
        return HTTPStatus.OK, {
            "told": before + change.message,
            "word": word or word_of(change),
            "items": {k: item(self.session, k) for k in change.after} if few else {},
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
            "saved": {"told": f"Saved as {self.output.name}", "error": self.error},
        }

    def _status(self) -> dict[str, Any]:
        return self.job.status if self.job else {"state": "idle", "told": "", "done": 0, "total": 0}


GETS: dict[str, Act] = {
    "/api/document": Review.document,
    "/api/sentence": Review.sentence,
    "/api/job": Review.progress,
    "/api/changes": Review.differing,
    "/api/next": Review.choose,
}
POSTS: dict[str, Act] = {
    "/api/edit": Review.edit,
    "/api/refuse": Review.refuse,
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

"""A review and its server: what the page may ask for, and what it may do."""

from __future__ import annotations

import threading
from http import HTTPStatus
from pathlib import Path
from typing import Any

from divproj.data.errors import ProjError
from divproj.drawing.review import page
from divproj.review.examples import Learner, ProjectionInputs
from divproj.review.http import Act, Answer, Fields, PageHandler, PageServer, text, whole
from divproj.review.retrain import Job
from divproj.review.session import Change, EditError, Session
from divproj.review.settings import WRITE_DELAY
from divproj.review.views import changes, choice, item, known, sentence_view, word_of


class Review:
    """A session with a file to save it to, and perhaps something to learn with."""

    home = ""
    """The address of the workbench that the review was opened from."""

    def __init__(
        self,
        session: Session,
        output: Path,
        *,
        learner: Learner | None = None,
        bitexts: ProjectionInputs | None = None,
        name: str = "",
        why_not: str = "",
    ) -> None:
        self.session, self.output = session, output
        self.title = Path(session.document.path).name
        self.bitexts = bitexts or ProjectionInputs()
        self.job = Job(session, learner, self.bitexts, name) if learner and self.bitexts else None
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

    def refused(self, error: EditError, fields: Fields) -> Answer:
        """Why an edit cannot be made, the way to fix it, and the sentence anew for one that saw an old one."""
        more: dict[str, Any] = {"sentence": self._view(fields["n"])} if error.stale else {}
        return HTTPStatus.CONFLICT, {"error": str(error), "offer": error.offer, "offered": error.offered, **more}

    def _done(self, n: int | None, change: Change, word: int, before: str = "") -> Answer:
        few = change.op != "learn"
        if n is None and few:
            n = next(iter(change.after), None)
        return HTTPStatus.OK, {
            "told": before + change.told,
            "word": word or word_of(change),
            "items": {k: item(self.session, k) for k in change.after} if few else {},
            "document": self._summary(),
            **({"sentence": self._view(n)} if n is not None else {}),
        }

    def _view(self, n: int) -> dict[str, Any]:
        with self.session.lock:
            return sentence_view(self.session, n, self.bitexts.found.get(n))

    def _summary(self) -> dict[str, Any]:
        session = self.session
        job = self.job
        told = f"{job.name} learns from the sentences marked gold" if job else self.why_not
        return {
            "epoch": session.epoch,
            "undo": bool(session.history),
            "redo": bool(session.undone),
            "learn": {"possible": job is not None, "told": told},
            "known": known(session, job.verdict if job else None),
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
    """Asks a review."""

    server: Server
    gets, posts = GETS, POSTS

    @property
    def leads_here(self) -> bool:
        return bool(self.server.review.home)

    def act(self, act: Act, fields: Fields) -> Answer:
        try:
            return act(self.server.review, fields)
        except EditError as error:
            return self.server.review.refused(error, fields)
        except ProjError as error:
            return HTTPStatus.INSUFFICIENT_STORAGE, {"error": str(error)}


class Server(PageServer):
    """Serves a review; `url` is the address to open."""

    def __init__(self, review: Review, port: int = 0) -> None:
        self.review = review
        super().__init__(page(review.title, review.home), port, Handler)

"""The workbench: a page for a folder of texts, which can be projected, corrected, learned from, searched and exported.

Results are in `divproj-work/NAME/` inside the folder: `trees.conllu`, `trees.reviewed.conllu`, `e.conllu`, `align.txt`. The
user's files are never changed. Long work is done by `proj` commands in processes of their own, so that the page always answers.
Requests are checked as those of a review are (`divproj.review.http`).
"""

from __future__ import annotations

import base64
import binascii
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from divproj.core.errors import Faults, ProjError, Where
from divproj.core.sentence import Rows, is_gold
from divproj.drawing.review import workbench_page
from divproj.io.files import E_FILE, F_FILE, LINKS_FILE
from divproj.io.trees import conllu
from divproj.projection.glossed.word_types import types_file
from divproj.review import http
from divproj.review.document import journal_file, refuse_if_open
from divproj.review.http import Act, Answer, Fields, PageHandler, PageServer, text
from divproj.runtime.leftovers import new_folder
from divproj.search import find, parse

START_PATIENCE = 60.0
"""Seconds until a review must have said its address."""


INTO = frozenset({".flextext", ".eaf", ".sfm", ".db", ".tbt"})
"""Ends of names of files that trees can be written into: FLEx, ELAN, Toolbox."""
WORK, RULES = "divproj-work", "rules.json"
LONGEST = 200
"""Bytes of the name of such a file: names of results are longer, and file systems allow 255."""
LARGEST = 32 << 20
"""Bytes of a file that can be dropped on the page."""
SHOWN = 200
"""Matches of a search that are sent to the page."""
TOLD = 15
"""Last lines of a command that the page shows: its summary, and the warnings before it."""


_OPTION = re.compile(r"(?<![\w-])--?[a-z]")
"""An option of the command line in a message."""


class WorkError(ProjError):
    """A request of the page that cannot be carried out."""


@dataclass
class CommandJob:
    """A running command for a text, or its outcome."""

    task: str
    began: float = field(default_factory=time.monotonic)
    busy: bool = True
    message: str = ""
    failed: bool = False


class Workbench:
    """A folder of texts, the commands that run for it, and its open reviews.

    `command` is how `proj` is called; `texts` names the files of a folder that are texts or trees.
    """

    def __init__(self, folder: Path, command: Sequence[str], texts: Callable[[Path], Iterable[str]]) -> None:
        if not folder.is_dir():
            raise WorkError("there is no such folder", Where(str(folder)))
        self.folder = folder.absolute()  # so that no name of a file can be taken for an option of a command
        self.command, self.texts = tuple(command), texts
        self.jobs: dict[str, CommandJob] = {}
        self.reviews: dict[str, tuple[subprocess.Popen[str], str]] = {}
        self.lock = threading.RLock()
        self.home = ""
        """The page's own address, to which a review leads back."""
        self._counts: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._reading = threading.RLock()
        self._names: tuple[Any, list[str]] = (None, [])

    # What the page may ask for.

    def state(self) -> dict[str, Any]:
        """The texts and how far each is."""
        return {
            "folder": str(self.folder),
            "texts": [self._text(name) for name in self.names()],
            "rules": (self.folder / WORK / RULES).is_file(),
            "learning": self._job(""),
        }

    def names(self) -> list[str]:
        """Files of the folder that are texts, or trees; they are read again only when a file has changed."""
        with self._reading:
            files = _files(self.folder)
            if files != self._names[0]:
                self._names = files, sorted(set(self.texts(self.folder)))
            return list(self._names[1])

    def _text(self, name: str) -> dict[str, Any]:
        trees = self.trees(name)
        sentences, gold = self._count(trees) if trees else (0, 0)
        into = Path(name).suffix.lower() in INTO
        return {"name": name, "trees": bool(trees), "sentences": sentences, "gold": gold, "job": self._job(name), "into": into}

    def _job(self, name: str) -> dict[str, Any] | None:
        job = self.jobs.get(name)
        if job is None:
            return None
        seconds = round(time.monotonic() - job.began) if job.busy else 0
        return {"what": job.task, "busy": job.busy, "told": job.message, "failed": job.failed, "seconds": seconds}

    def work(self, name: str) -> Path:
        return self.folder / WORK / name

    def trees(self, name: str) -> Path | None:
        """Return the best trees that a text has: reviewed, projected, or those of the file itself."""
        places = [self.work(name) / "trees.reviewed.conllu", self.work(name) / "trees.conllu"]
        if name.endswith(".conllu"):
            places.append(self.folder / name)
        return next((place for place in places if place.is_file() and _has_heads(place)), None)

    def _count(self, path: Path) -> tuple[int, int]:
        about = path.stat()
        key = (str(path), about.st_mtime_ns, about.st_size)
        if key not in self._counts:
            marks = [any(map(is_gold, sentence.comments)) for sentence in _sentences(path)]
            self._counts[key] = len(marks), sum(marks)
        return self._counts[key]

    # What the page may do.

    def add(self, name: str, data: bytes) -> str:
        """Save a file that was dropped; nothing is replaced."""
        if (
            not name
            or name != Path(name).name
            or name.startswith(".")
            or not name.isprintable()
            or len(name.encode()) > LONGEST
        ):
            raise WorkError(f"“{name[:80]}” cannot be the name of a file")
        target = self.folder / name
        with self._reading:
            before = self.names()
            try:
                with new_folder(self.folder, ".dropped.") as alone:
                    (alone / name).write_bytes(data)
                    if name not in self.texts(alone):
                        raise WorkError(f"{name} is no text that can be read; see the page Formats of the documentation")
                _write_new(target, data)
            except FileExistsError:
                raise WorkError(f"{name} is there already; rename the new file") from None
            except OSError as error:
                raise WorkError(f"{name} could not be saved: {error.strerror}") from None
            if self.names() != sorted({*before, name}):  # of two files with the same sentences, one is a text
                target.unlink(missing_ok=True)
                raise WorkError(f"the folder has the sentences of {name} already, in another file")
        return f"{name} added"

    def project(self, name: str) -> str:
        """Project a text, with the learned rules where there are some."""
        self._check_name(name)
        work = self.work(name)
        if (work / "trees.reviewed.conllu").exists():
            raise WorkError(f"{name} has been reviewed: its trees are not replaced. Learn in the review instead")
        refuse_if_open(journal_file(work / "trees.reviewed.conllu"))
        work.mkdir(parents=True, exist_ok=True)
        words = ["project", self.folder / name, "-o", work / "trees.conllu", "--e-out", work / E_FILE]
        words += ["--links-out", work / LINKS_FILE]
        rules = self.folder / WORK / RULES
        words += ["--rules", rules] if rules.is_file() else []
        return self._begin(name, "projecting", words)

    def learn(self) -> str:
        """Learn rules from the gold sentences of all texts; they are taken only if a check on these sentences shows better trees."""
        corpora = []
        for name in self.names():
            trees, work = self.trees(name), self.work(name)
            if trees and self._count(trees)[1] and (work / LINKS_FILE).is_file():
                shutil.copyfile(trees, work / F_FILE)
                corpora.append(work)
        if not corpora:
            raise WorkError("there is no gold sentence yet: review a text and mark sentences that are right with G")
        return self._begin("", "learning", ["learn", *corpora, "--check", "-o", self.folder / WORK / RULES])

    def open(self, name: str) -> str:
        """The address of a text's review, which is started if need be."""
        self._check_name(name)
        with self.lock:
            if name in self.reviews and self.reviews[name][0].poll() is None:
                return self.reviews[name][1]
            work = self.work(name)
            trees = work / "trees.conllu"
            if not trees.is_file():
                if self.trees(name) is None:
                    raise WorkError(f"{name} has no trees yet: project it first")
                work.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.folder / name, trees)
            words: list[Any] = ["review", trees, "--workbench", "--types", types_file(str(self.folder / name))]
            if (work / E_FILE).is_file() and (work / LINKS_FILE).is_file():
                words += ["--e", work / E_FILE, "--links", work / LINKS_FILE]
            process = subprocess.Popen(
                self._argv(words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            _tell(process, self.home)
            url = _first_line(process)
            if not url:
                raise WorkError(f"the review of {name} did not start: {_last(process.stderr)}")
            self.reviews[name] = process, url
            return url

    def find(self, query: str) -> dict[str, Any]:
        """Words that fit a query, in the trees of all texts."""
        wanted = parse(query)
        rows: list[dict[str, Any]] = []
        words = 0
        for name in self.names():
            trees = self.trees(name)
            for match in find(_sentences(trees), wanted, Faults(strict=False)) if trees else ():
                words += len(match.words)
                if len(rows) < SHOWN:
                    sentence = match.sentence
                    rows.append({"text": name, "id": sentence.sent_id, "forms": sentence.forms, "words": match.words})
        return {"words": words, "rows": rows}

    def divergence(self, name: str) -> dict[str, Any]:
        """Edges of the translation that have a partner, stage by stage, in percent."""
        from divproj.divergence.analysis import analyze
        from divproj.io.corpus import Corpus

        self._check_name(name)
        trees, work = self.trees(name), self.work(name)
        if trees is None or not (work / LINKS_FILE).is_file():
            raise WorkError(f"{name} has no trees and links yet: project it first")
        corpus = Corpus(
            str(trees), str(work / E_FILE), str(work / LINKS_FILE), name, faults=Faults(strict=False), complete=True
        )
        analysis = analyze(corpus)
        return {"name": name, "stages": analysis.stage_counts("e_to_f"), "pairs": analysis.sentences}

    def rules(self) -> list[str]:
        """Return the learned rules in words."""
        if not (self.folder / WORK / RULES).is_file():
            return []
        done = subprocess.run(
            self._argv(["rules", "show", self.folder / WORK / RULES]),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=START_PATIENCE,
        )
        return done.stdout.splitlines() if done.returncode == 0 else [done.stderr.strip()]

    def export(self, name: str) -> tuple[str, str]:
        """Name and content of the file with a text's trees."""
        self._check_name(name)
        trees = self.trees(name)
        if trees is None:
            raise WorkError(f"{name} has no trees yet: project it first")
        stem = name.removesuffix(".conllu")
        return f"{stem}.{trees.name}" if trees.parent != self.folder else name, trees.read_text(encoding="utf-8")

    def save_into(self, name: str) -> tuple[str, bytes]:
        """Name and content of a copy of the user's file, of FLEx, ELAN or Toolbox, with the trees in it; the file itself stays as it is."""
        self._check_name(name)
        trees, path = self.trees(name), Path(name)
        if trees is None:
            raise WorkError(f"{name} has no trees yet: project it first")
        if path.suffix.lower() not in INTO:
            raise WorkError(f"{name} is of no format that trees can be written into; save them as a file")
        target = self.work(name) / f"{path.stem}.with-trees{path.suffix}"
        done = subprocess.run(
            self._argv(["convert", trees, target, "--into", self.folder / name, "--force"]),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            raise WorkError(for_page(done.stderr.strip().removeprefix("proj: ")) or "the trees could not be written")
        return target.name, target.read_bytes()

    def close(self) -> None:
        """End the reviews, each of which saves."""
        for process, _ in self.reviews.values():
            process.terminate()
        for process, _ in self.reviews.values():
            process.wait(START_PATIENCE)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    # Processes.

    def _check_name(self, name: str) -> None:
        if name not in self.names():
            raise WorkError(f"there is no text {name[:80]}")

    def _argv(self, words: Sequence[Any]) -> list[str]:
        return [*self.command, *map(str, words)]

    def _begin(self, name: str, task: str, words: Sequence[Any]) -> str:
        with self.lock:
            if name in self.jobs and self.jobs[name].busy:
                raise WorkError(f"{name or 'learning'} is at work already")
            job = self.jobs[name] = CommandJob(task)
        threading.Thread(target=self._do, args=(job, self._argv(words)), daemon=True).start()
        return f"{task} has begun"

    @staticmethod
    def _do(job: CommandJob, argv: list[str]) -> None:
        done = subprocess.run(argv, capture_output=True, text=True, encoding="utf-8", errors="replace")
        lines = [
            for_page(line) for line in done.stderr.strip().splitlines() if not line.startswith("Trees written to ")
        ]  # the page leads there
        job.message, job.failed = "\n".join(lines[-TOLD:]), done.returncode != 0
        job.busy = False


def for_page(message: str) -> str:
    """Return a message of a command without the remedies that name options: those are for a terminal.

    >>> for_page("proj: more warnings follow; with -v all are shown")
    'proj: more warnings follow'
    >>> for_page("a.txt:3: two parsers fit; choose en or en_ewt with --e-parser; the rest was read")
    'a.txt:3: two parsers fit; the rest was read'
    """
    return "\n".join("; ".join(_without_options(line)) for line in message.split("\n"))


def _without_options(line: str) -> list[str]:
    first, *others = line.split("; ")
    return [first, *(part for part in others if not _OPTION.search(part))]


def _write_new(path: Path, data: bytes) -> None:
    """Write a new file, whole or not at all."""
    with path.open("xb") as out:
        try:
            out.write(data)
            out.flush()
        except OSError:
            path.unlink(missing_ok=True)
            raise


def _files(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, times and sizes of the files of a folder, which show whether one has changed."""
    entries = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            about = path.stat()
            entries.append((path.name, about.st_mtime_ns, about.st_size))
    return tuple(sorted(entries))


def _sentences(path: Path) -> Iterator[Rows]:
    return (sentence for sentence in conllu.load(path, Faults(strict=False)) if sentence is not None)


def _has_heads(path: Path) -> bool:
    first = next(_sentences(path), None)
    return first is not None and any(head.isdecimal() for head in first.column(6))


def _tell(process: subprocess.Popen[str], home: str) -> None:
    """Give a review our address through its standard input: every user of the machine can read the words of a command.

    The pipe stays open as long as we live; when it closes, the review ends.
    """
    assert process.stdin is not None
    with suppress(OSError):  # it has ended already, and says why
        process.stdin.write(f"{home}\n")
        process.stdin.flush()


def _first_line(process: subprocess.Popen[str]) -> str:
    """Return the first line that a review prints, its address; '' if it ends or prints nothing in time."""
    lines: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda out: lines.append(out.readline().strip()), args=(process.stdout,), daemon=True)
    reader.start()
    reader.join(START_PATIENCE)
    if not lines or not lines[0]:
        process.kill()
        return ""
    threading.Thread(target=lambda err: err.read(), args=(process.stderr,), daemon=True).start()  # or the pipe would fill
    return lines[0]


def _last(stream: Any) -> str:
    lines = stream.read().strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def decode_upload(data: Any) -> bytes:
    """The content of a dropped file, sent as base64."""
    try:
        return base64.b64decode(data, validate=True)
    except (ValueError, TypeError, binascii.Error):
        raise ValueError("data is base64") from None


def _export(bench: Workbench, fields: Fields) -> Answer:
    name, trees = bench.export(text(fields, "name"))
    return HTTPStatus.OK, {"name": name, "text": trees}


def _save_into(bench: Workbench, fields: Fields) -> Answer:
    name, content = bench.save_into(text(fields, "name"))
    return HTTPStatus.OK, {"name": name, "data": base64.b64encode(content).decode()}


GETS: dict[str, Act] = {
    "/api/state": lambda bench, _: (HTTPStatus.OK, bench.state()),
    "/api/divergence": lambda bench, fields: (HTTPStatus.OK, bench.divergence(text(fields, "name"))),
    "/api/rules": lambda bench, _: (HTTPStatus.OK, {"rules": bench.rules()}),
    "/api/export": _export,
    "/api/into": _save_into,
}
POSTS: dict[str, Act] = {
    "/api/add": lambda bench, fields: (
        HTTPStatus.OK,
        {"told": bench.add(text(fields, "name"), decode_upload(fields.get("data")))},
    ),
    "/api/project": lambda bench, fields: (HTTPStatus.OK, {"told": bench.project(text(fields, "name"))}),
    "/api/open": lambda bench, fields: (HTTPStatus.OK, {"url": bench.open(text(fields, "name"))}),
    "/api/learn": lambda bench, _: (HTTPStatus.OK, {"told": bench.learn()}),
    "/api/find": lambda bench, fields: (HTTPStatus.OK, bench.find(text(fields, "query"))),
}


class WorkbenchHandler(PageHandler):
    """Handles the requests of the workbench's page, which can send files."""

    server: WorkbenchServer
    gets, posts = GETS, POSTS
    leads_here = True

    @property
    def largest(self) -> int:
        return LARGEST * 4 // 3 + http.LARGEST if self.path == "/api/add" else http.LARGEST

    def act(self, act: Act, fields: Fields) -> Answer:
        try:
            return act(self.server.bench, fields)
        except ProjError as error:
            return HTTPStatus.CONFLICT, {"error": str(error)}
        except (OSError, SubprocessError) as error:
            return HTTPStatus.INSUFFICIENT_STORAGE, {"error": str(error)}


class WorkbenchServer(PageServer):
    """Serves a workbench; `url` is the address to open."""

    def __init__(self, bench: Workbench, port: int = 0) -> None:
        self.bench = bench
        super().__init__(workbench_page(bench.folder.resolve().name), port, WorkbenchHandler)
        bench.home = self.url

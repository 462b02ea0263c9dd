"""`proj review`: correct projected trees in a browser; a folder opens the workbench, a text without trees is projected first."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divproj.core.errors import plural, shell_word
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.review.http import PageServer


@options.command
def review(
    *,
    source: Annotated[
        str, typer.Argument(metavar="FILE|FOLDER", help="CoNLL-U from `proj project`, a text, or a folder of texts.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File to save to.  \\[default: NAME.reviewed.conllu]")
    ] = None,
    e: options.EFile = None,
    links: options.LinksFile = None,
    origin: Annotated[
        str | None,
        typer.Option("--source", metavar="INPUT", help="The text or corpus folder that FILE was projected from."),
    ] = None,
    e_parser: Annotated[
        str | None, typer.Option("--e-parser", metavar="COMMAND", help="Parser of the translations, as in `proj project`.")
    ] = None,
    reader: options.Reader,
    grams: options.Grams = None,
    types: Annotated[
        str | None, typer.Option("--types", metavar="FILE", help="Word types that you have tagged, as in `proj project`.")
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="Train this system on the gold sentences alone, instead of improving the present trees.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 means any free one.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    from_workbench: Annotated[
        bool, typer.Option("--workbench", hidden=True, help="Read the workbench's address from standard input; end with it.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over; an earlier review is kept under another name.")] = False,
    strict: options.Strict = False,
) -> None:
    """Correct trees in a browser, and learn from the corrections.

    Prints an address on 127.0.0.1 to open. Every change is on disk before the page shows it as done; Ctrl-C saves and ends.

    Example: proj review trees.conllu --e translations.conllu
    """

    if Path(source).is_dir():
        workbench(Path(source), port, show)
        return
    text = source
    source = ensure_trees(source)
    from divproj.io.corpus import Corpus
    from divproj.projection.glossed.word_types import NO_TYPES, NONE, types_file, types_for
    from divproj.projection.prepare import Preparation
    from divproj.review.document import Document, beside, carry_over, journal_for, keep_other
    from divproj.review.learning import AdaptingLearner, ProjectionLearner, TypeQuestions, sentences_to_learn_with
    from divproj.review.server import Review, Server
    from divproj.review.session import Session

    home = _line(0) if from_workbench else ""
    if source == "-":
        raise typer.BadParameter("a file is needed here: the result is saved beside it")
    target = output or beside(Path(source))
    learner = ProjectionLearner(system) if system else AdaptingLearner()
    document = Document.open(source, common.faults_for(strict))
    carried = {} if fresh else carry_over(document, target, talk.say)
    journal = journal_for(document, target, fresh=fresh, on_message=talk.say)
    with closing(journal):
        session = Session(document, journal)
        for n, state in carried.items():
            session.take_over(n, state)
        if kept := keep_other(target, session.has_been):
            talk.caution(f"{target} is not what its journal gives: it is kept as {kept.name}")
        if journal.entries:
            talk.say(f"{plural(len(journal.entries), 'change')} of an earlier review taken up from {journal.path.name}")
        corpus, how = Corpus(origin or source, e, links, reader=reader.options()), Preparation(e_parser, tuple(grams or ()))
        table = Path(types) if types and types != NONE else types_file(origin or text)
        missing = from_workbench and not table.is_file()  # it is to be made
        known = NO_TYPES if missing else types_for(origin or text, types, common.faults_for(strict), how.table)
        how = replace(how, types=known)
        if how.types:
            talk.say(str(how.types))
        learning_inputs, note = sentences_to_learn_with(document, corpus, how, partial(common.faults_for, strict), talk.summary)
        questions = TypeQuestions(session, learning_inputs, table, known, how.table) if types != NONE else None
        active_review = Review(
            session,
            target,
            learner=learner,
            sentences=learning_inputs,
            name=system or "the review",
            why_not=note,
            types=questions,
        )
        if from_workbench:  # whose folders are named after the texts
            active_review.home, active_review.title = home, Path(source).parent.name
        server = Server(active_review, port)
        journal.write_address(server.url)
        if journal.entries or carried:
            active_review.save()
        talk.say(f"{plural(len(session), 'sentence')}, saved as {target}; {note}")
        talk.say("Ctrl-C saves and ends. Open:")
        serve(server, show, target.parent, 0 if from_workbench else None)
        active_review.close()
    talk.say(f"saved: {target}")
    talk.say(f"to write its trees into your file: {command_back(text, target)}")


def command_back(source: str, trees: Path) -> str:
    """Return the command that writes reviewed trees where the user wants them: into the text they come from, where its format has a place for them.

    >>> command_back("texts/story.flextext", Path("texts/story.trees.reviewed.conllu"))
    'proj convert texts/story.trees.reviewed.conllu texts/story.trees.flextext --into texts/story.flextext'
    """
    from divproj.review.workbench import INTO

    path = Path(source)
    if path.suffix.lower() in INTO:
        out = path.with_name(f"{path.stem}.trees{path.suffix}")
        return f"proj convert {shell_word(trees)} {shell_word(out)} --into {shell_word(path)}"
    return f"proj convert {shell_word(trees)} OUT --into FILE (a FLEx, ELAN or Toolbox file)"


def serve(server: PageServer, show: bool, folder: Path, parent: int | None = None) -> None:
    """Say the address and serve until Ctrl-C, a polite request to end, or the end of `parent`, at the other end of that pipe.

    With `show` the browser opens a file in the folder that leads to the address: the words of a command, and so the address
    with its token, can be read by every user of the machine, the file only by this one.
    """
    ended = threading.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: ended.set())
    threading.Thread(target=server.serve_forever, name="server", daemon=True).start()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent, ended), name="parent", daemon=True).start()
    talk.idle()
    print(server.url, flush=True)  # noqa: T201
    with ExitStack() as opened:
        if show:
            import webbrowser

            webbrowser.open(opened.enter_context(server.leading_file(folder)).as_uri())
        while not ended.wait(1):  # a wait without end would not hear Ctrl-C everywhere
            pass
    server.shutdown()
    server.server_close()


def _line(handle: int) -> str:
    """The first line of an open file, read byte by byte: nothing of what follows is taken."""
    line = b""
    while (byte := os.read(handle, 1)) not in (b"", b"\n"):
        line += byte
    return line.decode("utf-8", "replace").strip()


def _end_with(pipe: int, ended: threading.Event) -> None:
    """Wait until the other end of a pipe is closed."""
    while os.read(pipe, 1024):
        pass
    ended.set()


COMMAND = (sys.executable, "-P", "-m", "divproj")  # -P: modules that lie among the texts are not ours


def workbench(folder: Path, port: int, show: bool) -> None:
    """Serve the workbench of a folder until Ctrl-C."""
    from divproj.review.workbench import Workbench, WorkbenchServer

    with closing(Workbench(folder, COMMAND, texts)) as bench:
        server = WorkbenchServer(bench, port)
        count = len(bench.names())
        talk.say(f"{count} text{'s' * (count != 1)} in {folder}; results go to {folder / 'divproj-work'}")
        talk.say("Ctrl-C saves and ends. Open:")
        serve(server, show, folder)


def texts(folder: Path) -> list[str]:
    """The files of a folder that are texts, or trees."""
    from divproj.run.scaffold import look

    contents = look(folder)
    return [*contents.text, *contents.gold]


def ensure_trees(source: str) -> str:
    """The file to review: `source` itself if it has trees, else trees projected from it, beside it."""
    import subprocess

    from divproj.core.errors import ProjError, Where
    from divproj.io.trees.conllu import is_conllu
    from divproj.review.document import beside, journal_file, set_aside
    from divproj.runtime.leftovers import name_beside

    path = Path(source)
    if not path.is_file() or is_conllu(path):
        return source
    target = path.absolute().with_name(name_beside(path.name, ".trees.conllu"))
    if target.exists() and path.stat().st_mtime_ns > target.stat().st_mtime_ns:
        if journal_file(beside(target)).exists():
            talk.caution(
                f"{path.name} has changed since {target.name} was made, whose review goes on; "
                f"move {target.name} and its review away to project the text anew"
            )
        else:
            kept = set_aside(target)
            talk.say(f"{path.name} has changed since its trees were made, which are now {kept and kept.name}")
    if not target.exists():
        talk.say(f"{path.name} has no trees yet: projecting them into {target.name}")
        if subprocess.run([*COMMAND, "project", str(path.absolute()), "-o", str(target)]).returncode:
            raise ProjError("no trees could be projected", Where(source), "`proj check` says what is wrong with the text")
    return str(path.with_name(target.name))

"""`proj review`: correct projected trees in a browser."""

from __future__ import annotations

import signal
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.data.pair import Pair
    from divproj.io.sources import Sources
    from divproj.projection.direct import ProjectionInput
    from divproj.review.document import Document
    from divproj.review.examples import ProjectionInputs
    from divproj.review.journal import Journal
    from divproj.review.server import Server

ALONE = "only correction is possible: learning needs the trees of the translations (--e FILE.conllu or --e-parser COMMAND)"


def review(
    source: Annotated[
        str, typer.Argument(metavar="FILE|FOLDER", help="CoNLL-U as `proj project` writes it, a text, or a folder of texts.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="What to save.  \\[default: NAME.reviewed.conllu]")
    ] = None,
    e: Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U with the trees of the translations.")] = None,
    links: Annotated[
        str | None,
        typer.Option("--links", "--align", metavar="FILE", help="Word links F-E in Pharaoh form, one line per sentence."),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option("--source", metavar="INPUT", help="What FILE was projected from (interlinear text, corpus folder)."),
    ] = None,
    e_parser: Annotated[
        str | None, typer.Option("--e-parser", metavar="COMMAND", help="Parses the translations, as in `proj project`.")
    ] = None,
    format_: common.FormatOption = None,
    tiers: common.TiersOption = None,
    markers: common.MarkersOption = None,
    lang: common.LangOption = "en",
    encoding: common.EncodingOption = "",
    grams: Annotated[
        list[Path] | None, typer.Option("--grams", metavar="FILE", help="Your own gloss abbreviations (TSV).")
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="Train this system on the gold sentences, instead of adding to the trees in use.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    home: Annotated[str, typer.Option("--home", hidden=True, help="Where the page leads back to.")] = "",
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew; an earlier review is kept under another name.")] = False,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Correct trees in a browser, and learn from the corrections.

    Prints an address on 127.0.0.1 to open. Every change is on disk before the page shows it as done; Ctrl-C saves and ends.

    Example: proj review trees.conllu --e translations.conllu
    """
    talk.set(quiet, verbose)
    from proj_cli.workbench import projected, workbench

    if Path(source).is_dir():
        workbench(Path(source), port, show)
        return
    source = projected(source)
    from divproj.io.sources import Sources
    from divproj.review.document import Document
    from divproj.review.journal import keep_other
    from divproj.review.retrain import AdaptingLearner, ProjectionLearner
    from divproj.review.server import Review, Server
    from divproj.review.session import Session

    if source == "-":
        raise typer.BadParameter("a file is needed here: the result is saved beside it")
    target = output or beside(Path(source))
    learner = ProjectionLearner(system) if system else AdaptingLearner()
    document = Document.open(source, common.faults_for(strict))
    journal = journal_for(document, target, fresh)
    with closing(journal):
        session = Session(document, journal)
        if kept := keep_other(target, session.bytes()):
            talk.caution(f"{target} is not what its journal gives: it is kept as {kept.name}")
        if journal.entries:
            talk.say(f"{len(journal.entries)} changes of an earlier review taken up from {journal.path.name}")
        reader = common.reader_options(format_, tiers, markers, lang, encoding)
        sources = Sources(origin or source, e, links, e_parser, None, tuple(grams or ()), reader=reader)
        found, told = bitexts_for(document, sources, strict)
        made = Review(session, target, learner=learner, bitexts=found, name=system or "the review", why_not=told)
        made.home = home
        server = Server(made, port)
        if journal.entries:
            made.save()
        talk.say(f"{len(session)} sentence{'s' * (len(session) != 1)}, saved as {target}; {told}")
        talk.say("Ctrl-C saves and ends. Open:")
        serve(server, show)
        made.close()
    talk.say(f"saved: {target}")


def serve(server: Server, show: bool) -> None:
    """Say the address and serve until Ctrl-C or a polite request to end."""
    ended = threading.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: ended.set())
    threading.Thread(target=server.serve_forever, name="server", daemon=True).start()
    talk.idle()
    print(server.url, flush=True)  # noqa: T201
    if show:
        import webbrowser

        webbrowser.open(server.url)
    while not ended.wait(1):  # a wait without end would not hear Ctrl-C everywhere
        pass
    server.shutdown()
    server.server_close()


def beside(path: Path) -> Path:
    """`trees.conllu` → `trees.reviewed.conllu`."""
    name = path.name.removesuffix(".gz").removesuffix(".conllu")
    return path.with_name(f"{name}.reviewed.conllu")


def journal_for(document: Document, target: Path, fresh: bool) -> Journal:
    """The journal beside the output; refuses to write over what no journal accounts for."""
    from divproj.data.errors import ProjError, Where
    from divproj.review.journal import Journal, set_aside

    path = target.with_name(f"{target.name}.journal")
    if target.resolve() == Path(document.path).resolve():
        raise ProjError("the output is the file itself", Where(str(target)), "give another name with -o")
    if fresh:
        for old in (path, target):
            kept = set_aside(old)
            if kept:
                talk.say(f"the earlier {old.name} is now {kept.name}")
    elif target.exists() and not path.exists():
        raise ProjError(
            "is there already, and no journal beside it says how it came about",
            Where(str(target)),
            f"review it itself (proj review {target.name}), name another with -o, or begin anew with --fresh",
        )
    about = {"input": Path(document.path).name, "sha256": document.digest, "bytes": document.size}
    return Journal(path, about, target)


def bitexts_for(document: Document, sources: Sources, strict: bool) -> tuple[ProjectionInputs, str]:
    """What projection may see of the sentences, and what is to be said of it.

    Files that were named are read at once, so that faults are reported; translations are parsed only for learning.
    """
    from divproj.review.examples import ProjectionInputs

    if any((sources.e, sources.links, sources.e_parser, sources.path != document.path)):
        found = read_bitexts(document, sources, strict)
        return ProjectionInputs(found), f"{len(found)} to learn with"
    if in_the_box() and any(block.sentence.comment("text_en") for block in document.blocks):
        return ProjectionInputs(
            read=lambda: read_bitexts(document, sources, strict)
        ), "the translations will be parsed for learning"
    return ProjectionInputs(), ALONE


def in_the_box() -> bool:
    """Whether there is a parser for the translations."""
    from divproj.data.errors import ProjError
    from divproj.runtime.resources import folder

    try:
        return (folder("languages") / "en" / "model.json").is_file()
    except ProjError:
        return False


def read_bitexts(document: Document, sources: Sources, strict: bool) -> dict[int, ProjectionInput]:
    """What projection may see of each sentence, by its place."""
    from divproj.data.errors import ProjError
    from divproj.projection.prepare import prepared_text

    faults = common.faults_for(strict)
    found = list(talk.progress(prepared_text(sources, faults), "reading sentence"))
    talk.summary(faults)
    paired = placed(document, found)
    if not paired:
        raise ProjError(f"no sentence of {sources.path} is in {document.path}", remedy="their words must be the same")
    return paired


def placed(document: Document, found: list[Pair]) -> dict[int, ProjectionInput]:
    """ProjectionInputs by the place of the sentence with the same id and words, or, without ids, the next one with the same words."""
    from divproj.projection.direct import ProjectionInput

    waiting: dict[tuple[str, tuple[str, ...]], list[ProjectionInput]] = {}
    for pair in reversed(found):
        if len(pair.e):
            waiting.setdefault((pair.sent_id, pair.f.forms), []).append(ProjectionInput.of(pair))
    made = {}
    for n, block in enumerate(document.blocks):
        same = waiting.get((block.sentence.sent_id, block.sentence.forms))
        if same:
            made[n] = same.pop()
    return made

"""The one way from sentence pairs to trees: read → parse → link → adapt → project → rows.

    chunk of files ──read──▶ pairs ──Preparation.parse──▶ E trees ──Preparation.link──▶ links
        ──Projector.adapt──▶ state ──System.project──▶ Projection ──annotate──▶ rows of CoNLL-U

`project_corpus` goes it for files (`proj project`, `proj parse --model`); `Projector.projections` goes it from prepared pairs on
(Python, `proj run`, review). Systems that look at one sentence at a time do all of it chunk by chunk in the workers; for systems that
adapt to a text, workers parse and link, the text is adapted to here, and workers project with that state.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from divproj.data.errors import AlignmentError, Faults, ProjError, Where
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.io import conllu, pharaoh
from divproj.io.corpus import Chunk, Corpus
from divproj.io.files import reading, writing
from divproj.io.shards import in_shards
from divproj.io.trees import Trees, as_sentence, gathered, written
from divproj.projection import rulefile, systems
from divproj.projection.base import System
from divproj.projection.calibration import calibrated
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.output import annotated
from divproj.projection.prepare import Preparation, gram_table, prepared, prepared_text
from divproj.projection.registry import AUTO, named
from divproj.projection.summary import Summary
from divproj.runtime.engine import HERE, Place, Say, run, stamp
from divproj.runtime.resources import folder

if TYPE_CHECKING:
    from divproj.projection.projector import Projector

T = TypeVar("T")
CHUNK = 100
"""Sentences that a worker projects at a time."""
ADAPT_LIMIT = 5000
"""Sentences from which a system learns the statistics of a text; longer texts are projected as they are read, with the same statistics."""


@dataclass(frozen=True)
class TextSource:
    """Where the trees of E and the links of a text come from."""

    parser: str | None = None
    """The language or model that parsed E, `auto` for the pack of its language; None where the trees were given."""
    linked: bool = True
    """Whether the links were given."""
    name: str = ""
    """Of the file, for messages."""


GIVEN = TextSource()


@dataclass(frozen=True)
class Plan:
    """A projection system by its files, and their stamps: a worker loads it once."""

    name: str
    model: Path | None = None
    rules: str | None = None
    grams: tuple[Path, ...] = ()
    stamps: tuple[str, ...] = ()

    @classmethod
    def of(cls, system: str, model: Path | None = None, rules: str | None = None, grams: Sequence[Path] = ()) -> Plan:
        """Return the plan for a system, loaded once here, so that what is wrong with it is said before anything is read."""
        tables = tuple(path.absolute() for path in grams)
        if model is not None:
            name, model, rules = f"model:{model.name}", model.absolute(), None
        else:
            name, rules = system, str(Path(rules).absolute()) if rules and Path(rules).exists() else rules
        stamps = tuple(stamp(path) for path in (model, rules, *tables) if path)
        plan = cls(name, model, rules, tables, stamps)
        load_system(plan)
        return plan


@lru_cache(maxsize=2)
def load_system(plan: Plan) -> System:
    """Return the system of a plan."""
    grams = gram_table(plan.grams, plan.stamps)
    if plan.model is not None:
        from divproj.projection import parser_files  # needs numba

        return parser_files.load(plan.model, grams)
    return systems.make(named(plan.name).code, corrections(plan.rules), grams)


def corrections(path: str | None) -> Any:
    """Return the corrections of a rule file by path, or of a shipped one by name (`deu`)."""
    if path is None:
        return None
    shipped = folder("rules") / f"{path}.json"
    file = str(shipped) if not Path(path).exists() and shipped.exists() else path
    if not Path(file).exists() and "/" not in path and not path.endswith(".json"):
        names = ", ".join(sorted(p.stem for p in folder("rules").glob("*.json")))
        raise ProjError("no such rule file or shipped set of rules", Where(path), f"shipped sets are {names}")
    with reading(file) as stream:
        return _loads(stream.read(), file)


@lru_cache(maxsize=2)
def _loads(text: bytes, path: str) -> Any:
    """The corrections in a rule file, which a command asks for twice."""
    return rulefile.loads(text.decode("utf-8", "replace"), path)


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Cut a stream into lists."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def project_planned(plan: Plan, batch: tuple[Any, Sequence[ProjectionInput]], faults: Faults) -> list[Projection]:
    """Return the projections of sentences that are ready for it: what a worker is asked to do."""
    (state, sentences), system = batch, load_system(plan)
    return [system.project(sentence, state) for sentence in sentences]


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a projected corpus besides its trees."""

    style: str = "ud"
    """Heads of the trees: ud or function."""
    companions: bool = False
    """Whether links and E trees are written too."""
    drawn: bool = False
    """Whether a page is drawn."""
    min_coverage: float = 0.0
    """Trees with a smaller share of linked words are left out."""


def project_corpus(
    projector: Projector,
    corpora: Sequence[Corpus],
    wanted: Wanted,
    faults: Faults,
    workers: Place = HERE,
    on_message: Say | None = None,
    shards: Path | None = None,
) -> Iterator[Trees]:
    """Project every sentence of the first corpus, by the votes of all corpora; trees come as text, chunk by chunk.

    With `shards` workers that do all of a chunk write their trees into files in this folder.
    """
    if projector.rules and not projector.system_ and corpora[0].path != "-":  # so that chunks can go to the workers at once
        first = replace(corpora[0], faults=Faults(strict=False)).pairs(trees=False)
        projector.choose_system(list(islice(first, CHUNK)))
    if projector.plan is not None and not (projector.looks_at_text or projector.phrases or len(corpora) > 1):
        how = projector.preparation.stamped()
        work, read = partial(_project_chunk, projector.plan, how, wanted), corpora[0].chunks
        if shards is not None and not workers.here:
            return in_shards(work, read, faults, workers, shards, on_message or (lambda text: None))
        return run(work, read, faults, workers, on_message)
    return _project_text(projector, corpora, wanted, faults, workers, on_message)


def _project_chunk(plan: Plan, how: Preparation, wanted: Wanted, chunk: Chunk, faults: Faults) -> Trees:
    """All that becomes of a chunk of a corpus, by a system that looks at one sentence at a time."""
    pairs = list(prepared(how, chunk, faults))
    system, table = load_system(plan), how.table
    state = system.adapt(())  # of a system that learns nothing from a text
    projections = (calibrated(system.project(ProjectionInput.of(pair), state), system.code) for pair in pairs)
    return _trees(zip(pairs, projections, strict=True), plan.name, wanted, table)


def _project_text(
    projector: Projector, corpora: Sequence[Corpus], wanted: Wanted, faults: Faults, workers: Place, on_message: Say | None
) -> Iterator[Trees]:
    """All that becomes of a corpus, by a system that adapts to its text."""
    how = projector.preparation
    pairs = prepared_text(corpora[0], how, faults, workers, on_message)
    others = [(source_of(other, how), list(prepared_text(other, how, faults, workers, on_message))) for other in corpora[1:]]
    projections = projector.projections(
        pairs, source_of(corpora[0], how), also=others, workers=workers, on_message=on_message, faults=faults
    )
    for chunk in chunks(projections):
        yield _trees(chunk, projector.system_, wanted, projector.preparation.table)


def source_of(corpus: Corpus, how: Preparation) -> TextSource:
    """Return where the trees of E and the links of a corpus come from."""
    return TextSource(None if corpus.has_trees else how.e_parser or AUTO, bool(corpus.links), corpus.path)


def _trees(items: Iterable[tuple[Pair, Projection]], system: str, wanted: Wanted, table: Any) -> Trees:
    """Projections as text, with links and E trees beside them, or all that a page shows."""
    summary = Summary(system, least=wanted.min_coverage)
    sentences, projections = [], []
    for pair, projection in items:
        assert pair.sentence is not None
        if summary.add(projection, pair.sent_id):
            sentences.append(rows_of(pair, projection, system, table, wanted.style, summary.repairs))
            projections.append(projection)
    links, e_trees = companions(projections) if wanted.companions else ("", "")
    drawable = tuple(projections) if wanted.drawn else ()
    return gathered(sentences, len(sentences), links=links, e_trees=e_trees, projections=drawable, summary=summary)


def rows_of(
    pair: Pair, projection: Projection, system: str, table: Any = None, style: str = "ud", repairs: Any = None
) -> Sentence:
    """Return the rows of F with the tree of a projection; `repairs` counts relations that were made to fit UD."""
    assert pair.sentence is not None
    line = pair.where.line or (pair.igt.where.line if pair.igt else 0)
    return annotated(pair.sentence, projection, system, table, style, line, repairs)


def companions(projections: Sequence[Projection]) -> tuple[str, str]:
    """Return links in Pharaoh form and E trees as CoNLL-U, a place for every sentence."""
    links, e_trees = io.StringIO(), io.StringIO()
    pharaoh.dump((each.bitext.links for each in projections), links)
    conllu.dump((as_sentence(each.bitext.e, each.bitext.sent_id) for each in projections), e_trees)
    return links.getvalue(), e_trees.getvalue()


def check_same_sentences(first: Sequence[Pair], other: Sequence[Pair], name: str) -> None:
    """Raise AlignmentError where another source does not have the F sentences of the first."""
    for k in range(max(len(first), len(other))):
        a, b = (pairs[k] if k < len(pairs) else None for pairs in (first, other))
        if a is None or b is None or a.f.forms != b.f.forms:
            words, expected = ("no sentence" if x is None else f"'{' '.join(x.f.forms[:6])} …'" for x in (b, a))
            raise AlignmentError(
                f"sentence {k + 1} is {words} where the first source has {expected}",
                Where(name, 0, b.sent_id if b else ""),
                "every source must have the same F sentences in the same order",
            )


def write_projections(
    trees: Iterable[Trees],
    source: str,
    output: Path,
    beside: tuple[Path | None, Path | None],
    least: float,
    done: Callable[[], None],
) -> tuple[Summary, list[Projection]]:
    """Write trees as they come, with links and E trees in the files `beside`; return a summary, and the projections to be drawn.

    Nothing is left behind where no sentence has a tree, or none has the share of linked words that `least` asks for.
    """
    projections: list[Projection] = []
    summary, count = Summary(least=least), 0
    with ExitStack() as files:
        out = files.enter_context(writing(output))
        links, e_trees = (files.enter_context(writing(path)) if path else None for path in beside)
        for some in written(trees, out):
            count += some.count
            if some.summary:
                summary.merge(some.summary)
            projections += some.projections
            if links:
                links.write(some.links)
            if e_trees:
                e_trees.write(some.e_trees)
        done()  # all is read: before anything is said of the whole
        if not count and summary.uncovered:
            raise ProjError(f"no tree has {100 * least:.0f} % of its words linked", Where(source), "ask for a lower coverage")
        if not count:
            raise ProjError("no sentence could be projected", Where(source), "the warnings above say why")
    return summary, projections

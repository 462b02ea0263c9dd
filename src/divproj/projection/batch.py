"""Projection of a corpus piece by piece: what a worker of the engine is asked to do."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from divproj.data.errors import Faults, ProjError, Where
from divproj.io import conllu, pharaoh
from divproj.io.corpus import Chunk
from divproj.io.files import reading, writing
from divproj.io.trees import Trees, as_sentence, gathered, written
from divproj.projection import rulefile, systems
from divproj.projection.base import Engine, code_of
from divproj.projection.calibration import calibrated
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.output import annotated
from divproj.projection.prepare import Preparation, prepared
from divproj.projection.registry import named
from divproj.projection.summary import Summary
from divproj.runtime.engine import stamp
from divproj.runtime.resources import folder


@dataclass(frozen=True)
class Plan:
    """A projection system by its files, and their stamp: a worker loads it once."""

    name: str
    model: Path | None = None
    rules: str | None = None
    stamp: str = ""

    @classmethod
    def of(cls, system: str, model: Path | None = None, rules: str | None = None) -> Plan:
        """The plan for a system, loaded once here, so that what is wrong with it is said before anything is read."""
        if model is not None:
            found = cls(f"model:{model.name}", model.absolute(), None, stamp(model))
        else:
            path = str(Path(rules).absolute()) if rules and Path(rules).exists() else rules
            found = cls(system, None, path, stamp(path) if path else "")
        loaded(found)
        return found


@lru_cache(maxsize=2)
def loaded(plan: Plan) -> Engine:
    """What projects."""
    if plan.model is not None:
        from divproj.projection import parser_files  # needs numba

        return parser_files.load(plan.model)
    return systems.engine(named(plan.name).code, corrections(plan.rules))


def corrections(path: str | None) -> Any:
    """A rule file by path, or a shipped one by name (`deu`)."""
    if path is None:
        return None
    shipped = folder("rules") / f"{path}.json"
    found = str(shipped) if not Path(path).exists() and shipped.exists() else path
    if not Path(found).exists() and "/" not in path and not path.endswith(".json"):
        there = ", ".join(sorted(p.stem for p in folder("rules").glob("*.json")))
        raise ProjError("no such rule file or shipped set of rules", Where(path), f"shipped sets are {there}")
    with reading(found) as stream:
        return _loads(stream.read(), found)


@lru_cache(maxsize=2)
def _loads(text: bytes, path: str) -> Any:
    """The corrections in a rule file, which a command asks for twice."""
    return rulefile.loads(text.decode("utf-8", "replace"), path)


def projected(
    plan: Plan, how: Preparation, style: str, beside: bool, drawn: bool, least: float, chunk: Chunk, faults: Faults
) -> Trees:
    """Projected trees of a chunk in a head style, with links and E trees `beside` them, or all that a page shows.

    Trees in which a smaller share of the words than `least` is linked are left out.
    """
    engine, summary = loaded(plan), Summary(plan.name, least=least)
    code = code_of(engine, plan.name)
    grams = how.table
    sentences, made = [], []
    for pair in prepared(how, chunk, faults):
        assert pair.sentence is not None
        found = calibrated(engine.project(ProjectionInput.of(pair)), code)
        if not summary.add(found, pair.sent_id):
            continue
        line = pair.where.line or (pair.igt.where.line if pair.igt else 0)
        sentences.append(annotated(pair.sentence, found, plan.name, grams, style, line, summary.repairs))
        if beside or drawn:
            made.append(found)
    links, e_trees = companions(made) if beside else ("", "")
    drawable = tuple(made) if drawn else ()
    return gathered(sentences, len(sentences), links=links, e_trees=e_trees, projections=drawable, summary=summary)


def project_some(plan: Plan, given: Sequence[ProjectionInput], faults: Faults) -> list[Projection]:
    """Projections of sentences that are ready for it."""
    return [*map(loaded(plan).project, given)]


def companions(found: Sequence[Projection]) -> tuple[str, str]:
    """Links in Pharaoh form and E trees as CoNLL-U, a place for every sentence."""
    links, e_trees = io.StringIO(), io.StringIO()
    pharaoh.dump((each.bitext.links for each in found), links)
    conllu.dump((as_sentence(each.bitext.e, each.bitext.sent_id) for each in found), e_trees)
    return links.getvalue(), e_trees.getvalue()


def write_projections(
    found: Iterable[Trees], source: str, output: Path, beside: tuple[Path | None, Path | None], least: float,
    done: Callable[[], None], *, keep: bool = False,
) -> tuple[Summary, list[Projection]]:  # fmt: skip
    """Write trees as they come, with links and E trees in the files `beside`; a summary, and the projections if they are kept.

    Nothing is left behind where no sentence has a tree, or none has the share of linked words that `least` asks for.
    """
    made: list[Projection] = []
    summary, count = Summary(least=least), 0
    with ExitStack() as files:
        out = files.enter_context(writing(output))
        links, e_trees = (files.enter_context(writing(path)) if path else None for path in beside)
        for trees in written(found, out):
            count += trees.count
            if trees.summary:
                summary.merge(trees.summary)
            if keep:
                made += trees.projections
            if links:
                links.write(trees.links)
            if e_trees:
                e_trees.write(trees.e_trees)
        done()  # all is read: before anything is said of the whole
        if not count and summary.uncovered:
            what = f"no tree has {100 * least:.0f} % of its words linked"
            raise ProjError(what, Where(source), "ask for a lower coverage")
        if not count:
            raise ProjError("no sentence could be projected", Where(source), "the warnings above say why")
    return summary, made

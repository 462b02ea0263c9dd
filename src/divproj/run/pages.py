"""The last stages: how the languages diverge, the trees drawn, and the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.data.pair import Pair
from divproj.data.sentence import confidence_of, misc_value
from divproj.evaluation.trees import las_kind
from divproj.io import conllu
from divproj.io.files import writing
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.expected import Expected
from divproj.projection.pipeline import corrections
from divproj.projection.summary import Summary
from divproj.run import gold as golden
from divproj.run.cache import digest_of, versions
from divproj.run.config import Config
from divproj.run.reading import LINKS, OUTPUT, TREES, read_beside
from divproj.run.stages import MODEL, RULES, SCORES, Job

if TYPE_CHECKING:
    from divproj.drawing.run import Run

DIVERGENCE, DIVERGENCE_PAGE, TREES_PAGE, REPORT, RESULTS = (
    "divergence.json",
    "divergence.html",
    "trees.html",
    "report.html",
    "results.json",
)
LEAST = 30
"""Sentences shown in the report itself, the least sure."""
WARNINGS = 200
"""Warnings of each stage that the report shows."""


def signature(config: Config, inputs: dict[str, str]) -> str:
    """`divproj:0.1.0|cmd:run|…`, after sacrebleu."""
    parts = {
        "divproj": versions()["divproj"],
        "cmd": "run",
        "system": config.system,
        "why": config.why,
        "align": config.value("align", "method"),
        "style": config.value("parse", "style"),
        "las": las_kind(config.value("evaluate", "subtypes")),
        "seed": config.seed,
        "input": digest_of(inputs)[:12],
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def projections(job: Job) -> Iterator[Projection]:
    """What the run projected, read again from its trees."""
    rows = {row.sent_id: row for row in conllu.load(job.before["project"] / OUTPUT) if row is not None}
    kept = [pair for pair in job.pairs() if pair.sent_id in rows]  # others were left out for their coverage
    for pair in read_beside(kept, job.before["project"]):
        row = rows[pair.sent_id]
        misc = row.column(9)
        texts = [confidence_of(cell) for cell in misc]
        reasons: Any = tuple(misc_value(cell, "Proj") for cell in misc)
        sure = tuple(map(float, texts)) if all(texts) else ()
        yield Projection(ProjectionInput.of(pair), tuple(map(int, row.column(6))), reasons, sure, row.column(7))


def analyze(job: Job) -> None:
    """Match, remove, merge and swap between the trees: gold F trees where there are any, else the projected ones."""
    from divproj.divergence.analysis import analyze as analysed
    from divproj.divergence.operations import alter
    from divproj.drawing.html import write_report

    pairs: list[Pair] = []
    if "gold" in job.before:
        for part in (golden.GOLD, golden.HELD):
            pairs += golden.read_pairs(job.before["gold"] / part)
    kind = "gold" if pairs else "projected"
    if not pairs:
        pairs = [Pair(p.tree, p.bitext.e, p.bitext.links, p.bitext.sent_id) for p in projections(job) if len(p.bitext.e)]
    shares: list[float] = []
    result = analysed(pairs, each=lambda pair, share: shares.append(share))
    least = sorted(range(len(pairs)), key=lambda n: (shares[n], n))[: job.config.value("report", "pictures")]
    with writing(job.out / DIVERGENCE) as out:
        out.write(json.dumps({"trees": kind, **result.as_json()}, ensure_ascii=False, indent=1) + "\n")
    with writing(job.out / DIVERGENCE_PAGE) as out:
        drawn = (alter(pairs[n], extended=result.extended, compiled=len(least) > 300) for n in sorted(least))
        title = f"{job.config.title}: divergence" + (" of projected trees" if kind == "projected" else "")
        write_report(result, drawn, out, title=title, signature=signature(job.config, job.inputs))
    job.facts |= {
        "trees": kind,
        "sentences": result.sentences,
        "stages": {direction: result.stage_counts(direction) for direction in ("e_to_f", "f_to_e")},
        "dorr": {name: result.dorr[name] for name in result.examples},
    }


def draw(job: Job) -> None:
    """The projected trees on a page, the least sure first."""
    from divproj.drawing.projected import write_projections

    most = job.config.value("report", "pictures")
    found = list(projections(job))
    if len(found) > most:
        found = [found[n] for n in sorted(_least_sure(found)[:most])]
    with writing(job.out / TREES_PAGE) as out:
        sign = signature(job.config, job.inputs)
        title, system = f"{job.config.title}: trees", job.earlier["project"]["system"]
        write_projections(found, out, title=title, signature=sign, system=system, expected=_expected(job.earlier))
    job.facts |= {"drawn": len(found)}


def _least_sure(found: list[Projection]) -> list[int]:
    """Places, the least sure sentence first; without confidences those with the fewest links."""

    def sure(n: int) -> float:
        own = found[n]
        return sum(own.confidence) / len(own.confidence) if own.confidence else own.coverage

    return sorted(range(len(found)), key=lambda n: (sure(n), n))


def report(job: Job) -> None:
    """`report.html` and `results.json`."""
    from divproj.drawing.run import write_run

    scores = json.loads((job.before["evaluate"] / SCORES).read_text(encoding="utf-8")) if "evaluate" in job.before else {}
    scores.setdefault("expected", summary(job.earlier)["expected"])
    config, sign = job.config, signature(job.config, job.inputs)
    results = {
        "signature": sign,
        "language": config.language,
        "seed": config.seed,
        "versions": versions(),
        "settings": settings(config),
        "inputs": job.inputs,
        "stages": {
            name: {key: fact for key, fact in facts.items() if not key.endswith("_ids")} for name, facts in job.earlier.items()
        },
        "scores": scores,
        "warnings": {name: len(told) for name, told in job.warnings.items() if told},
        "files": _digests(job),
    }
    with writing(job.out / RESULTS) as out:
        out.write(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    with writing(job.out / REPORT) as out:
        write_run(_run(job, sign, scores), out)


def _run(job: Job, sign: str, scores: dict[str, Any]) -> Run:
    """All that the report shows."""
    from divproj.drawing.run import Run
    from divproj.projection.explain import say

    found = list(projections(job))
    rules = [*say(corrections(str(job.before["learn"] / RULES)), weights=True)] if "learn" in job.before else []
    return Run(
        title=job.config.title,
        signature=sign,
        facts=job.earlier,
        scores=scores,
        rules=[line for line in rules if line.strip()],
        least=[found[n] for n in _least_sure(found)[:LEAST]],
        settings=settings(job.config),
        inputs=job.inputs,
        versions=versions(),
        warnings={name: told[:WARNINGS] for name, told in job.warnings.items() if told},
        more={name: max(0, len(told) - WARNINGS) for name, told in job.warnings.items()},
        files=sorted({name + ("/" if name == MODEL else "") for name in published(job.before)} | {RESULTS}),
    )


def summary(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What a run did, as `Summary.as_json`; its accuracy with what gold sentences say of it."""
    found = dict(facts["project"]["summary"])
    return found | {"expected": facts["evaluate"]["expected"]} if "evaluate" in facts else found


def _expected(facts: Mapping[str, Mapping[str, Any]]) -> Expected | None:
    return Expected.from_json(summary(facts)["expected"])


def said(facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What a run did, in the lines of `Summary`."""
    return Summary.from_json(summary(facts)).lines()


def _digests(job: Job) -> dict[str, str]:
    """Digests of what the run published before its report."""
    made = {name: job.digests[stage][file] for name, (stage, file) in _files(job.before).items() if name != MODEL}
    return {**made, **job.digests.get("train", {})}


def settings(config: Config) -> dict[str, dict[str, Any]]:
    return {
        table: {key: list(v) if isinstance(v, tuple) else v for key, v in keys.items()} for table, keys in config.said.items()
    }


def _files(before: dict[str, Path]) -> dict[str, tuple[str, str]]:
    """Published name → the stage and its file."""
    names = {
        OUTPUT: ("project", OUTPUT),
        LINKS: ("align", LINKS),
        TREES: ("parse", TREES),
        RULES: ("learn", RULES),
        MODEL: ("train", MODEL),
        DIVERGENCE_PAGE: ("analyze", DIVERGENCE_PAGE),
        TREES_PAGE: ("draw", TREES_PAGE),
    }
    made = {name: found for name, found in names.items() if found[0] in before}
    for name in (LINKS, TREES):  # where trees were left out, those beside them are, too
        if "project" in before and (before["project"] / name).exists():
            made[name] = ("project", name)
    return made


def published(before: dict[str, Path]) -> dict[str, Path]:
    """What lies at the top of the results folder, by name, and the output it is a copy of."""
    made = {name: before[stage] / file for name, (stage, file) in _files(before).items()}
    if "report" in before:
        made |= {name: before["report"] / name for name in (REPORT, RESULTS)}
    return made

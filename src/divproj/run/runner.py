"""Run a config: decide which stages must be run and why, run them, and publish the results.

    read → parse → align → gold → learn, train → project → evaluate → analyze, draw → report

`STAGES` has these stages, the earlier stages that each reads from, and the keys of the config that it depends on. `Run.plan`
says of each stage whether its cached output is kept or it must be run, and why; `Run.execute` runs it. The stages `analyze`,
`draw` and `report` are defined here, the others in `divproj.run.stages`.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import count, tee
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

from divproj.core.errors import Faults, ProjError, Where
from divproj.core.pair import Pair
from divproj.core.sentence import confidence_of, misc_value
from divproj.evaluation.trees import las_kind
from divproj.io.files import E_FILE, F_FILE, IGT_FILE, LINKS_FILE, in_folder, writing
from divproj.parsing.language import available
from divproj.projection.confidence import Expected
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.phrasal.phrase_pairs import AUTO
from divproj.projection.pipeline import Summary, corrections
from divproj.run import stages
from divproj.run import texts as golden
from divproj.run.cache import StageRecord, Store, digest_of, file_digest, versions
from divproj.run.config import Config
from divproj.run.stages import MODEL, RULES, SCORES, StageJob, Tick
from divproj.run.texts import LINKS, OUTPUT, TREES, read_beside
from divproj.runtime.engine import HERE, Say, Workers
from divproj.runtime.modelfile import ARRAYS, META

if TYPE_CHECKING:
    from divproj.drawing.run import RunReport


DIVERGENCE, DIVERGENCE_PAGE, TREES_PAGE, REPORT, RESULTS = (
    "divergence.json",
    "divergence.html",
    "trees.html",
    "report.html",
    "results.json",
)
LEAST = 30
"""Sentences shown in the report, those of lowest confidence."""
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


def projections(job: StageJob) -> Iterator[Projection]:
    """Yield the projections of the run, read from its output."""
    rows, again = tee(job.with_projections())
    for pair, (_, row) in zip(read_beside((pair for pair, _ in rows), job.before["project"]), again, strict=True):
        misc = row.column(9)
        texts = [confidence_of(cell) for cell in misc]
        reasons: Any = tuple(misc_value(cell, "Proj") for cell in misc)
        sure = tuple(map(float, texts)) if all(texts) else ()
        yield Projection(ProjectionInput.of(pair), tuple(map(int, row.column(6))), reasons, sure, row.column(7))


def analyze(job: StageJob) -> None:
    """Match, remove, merge and swap between the trees: gold F trees where there are any, else the projected ones."""
    from divproj.divergence.analysis import analyze as analysed
    from divproj.divergence.operations import alter
    from divproj.drawing.html import PROJECTED_TREES, write_report

    pairs: Iterable[Pair] = []
    if "gold" in job.before:
        pairs = [pair for part in (golden.GOLD, golden.HELD) for pair in golden.read_pairs(job.before["gold"] / part)]
    kind = "gold" if pairs else "projected"
    if not pairs:
        pairs = (
            Pair(p.tree, p.sentence.e, p.sentence.links, p.sentence.sent_id, glosses=p.sentence.glosses)
            for p in projections(job)
            if len(p.sentence.e)
        )
    waiting: deque[Pair] = deque()
    most = job.config.value("report", "pictures")
    least: list[tuple[float, int, Pair]] = []
    places = count()

    def read() -> Iterator[Pair]:
        for pair in pairs:
            waiting.append(pair)
            yield pair

    def compare(_: Pair, share: float) -> None:
        least.append((share, next(places), waiting.popleft()))
        if len(least) > 2 * most:
            least[:] = nsmallest(most, least)

    result = analysed(read(), each=compare)
    in_order = sorted((place, pair) for _, place, pair in nsmallest(most, least))
    with writing(job.out / DIVERGENCE) as out:
        out.write(json.dumps({"trees": kind, **result.as_json()}, ensure_ascii=False, indent=1) + "\n")
    with writing(job.out / DIVERGENCE_PAGE) as out:
        drawn = (alter(pair, extended=result.extended, compiled=len(in_order) > 300) for _, pair in in_order)
        title = f"{job.config.title}: divergence" + (" of projected trees" if kind == "projected" else "")
        note = f"Measured on {PROJECTED_TREES if kind == 'projected' else 'gold trees'}."
        write_report(result, drawn, out, title=title, signature=signature(job.config, job.inputs), note=note)
    job.facts |= {
        "trees": kind,
        "sentences": result.sentences,
        "stages": {direction: result.stage_counts(direction) for direction in ("e_to_f", "f_to_e")},
        "dorr": {name: result.dorr[name] for name in result.examples},
    }


def draw(job: StageJob) -> None:
    """Draw projected trees on a page: all, or those of lowest confidence if there are more than `report.pictures`."""
    from divproj.drawing.projected import write_projections

    least = sorted(_least_sure(job, job.config.value("report", "pictures")), key=lambda row: row[0])
    projected = [projection for _, projection in least]
    with writing(job.out / TREES_PAGE) as out:
        sign = signature(job.config, job.inputs)
        title, system = f"{job.config.title}: trees", job.earlier["project"]["system"]
        write_projections(projected, out, title=title, signature=sign, system=system, expected=_expected_accuracy(job.earlier))
    job.facts |= {"drawn": len(projected)}


def _least_sure(job: StageJob, most: int) -> list[tuple[int, Projection]]:
    """Return the projections of lowest mean confidence with their places, lowest first; without confidences those of lowest coverage."""

    def sure(projection: Projection) -> float:
        return sum(projection.confidence) / len(projection.confidence) if projection.confidence else projection.coverage

    rows = ((sure(projection), place, projection) for place, projection in enumerate(projections(job)))
    return [(place, projection) for _, place, projection in nsmallest(most, rows)]


def report(job: StageJob) -> None:
    """Write `report.html` and `results.json`."""
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
        "warnings": {name: len(messages) for name, messages in job.warnings.items() if messages},
        "files": _digests(job),
    }
    with writing(job.out / RESULTS) as out:
        out.write(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    with writing(job.out / REPORT) as out:
        write_run(_run(job, sign, scores), out)


def _run(job: StageJob, sign: str, scores: dict[str, Any]) -> RunReport:
    """Return what the report shows."""
    from divproj.drawing.run import RunReport
    from divproj.projection.rulefile import say

    rules = [*say(corrections(str(job.before["learn"] / RULES)), weights=True)] if "learn" in job.before else []
    return RunReport(
        title=job.config.title,
        signature=sign,
        facts=job.earlier,
        scores=scores,
        rules=[line for line in rules if line.strip()],
        least=[projection for _, projection in _least_sure(job, LEAST)],
        settings=settings(job.config),
        inputs=job.inputs,
        versions=versions(),
        warnings={name: messages[:WARNINGS] for name, messages in job.warnings.items() if messages},
        more={name: max(0, len(messages) - WARNINGS) for name, messages in job.warnings.items()},
        files=sorted({name + ("/" if name == MODEL else "") for name in published_files(job.before)} | {RESULTS}),
    )


def summary(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a run's summary as `Summary.as_json`; its expected accuracy takes gold sentences into account."""
    totals = dict(facts["project"]["summary"])
    return totals | {"expected": facts["evaluate"]["expected"]} if "evaluate" in facts else totals


def _expected_accuracy(facts: Mapping[str, Mapping[str, Any]]) -> Expected | None:
    return Expected.from_json(summary(facts)["expected"])


def summary_lines(facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a run's summary as the lines of `Summary`."""
    return Summary.from_json(summary(facts)).lines()


def _digests(job: StageJob) -> dict[str, str]:
    """Digests of what the run published before its report."""
    digests = {name: job.digests[stage][file] for name, (stage, file) in _files(job.before).items() if name != MODEL}
    return {**digests, **job.digests.get("train", {})}


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
    files = {name: source for name, source in names.items() if source[0] in before}
    for name in (LINKS, TREES):  # where trees were left out, those beside them are, too
        if "project" in before and (before["project"] / name).exists():
            files[name] = ("project", name)
    return files


def published_files(before: dict[str, Path]) -> dict[str, Path]:
    """What lies at the top of the results folder, by name, and the output it is a copy of."""
    files = {name: before[stage] / file for name, (stage, file) in _files(before).items()}
    if "report" in before:
        files |= {name: before["report"] / name for name in (REPORT, RESULTS)}
    return files


State = Literal["kept", "run", "may run"]
Options = dict[str, Any]
REASONS = 3
"""Most reasons that are named for doing a stage again."""
_GENERAL = "the settings or the input changed"


@dataclass(frozen=True)
class RunStage:
    """A stage: what it does, which stages it reads from, and what else its outputs depend on."""

    name: str
    work: Callable[[StageJob], None]
    after: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    """Keys of the config that it depends on; of files, the contents."""
    also: Callable[[Config], Options] = lambda config: {}
    wanted: Callable[[Config], bool] = lambda config: True


@dataclass(frozen=True)
class Step:
    """What is planned for a stage, and why."""

    stage: str
    state: State
    why: str


@dataclass
class Outcome:
    """The outcome of a run: its steps, facts, warnings and signature."""

    folder: Path
    steps: list[Step] = field(default_factory=list)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    kept_files: list[str] = field(default_factory=list)
    """Names of results that a person had changed, kept under another name."""
    warnings: int = 0
    signature: str = ""


def _title_options(config: Config) -> Options:
    return {"title": config.title, "system": config.system, "signature": signature(config, input_digests(config))}


def _all(*tables: str) -> tuple[tuple[str, str], ...]:
    from divproj.run.config import KEYS

    return tuple((table, key) for table in tables for key in KEYS[table])


def _has_gold_trees(config: Config) -> bool:
    return bool(config.gold) or isinstance(config.held_out, Path)


def _learns(config: Config) -> bool:
    return config.rules is not None or config.learns


STAGES = (
    RunStage("read", stages.read, (), tuple(("input", key) for key in ("text", "format", "lang", "encoding", "tiers", "markers", "columns", "f", "e", "trees", "links"))),
    RunStage("parse", stages.parse, ("read",), (*_all("parse"), ("input", "trees"))),
    RunStage("align", stages.align, ("read", "parse"), _all("align")),
    RunStage("gold", stages.gold, ("read", "parse", "align"), (("input", "gold"), ("evaluate", "held_out")), wanted=_has_gold_trees),
    RunStage("learn", stages.learn, ("gold",), (("project", "rules"), ("project", "types")), lambda c: {"title": c.title, "learns": c.learns, "rules for": stages.rules_system(c), "whole text": stages.observes(c)}, _learns),
    RunStage("train", stages.train, ("gold",), (*_all("train"), ("project", "types")), lambda c: {"system": c.system}, lambda c: c.trains),
    RunStage("project", stages.project, ("read", "parse", "align", "learn", "train"), (*(key for key in _all("project") if key[1] not in ("system", "rules")), ("align", "grams")),
          lambda c: {"system": c.system, "why": c.why}),
    RunStage("evaluate", stages.evaluate, ("read", "parse", "align", "gold", "project"), _all("evaluate"),
          lambda c: {"systems": list(c.systems)}, lambda c: _has_gold_trees(c) or bool(c.links) or c.value("align", "method") != "auto"),
    RunStage("analyze", analyze, ("read", "parse", "align", "gold", "project"), _all("report"), _title_options),
    RunStage("draw", draw, ("read", "parse", "align", "project", "evaluate"), _all("report"), _title_options),
    RunStage("report", report, ("read", "parse", "align", "gold", "learn", "train", "project", "evaluate", "analyze", "draw"),
          _all(""), lambda c: {**_title_options(c), "settings": settings(c)}),
)  # fmt: skip
NAMES = tuple(stage.name for stage in STAGES)


def stages_of(config: Config) -> list[RunStage]:
    """The stages that this config has; learning reads the text where its system observes that."""
    more = ("read", "parse", "align", "gold") if stages.observes(config) else ("gold",)
    candidates = (replace(stage, after=more) if stage.name in ("learn", "train") else stage for stage in STAGES)
    return [stage for stage in candidates if stage.wanted(config)]


def files_of(config: Config, table: str, key: str) -> dict[str, Path]:
    """Files behind a key of the config, by the name that it gives them."""
    said = config.value(table, key)
    match table, key:
        case "input", "f" | "e":
            path = config.f if key == "f" else config.e
            return {said: path} if path else {}
        case "input", "text" | "trees" | "links" | "gold":
            return dict(zip(said, getattr(config, key), strict=False))
        case "align", "grams" | "dictionary":
            return dict(zip(said, getattr(config, key), strict=True))
        case "evaluate", "held_out":
            return {said: config.held_out} if isinstance(config.held_out, Path) else {}
        case "project", "types":
            return {path.name: path for path in config.types}
        case "project", "rules":
            return {said: config.rules} if config.rules else {}
        case "project", "phrases" | "f_forests":
            path = getattr(config.phrases, key)
            return {said: Path(path)} if path and path != AUTO else {}
        case "project", "also":
            files = (F_FILE, IGT_FILE, E_FILE, LINKS_FILE)
            candidates = {
                f"{name}/{file}": in_folder(path, file) for name, path in zip(said, config.also, strict=True) for file in files
            }
            return {label: path for label, path in candidates.items() if path}
        case "project", "model":
            return _model_files(said, config.model)
        case "parse", "parser":
            if config.parser_model:
                return _model_files(said, config.parser_model)
            packs = available()
            codes = [code for code in packs if "-" not in code] if config.parser == "auto" else [config.parser]
            return {label: file for code in codes for label, file in _model_files(code, packs.get(code)).items()}
    return {}


def _model_files(name: str, path: Path | None) -> dict[str, Path]:
    files = {f"{name}/{file}": path / file for file in (META, ARRAYS)} if path else {}
    return {label: file for label, file in files.items() if file.is_file()}


def input_digests(config: Config) -> dict[str, str]:
    """Digests of all files of a config, by the names that it gives them."""
    keys = dict.fromkeys(key for stage in stages_of(config) for key in stage.keys)
    return {label: _digest(path) for table, key in keys for label, path in files_of(config, table, key).items()}


_seen: dict[tuple[Path, int, int], str] = {}


def _digest(path: Path) -> str:
    """A file's digest, worked out once as long as its time and size stay."""
    try:
        about = path.stat()
    except OSError as error:
        raise ProjError(f"cannot be read: {error.strerror}", Where(str(path))) from None
    key = (path, about.st_mtime_ns, about.st_size)
    if key not in _seen:
        _seen[key] = file_digest(path)
    return _seen[key]


class Run:
    """A run of a config in its results folder."""

    def __init__(self, config: Config, *, force: Sequence[str] = (), start: str = "", workers: Workers = HERE) -> None:
        for name in (*force, *([start] if start else [])):
            if name not in NAMES:
                raise ProjError(f"no stage '{name[:40]}'", remedy=f"there are {', '.join(NAMES)}")
        self.config, self.workers = config, workers
        self.store = Store(config.results)
        self.stages = stages_of(config)
        self.forced = {name: f"--again {name}" for name in force}
        if start:
            self.forced |= dict.fromkeys(NAMES[NAMES.index(start) :], f"--from {start}")
        self.done: dict[str, StageRecord] = {}

    def plan(self) -> Iterator[Step]:
        """What `execute` would do; nothing is changed."""
        self.store.check()
        waiting: dict[str, State] = {}
        for stage in self.stages:
            behind = [name for name in stage.after if name in waiting]
            causes = [name for name in behind if waiting[name] == "run"] or behind
            step = self._step(stage, self._parts(stage, skip=behind), behind, causes)
            if step.state == "kept":
                record = self.store.done(stage.name)
                assert record is not None
                self.done[stage.name] = record
            else:
                waiting[stage.name] = step.state
            yield step

    def _parts(self, stage: RunStage, skip: Sequence[str] = ()) -> dict[str, Any]:
        """Return everything that the outputs of a stage depend on."""
        files = {label: _digest(p) for table, key in stage.keys for label, p in files_of(self.config, table, key).items()}
        said = {f"{table}.{key}" if table else key: self.config.value(table, key) for table, key in stage.keys}
        options = {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}
        return {
            "files": files,
            "options": {**options, **stage.also(self.config), "strict": self.config.strict},
            "versions": versions(),
            "seed": self.config.seed,
            "before": {name: self.done[name].digest for name in stage.after if name in self.done and name not in skip},
        }

    def _step(self, stage: RunStage, parts: dict[str, Any], behind: Sequence[str] = (), causes: Sequence[str] = ()) -> Step:
        name = stage.name
        if name in self.forced:
            return Step(name, "run", self.forced[name])
        done = self.store.done(name)
        if done is None:
            return Step(name, "run", "not done yet")
        if why := _difference(done.parts, parts, behind):
            return Step(name, "run", why)
        if damaged := self.store.damage(name, done):
            return Step(name, "run", f"its output {damaged} is missing or was changed")
        if behind:
            return Step(name, "may run", f"if {' or '.join(causes)} gives something else than before")
        return Step(name, "kept", "nothing has changed")

    def execute(
        self,
        tell: Callable[[Step, float], None] = lambda step, seconds: None,
        warn: Callable[[ProjError], None] | None = None,
        tick: Tick = lambda message, count, total: None,
        on_message: Say | None = None,
    ) -> Outcome:
        """Run the stages that must be run, and publish the results. `tell` is called after a stage, `say` for a lost worker."""
        outcome = Outcome(self.config.results, signature=signature(self.config, input_digests(self.config)))
        with self.store.lock():
            self.store.log(f"run of {self.config.path.name}, {', '.join(f'{n} {v}' for n, v in versions().items())}")
            for stage in self.stages:
                began = time.perf_counter()
                parts = self._parts(stage)
                step = self._step(stage, parts)
                if step.state != "kept":
                    self._work(stage, parts, warn, tick, on_message)
                record = self.store.done(stage.name)
                assert record is not None
                self.done[stage.name] = record
                seconds = time.perf_counter() - began
                self.store.log(f"{stage.name}: {step.state} ({step.why}), {seconds:.2f} s, {len(record.warnings)} warnings")
                tell(step, seconds)
                outcome.steps.append(step)
                outcome.warnings += len(record.warnings)
            for name in NAMES:
                if name not in self.done:
                    self.store.drop(name)
            outcome.kept_files = self.store.publish(published_files({name: self.store.at(name) for name in self.done}))
            for name in outcome.kept_files:
                self.store.log(f"a result that had been changed by hand is now {name}")
            self.store.log("done")
        outcome.facts = {name: done.facts for name, done in self.done.items()}
        return outcome

    def _work(
        self,
        stage: RunStage,
        parts: dict[str, Any],
        warn: Callable[[ProjError], None] | None,
        tick: Tick,
        on_message: Say | None,
    ) -> None:
        config, before = self.config, [name for name in stage.after if name in self.done]
        job = StageJob(
            config, self.store.part(stage.name), {name: self.store.at(name) for name in before},
            {name: self.done[name].facts for name in before}, Faults(config.strict, tell=warn), input_digests(config),
            {name: self.done[name].outputs for name in before}, {name: self.done[name].warnings for name in before}, self.workers, tick, on_message,
        )  # fmt: skip
        try:
            with _to_the_end():
                stage.work(job)
            for name, digest in self._parts(stage)["files"].items():
                if parts["files"].get(name) != digest:
                    raise ProjError(f"{name} was changed while it was read", Where(str(config.path)), "run again")
        except BaseException as error:
            self.store.abandon(stage.name)
            if isinstance(error, ProjError):
                self.store.log(f"{stage.name}: failed: {error}")
            raise
        here = f"{config.path.resolve().parent}/"
        self.store.commit(stage.name, parts, job.facts, [str(fault).replace(here, "") for fault in job.faults.noted])


@contextmanager
def _to_the_end() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end if Ctrl-C made the work end early: its result must not pass for the whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = []
    old = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, old)
    if heard:
        raise KeyboardInterrupt


def _difference(old: dict[str, Any], new: dict[str, Any], behind: Sequence[str]) -> str:
    """What has changed since a stage was done, in a few words; '' for nothing."""
    changes = [f"seed is {new['seed']}, was {old.get('seed')}"] if old.get("seed") != new["seed"] else []
    for kind, said in (("files", "{0} changed"), ("options", "{0} is {2}, was {1}"), ("versions", "{0} is {2}, was {1}")):
        a, b = old.get(kind, {}), new[kind]
        changes += [_describe_change(kind, said, name, a, b) for name in dict.fromkeys((*a, *b)) if a.get(name) != b.get(name)]
    changes = [one for one in dict.fromkeys(changes) if one != _GENERAL] or changes[:1]
    a, b = old.get("before", {}), new["before"]
    if stages := [name for name in dict.fromkeys((*a, *b)) if a.get(name) != b.get(name) and name not in behind]:
        changes.append(f"{_and(stages)} gave something else")
    return ", ".join(
        changes if len(changes) <= REASONS else [*changes[: REASONS - 1], f"{len(changes) - REASONS + 1} more changes"]
    )


def _and(names: Sequence[str]) -> str:
    """
    >>> _and(["learn"]), _and(["learn", "train", "draw"])
    ('learn', 'learn, train and draw')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _describe_change(kind: str, said: str, name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    if kind == "files" and (name not in old or name not in new):
        return f"{name} is {'new' if name in new else 'gone'}"
    if name in ("settings", "signature"):
        return _GENERAL
    shown = [f"{values.get(name)!r:.40}" for values in (old, new)]
    return said.format(name, *shown)

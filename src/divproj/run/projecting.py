"""The stages that learn from gold trees, project, and score."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from divproj.data.errors import ProjError, Where
from divproj.data.options import ProjectOptions
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.io import conllu
from divproj.io.corpus import Corpus
from divproj.io.files import writing
from divproj.parsing.language import pack
from divproj.projection.direct import ProjectionInput
from divproj.projection.pipeline import TextSource, corrections, source_of
from divproj.projection.prepare import Preparation, prepared_text
from divproj.projection.projector import Projector
from divproj.projection.registry import AUTO, named
from divproj.projection.summary import Summary
from divproj.projection.systems import CORRECTED, DEFAULT, PROJECTIONS, RULED, Corrections
from divproj.run import gold as golden
from divproj.run.config import Config
from divproj.run.reading import OUTPUT, write_beside
from divproj.run.stages import MODEL, RULES, SCORES, Job


def gold(job: Job) -> None:
    """The sentences with gold trees, as corpora to learn from and to hold out."""
    config, text, trees = job.config, job.text(), job.trees()
    links = job.links(text, trees)
    sides = []
    for files in (config.gold, (config.held_out,) if isinstance(config.held_out, Path) else ()):
        sides.append(golden.places(text, chain.from_iterable(_checked(job, path) for path in files), job.faults))
    learned, held = sides
    out = set(held) if held else golden.split([*learned], _share(config), config.seed)
    found = {**learned, **held}
    if config.gold and not set(learned) - out:
        raise ProjError("no gold tree is of a sentence of the text", Where(str(config.gold[0])), "the warnings above say why")
    for name, chosen in ((golden.GOLD, set(learned) - out), (golden.HELD, out)):
        pairs = golden.Pairs.of(found, chosen, text, trees, links)
        if pairs:
            pairs.write(job.out / name)
        job.facts[name] = len(pairs)
        job.facts[f"{name}_ids"] = [row.sent_id for row in pairs.rows]


def _checked(job: Job, path: Path) -> list[Sentence]:
    """Trees of a file but for those that were projected and that nobody has marked gold."""
    found = [row for row in conllu.load(path, job.faults) if row is not None]
    gold = [row for row in found if not row.unchecked]
    if len(gold) < len(found) and not job.faults.strict:
        what = f"{len(found) - len(gold)} projected trees without the comment `# gold = yes`"
        job.faults.file(ProjError(what, Where(str(path)), "they are left out: nobody has looked at them"))
    return gold


def _share(config: Config) -> float:
    return 0.0 if isinstance(config.held_out, Path) else config.held_out


def learn(job: Job) -> None:
    """Rules from the gold trees, or the given ones."""
    from divproj.projection import rulefile

    if job.config.rules:
        found = corrections(str(job.config.rules))
    else:
        pairs = job.gold_pairs()
        job.tick("learning rules from", len(pairs), 0)
        about = {"corpora": [job.config.title], "pairs": len(pairs)}
        text = [*map(ProjectionInput.of, job.pairs())] if observes(job.config) else ()
        found = Corrections.learn(pairs, rules_system(job.config), text=text, about=about)
    with writing(job.out / RULES) as out:
        rulefile.dump(found, out)
    job.facts |= {"sentences": found.rules.sentences}


def rules_system(config: Config) -> str:
    """Return the system that the run's rules are learned for; rules for s2+ serve s2-1 to s2-3, too."""
    if config.system in PROJECTIONS:
        return DEFAULT
    return config.system if config.system in RULED else AUTO


def observes(config: Config) -> bool:
    """Whether the system learns from the whole text, too, without its trees."""
    if not config.trains:
        return config.system == CORRECTED
    from divproj.projection import parser_systems

    recipe = parser_systems.RECIPES[config.system]
    return bool(recipe.phrases or recipe.together)


def train(job: Job) -> None:
    """The parser that sees projections."""
    from divproj.projection import parser_files, parser_systems

    pairs = job.gold_pairs()
    job.tick(f"training {job.config.system} on", len(pairs), 0)
    options = {key: job.config.value("train", key) for key in ("epochs", "order", "bits")}
    text = [*map(ProjectionInput.of, job.pairs())] if observes(job.config) else ()
    learned = parser_systems.fit(job.config.system, pairs, text=text, random_state=job.config.seed, **options)
    parser_files.save(
        learned.system, job.out / MODEL, {"pairs": len(pairs), "system": job.config.system, "seed": job.config.seed}
    )
    job.facts |= {"pairs": len(pairs)}


def project(job: Job) -> None:
    """A tree for every sentence of the text."""
    pairs, projector = job.pairs(), _projector(job)
    summary = Summary(projector.system_, job.config.why, job.config.value("project", "min_coverage"))
    parsed = job.earlier["parse"]
    summary.foreign, summary.unparsed = parsed.get("foreign", ""), parsed.get("unparsed", {})
    kept: list[Pair] = []
    sure: list[float] = []
    reasons: dict[str, int] = {}
    with writing(job.out / OUTPUT) as out:
        model = str(job.config.parser_model) if job.config.parser_model else None
        parser = model or (parsed["parser"] if pack(parsed["parser"]) else None)
        source = TextSource(parser, job.earlier["align"]["method"] == "given")
        projections = projector.projections(
            pairs, source, also=_others(job, model), workers=job.place, on_message=job.say, faults=job.faults
        )
        for count, (pair, found) in enumerate(projections, 1):
            job.tick("projecting sentence", count, len(pairs))
            if not summary.add(found, pair.sent_id):
                continue
            kept.append(replace(pair, e=found.bitext.e, links=found.bitext.links) if projector.phrases else pair)
            sure += found.confidence
            for reason in found.reasons:
                reasons[reason] = reasons.get(reason, 0) + 1
            made = projector.with_tree(pair, found).sentence
            assert made is not None
            conllu.dump([made], out)
    if len(kept) < len(pairs) or projector.phrases:
        write_beside(kept, job.out)
    job.facts |= {"system": projector.system_, "sentences": len(kept), "words": sum(len(pair.f) for pair in kept)}
    job.facts["reasons"] = dict(sorted(reasons.items()))
    job.facts["summary"] = summary.as_json()
    job.facts["confidence"] = round(sum(sure) / len(sure), 6) if sure else None


def _others(job: Job, model: str | None) -> list[tuple[TextSource, list[Pair]]]:
    """The same sentences with other translations."""
    parser = job.config.parser
    requested = model or (parser if parser not in ("", "auto", "given") else None)
    how = Preparation(requested, style=job.config.value("parse", "style"))
    texts = [(Corpus(path), how) for path in job.config.also]
    return [(source_of(*text), list(prepared_text(*text, job.faults, job.place, job.say))) for text in texts]


def _projector(job: Job) -> Projector:
    """What the config chose: a model that is given or was trained before, or a system with the rules that were learned."""
    config = job.config
    e_style, style = config.value("parse", "style"), config.value("project", "style")
    how = ProjectOptions(e_style=e_style, style=style, phrases=config.phrases.phrases, paraphrases=config.phrases.paraphrases)
    if config.phrases.f_forests:
        how = replace(how, f_forests=Path(config.phrases.f_forests))
    if config.model:
        return Projector.of(replace(how, model=config.model), grams=config.grams)
    if config.trains:
        made = Projector.of(replace(how, model=job.before["train"] / MODEL), grams=config.grams)
        made.system_ = config.system
        return made
    learned = "learn" in job.before and named(config.system).needs
    return Projector.of(
        replace(how, system=config.system, rules=str(job.before["learn"] / RULES) if learned else None), grams=config.grams
    )


def evaluate(job: Job) -> None:
    """Scores: cross-validation on the gold part, the trees of held-out sentences, links against given ones."""
    from divproj.run.scores import cross_validation, expected, held_out, link_scores

    found: dict[str, Any] = {}
    folds = job.config.value("evaluate", "folds")
    if job.config.gold and folds > 1 and job.earlier["gold"][golden.GOLD] > 1:
        found["cross_validation"] = cross_validation(job, folds)
    if job.earlier.get("gold", {}).get(golden.HELD):
        found["held_out"] = held_out(job)
    if job.earlier["read"]["given_links"] and job.earlier["align"]["method"] != "given":
        found["links"] = link_scores(job)
    known = expected(job, found)
    found["expected"] = known.as_json() if known else None
    job.facts |= {"expected": found["expected"]}
    with writing(job.out / SCORES) as out:
        out.write(json.dumps(found, indent=1, sort_keys=True) + "\n")

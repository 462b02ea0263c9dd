"""The stages of a run from reading to evaluation.

A stage is a function of a `StageJob`: it reads the outputs of earlier stages (`job.before`), writes into `job.out`, and notes
facts and faults for the report. `read` brings the text into one form, `parse` and `align` add trees of the translations and
links, `gold` splits gold trees into those to learn from and those held out, `learn` and `train` make rules or a parser of
them, `project` makes the trees, `evaluate` scores them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.core.errors import Faults, ProjError, Where
from divproj.core.links import Links
from divproj.core.options import ProjectOptions
from divproj.core.pair import Pair
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.io.corpus import LINES, Corpus
from divproj.io.files import writing
from divproj.io.trees import conllu, pharaoh
from divproj.io.trees.conllu import is_conllu
from divproj.parsing.language import pack
from divproj.parsing.translations import choose, note_choice, report_foreign
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.word_types import NO_TYPES, WordTypes
from divproj.projection.pipeline import Summary, TextSource, corrections, source_of
from divproj.projection.prepare import NO_TRANSLATION, Preparation, link_some, parse_some, prepare_text
from divproj.projection.projector import Projector
from divproj.projection.systems import AUTO, CORRECTED, DEFAULT, PROJECTIONS, RULED, Corrections, system_info
from divproj.run import texts as golden
from divproj.run.config import Config
from divproj.run.texts import (
    LINKS,
    OUTPUT,
    TREES,
    instance,
    read_links,
    read_text,
    read_trees,
    with_language,
    with_own_ids,
    write_beside,
    write_text,
    write_trees,
)
from divproj.runtime.engine import HERE, Say, Workers, run, stamp

if TYPE_CHECKING:
    from divproj.core.sentence import Sentence


RULES, MODEL, SCORES = "rules.json", "model", "scores.json"
BATCH = 500
"""Translations that are parsed at a time."""
LINKED = 2000
"""Sentences that are linked through their glosses at a time."""
Tick = Callable[[str, int, int], None]
"""Callback for progress: message, done, total."""


@dataclass
class StageJob:
    """A stage at work: what it reads, where it writes, what it notes."""

    config: Config
    out: Path
    before: dict[str, Path]
    """Folders of the stages before it."""
    earlier: dict[str, dict[str, Any]]
    """Facts of the stages before it."""
    faults: Faults
    inputs: dict[str, str] = field(default_factory=dict)
    """Digests of the run's own files, by the names that the config gives them."""
    digests: dict[str, dict[str, str]] = field(default_factory=dict)
    """Digests of the outputs of the stages before it."""
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What the stages before it warned of."""
    workers: Workers = HERE
    tick: Tick = lambda message, count, total: None
    on_message: Say | None = None
    """Called when a worker was lost; its sentences are repeated."""
    facts: dict[str, Any] = field(default_factory=dict)

    def text(self) -> list[Pair]:
        """The sentences and their translations, without trees."""
        return read_text(self.before["read"])

    def trees(self) -> list[DepTree | None]:
        return read_trees(self.before["parse"] / TREES)

    def links(self, text: Sequence[Pair], trees: Sequence[DepTree | None]) -> list[Links]:
        return read_links(self.before["align"] / LINKS, text, trees)

    def pairs(self) -> list[Pair]:
        """Return the sentences with the trees and links for projection."""
        pairs = read_text(self.before["read"], self.before["parse"] / TREES, self.before["align"] / LINKS)
        return [*map(self.types.apply, pairs)]

    def gold_pairs(self) -> list[Pair]:
        pairs = golden.read_pairs(self.before["gold"] / golden.GOLD)
        if not pairs:
            raise ProjError(
                "no sentence with a gold tree to learn from", Where(str(self.config.path)), "hold out fewer of them"
            )
        return [*map(self.types.apply, pairs)]

    @cached_property
    def types(self) -> WordTypes:
        """What the user says of the word types of the text."""
        tables = [WordTypes.load(path, self.faults) for path in self.config.types]
        return sum(tables[1:], tables[0]) if tables else NO_TYPES


def read(job: StageJob) -> None:
    """Read the text and write it in one form, with the trees and links that are given for it."""
    config = job.config
    pairs: list[Pair] = []
    for pair in with_own_ids(_corpus(config, job.faults).pairs(trees=False)):
        pairs.append(pair)
        job.tick("reading sentence", len(pairs), 0)
    first = Where(str(config.text[0] if config.text else config.f))
    if not pairs:
        raise ProjError("no sentence that can be used", first, "the warnings above say why")
    given = sum(1 for pair in pairs if pair.e.tree is not None)
    pairs = with_language(pairs)
    write_text(pairs, job.out, links=bool(config.links))
    glossed = [instance(pair) for pair in pairs]
    job.facts |= {
        "sentences": len(pairs),
        "words": sum(len(pair.f) for pair in pairs),
        "glossed": sum(1 for igt in glossed if igt.lines_up),
        "translated": sum(1 for igt in glossed if igt.translation),
        "given_trees": given,
        "given_links": sum(1 for pair in pairs if pair.links.known),
    }


def _corpus(config: Config, faults: Faults) -> Corpus:
    """The files of the text, of its translations' trees and of its links."""
    if config.f and config.e:
        format_ = None if is_conllu(config.f) else LINES
        return Corpus(config.f, config.trees, config.links, format=format_, translations=config.e, faults=faults)
    return Corpus(config.text, config.trees, config.links, format=config.format or None, reader=config.reader, faults=faults)


def parse(job: StageJob) -> None:
    """Parse the translations, or take their given trees."""
    config, text = job.config, job.text()
    given = job.before["read"] / TREES
    given_trees = read_trees(given) if given.exists() else [None] * len(text)
    if config.parser == "given" or (
        not config.value("parse", "parser") and any(given_trees) and not config.value("parse", "command")
    ):
        if not any(given_trees):
            message, remedy = (
                "there are no trees of the translations in the text",
                "name them in input.trees, or let parse.parser make them",
            )
            if config.trees:
                message, remedy = (
                    f"no tree of {config.trees[0].name} fits the text",
                    "leave input.trees out: the translations are then parsed",
                )
            raise ProjError(message, Where(str(config.path)), remedy)
        trees, source, lacking = (
            given_trees,
            "given",
            [pair for pair, tree in zip(text, given_trees, strict=True) if tree is None],
        )
    else:
        trees, source, lacking = _parse_translations(job, text)
    if config.value("parse", "style") != "as-is":
        from divproj.ud.head_style import in_style

        trees = [tree and in_style(tree, config.value("parse", "style")) for tree in trees]
    for pair in lacking:
        job.faults.kept(ProjError(NO_TRANSLATION, pair.where))
    write_trees(trees, text, job.out)
    job.facts |= {"parser": source, "parsed": sum(1 for tree in trees if tree is not None)}
    job.facts["e_words"] = sum(len(tree) for tree in trees if tree is not None)


def _parse_translations(job: StageJob, text: Sequence[Pair]) -> tuple[list[DepTree | None], str, list[Pair]]:
    """Trees of the translations, the parsers of most of them first, and the sentences that have no translation."""
    config, command = job.config, job.config.value("parse", "command")
    parser = command or (
        str(config.parser_model) if config.parser_model else None if config.parser == "auto" else config.parser
    )
    how = Preparation(parser, stamps=(stamp(config.parser_model),) if config.parser_model else ())
    choices = choose([*map(instance, text)], parser)
    for pair, choice in zip(text, choices, strict=True):
        note_choice(job.faults, choice, pair.where)
    report_foreign(job.faults, Where(str(config.text[0] if config.text else config.f)))
    trees: list[DepTree | None] = []
    parts = [choices[start : start + BATCH] for start in range(0, len(choices), BATCH)]
    for some in run(partial(parse_some, how), lambda _: parts, None, HERE if command else job.workers, job.on_message):
        trees += some
        job.tick("parsing translation", len(trees), len(text))
    used = Counter(choice.parser for choice in choices if choice.parser and choice.language)
    counted = Summary()
    counted.add_foreign(job.faults)
    job.facts |= {"foreign": counted.foreign, "unparsed": counted.unparsed}
    source = command or (config.parser_model.name if config.parser_model else ", ".join(name for name, _ in used.most_common()))
    return trees, source or "none", [pair for pair, choice in zip(text, choices, strict=True) if not choice.language]


def align(job: StageJob) -> None:
    """Links between the words of every sentence and of its translation."""
    config, text, trees = job.config, job.text(), job.trees()
    instances = [*map(instance, text)]
    method = _method(job)
    if method == "given":
        if config.links:
            links = read_links(job.before["read"] / LINKS, text, trees, job.faults)
        else:  # asked for given links, a sentence without any gets none; asked for nothing, those of its glosses
            strict = config.value("align", "method") == "given"
            links = _link_by_glosses(job, [None if strict and igt.links is None else igt for igt in instances], trees)
    elif method == "gloss":
        links = _link_by_glosses(job, [replace(igt, links=None) for igt in instances], trees)
    else:
        links = _by_words(job, instances, trees)
    with writing(job.out / LINKS) as out:
        pharaoh.dump(links, out)
    linked = sum(len({i for i, _ in alignment.links}) for alignment in links)
    job.facts |= {"method": method, "links": sum(map(len, links)), "linked_words": linked}
    job.facts["unlinked_sentences"] = sum(1 for alignment in links if not len(alignment))


def _method(job: StageJob) -> str:
    """Return the alignment method: the requested one; else given links, glosses if most sentences have them, or words."""
    facts, asked = job.earlier["read"], job.config.value("align", "method")
    if asked == "given" and not facts["given_links"]:
        raise ProjError(
            "align.method is 'given', but the text has no links", Where(str(job.config.path)), "name them in input.links"
        )
    if asked != "auto":
        return str(asked)
    if facts["given_links"]:
        return "given"
    return "gloss" if 2 * facts["glossed"] >= facts["sentences"] else "words"


def _link_by_glosses(job: StageJob, instances: Sequence[Sentence | None], trees: Sequence[DepTree | None]) -> list[Links]:
    how = Preparation(grams=tuple(job.config.grams), stamps=tuple(map(stamp, job.config.grams)))
    text = job.text()
    languages = [choice.language for choice in choose([*map(instance, text)])]
    rows = [*zip(text, instances, trees, languages, strict=True)]
    parts = [
        [(len(pair.f), pair.where, igt, tree, language) for pair, igt, tree, language in rows[start : start + LINKED]]
        for start in range(0, len(rows), LINKED)
    ]
    links: list[Links] = []
    for some in run(partial(link_some, how), lambda _: parts, job.faults, job.workers, job.on_message):
        links += some
        job.tick("aligning sentence", len(links), len(instances))
    return links


def _by_words(job: StageJob, instances: Sequence[Sentence], trees: Sequence[DepTree | None]) -> list[Links]:
    """Link words by the word aligner, with word pairs from glosses and dictionaries."""
    from divproj.links.glosses import GlossAligner
    from divproj.links.word_corpus import WordRow, WordText, align_text, known_pairs
    from divproj.links.word_model import WordAligner, from_links

    config, aligner = job.config, GlossAligner()
    e_side = [tree.forms if tree else () for tree in trees]
    linked = [
        (igt.words, e, [(x.f, x.e, x.score) for x in aligner.align(igt, e).scored])
        for igt, e in zip(instances, e_side, strict=True)
        if igt.lines_up and e and igt.links is None and aligner.takes(igt, e)
    ]
    known = known_pairs(from_links(linked), config.dictionary, (), job.faults)
    words = WordAligner(threshold=config.value("align", "threshold"), random_state=config.seed)
    text = WordText.of([WordRow([*igt.words], [*e]) for igt, e in zip(instances, e_side, strict=True)])
    return [
        aligned.links
        for shard in align_text(words, text, known, workers=job.workers, on_message=job.on_message)
        for aligned in shard
    ]


def gold(job: StageJob) -> None:
    """The sentences with gold trees, as corpora to learn from and to hold out."""
    config, text, trees = job.config, job.text(), job.trees()
    links = job.links(text, trees)
    sides = []
    for files in (config.gold, (config.held_out,) if isinstance(config.held_out, Path) else ()):
        sides.append(golden.places(text, chain.from_iterable(_gold_sentences(job, path) for path in files), job.faults))
    learned, held = sides
    out = set(held) if held else golden.split([*learned], _share(config), config.seed)
    gold_trees = {**learned, **held}
    if config.gold and not set(learned) - out:
        raise ProjError("no gold tree is of a sentence of the text", Where(str(config.gold[0])), "the warnings above say why")
    for name, chosen in ((golden.GOLD, set(learned) - out), (golden.HELD, out)):
        pairs = golden.GoldPairs.of(gold_trees, chosen, text, trees, links)
        if pairs:
            pairs.write(job.out / name)
        job.facts[name] = len(pairs)
        job.facts[f"{name}_ids"] = [row.sent_id for row in pairs.rows]


def _gold_sentences(job: StageJob, path: Path) -> list[Rows]:
    """Return the trees of a file, without projected ones that nobody has marked gold."""
    rows = [row for row in conllu.load(path, job.faults) if row is not None]
    gold = [row for row in rows if not row.is_draft]
    if len(gold) < len(rows) and not job.faults.strict:
        message = f"{len(rows) - len(gold)} projected trees without the comment `# gold = yes`"
        job.faults.file(ProjError(message, Where(str(path)), "they are left out: nobody has looked at them"))
    return gold


def _share(config: Config) -> float:
    return 0.0 if isinstance(config.held_out, Path) else config.held_out


def learn(job: StageJob) -> None:
    """Rules from the gold trees, or the given ones."""
    from divproj.projection import rulefile

    if job.config.rules:
        rule_set = corrections(str(job.config.rules))
    else:
        pairs = job.gold_pairs()
        job.tick("learning rules from", len(pairs), 0)
        about = {"corpora": [job.config.title], "pairs": len(pairs)}
        text = [*map(ProjectionInput.of, job.pairs())] if observes(job.config) else ()
        rule_set = Corrections.learn(pairs, rules_system(job.config), text=text, about=about)
    with writing(job.out / RULES) as out:
        rulefile.dump(rule_set, out)
    job.facts |= {"sentences": rule_set.rules.sentences}


def rules_system(config: Config) -> str:
    """Return the system that the run's rules are learned for; rules for s2+ serve s2-1 to s2-3, too."""
    if config.system in PROJECTIONS:
        return DEFAULT
    return config.system if config.system in RULED else AUTO


def observes(config: Config) -> bool:
    """Return whether the system also learns from the whole text, without its trees."""
    if not config.trains:
        return config.system == CORRECTED
    from divproj.projection import parsers

    recipe = parsers.RECIPES[config.system]
    return bool(recipe.phrases or recipe.together)


def train(job: StageJob) -> None:
    """Train a parser that uses projections."""
    from divproj.projection import parsers

    pairs = job.gold_pairs()
    job.tick(f"training {job.config.system} on", len(pairs), 0)
    options = {key: job.config.value("train", key) for key in ("epochs", "order", "bits")}
    text = [*map(ProjectionInput.of, job.pairs())] if observes(job.config) else ()
    learned = parsers.fit(job.config.system, pairs, text=text, random_state=job.config.seed, **options)
    parsers.save(learned.system, job.out / MODEL, {"pairs": len(pairs), "system": job.config.system, "seed": job.config.seed})
    job.facts |= {"pairs": len(pairs)}


def project(job: StageJob) -> None:
    """Project a tree for every sentence of the text."""
    pairs, projector = job.pairs(), _projector(job)
    summary = Summary(projector.system_, job.config.why, job.config.value("project", "min_coverage"))
    parsed = job.earlier["parse"]
    summary.types = str(job.types)
    summary.foreign, summary.unparsed = parsed.get("foreign", ""), parsed.get("unparsed", {})
    kept: list[Pair] = []
    sure: list[float] = []
    reasons: dict[str, int] = {}
    with writing(job.out / OUTPUT) as out:
        model = str(job.config.parser_model) if job.config.parser_model else None
        parser = model or (parsed["parser"] if pack(parsed["parser"]) else None)
        source = TextSource(parser, job.earlier["align"]["method"] == "given")
        projections = projector.projections(
            pairs, source, also=_others(job, model), workers=job.workers, on_message=job.on_message, faults=job.faults
        )
        for count, (pair, projection) in enumerate(projections, 1):
            job.tick("projecting sentence", count, len(pairs))
            if not summary.add(projection, pair.sent_id):
                continue
            kept.append(replace(pair, e=projection.sentence.e, links=projection.sentence.links) if projector.phrases else pair)
            sure += projection.confidence
            for reason in projection.reasons:
                reasons[reason] = reasons.get(reason, 0) + 1
            sentence = projector.with_tree(pair, projection).f_rows
            assert sentence is not None
            conllu.dump([sentence], out)
    if len(kept) < len(pairs) or projector.phrases:
        write_beside(kept, job.out)
    job.facts |= {"system": projector.system_, "sentences": len(kept), "words": sum(len(pair.f) for pair in kept)}
    job.facts["reasons"] = dict(sorted(reasons.items()))
    job.facts["summary"] = summary.as_json()
    job.facts["confidence"] = round(sum(sure) / len(sure), 6) if sure else None


def _others(job: StageJob, model: str | None) -> list[tuple[TextSource, list[Pair]]]:
    """The same sentences with other translations."""
    parser = job.config.parser
    requested = model or (parser if parser not in ("", "auto", "given") else None)
    how = Preparation(requested, style=job.config.value("parse", "style"))
    texts = [(Corpus(path), how) for path in job.config.also]
    return [(source_of(*text), list(prepare_text(*text, job.faults, job.workers, job.on_message))) for text in texts]


def _projector(job: StageJob) -> Projector:
    """What the config chose: a model that is given or was trained before, or a system with the rules that were learned."""
    config = job.config
    e_style, style = config.value("parse", "style"), config.value("project", "style")
    how = ProjectOptions(
        e_style=e_style,
        style=style,
        conventions=config.value("project", "conventions"),
        phrases=config.phrases.phrases,
        paraphrases=config.phrases.paraphrases,
    )
    if config.phrases.f_forests:
        how = replace(how, f_forests=Path(config.phrases.f_forests))
    if config.model:
        return Projector.of(replace(how, model=config.model), grams=config.grams)
    if config.trains:
        projector = Projector.of(replace(how, model=job.before["train"] / MODEL), grams=config.grams)
        projector.system_ = config.system
        return projector
    learned = "learn" in job.before and system_info(config.system).needs
    return Projector.of(
        replace(how, system=config.system, rules=str(job.before["learn"] / RULES) if learned else None), grams=config.grams
    )


def evaluate(job: StageJob) -> None:
    """Scores: cross-validation on the gold part, the trees of held-out sentences, links against given ones."""
    from divproj.run.texts import cross_validation, estimate_accuracy, held_out, link_scores

    scores: dict[str, Any] = {}
    folds = job.config.value("evaluate", "folds")
    if job.config.gold and folds > 1 and job.earlier["gold"][golden.GOLD] > 1:
        scores["cross_validation"] = cross_validation(job, folds)
    if job.earlier.get("gold", {}).get(golden.HELD):
        scores["held_out"] = held_out(job)
    if job.earlier["read"]["given_links"] and job.earlier["align"]["method"] != "given":
        scores["links"] = link_scores(job)
    known = estimate_accuracy(job, scores)
    scores["expected"] = known.as_json() if known else None
    job.facts |= {"expected": scores["expected"]}
    with writing(job.out / SCORES) as out:
        out.write(json.dumps(scores, indent=1, sort_keys=True) + "\n")

"""The stages of a run from reading to evaluation.

A stage is a function of a `StageJob`: it reads the outputs of earlier stages (`job.before`), writes into `job.out`, and notes
facts and faults for the report. `read` brings the text into one form, `parse` and `align` add trees of the translations and
links, `gold` splits gold trees into those to learn from and those held out, `learn` and `train` make rules or a parser of
them, `project` makes the trees, `evaluate` scores them.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice
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
from divproj.parsing.translations import TranslationChoice, note_choice, report_foreign
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.word_types import NO_TYPES, WordTypes
from divproj.projection.pipeline import ADAPT_LIMIT, Summary, TextSource, chunks, corrections, source_of
from divproj.projection.prepare import NO_TRANSLATION, Preparation, Unlinked, link_some, parse_some, prepare_text
from divproj.projection.projector import Projector
from divproj.projection.systems import AUTO, CORRECTED, DEFAULT, PROJECTIONS, RULED, Corrections, system_info
from divproj.run import texts as golden
from divproj.run.config import Config
from divproj.run.texts import (
    LINKS,
    OUTPUT,
    TREES,
    choices_of,
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
from divproj.ud.head_style import in_style

if TYPE_CHECKING:
    from divproj.core.sentence import Sentence
    from divproj.links.word_corpus import WordRow


RULES, MODEL, SCORES = "rules.json", "model", "scores.json"
BATCH = 500
"""Translations that are parsed at a time."""
LINKED = 500
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

    def text(self) -> Iterator[Pair]:
        """The sentences and their translations, without trees."""
        return read_text(self.before["read"])

    def with_trees(self) -> Iterator[tuple[Pair, DepTree | None]]:
        """The sentences with the trees of their translations."""
        return zip(self.text(), read_trees(self.before["parse"] / TREES), strict=True)

    def with_links(self) -> Iterator[tuple[Pair, DepTree | None, Links]]:
        """The sentences with the trees of their translations, and links."""
        return read_links(self.before["align"] / LINKS, self.with_trees())

    def pairs(self) -> Iterator[Pair]:
        """The sentences with the trees and links for projection."""
        pairs = read_text(self.before["read"], self.before["parse"] / TREES, self.before["align"] / LINKS)
        return map(self.types.apply, pairs)

    def with_projections(self) -> Iterator[tuple[Pair, Rows]]:
        """The same with the projected trees; sentences that were left out for their coverage are not there."""
        pairs = self.pairs()
        for row in conllu.load(self.before["project"] / OUTPUT):
            if row is not None:
                yield next(pair for pair in pairs if pair.sent_id == row.sent_id), row

    def projection_inputs(self) -> Sequence[ProjectionInput]:
        """The part of the text that systems learn from without its trees; nothing for systems that do not."""
        return [*map(ProjectionInput.of, islice(self.pairs(), ADAPT_LIMIT))] if observes(self.config) else ()

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
    facts = dict.fromkeys(("sentences", "words", "glossed", "translated", "given_trees", "given_links"), 0)

    def sentences() -> Iterator[Pair]:
        for pair in with_language(with_own_ids(_corpus(config, job.faults).pairs(trees=False))):
            igt = instance(pair)
            facts["sentences"] += 1
            facts["words"] += len(pair.f)
            facts["glossed"] += igt.lines_up
            facts["translated"] += bool(igt.translation)
            facts["given_trees"] += pair.e.tree is not None
            facts["given_links"] += pair.links.known
            job.tick("reading sentence", facts["sentences"], 0)
            yield pair

    write_text(sentences(), job.out, links=bool(config.links))
    if not facts["sentences"]:
        first = Where(str(config.text[0] if config.text else config.f))
        raise ProjError("no sentence that can be used", first, "the warnings above say why")
    job.facts |= facts


def _corpus(config: Config, faults: Faults) -> Corpus:
    """The files of the text, of its translations' trees and of its links."""
    if config.f and config.e:
        format_ = None if is_conllu(config.f) else LINES
        return Corpus(config.f, config.trees, config.links, format=format_, translations=config.e, faults=faults)
    return Corpus(config.text, config.trees, config.links, format=config.format or None, reader=config.reader, faults=faults)


def parse(job: StageJob) -> None:
    """Parse the translations, or take their given trees."""
    config, given = job.config, job.earlier["read"]["given_trees"]
    if config.parser == "given" or (not config.value("parse", "parser") and given and not config.value("parse", "command")):
        if not given:
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
        rows, source = _given_trees(job), Counter(given=1)
    else:
        source = Counter[str]()
        rows = _parse_translations(job, source)
    style, facts = config.value("parse", "style"), Counter[str]()

    def trees() -> Iterator[tuple[DepTree | None, str]]:
        for tree, sent_id in rows:
            if tree is not None:
                facts.update(parsed=1, e_words=len(tree))
            yield tree and in_style(tree, style), sent_id

    write_trees(trees(), job.out)
    job.facts |= {
        "parser": ", ".join(name for name, _ in source.most_common()) or "none",
        "parsed": facts["parsed"],
        "e_words": facts["e_words"],
    }


def _given_trees(job: StageJob) -> Iterator[tuple[DepTree | None, str]]:
    """The trees that came with the text, with the ids of their sentences."""
    for pair, tree in zip(job.text(), read_trees(job.before["read"] / TREES), strict=True):
        if tree is None:
            job.faults.kept(ProjError(NO_TRANSLATION, pair.where))
        yield tree, pair.sent_id


def _parse_translations(job: StageJob, used: Counter[str]) -> Iterator[tuple[DepTree | None, str]]:
    """Trees of the translations, with the ids of their sentences; the parsers are counted."""
    config, command = job.config, job.config.value("parse", "command")
    parser = command or (
        str(config.parser_model) if config.parser_model else None if config.parser == "auto" else config.parser
    )
    how = Preparation(parser, stamps=(stamp(config.parser_model),) if config.parser_model else ())
    ids: deque[str] = deque()
    name = config.parser_model.name if config.parser_model else command
    used.update({name: 0} if name else {})

    def choices(faults: Faults) -> Iterator[TranslationChoice]:
        for pair, choice in choices_of(job.text(), parser):
            note_choice(faults, choice, pair.where)
            if not choice.language:
                faults.kept(ProjError(NO_TRANSLATION, pair.where))
            elif choice.parser:
                used[name or choice.parser] += 1
            ids.append(pair.sent_id)
            yield choice

    count, total = 0, job.earlier["read"]["sentences"]
    parts = run(
        partial(parse_some, how),
        lambda faults: chunks(choices(faults), BATCH),
        job.faults,
        HERE if command else job.workers,
        job.on_message,
    )
    for trees in parts:
        count += len(trees)
        job.tick("parsing translation", count, total)
        for tree in trees:
            yield tree, ids.popleft()
    counted = Summary()
    report_foreign(job.faults, Where(str(config.text[0] if config.text else config.f)))
    counted.add_foreign(job.faults)
    job.facts |= {"foreign": counted.foreign, "unparsed": counted.unparsed}


def align(job: StageJob) -> None:
    """Links between the words of every sentence and of its translation."""
    config, method = job.config, _method(job)
    links: Iterator[Links]
    if method == "given" and config.links:
        links = (links for _, _, links in read_links(job.before["read"] / LINKS, job.with_trees(), job.faults))
    elif method == "given":  # asked for given links, a sentence without any gets none; asked for nothing, those of its glosses
        strict = config.value("align", "method") == "given"
        links = _link_by_glosses(job, lambda igt: None if strict and igt.links is None else igt)
    elif method == "gloss":
        links = _link_by_glosses(job, lambda igt: replace(igt, links=None))
    else:
        links = _by_words(job)
    facts = Counter[str]()

    def count_links() -> Iterator[Links]:
        for alignment in links:
            linked = len({i for i, _ in alignment.links})
            facts.update(links=len(alignment), linked_words=linked, unlinked_sentences=not len(alignment))
            yield alignment

    with writing(job.out / LINKS) as out:
        pharaoh.dump(count_links(), out)
    job.facts |= {"method": method, **{key: facts[key] for key in ("links", "linked_words", "unlinked_sentences")}}


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


def _link_by_glosses(job: StageJob, seen: Callable[[Sentence], Sentence | None]) -> Iterator[Links]:
    """Links through the glosses of sentences, as `seen` gives them."""
    how = Preparation(grams=tuple(job.config.grams), stamps=tuple(map(stamp, job.config.grams)))

    def rows() -> Iterator[Unlinked]:
        for (pair, choice), (_, tree) in zip(choices_of(job.text()), job.with_trees(), strict=True):
            yield len(pair.f), pair.where, seen(instance(pair)), tree, choice.language

    count, total = 0, job.earlier["read"]["sentences"]
    for some in run(partial(link_some, how), lambda _: chunks(rows(), LINKED), job.faults, job.workers, job.on_message):
        yield from some
        count += len(some)
        job.tick("aligning sentence", count, total)


@dataclass(frozen=True)
class _Words:
    """The words of both sides, read whenever they are asked for."""

    job: StageJob

    def __iter__(self) -> Iterator[WordRow]:
        from divproj.links.word_corpus import WordRow

        for pair, tree in self.job.with_trees():
            yield WordRow([*instance(pair).words], [*tree.forms] if tree else [])


def _by_words(job: StageJob) -> Iterator[Links]:
    """Links by the word aligner, with word pairs from glosses and dictionaries."""
    from divproj.links.glosses import GlossAligner
    from divproj.links.word_corpus import WordText, align_text, known_pairs
    from divproj.links.word_model import WordAligner, from_links

    config, aligner = job.config, GlossAligner()
    rows = ((instance(pair), tree.forms if tree else ()) for pair, tree in job.with_trees())
    linked = (
        (igt.words, e, [(x.f, x.e, x.score) for x in aligner.align(igt, e).scored])
        for igt, e in rows
        if igt.lines_up and e and igt.links is None and aligner.takes(igt, e)
    )
    known = known_pairs(from_links(linked), config.dictionary, (), job.faults)
    words = WordAligner(threshold=config.value("align", "threshold"), random_state=config.seed)
    for shard in align_text(words, WordText.of(_Words(job)), known, workers=job.workers, on_message=job.on_message):
        yield from (aligned.links for aligned in shard)


def gold(job: StageJob) -> None:
    """The sentences with gold trees, as corpora to learn from and to hold out."""
    config, sides = job.config, []
    for files in (config.gold, (config.held_out,) if isinstance(config.held_out, Path) else ()):
        sides.append(golden.places(job.text(), chain.from_iterable(_gold_sentences(job, path) for path in files), job.faults))
    learned, held = sides
    out = set(held) if held else golden.split([*learned], _share(config), config.seed)
    gold_trees = {**learned, **held}
    if config.gold and not set(learned) - out:
        raise ProjError("no gold tree is of a sentence of the text", Where(str(config.gold[0])), "the warnings above say why")
    for name, chosen in ((golden.GOLD, set(learned) - out), (golden.HELD, out)):
        pairs = golden.GoldPairs.of(gold_trees, chosen, job.with_links())
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
        rule_set = Corrections.learn(pairs, rules_system(job.config), text=job.projection_inputs(), about=about)
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
    learned = parsers.fit(job.config.system, pairs, text=job.projection_inputs(), random_state=job.config.seed, **options)
    parsers.save(learned.system, job.out / MODEL, {"pairs": len(pairs), "system": job.config.system, "seed": job.config.seed})
    job.facts |= {"pairs": len(pairs)}


def project(job: StageJob) -> None:
    """Project a tree for every sentence of the text."""
    projector = _projector(job)
    summary = Summary(projector.system_, job.config.why, job.config.value("project", "min_coverage"))
    parsed, total = job.earlier["parse"], job.earlier["read"]["sentences"]
    summary.types = str(job.types)
    summary.foreign, summary.unparsed = parsed.get("foreign", ""), parsed.get("unparsed", {})
    reasons, confidence, words = Counter[str](), 0.0, 0
    model = str(job.config.parser_model) if job.config.parser_model else None
    parser = model or (parsed["parser"] if pack(parsed["parser"]) else None)
    source = TextSource(parser, job.earlier["align"]["method"] == "given")
    projections = projector.projections(
        job.pairs(), source, also=_others(job, model), workers=job.workers, on_message=job.on_message, faults=job.faults
    )

    def take_covered() -> Iterator[Pair]:
        nonlocal confidence, words
        for count, (pair, projection) in enumerate(projections, 1):
            job.tick("projecting sentence", count, total)
            if summary.add(projection, pair.sent_id):
                confidence += sum(projection.confidence)
                words += len(projection.confidence)
                reasons.update(projection.reasons)
                sentence = projector.with_tree(pair, projection).f_rows
                assert sentence is not None
                conllu.dump([sentence], out)
                yield replace(pair, e=projection.sentence.e, links=projection.sentence.links) if projector.phrases else pair

    apart = summary.least > 0 or bool(projector.phrases)  # the pairs are perhaps not those of the earlier stages
    with writing(job.out / OUTPUT) as out:
        lengths = [len(pair.f) for pair in (write_beside(take_covered(), job.out) if apart else take_covered())]
    if apart and len(lengths) == total and not projector.phrases:
        for name in (TREES, LINKS):
            (job.out / name).unlink()
    job.facts |= {"system": projector.system_, "sentences": len(lengths), "words": sum(lengths)}
    job.facts["reasons"] = dict(sorted(reasons.items()))
    job.facts["summary"] = summary.as_json()
    job.facts["confidence"] = round(confidence / words, 6) if words else None


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

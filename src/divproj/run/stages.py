"""The stages: what each needs, what its outputs depend on, and how it makes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.data.errors import Faults, ProjError, Where
from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.io import conllu, pharaoh
from divproj.io.files import writing
from divproj.io.translation_language import language_of, mismatch, with_code
from divproj.io.trees import as_sentence
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.summary import Summary
from divproj.run import gold as golden
from divproj.run.config import Config
from divproj.run.projecting import by_model, by_rules, corrections
from divproj.run.reading import (  # fmt: skip
    LINKS,
    TREES,
    Item,
    Text,
    bitext,
    instances,
    items,
    read_links,
    read_trees,
    write_text,
)

if TYPE_CHECKING:
    from divproj.data.igt import Igt

RULES, MODEL, OUTPUT, SCORES = "rules.json", "model", "trees.conllu", "scores.json"
BATCH = 500
Tick = Callable[[str, int, int], None]
"""Told what is being done, how much of it, and of how much."""


@dataclass
class Job:
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
    jobs: int = 1
    tick: Tick = lambda what, count, total: None
    facts: dict[str, Any] = field(default_factory=dict)

    def text(self) -> Text:
        return Text.read(self.before["read"])

    def trees(self) -> list[DepTree | None]:
        return read_trees(self.before["parse"] / TREES)

    def links(self, text: Text, trees: Sequence[DepTree | None]) -> list[Links]:
        return read_links(self.before["align"] / LINKS, text, trees)

    def bitexts(self, text: Text) -> list[ProjectionInput]:
        """What projection may see of every sentence."""
        trees = self.trees()
        found = zip(text.rows, text.instances, trees, self.links(text, trees), strict=True)
        return [
            ProjectionInput(row.forms, tree or DepTree((), ()), links, igt.glosses if igt.lines_up else (), row.sent_id)
            for row, igt, tree, links in found
        ]

    def gold_pairs(self) -> list[Pair]:
        pairs = golden.read_pairs(self.before["gold"] / golden.GOLD)
        if not pairs:
            raise ProjError(
                "no sentence with a gold tree to learn from", Where(str(self.config.path)), "hold out fewer of them"
            )
        return pairs


def read(job: Job) -> None:
    """The text in one form, with the trees and links that are given for it."""
    config = job.config
    if config.f and config.e:
        found = ((config.f.stem, igt) for igt in bitext(config.f, config.e, job.faults))
    else:
        found = ((path.stem, igt) for path in config.text for igt in instances(path, config.format, job.faults, config.reader))
    made: list[Item] = []
    for item in items(found, config.trees, config.links, job.faults):
        made.append(item)
        job.tick("reading sentence", len(made), 0)
    if not made:
        first = config.text[0] if config.text else config.f
        raise ProjError("no sentence that can be used", Where(str(first)), "the warnings above say why")
    code = language_of([item.igt for item in made])
    if config.parser == "en" and not any(item.tree is not None or item.igt.e_tree is not None for item in made):
        first = config.text[0] if config.text else config.f
        if wrong := mismatch(code, "en", Where(str(first))):
            job.faults.file(wrong)
    made = [replace(item, igt=with_code(item.igt, code)) for item in made]
    write_text(made, job.out)
    job.facts |= {
        "sentences": len(made),
        "words": sum(len(item.igt.words) for item in made),
        "glossed": sum(1 for item in made if item.igt.lines_up),
        "translated": sum(1 for item in made if item.igt.translation),
        "given_trees": sum(1 for item in made if item.tree is not None or item.igt.e_tree is not None),
        "given_links": sum(1 for item in made if item.links is not None or item.igt.links is not None),
    }


def parse(job: Job) -> None:
    """A tree for every translation."""
    config, text = job.config, job.text()
    found = text.instances
    given = job.before["read"] / TREES
    own = read_trees(given, job.faults) if given.exists() else [igt.e_tree for igt in found]
    if config.parser == "given" or (not config.value("parse", "parser") and any(own) and not config.value("parse", "command")):
        if not any(own):
            remedy = "name them in input.trees, or let parse.parser make them"
            raise ProjError("there are no trees of the translations in the text", Where(str(config.path)), remedy)
        trees, source = own, "given"
    else:
        trees, source = _parsed(job, found)
    if config.value("parse", "style") != "as-is":
        from divproj.data.head_style import in_style

        trees = [tree and in_style(tree, config.value("parse", "style")) for tree in trees]
    for row, tree in zip(text.rows, trees, strict=True):
        if tree is None:
            what = "there is no tree of a translation, so this sentence's tree is a guess"
            job.faults.word(ProjError(what, row.where))
    with writing(job.out / TREES) as out:
        conllu.dump((as_sentence(tree, row.sent_id) for row, tree in zip(text.rows, trees, strict=True)), out)
    job.facts |= {"parser": source, "parsed": sum(1 for tree in trees if tree is not None)}
    job.facts["e_words"] = sum(len(tree) for tree in trees if tree is not None)


def _parsed(job: Job, found: Sequence[Igt]) -> tuple[list[DepTree | None], str]:
    from divproj.parsing.translations import by_command, by_language

    config, command = job.config, job.config.value("parse", "command")
    if not command:
        from divproj.parsing.language import Language, shipped

        language = Language.load(config.parser_model) if config.parser_model else shipped(config.parser)
    trees: list[DepTree | None] = []
    for start in range(0, len(found), BATCH):
        texts = [igt.translation for igt in found[start : start + BATCH]]
        trees += by_command(command, texts) if command else by_language(language, texts)
        job.tick("parsing translation", len(trees), len(found))
    return trees, command or (config.parser_model.name if config.parser_model else config.parser)


def align(job: Job) -> None:
    """Links between the words of every sentence and of its translation."""
    config, text, trees = job.config, job.text(), job.trees()
    found = text.instances
    method = _method(job)
    if method == "given":
        if config.links:
            links = read_links(job.before["read"] / LINKS, text, trees, job.faults)
        else:  # asked for given links, a sentence without any gets none; asked for nothing, those of its glosses
            strict = config.value("align", "method") == "given"
            links = _glossed(job, [None if strict and igt.links is None else igt for igt in found], trees)
    elif method == "gloss":
        links = _glossed(job, [replace(igt, links=None) for igt in found], trees)
    else:
        links = _by_words(job, found, trees)
    with writing(job.out / LINKS) as out:
        pharaoh.dump(links, out)
    linked = sum(len({i for i, _ in alignment.links}) for alignment in links)
    job.facts |= {"method": method, "links": sum(map(len, links)), "linked_words": linked}
    job.facts["unlinked_sentences"] = sum(1 for alignment in links if not len(alignment))


def _method(job: Job) -> str:
    """The method asked for; else given links, else glosses where most sentences have them, else the words alone."""
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


def _glossed(job: Job, found: Sequence[Igt | None], trees: Sequence[DepTree | None]) -> list[Links]:
    from divproj.data.errors import AlignmentError
    from divproj.links.gloss.aligner import GlossAligner
    from divproj.links.gloss.grams import Grams

    grams = Grams.shipped("en")
    tables = [Grams.load(table) for table in job.config.grams]
    aligner = GlossAligner(grams.merged(*tables) if tables else grams)
    text = job.text()
    made = []
    for row, igt, tree in zip(text.rows, found, trees, strict=True):
        links = Links(frozenset(), (len(row.forms), len(tree) if tree else 0))
        if igt is not None and tree is not None:
            try:
                links = aligner.align(igt, tree.forms, tree.tags()).links
            except AlignmentError as error:
                job.faults.word(AlignmentError(error.what, row.where, error.remedy))
        made.append(links)
        job.tick("aligning sentence", len(made), len(found))
    return made


def _by_words(job: Job, found: Sequence[Igt], trees: Sequence[DepTree | None]) -> list[Links]:
    """The word aligner, helped by what glosses and dictionaries say."""
    from divproj.io.files import reading
    from divproj.links.gloss.aligner import GlossAligner
    from divproj.links.words.corpus import align_text
    from divproj.links.words.model import WordAligner
    from divproj.links.words.priors import from_dictionary, from_links
    from divproj.links.words.text import Row, Text

    config, aligner = job.config, GlossAligner()
    e_side = [tree.forms if tree else () for tree in trees]
    linked = [
        (igt.words, e, [(x.f, x.e, x.score) for x in aligner.align(igt, e).scored])
        for igt, e in zip(found, e_side, strict=True)
        if igt.lines_up and e and igt.links is None
    ]
    known = from_links(linked)
    for path in config.dictionary:
        with reading(path) as stream:
            lines = stream.read().decode("utf-8", "replace").splitlines()
        for pair, count in from_dictionary(lines, str(path)).items():
            known[pair] = known.get(pair, 0.0) + count
    words = WordAligner(threshold=config.value("align", "threshold"), random_state=config.seed)
    text = Text.of([Row([*igt.words], [*e]) for igt, e in zip(found, e_side, strict=True)])
    return [made.links for shard in align_text(words, text, known) for made in shard]


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
    from divproj.projection.systems import Corrections

    if job.config.rules:
        found = corrections(job.config.rules)
    else:
        pairs = job.gold_pairs()
        job.tick("learning rules from", len(pairs), 0)
        found = Corrections.learn(pairs, about={"corpora": [job.config.title], "pairs": len(pairs)})
    with writing(job.out / RULES) as out:
        rulefile.dump(found, out)
    job.facts |= {"sentences": found.rules.sentences}


def observes(config: Config) -> bool:
    """Whether the system learns from the whole text, too, without its trees."""
    if not config.trains:
        return False
    from divproj.projection import parser_systems

    return bool(parser_systems.RECIPES[config.system].phrases)


def train(job: Job) -> None:
    """The parser that sees projections."""
    from divproj.projection import parser_files, parser_systems

    pairs = job.gold_pairs()
    job.tick(f"training {job.config.system} on", len(pairs), 0)
    options = {key: job.config.value("train", key) for key in ("epochs", "order", "learner", "bits")}
    text = job.bitexts(job.text()) if observes(job.config) else ()
    made = parser_systems.fit(job.config.system, pairs, text=text, random_state=job.config.seed, **options)
    parser_files.save(made, job.out / MODEL, {"pairs": len(pairs), "system": job.config.system, "seed": job.config.seed})
    job.facts |= {"pairs": len(pairs)}


def project(job: Job) -> None:
    """A tree for every sentence of the text."""
    from divproj.projection.output import annotated

    text = job.text()
    bitexts = job.bitexts(text)
    system = job.config.system if job.config.model is None else f"model:{job.config.model.name}"
    made: list[Projection] = []
    summary = Summary(system, "named in the config" if job.config.value("project", "system") != "auto" else _chosen(job.config))
    with writing(job.out / OUTPUT) as out:
        for row, found in zip(text.rows, _projected(job, bitexts), strict=True):
            made.append(found)
            summary.add(found, row.sent_id)
            conllu.dump([annotated(row, found, system)], out)
            job.tick("projecting sentence", len(made), len(text))
    words = sum(len(row.forms) for row in text.rows)
    sure = [c for found in made for c in found.confidence]
    reasons: dict[str, int] = {}
    for found in made:
        for reason in found.reasons:
            reasons[reason] = reasons.get(reason, 0) + 1
    job.facts |= {"system": system, "sentences": len(made), "words": words, "reasons": dict(sorted(reasons.items()))}
    job.facts["summary"] = summary.as_json()
    job.facts["confidence"] = round(sum(sure) / len(sure), 6) if sure else None


def _chosen(config: Config) -> str:
    """Why `auto` came to this system."""
    if config.model:
        return "the model is named in the config"
    if config.gold:
        return "there are gold trees to learn from"
    return "there are rules" if config.rules else "there is nothing to learn from"


def _projected(job: Job, bitexts: Sequence[ProjectionInput]) -> Iterator[Projection]:
    config = job.config
    if config.model or config.trains:
        return by_model(config.model or job.before["train"] / MODEL, bitexts, job.jobs)
    return by_rules(config.system, job.before["learn"] / RULES if "learn" in job.before else None, bitexts)


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
    found["expected"] = known.as_json() if known else job.earlier["project"]["summary"]["expected"]
    job.facts |= {"expected": found["expected"]}
    with writing(job.out / SCORES) as out:
        out.write(json.dumps(found, indent=1, sort_keys=True) + "\n")

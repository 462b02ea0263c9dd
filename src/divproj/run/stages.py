"""The first stages, up to trees of the translations and links; and what every stage has to work with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.data.errors import Faults, ProjError, Where
from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.tree import DepTree
from divproj.io import pharaoh
from divproj.io.conllu import is_conllu
from divproj.io.corpus import LINES, Corpus
from divproj.io.files import writing
from divproj.parsing.translations import choose, note_foreign, report_foreign
from divproj.projection.prepare import NO_TRANSLATION, Preparation, link_some, parse_some
from divproj.projection.summary import Summary
from divproj.run import gold as golden
from divproj.run.config import Config
from divproj.run.reading import (  # fmt: skip
    LINKS,
    TREES,
    instance,
    read_links,
    read_text,
    read_trees,
    with_language,
    with_own_ids,
    write_text,
    write_trees,
)
from divproj.runtime.engine import HERE, Place, Say, run, stamp

if TYPE_CHECKING:
    from divproj.data.igt import Igt

RULES, MODEL, SCORES = "rules.json", "model", "scores.json"
BATCH = 500
"""Translations that are parsed at a time."""
LINKED = 2000
"""Sentences that are linked through their glosses at a time."""
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
    scheduler: str | None = None
    say: Say | None = None
    """Told when a worker was lost; its sentences are done again."""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Where sentences are worked on."""
        return Place(self.jobs, self.scheduler)

    def text(self) -> list[Pair]:
        """The sentences and their translations, without trees."""
        return read_text(self.before["read"])

    def trees(self) -> list[DepTree | None]:
        return read_trees(self.before["parse"] / TREES)

    def links(self, text: Sequence[Pair], trees: Sequence[DepTree | None]) -> list[Links]:
        return read_links(self.before["align"] / LINKS, text, trees)

    def pairs(self) -> list[Pair]:
        """The sentences with the trees and links that projection goes by."""
        return read_text(self.before["read"], self.before["parse"] / TREES, self.before["align"] / LINKS)

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
    made: list[Pair] = []
    for pair in with_own_ids(_corpus(config, job.faults).pairs(trees=False)):
        made.append(pair)
        job.tick("reading sentence", len(made), 0)
    first = Where(str(config.text[0] if config.text else config.f))
    if not made:
        raise ProjError("no sentence that can be used", first, "the warnings above say why")
    given = sum(1 for pair in made if pair.e.tree is not None)
    made = with_language(made)
    write_text(made, job.out, links=bool(config.links))
    glossed = [instance(pair) for pair in made]
    job.facts |= {
        "sentences": len(made),
        "words": sum(len(pair.f) for pair in made),
        "glossed": sum(1 for igt in glossed if igt.lines_up),
        "translated": sum(1 for igt in glossed if igt.translation),
        "given_trees": given,
        "given_links": sum(1 for pair in made if pair.links.known),
    }


def _corpus(config: Config, faults: Faults) -> Corpus:
    """The files of the text, of its translations' trees and of its links."""
    if config.f and config.e:
        format_ = None if is_conllu(config.f) else LINES
        return Corpus(config.f, config.trees, config.links, format=format_, translations=config.e, faults=faults)
    return Corpus(config.text, config.trees, config.links, format=config.format or None, reader=config.reader, faults=faults)


def parse(job: Job) -> None:
    """A tree for every translation."""
    config, text = job.config, job.text()
    given = job.before["read"] / TREES
    own = read_trees(given) if given.exists() else [None] * len(text)
    if config.parser == "given" or (not config.value("parse", "parser") and any(own) and not config.value("parse", "command")):
        if not any(own):
            what, remedy = (
                "there are no trees of the translations in the text",
                "name them in input.trees, or let parse.parser make them",
            )
            if config.trees:
                what, remedy = (
                    f"no tree of {config.trees[0].name} fits the text",
                    "leave input.trees out: the translations are then parsed",
                )
            raise ProjError(what, Where(str(config.path)), remedy)
        trees, source, lacking = own, "given", [pair for pair, tree in zip(text, own, strict=True) if tree is None]
    else:
        trees, source, lacking = _parsed(job, text)
    if config.value("parse", "style") != "as-is":
        from divproj.data.head_style import in_style

        trees = [tree and in_style(tree, config.value("parse", "style")) for tree in trees]
    for pair in lacking:
        job.faults.kept(ProjError(NO_TRANSLATION, pair.where))
    write_trees(trees, text, job.out)
    job.facts |= {"parser": source, "parsed": sum(1 for tree in trees if tree is not None)}
    job.facts["e_words"] = sum(len(tree) for tree in trees if tree is not None)


def _parsed(job: Job, text: Sequence[Pair]) -> tuple[list[DepTree | None], str, list[Pair]]:
    """Trees of the translations, the parsers of most of them first, and the sentences that have no translation."""
    config, command = job.config, job.config.value("parse", "command")
    parser = command or (
        str(config.parser_model) if config.parser_model else None if config.parser == "auto" else config.parser
    )
    how = Preparation(parser, stamps=(stamp(config.parser_model),) if config.parser_model else ())
    choices = choose([*map(instance, text)], parser)
    for pair, choice in zip(text, choices, strict=True):
        if choice.foreign:
            note_foreign(job.faults, choice.language, choice.parser, pair.where)
    report_foreign(job.faults, Where(str(config.text[0] if config.text else config.f)))
    trees: list[DepTree | None] = []
    parts = [choices[start : start + BATCH] for start in range(0, len(choices), BATCH)]
    for some in run(partial(parse_some, how), lambda _: parts, None, HERE if command else job.place, job.say):
        trees += some
        job.tick("parsing translation", len(trees), len(text))
    used = Counter(choice.parser for choice in choices if choice.parser and choice.language)
    counted = Summary()
    counted.add_foreign(job.faults)
    job.facts |= {"foreign": counted.foreign, "unparsed": counted.unparsed}
    source = command or (config.parser_model.name if config.parser_model else ", ".join(name for name, _ in used.most_common()))
    return trees, source or "none", [pair for pair, choice in zip(text, choices, strict=True) if not choice.language]


def align(job: Job) -> None:
    """Links between the words of every sentence and of its translation."""
    config, text, trees = job.config, job.text(), job.trees()
    found = [*map(instance, text)]
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
    how = Preparation(grams=tuple(job.config.grams), stamps=tuple(map(stamp, job.config.grams)))
    rows = [*zip(job.text(), found, trees, strict=True)]
    parts = [
        [(len(pair.f), pair.where, igt, tree) for pair, igt, tree in rows[start : start + LINKED]]
        for start in range(0, len(rows), LINKED)
    ]
    made: list[Links] = []
    for some in run(partial(link_some, how), lambda _: parts, job.faults, job.place, job.say):
        made += some
        job.tick("aligning sentence", len(made), len(found))
    return made


def _by_words(job: Job, found: Sequence[Igt], trees: Sequence[DepTree | None]) -> list[Links]:
    """The word aligner, helped by what glosses and dictionaries say."""
    from divproj.links.gloss.aligner import GlossAligner
    from divproj.links.words.corpus import align_text
    from divproj.links.words.model import WordAligner
    from divproj.links.words.priors import from_links
    from divproj.links.words.reading import known_pairs
    from divproj.links.words.text import Row, Text

    config, aligner = job.config, GlossAligner()
    e_side = [tree.forms if tree else () for tree in trees]
    linked = [
        (igt.words, e, [(x.f, x.e, x.score) for x in aligner.align(igt, e).scored])
        for igt, e in zip(found, e_side, strict=True)
        if igt.lines_up and e and igt.links is None and aligner.takes(igt, e)
    ]
    known = known_pairs(from_links(linked), config.dictionary, (), job.faults)
    words = WordAligner(threshold=config.value("align", "threshold"), random_state=config.seed)
    text = Text.of([Row([*igt.words], [*e]) for igt, e in zip(found, e_side, strict=True)])
    return [made.links for shard in align_text(words, text, known, place=job.place, say=job.say) for made in shard]

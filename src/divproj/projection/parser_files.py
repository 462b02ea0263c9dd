"""Train parsers on files, and save and load parsing systems (S3, S4, s4+, s5+).

`train_language` learns from a treebank alone; `train_projection` from a corpus with translations, whose projections the parser
sees too. The folder of a parsing system holds its recipe, its rules (those of s6+ where it starts from s6) and its parsers.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.core.errors import LONGEST_SENTENCE, Faults, ModelError, ProjError, Where, too_long
from divproj.io.corpus import Corpus
from divproj.io.files import name_of
from divproj.io.trees import conllu
from divproj.parsing import parser as storage
from divproj.parsing.language import Language
from divproj.projection import parser_files, parsers, rulefile
from divproj.projection.parsers import COLUMNS, FEATURES, PHRASES, ParsedSystem, Recipe, slots
from divproj.projection.systems import CORRECTED, PARSERS, PROJECTIONS, Corrections
from divproj.runtime import modelfile
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import Checkpoint

if TYPE_CHECKING:
    from divproj.links.grams import Grams
    from divproj.projection.glossed.corrected import S6Plus


KIND, VERSION = "divproj-parsed-projection", 1


def save(system: ParsedSystem, folder: str | Path, about: dict[str, Any]) -> None:
    facts = {
        "about": about,
        "recipe": asdict(system.recipe),
        "phrase_vote": system.phrase_vote,
        **({"parser_vote": system.parser_vote} if system.prior else {}),
        **({"namer": storage.facts(system.namer)} if system.namer else {}),
        "rules": json.loads(rulefile.dumps(system.corrections)),
        "parsers": [storage.facts(parser) for parser in system.parsers],
    }
    arrays = {name: a for k, parser in enumerate(system.parsers) for name, a in storage.arrays(parser, f"parser{k}.").items()}
    if system.namer:
        arrays |= storage.arrays(system.namer, "namer.")
    modelfile.save(folder, KIND, VERSION, facts, arrays)


def load(folder: str | Path, grams: Grams | None = None) -> ParsedSystem:
    """Return the system in a folder; ModelError where it is damaged or of another version. `grams` are gloss abbreviations for s6."""
    model = modelfile.load(folder, KIND, VERSION)
    recipe = _recipe(model)
    corrections = rulefile.loads(json.dumps(model.fact("rules", dict)), f"{folder}/{modelfile.META}: rules")
    facts = model.fact("parsers", list)
    if not facts or not all(isinstance(fact, dict) for fact in facts):
        raise ModelError("'parsers' is not a list of parsers", model.where, modelfile.REMEDY)
    if len(facts) > 1 and not recipe.together:
        raise ModelError(f"{len(facts)} parsers, one expected", model.where, modelfile.REMEDY)
    parsers = [storage.load_parser(model, fact, f"parser{k}.") for k, fact in enumerate(facts)]
    prior = _prior(recipe, corrections, grams)
    phrases = () if prior else recipe.phrases
    expected = slots(recipe.features) + len(phrases) if recipe.projection else 0
    for parser in parsers:
        if parser.slots_ != expected or parser.columns_ != 2 * recipe.glosses:
            raise ModelError("the parser and the recipe do not look at the same features", model.where, modelfile.REMEDY)
    system = ParsedSystem(recipe, corrections, parsers, {}, prior=prior)
    system.phrase_vote, system.parser_vote = _vote(model, "phrase_vote", 0.0), _vote(model, "parser_vote", 1.0)
    if "namer" in model.about:
        system.namer = storage.load_parser(model, model.fact("namer", dict), "namer.")
        if system.namer.slots_ or system.namer.columns_ != COLUMNS or not system.prior:
            raise ModelError("what names relations and the recipe do not fit", model.where, modelfile.REMEDY)
    return system


def _vote(model: modelfile.ModelFolder, name: str, default: float) -> float:
    vote = float(model.fact(name, float)) if name in model.about else default
    if not 0 <= vote <= 1:
        raise ModelError(f"'{name}' is {vote}, a number from 0 to 1 expected", model.where, modelfile.REMEDY)
    return vote


def _prior(recipe: Recipe, corrections: Corrections, grams: Grams | None) -> S6Plus | None:
    """Return s6+ where the system was trained with it; ProjError where the model of glossed text is not installed."""
    if not recipe.together or corrections.system != CORRECTED:
        return None
    from divproj.projection.glossed.corrected import S6Plus
    from divproj.projection.glossed.s6 import S6

    return S6Plus(corrections.model.weights, corrections.model.lexicon, S6(grams=grams))


def _recipe(model: modelfile.ModelFolder) -> Recipe:
    fields = modelfile.ModelFolder(model.kind, model.fact("recipe", dict), where=model.where)
    features = fields.fact("features", list)
    if unknown := [name for name in features if name not in FEATURES]:
        raise ModelError(f"no feature {unknown[0]!r:.40}", model.where, f"there are {', '.join(FEATURES)}")
    for name, allowed in (("trees", ("gold", *PROJECTIONS)), ("projection", ("", *PROJECTIONS))):
        if fields.fact(name, str) not in allowed:
            raise ModelError(f"'{name}' is {fields.about[name]!r:.40}, one of {', '.join(allowed)} expected", model.where)
    flags = {name: fields.fact(name, bool) for name in ("tags", "glosses", "together")}
    phrases = fields.fact("phrases", list) if "phrases" in fields.about else []
    if unknown := [name for name in phrases if name not in PHRASES]:
        raise ModelError(f"no feature {unknown[0]!r:.40} of phrases", model.where, f"there are {', '.join(PHRASES)}")
    return Recipe(fields.fact("trees", str), fields.fact("projection", str), tuple(features), phrases=tuple(phrases), **flags)


GROUPS = {
    "match": ("proj", "match", "undirected", "distance", "confidence", "reason"),
    "align": ("single", "merge", "together"),
    "pos": (),
}
"""Features of the translation, by a name for each group; `pos` stands for the tags."""


@dataclass(frozen=True)
class TrainingCounts:
    """Counts of the trees in training."""

    count: int
    unchecked: int = 0
    """Projected trees that were left out because nobody has checked them."""


def train_language(
    source: str, output: Path, signature: str, faults: Faults, *, dev: str | None = None, held: Faults | None = None, **options: Any
) -> TrainingCounts:  # fmt: skip
    """Train a parser, tagger and lemmatizer on a treebank and save them in a folder; `dev` is for choosing the best pass."""
    sentences = [s for s in conllu.load(source, faults) if s is not None]
    gold = [s for s in sentences if not s.is_draft and _fits(len(s.forms), replace(s.where, sent_id=s.sent_id), faults)]
    if not any(head.isdecimal() for s in gold for head in s.column(6)):
        raise ProjError("no word has a head to learn from", Where(source), "give a treebank in CoNLL-U")
    judges = [s for s in conllu.load(dev, held) if s is not None] if dev else []
    about = {"source": Path(source).name, "sentences": len(gold), "signature": signature}
    Language.train(gold, dev=judges, about=about, **options).save(output)
    return TrainingCounts(len(gold), sum(s.is_draft for s in sentences))


def train_projection(
    corpus: Corpus, output: Path, wanted: Recipe, signature: str, *, checkpoint: Checkpoint, **options: Any
) -> TrainingCounts:
    """Train a parser that sees projections on a corpus with gold trees of F, and save it in a folder."""
    all_pairs = list(passing(corpus, f"{corpus.name}: pairs"))
    gold = [pair for pair in all_pairs if pair.f_rows is None or not pair.f_rows.is_draft]
    where = Where(name_of(corpus.path))
    pairs = [p for p in gold if _fits(max(len(p.f), len(p.e)), replace(where, sent_id=p.sent_id), corpus.faults)]
    if not pairs:
        raise ProjError("no usable sentence pair to learn from", where)
    about = {"corpus": corpus.name, "pairs": len(pairs), "signature": signature}
    learned = parsers.fit(wanted, pairs, checkpoint=checkpoint, **options)
    parser_files.save(learned.system, output, about)
    return TrainingCounts(len(pairs), len(all_pairs) - len(gold))


def _fits(words: int, where: Where, faults: Faults) -> bool:
    """Whether a sentence is short enough to learn from; else its fault is noted."""
    if words > LONGEST_SENTENCE:
        faults.sentence(too_long(words, where))
    return words <= LONGEST_SENTENCE


DEFAULT_SYSTEM = "s4+"
"""The system that is trained if none is named."""


def recipe(
    system: str | None = None, trees: str | None = None, features: str | None = None, projection: str | None = None
) -> Recipe:
    """The recipe of a system, or one of your own: trees to learn from, features of the translation, the projection it sees.

    A system is a recipe as a whole, so that a named one with a part of your own is refused.

    >>> recipe("s4-1").projection, recipe(projection="s1-r").projection
    ('s2-1', 's1-r')
    """
    able = [name for name in PARSERS if name != "oracle"]
    if system and system not in able:
        raise ModelError(f"no system {system} to train; there are {', '.join(able)}")
    given = {name: value for name, value in (("trees", trees), ("features", features), ("projection", projection)) if value}
    if not given:
        return parsers.RECIPES[system or DEFAULT_SYSTEM]
    if system:
        name, value = next(iter(given.items()))
        message = f"`system={system}` says what the parser learns from and sees, `{name}={value}` says it otherwise"
        raise ModelError(message, remedy="give a system, or trees, features and projection of your own")
    groups = [name.strip() for name in (features or "match,align,pos").split(",") if name.strip()]
    if unknown := [name for name in groups if name not in GROUPS and name not in FEATURES]:
        raise ModelError(f"no features '{unknown[0]}'; there are {', '.join(dict.fromkeys((*GROUPS, *FEATURES)))}")
    for name in (projection or "s2+", "s2+" if trees in (None, "gold") else trees):
        if name not in PROJECTIONS:
            raise ModelError(f"no projection system {name}; there are {', '.join(PROJECTIONS)}")
    wanted = {name for group in groups for name in GROUPS.get(group, (group,))}
    chosen = tuple(name for name in FEATURES if name in wanted)
    return Recipe(trees or "gold", (projection or "s2+") if chosen else "", chosen, tags="pos" in groups)

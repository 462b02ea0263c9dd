"""A trained parsing system (S3, S4, s4+, s5+) in a folder: its recipe, its rules (of s6+ where it starts from s6), its parsers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.data.errors import ModelError
from divproj.parsing import storage
from divproj.projection import rulefile
from divproj.projection.edges import FEATURES, slots
from divproj.projection.naming import COLUMNS
from divproj.projection.parser_systems import ParsedSystem, Recipe
from divproj.projection.phrasal.features import PHRASES
from divproj.projection.systems import CORRECTED, PROJECTIONS, Corrections
from divproj.runtime import modelfile

if TYPE_CHECKING:
    from divproj.links.gloss.grams import Grams
    from divproj.projection.universal.corrected import S6Plus

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
    parsers = [storage.restored(model, fact, f"parser{k}.") for k, fact in enumerate(facts)]
    prior = _prior(recipe, corrections, grams)
    phrases = () if prior else recipe.phrases
    expected = slots(recipe.features) + len(phrases) if recipe.projection else 0
    for parser in parsers:
        if parser.slots_ != expected or parser.columns_ != 2 * recipe.glosses:
            raise ModelError("the parser and the recipe do not look at the same features", model.where, modelfile.REMEDY)
    made = ParsedSystem(recipe, corrections, parsers, {}, prior=prior)
    made.phrase_vote, made.parser_vote = _vote(model, "phrase_vote", 0.0), _vote(model, "parser_vote", 1.0)
    if "namer" in model.about:
        made.namer = storage.restored(model, model.fact("namer", dict), "namer.")
        if made.namer.slots_ or made.namer.columns_ != COLUMNS or not made.prior:
            raise ModelError("what names relations and the recipe do not fit", model.where, modelfile.REMEDY)
    return made


def _vote(model: modelfile.Model, name: str, default: float) -> float:
    vote = float(model.fact(name, float)) if name in model.about else default
    if not 0 <= vote <= 1:
        raise ModelError(f"'{name}' is {vote}, a number from 0 to 1 expected", model.where, modelfile.REMEDY)
    return vote


def _prior(recipe: Recipe, corrections: Corrections, grams: Grams | None) -> S6Plus | None:
    """s6+, where the system was learned with it; ProjError where the model of glossed text did not come along."""
    if not recipe.together or corrections.system != CORRECTED:
        return None
    from divproj.projection.universal.corrected import S6Plus
    from divproj.projection.universal.projector import S6

    return S6Plus(corrections.model.weights, corrections.model.lexicon, S6(grams=grams))


def _recipe(model: modelfile.Model) -> Recipe:
    found = modelfile.Model(model.kind, model.fact("recipe", dict), where=model.where)
    features = found.fact("features", list)
    if unknown := [name for name in features if name not in FEATURES]:
        raise ModelError(f"no feature {unknown[0]!r:.40}", model.where, f"there are {', '.join(FEATURES)}")
    for name, allowed in (("trees", ("gold", *PROJECTIONS)), ("projection", ("", *PROJECTIONS))):
        if found.fact(name, str) not in allowed:
            raise ModelError(f"'{name}' is {found.about[name]!r:.40}, one of {', '.join(allowed)} expected", model.where)
    flags = {name: found.fact(name, bool) for name in ("tags", "glosses", "together")}
    phrases = found.fact("phrases", list) if "phrases" in found.about else []
    if unknown := [name for name in phrases if name not in PHRASES]:
        raise ModelError(f"no feature {unknown[0]!r:.40} of phrases", model.where, f"there are {', '.join(PHRASES)}")
    return Recipe(found.fact("trees", str), found.fact("projection", str), tuple(features), phrases=tuple(phrases), **flags)

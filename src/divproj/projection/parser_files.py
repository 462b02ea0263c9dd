"""A trained parsing system (S3, S4, s4+) in a folder: its recipe, its rules, its parsers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from divproj.data.errors import ModelError
from divproj.parsing import storage
from divproj.projection import rulefile
from divproj.projection.edges import FEATURES, slots
from divproj.projection.parser_systems import ParsedSystem, Recipe
from divproj.projection.phrasal.features import PHRASES
from divproj.projection.phrasal.projector import PhraseProjector
from divproj.projection.systems import PROJECTIONS
from divproj.runtime import modelfile

KIND, VERSION = "divproj-parsed-projection", 1


def save(system: ParsedSystem, folder: str | Path, about: dict[str, Any]) -> None:
    facts = {
        "about": about,
        "recipe": asdict(system.recipe),
        "phrase_vote": system.phrase_vote,
        "rules": json.loads(rulefile.dumps(system.corrections)),
        "parsers": [storage.facts(parser) for parser in system.parsers],
    }
    arrays = {name: a for k, parser in enumerate(system.parsers) for name, a in storage.arrays(parser, f"parser{k}.").items()}
    modelfile.save(folder, KIND, VERSION, facts, arrays)


def load(folder: str | Path) -> ParsedSystem:
    """The system in a folder; ModelError where it is damaged or of another version."""
    model = modelfile.load(folder, KIND, VERSION)
    recipe = _recipe(model)
    corrections = rulefile.loads(json.dumps(model.fact("rules", dict)), f"{folder}/{modelfile.META}: rules")
    facts = model.fact("parsers", list)
    if not facts or not all(isinstance(fact, dict) for fact in facts):
        raise ModelError("'parsers' is not a list of parsers", model.where, modelfile.REMEDY)
    if len(facts) > 1 and not recipe.together:
        raise ModelError(f"{len(facts)} parsers, one expected", model.where, modelfile.REMEDY)
    parsers = [storage.restored(model, fact, f"parser{k}.") for k, fact in enumerate(facts)]
    expected = slots(recipe.features) + len(recipe.phrases) if recipe.projection else 0
    for parser in parsers:
        if parser.slots_ != expected or parser.columns_ != 2 * recipe.glosses:
            raise ModelError("the parser and the recipe do not look at the same features", model.where, modelfile.REMEDY)
    vote = model.fact("phrase_vote", float) if "phrase_vote" in model.about else 0.0
    if not 0 <= vote <= 1:
        raise ModelError(f"'phrase_vote' is {vote}, a number from 0 to 1 expected", model.where, modelfile.REMEDY)
    return ParsedSystem(recipe, corrections, parsers, {}, PhraseProjector() if recipe.phrases else None, vote)


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

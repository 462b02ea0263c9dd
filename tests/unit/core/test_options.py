"""Options are declared once: the command line, configs and Python keywords have their help texts, limits and defaults from one field."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
from cli.test_help import COMMANDS

import divproj
from divproj.core import options
from divproj.core.errors import ProjError
from divproj.core.options import (  # fmt: skip
    AlignOptions,
    EvaluateOptions,
    ExperimentOptions,
    InduceOptions,
    Options,
    ParseOptions,
    ProjectOptions,
    ReaderOptions,
    TrainOptions,
    WordsOptions,
    option_of,
    parse_roles,
    parse_settings,
)
from divproj.io.interlinear.formats import FORMATS
from divproj.parsing.parser import MstParser
from divproj.run.config import KEYS
from divproj.ud import head_style

STEPS: dict[tuple[str, ...], type[Options]] = {
    ("train",): TrainOptions,
    ("parse",): ParseOptions,
    ("words",): WordsOptions,
    ("align", "pairs"): AlignOptions,
    ("align", "train"): AlignOptions,
    ("induce", "train"): InduceOptions,
    ("project",): ProjectOptions,
    ("evaluate",): EvaluateOptions,
    ("experiment",): ExperimentOptions,
}
MOST = 270
"""Options of all commands together, without --quiet and --verbose, which every command has."""


@pytest.mark.parametrize("words", STEPS, ids=" ".join)
def test_the_command_has_every_field_as_an_option(words: tuple[str, ...]):
    params = {param.name: param for param in COMMANDS[words].params}
    for each in fields(STEPS[words]):
        about = option_of(each)
        assert about is not None
        assert (each.name in params) == (not about.by_set)
        if about.by_set:
            continue
        assert params[each.name].help == about.help
        assert params[each.name].default == (each.default or None if isinstance(each.default, tuple) else each.default)


def test_there_are_not_too_many_options():
    counted = [param.name for command in COMMANDS.values() for param in command.params if param.param_type_name == "option"]
    assert sum(name not in ("quiet", "verbose") for name in counted) <= MOST


@pytest.mark.parametrize(
    ("table", "key", "step", "name"),
    [
        ("train", "epochs", TrainOptions, "epochs"),
        ("train", "bits", TrainOptions, "bits"),
        ("project", "style", ProjectOptions, "style"),
        ("parse", "style", ProjectOptions, "e_style"),
        ("align", "threshold", WordsOptions, "threshold"),
        ("input", "format", ReaderOptions, "format"),
    ],
)
def test_keys_of_the_config(table: str, key: str, step: type[Options], name: str):
    [each] = [each for each in fields(step) if each.name == name]
    about = option_of(each)
    assert about is not None
    assert KEYS[table][key].default == each.default
    assert KEYS[table][key].choices == about.choices


def test_keywords_in_python():
    defaults = {name: each.default for name, each in inspect.signature(MstParser).parameters.items()}
    for name in ("order", "decoder", "epochs", "bits"):
        assert defaults[name] == getattr(TrainOptions(), name)
    assert divproj.WordAligner().threshold == WordsOptions().threshold
    assert divproj.Inducer().sweeps == InduceOptions().sweeps


def test_names_are_those_that_the_library_knows():
    assert tuple(FORMATS) == options.IGT_FORMATS
    assert ("as-is", "ud", *head_style.NAMED) == options.E_STYLES


@pytest.mark.parametrize(
    ("step", "given", "said"),
    [
        (TrainOptions, {"order": 4}, "`order=4`: a number from 1 to 3 expected"),
        (TrainOptions, {"epochs": 0}, "`epochs=0`: a number from 1 to 1000 expected"),
        (InduceOptions, {"sweeps": 0}, "`sweeps=0`: a number from 1 on expected"),
        (
            WordsOptions,
            {"method": "best"},
            "`method=best`: one of posterior, intersection, union, grow-diag-final-and expected",
        ),
        (AlignOptions, {"languages": "de"}, "`languages=de`: two languages such as de-en expected"),
        (ReaderOptions, {"format": "pdf"}, "`format=pdf`: one of plain, conllu"),
        (ReaderOptions, {"encoding": "utf-9"}, "unknown encoding 'utf-9'; for example utf-8, cp1252, utf-16"),
    ],
)
def test_what_is_not_allowed_is_refused(step: type[Options], given: dict[str, object], said: str):
    with pytest.raises(ProjError) as error:
        step(**given)
    assert said in str(error.value)


def test_settings_and_roles():
    known = {"null_cost": 1.0, "gap": 0, "both": True}
    assert parse_settings(known, ["null_cost=2", "gap=3", "both=no"]) == {"null_cost": 2.0, "gap": 3, "both": False}
    for text, said in (
        ("speed=3", "`set=speed=3`: NAME=VALUE expected with one of both, gap, null_cost"),
        ("gap", "`set=gap`: NAME=VALUE expected"),
        ("gap=wide", "`set=gap=wide`: int expected"),
        ("both=perhaps", "`set=both=perhaps`: bool expected"),
    ):
        with pytest.raises(ProjError) as error:
            parse_settings(known, [text])
        assert said in str(error.value)
    assert parse_roles("tiers", ["words=tx, glosses=ge", "pos=ps"]) == {"words": "tx", "glosses": "ge", "pos": "ps"}
    with pytest.raises(
        ProjError, match="`tiers=words`: ROLE=NAME expected, several with commas between them; words=tx,glosses=ge"
    ):
        parse_roles("tiers", ["words"])


def test_nothing_heavy_is_imported():
    text = Path(options.__file__).read_text(encoding="utf-8")
    assert "numpy" not in text.partition('"""\n\nfrom __future__')[2]

"""Parsing systems in folders."""

from __future__ import annotations

import json

import pytest

from divproj import Corpus, ModelError
from divproj.projection import parsers
from divproj.projection.direct import ProjectionInput
from divproj.projection.parsers import fit
from divproj.runtime.resources import folder

SMALL = {"bits": 14, "epochs": 3}


@pytest.fixture(scope="module")
def pairs():
    return list(Corpus.at(folder("corpora") / "hin-eng").pairs())


@pytest.fixture(scope="module")
def systems(pairs):
    """A system with a parser that sees a projection, and one with more of everything."""
    return {name: fit(name, pairs[:10], **SMALL).system for name in ("s3-1", "s4-1", "s4+")}


@pytest.mark.parametrize("name", ["s3-1", "s4-1", "s4+"])
def test_there_and_back(name, systems, pairs, tmp_path):
    system = systems[name]
    parsers.save(system, tmp_path / "model", {"corpus": "hin-eng"})
    found = parsers.load(tmp_path / "model")
    assert found.recipe == system.recipe
    assert len(found.parsers) == len(system.parsers)
    same = total = 0
    for given in pairs[10:20]:
        one, other = system.project(ProjectionInput.of(given)), found.project(ProjectionInput.of(given))
        same += sum(a == b for a, b in zip(one.heads, other.heads, strict=True))
        total += len(one.heads)
    assert same / total > 0.95, "weights are rounded, trees are nearly the same"


def test_the_same_seed_makes_the_same_bytes(systems, pairs, tmp_path):
    parsers.save(systems["s4+"], tmp_path / "one", {})
    parsers.save(fit("s4+", pairs[:10], **SMALL).system, tmp_path / "two", {})
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


class TestRefused:
    @pytest.fixture
    def model(self, systems, tmp_path):
        parsers.save(systems["s4-1"], tmp_path / "model", {})
        return tmp_path / "model"

    def said(self, model, change):
        about = json.loads((model / "model.json").read_text())
        change(about)
        (model / "model.json").write_text(json.dumps(about))
        with pytest.raises(ModelError) as error:
            parsers.load(model)
        return str(error.value)

    @pytest.mark.parametrize(
        ("recipe", "why"),
        [
            ({"features": ["proj"]}, "the parser and the recipe do not look at the same features"),
            ({"projection": ""}, "the parser and the recipe do not look at the same features"),
            ({"glosses": True}, "the parser and the recipe do not look at the same features"),
            ({"features": ["proj", "weather"]}, "no feature 'weather'; there are proj, single,"),
            ({"features": "proj"}, "'features' is 'proj', list expected"),
            ({"features": [["proj"]]}, "no feature ['proj']"),
            ({"projection": "gold"}, "'projection' is 'gold', one of , s1-r,"),
            ({"projection": None}, "'projection' is None, str expected"),
            ({"trees": "s9"}, "'trees' is 's9', one of gold, s1-r,"),
            ({"tags": 1}, "'tags' is 1, bool expected"),
        ],
    )
    def test_another_recipe(self, model, recipe, why):
        assert why in self.said(model, lambda about: about["recipe"].update(recipe))

    @pytest.mark.parametrize("parsers", [[], [3], ["x", {}]])
    def test_no_parsers(self, model, parsers):
        assert "'parsers' is not a list of parsers" in self.said(model, lambda about: about.update(parsers=parsers))

    def test_more_parsers_than_the_recipe_knows(self, model):
        said = self.said(model, lambda about: about.update(parsers=about["parsers"] * 2))
        assert "2 parsers, one expected" in said

    def test_a_parser_of_other_templates(self, model):
        said = self.said(model, lambda about: about["parsers"][0].update(templates=99))
        assert "its feature templates are version 99" in said

    def test_rules_that_are_none(self, model):
        assert "'rules' is 3, dict expected" in self.said(model, lambda about: about.update(rules=3))
        assert "model.json: rules" in self.said(model, lambda about: about.update(rules={"format": "poem"}))

    def test_a_model_of_another_kind(self, model):
        said = self.said(model, lambda about: about.update(format="divproj-language"))
        assert "format is 'divproj-language', 'divproj-parsed-projection' expected" in said

    def test_the_oracle_is_not_for_keeps(self, pairs, tmp_path):
        parsers.save(fit("oracle", pairs[:3], **SMALL).system, tmp_path / "oracle", {})
        with pytest.raises(ModelError, match="'projection' is 'gold', one of"):
            parsers.load(tmp_path / "oracle")

"""Parsers as facts and arrays: small, the same bytes for the same seed, refused when damaged."""

from __future__ import annotations

import json

import numpy as np
import pytest
from toybank import CROSSED, SMALL, TOY

from divproj import ModelError
from divproj.parsing import features
from divproj.parsing import parser as storage
from divproj.parsing.parser import MstParser
from divproj.runtime import modelfile

KIND = "toy-parser"


def save(parser, folder):
    modelfile.save(folder, KIND, 1, {"parser": storage.facts(parser)}, storage.arrays(parser))


def load(folder):
    model = modelfile.load(folder, KIND, 1)
    return storage.load_parser(model, model.fact("parser", dict))


@pytest.fixture(scope="module")
def parser():
    return MstParser(**SMALL).fit(TOY)


@pytest.fixture
def folder(parser, tmp_path):
    save(parser, tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("options", [{}, {"order": 1}, {"order": 3}, {"labels": False}, {"decoder": "nonproj", "clip": 0.5}])
def test_there_and_back(options, tmp_path):
    trees = TOY + CROSSED
    parser = MstParser(**SMALL, **options).fit(trees).calibrate(trees, trees)
    save(parser, tmp_path / "model")
    found = load(tmp_path / "model")
    assert found.get_params() == parser.get_params()
    for name in ("rels_", "crossing_", "columns_", "slots_", "scale_"):
        assert getattr(found, name) == getattr(parser, name)
    for name in storage.TABLES:
        before, after = getattr(parser, name), getattr(found, name)
        assert after.dtype == np.float32
        assert np.abs(after - before).mean() <= 0.05 * np.abs(before).mean()
    assert found.score(trees, parser.predict(trees)) > 0.95, "nearly the same trees"


def test_the_same_seed_makes_the_same_bytes(folder, tmp_path):
    save(MstParser(**SMALL).fit(TOY), tmp_path / "again")
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_it_is_small(folder):
    assert sum(path.stat().st_size for path in folder.iterdir()) < 100_000


def changed(folder, **facts):
    """Write other facts of the parser; None takes one away."""
    about = json.loads((folder / "model.json").read_text())
    about["parser"] = {name: value for name, value in (about["parser"] | facts).items() if value is not None}
    (folder / "model.json").write_text(json.dumps(about))


def refused(folder):
    with pytest.raises(ModelError) as error:
        load(folder)
    return str(error.value)


class TestRefused:
    def test_other_templates(self, folder):
        changed(folder, templates=features.VERSION + 1)
        expected = f"its feature templates are version {features.VERSION + 1}, {features.VERSION} expected; train it again"
        assert expected in refused(folder)

    @pytest.mark.parametrize("name", ["templates", "params", "rels", "crossing", "columns", "slots", "scale", "units"])
    def test_a_fact_that_is_missing(self, folder, name):
        changed(folder, **{name: None})
        assert f"'{name}' is None, " in refused(folder)

    @pytest.mark.parametrize(
        ("facts", "why"),
        [
            ({"rels": []}, "'rels' is not a list of relations"),
            ({"rels": ["root", 3]}, "'rels' is not a list of relations"),
            ({"rels": ["root", "dep"]}, "array 'parser.votes' has shape (32768, 12), 32768 × 2 expected"),
            ({"params": {"bits": 12}}, "array 'parser.weights' has shape (16384,), 4096 expected"),
            ({"params": {"bits": 14.0}}, "'bits' is 14.0, int expected"),
            ({"params": {"bits": 99}}, "'params': bits is 99, 10 to 28 expected"),
            ({"params": {"order": 2.0}}, "'order' is 2.0, int expected"),
            ({"params": {"decoder": 7}}, "'decoder' is 7, str expected"),
            ({"params": {"decoder": "best"}}, "'params': decoder is 'best'"),
            ({"params": {"depth": 7}}, "'params': MstParser has no parameter 'depth'"),
            ({"params": {"self": 7}}, "'params': "),
            ({"crossing": 1}, "'crossing' is 1, bool expected"),
            ({"columns": -1}, "-1 further columns and 0 codes an edge are not possible"),
            ({"slots": 10**9}, "0 further columns and 1000000000 codes an edge are not possible"),
            ({"scale": "big"}, "'scale' is 'big', int or float expected"),
            ({"scale": float("nan")}, "'scale' is nan, a positive number expected"),
            ({"scale": 0}, "'scale' is 0.0, a positive number expected"),
            ({"units": {}}, "the unit of 'weights_' is None, a positive number expected"),
            ({"units": {"weights_": float("nan")}}, "the unit of 'weights_' is nan"),
            ({"units": {"weights_": -1}}, "the unit of 'weights_' is -1"),
        ],
    )
    def test_a_fact_that_does_not_fit(self, folder, facts, why):
        changed(folder, **facts)
        assert why in refused(folder)

    @pytest.mark.parametrize(
        ("array", "why"),
        [
            (None, "weights.npz has no array 'parser.weights'"),
            (np.zeros(5, np.int8), "array 'parser.weights' has shape (5,), 16384 expected"),
            (np.full(1 << 14, np.nan, np.float32), "array 'parser.weights' is of type float32"),
            (np.array(["x"] * 5), "array 'parser.weights' is of type <U1"),
        ],
    )
    def test_an_array_that_does_not_fit(self, parser, tmp_path, array, why):
        arrays = storage.arrays(parser) | {"parser.weights": array}
        arrays = {name: own for name, own in arrays.items() if own is not None}
        modelfile.save(tmp_path / "model", KIND, 1, {"parser": storage.facts(parser)}, arrays)
        assert why in refused(tmp_path / "model")

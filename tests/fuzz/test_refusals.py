"""What the damaged files taught: each refusal that came of one, in its words."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from fuzz.loaders import good, use
from fuzz.readers import _rules

from divproj.core.errors import FormatError, ModelError, Where
from divproj.forest import build
from divproj.io.trees.brackets import loads
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.projection import rulefile
from divproj.runtime import modelfile


def refused(name: str, role: str, data: bytes) -> str:
    with pytest.raises(ModelError) as caught:
        use(data, name, role)
    return str(caught.value)


def changed(name: str, **values: object) -> bytes:
    return json.dumps({**json.loads(good(name)["model.json"]), **values}).encode()


def test_a_phrase_of_very_many_parts_is_binarised_from_its_head():
    text = f"(S {' '.join('(X x)' for _ in range(build.MOST_CHILDREN + 1))})"
    (tree,) = loads(text)[0].trees
    assert build.from_tree(tree, binarise="all") == build.from_tree(tree)
    assert forests_of(text, options=ForestOptions(binarise="all"))[0].is_tree


def test_examples_of_a_rule():
    found = json.loads(_rules()[0])
    found["swap"][0]["examples"] = 7
    with pytest.raises(ModelError, match=r"'swap\[0\].examples' is 7, list expected"):
        rulefile.loads(json.dumps(found))
    with pytest.raises(ModelError, match="not JSON: nested too deeply"):
        rulefile.loads("[" * 100_000)


def test_forests_with_a_number_that_is_none():
    with pytest.raises(FormatError, match="not JSON that can be used: Exceeds the limit"):
        forests_of('{"format": ' + "9" * 5000 + "}", "json")


def test_parameters_like_their_defaults():
    defaults = {"size": 3, "share": 0.5, "name": "x"}
    assert modelfile.like_defaults({"size": 4, "share": 1}, defaults, Where("m")) == {"size": 4, "share": 1}
    for found, why in (
        ({"depth": 1}, r"m: no parameter 'depth'; there are name, share, size"),
        ([1], r"m: no parameter ''; there are"),
        ({"size": 1.5}, r"m/model.json: 'size' is 1.5, int expected"),
        ({"name": None}, r"'name' is None, str expected"),
        ({"size": 10**30}, r"'size' is 1000.*, a number of usual size expected"),
        ({"share": float("nan")}, r"'share' is nan, a number of usual size expected"),
    ):
        with pytest.raises(ModelError, match=why):
            modelfile.like_defaults(found, defaults, Where("m"))


def test_models_of_phrases():
    params = json.loads(good("phrases")["model.json"])["params"]
    assert "'null_cost' is 'x', int or float expected" in refused(
        "phrases", "model.json", changed("phrases", params={**params, "null_cost": "x"})
    )
    assert "'history' is 3, list expected" in refused("phrases", "model.json", changed("phrases", history=3))
    assert "array 'weights' has shape (70,), 75 expected" in refused("phrases", "model.json", changed("phrases", buckets=5))


def test_induced_grammars():
    sides = json.loads(good("induced")["model.json"])["sides"]
    for key, value, why in (
        ("constituent", -1, r"priors \(-1.0, 20.0\) and \d+ contexts, numbers above 0 expected"),
        ("contexts", float("inf"), "'contexts' is inf, int expected"),
        ("tags", [1] * len(sides["f"]["tags"]), "tags that are not texts"),
    ):
        data = changed("induced", sides={"f": {**sides["f"], key: value}})
        with pytest.raises(ModelError, match=why):
            use(data, "induced", "model.json")


def test_taggers():
    found = json.loads(good("language")["model.json"])
    tagger = {**found["tagger"], "params": {**found["tagger"]["params"], "likely": 0}}
    assert "0 likely of " in refused("language", "model.json", changed("language", tagger=tagger))
    tagger["params"] = {**found["tagger"]["params"], "likely": "6"}
    assert "the tagger's weights cannot be used: 'likely' is '6', int expected" in refused(
        "language", "model.json", changed("language", tagger=tagger)
    )


def test_arrays_of_another_type(tmp_path: Path):
    (tmp_path / "w.npz").write_bytes(good("language")["weights.npz"])
    arrays = modelfile.read_arrays(tmp_path / "w.npz")
    arrays["tagger.columns"] = arrays["tagger.columns"].astype(np.complex128)
    modelfile.write_arrays(tmp_path / "x.npz", arrays)
    said = refused("language", "weights.npz", (tmp_path / "x.npz").read_bytes())
    assert "the tagger's weights cannot be used: 'columns' is of type complex128 and shape" in said


def test_a_model_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("…")
    with pytest.raises(ModelError, match="could not be written: Not a directory"):
        modelfile.save(tmp_path / "file" / "model", "x", 1, {}, {})
    assert os.listdir(tmp_path) == ["file"]

"""Wheels of language packs: built from a pack, found where they are installed."""

from __future__ import annotations

import importlib.util
import json
import sys
import zipfile
from pathlib import Path

import pytest
from toybank import TREEBANK

from divproj.parsing import language as module
from divproj.parsing.language import Language

pytest.importorskip("build")
pytest.importorskip("hatchling")
PROGRAM = Path(__file__).resolve().parents[3] / "train" / "wheels.py"


def program():
    spec = importlib.util.spec_from_file_location("wheels", PROGRAM)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_pack_is_found_where_its_wheel_is_installed(tmp_path, monkeypatch):
    about = {"language": "Toy", "licence": "CC0-1.0"}
    pack = tmp_path / "qy"
    Language.train(TREEBANK, bits=12, epochs=1, about=about).save(pack)
    (pack / "README.md").write_text("# Toy\n")
    program().build("qy", pack, tmp_path / "dist")
    [wheel] = (tmp_path / "dist").glob("divproj_qy-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    assert "qy" not in module.available()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert module.available()["qy"] == tmp_path / "site" / "divproj_qy"
    try:
        assert module.load_pack("qy").about == about
    finally:
        module.load_pack.cache_clear()
    assert "divproj_qy" not in sys.modules
    facts = json.loads((tmp_path / "site" / "divproj_qy" / "model.json").read_text())
    assert facts["about"] == about


def test_the_wheel_of_an_encoder_is_found(tmp_path, monkeypatch):
    from divproj.runtime import modelfile
    from divproj.text import encoder

    pack = tmp_path / "encoder-qy"
    modelfile.save(pack, encoder.FORMAT, encoder.VERSION, {"about": {"language": "Toy", "licence": "CC0-1.0"}}, {})
    (pack / "README.md").write_text("# Toy\n")
    program().build("encoder-qy", pack, tmp_path / "dist")
    [wheel] = (tmp_path / "dist").glob("divproj_encoder_qy-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert encoder.encoder_folder("qy") == tmp_path / "site" / "divproj_encoder_qy"
    assert "qy" not in module.available()

"""The public names."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import divproj

ROOT = Path(__file__).resolve().parents[2]


def test_public_names_are_sorted_and_there():
    assert divproj.__all__ == sorted(divproj.__all__)
    assert all(hasattr(divproj, name) for name in divproj.__all__)
    assert [name for name in dir(divproj) if not name.startswith("__")] == divproj.__all__


def test_version():
    assert all(part.isdecimal() for part in divproj.__version__.split("."))


def test_heavy_libraries_are_imported_only_when_used():
    """A command that reads a small corpus does without numba, NLTK and networkx."""
    code = "import sys, divproj; print(sorted({'numba', 'nltk', 'networkx', 'sklearn', 'matplotlib'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("name", divproj.__all__)
def test_every_public_name_has_a_docstring_and_an_example(name: str):
    found = getattr(divproj, name)
    if name == "SYSTEMS":  # a table of `SystemInfo`
        found = type(divproj.SYSTEMS["s6"])
    text = inspect.getdoc(found) or ""
    assert len(text.splitlines()[0]) > 10
    assert doctest.DocTestParser().get_examples(text), f"{name} has no example"


def test_what_the_front_door_shows_is_one_kind_of_pair():
    """No other public class is a sentence pair."""
    classes = [found for name in divproj.__all__ if inspect.isclass(found := getattr(divproj, name))]
    sides = [kind.__name__ for kind in classes if {"f", "e", "links"} <= set(getattr(kind, "__annotations__", ()))]
    assert sides == ["Corpus", "Pair"]  # a corpus names the files of the two sides and of the links


def test_the_page_of_the_api_is_written_from_the_front_door():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^::: divproj\.(\w+)$", page, re.M))
    assert [name for name in divproj.__all__ if name not in described and f"`divproj.{name}`" not in page] == []


def test_notebooks():
    corpus = divproj.Corpus.at("deu-eng")
    pair = next(iter(corpus))
    assert pair._repr_html_().startswith("<svg")
    assert pair.f._repr_html_().startswith("<svg")
    assert corpus._repr_html_().count("<svg") == 3
    nowhere = divproj.Corpus("no.conllu", "no.conllu", "no.txt", "a <b>")
    assert "a &lt;b&gt;" in nowhere._repr_html_()
    assert "no such file" in nowhere._repr_html_()

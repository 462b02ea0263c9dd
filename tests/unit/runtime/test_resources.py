"""Where shipped data is found."""

from __future__ import annotations

import pytest

from divproj import ProjError
from divproj.runtime import resources


@pytest.mark.parametrize("kind", ["rules", "corpora"])
def test_data_of_this_checkout(kind):
    assert resources.folder(kind).is_dir()


def test_data_inside_the_package_comes_first(tmp_path, monkeypatch):
    package = tmp_path / "site" / "divproj"
    for folder in (package / "shipped" / "corpora", tmp_path / "corpora"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(resources, "__file__", str(package / "runtime" / "resources.py"))
    assert resources.folder("corpora") == package / "shipped" / "corpora"


def test_missing_data(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "site" / "divproj" / "runtime" / "resources.py"))
    with pytest.raises(ProjError) as caught:
        resources.folder("rules")
    assert str(caught.value) == "the shipped rules are missing from this installation; install divproj again"

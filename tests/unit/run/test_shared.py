"""Stages and projections that are shared out give the bytes of one process."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pipelinefiles import PLAIN, config, snapshot, write

from divproj.core.errors import Faults
from divproj.core.pair import Pair
from divproj.io.corpus import Corpus
from divproj.projection import pipeline, projector
from divproj.projection.direct import ProjectionInput
from divproj.projection.pipeline import CorpusOutput, project_corpus
from divproj.projection.prepare import Preparation, prepare_text
from divproj.projection.projector import Projector
from divproj.run import stages
from divproj.run.config import load
from divproj.run.runner import Run
from divproj.runtime.engine import HERE, Workers

TWO = Workers(2)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of few sentences, so that there are many."""
    for module, name, size in ((stages, "BATCH", 5), (stages, "LINKED", 5), (projector, "WORTH", 1)):
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(pipeline.chunks, "__defaults__", (5,))


@pytest.mark.parametrize("system", ["s6", "s5", "s1-r"])
def test_a_run(system: str, tmp_path: Path, small: None):
    folder = write(tmp_path / "in")
    text = PLAIN.replace('trees = "e.conllu"\n', "") + f'[project]\nsystem = "{system}"\n'  # so E is parsed, too
    path = config(folder, text)
    Run(load(path, tmp_path / "one")).execute()
    Run(load(path, tmp_path / "two"), workers=Workers(2)).execute()
    assert snapshot(tmp_path / "two") == snapshot(tmp_path / "one")


@pytest.mark.parametrize("system", ["s5", "s6"])
def test_a_text_that_is_observed_first(system: str, tmp_path: Path, small: None):
    folder = write(tmp_path)

    def found(place: Workers) -> list[str]:
        corpus = Corpus(folder / "text.txt")
        return [x.text for x in project_corpus(Projector(system), (corpus,), CorpusOutput(), Faults(), place)]

    assert found(TWO) == found(HERE)


@pytest.mark.parametrize("system", ["s5", "s6"])
def test_a_part_has_its_sentences_alone(system: str, tmp_path: Path):
    folder = write(tmp_path)
    made = Projector(system)
    pairs = list(prepare_text(Corpus(folder / "text.txt"), Preparation(), Faults()))
    state, own = made.adapt(pairs).state, made.choose_system(pairs)
    text = [ProjectionInput.of(pair) for pair in pairs]
    part = state.part(text[:3])
    kept = part.analyses if system == "s6" else part.links._known
    assert len(kept) == 3 < len(text)
    assert [own.project(each, part) for each in text[:3]] == [own.project(each, state) for each in text[:3]]


@pytest.mark.parametrize("system", ["s6", "s5", "s1-r"])
def test_sentences_are_not_held(system: str, monkeypatch: pytest.MonkeyPatch, small: None):
    """What a system learns from the text is kept, the text is not: a hundred thousand sentences need no more memory than a thousand."""
    monkeypatch.setattr(projector, "ADAPT_LIMIT", 20)
    given = list(prepare_text(Corpus.at("deu-eng"), Preparation(), Faults(strict=False)))[:20]
    alive: set[int] = set()
    most = 0

    def text() -> Iterator[Pair]:
        nonlocal most
        for k in range(300):
            pair = replace(given[k % len(given)], sent_id=f"s{k}")
            alive.add(k)
            weakref.finalize(pair, alive.discard, k)
            most = max(most, len(alive))
            yield pair

    count = sum(1 for _ in Projector(system).projections(text()))
    assert count == 300
    assert most < 80, "the first 20, and a few batches of five"

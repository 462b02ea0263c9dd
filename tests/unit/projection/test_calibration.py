"""Confidences that mean what they say: features, maps, their file, and what a guess may claim."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from divproj import DepTree
from divproj.core.errors import Faults, ModelError
from divproj.core.links import Links
from divproj.io.corpus import Corpus
from divproj.projection import confidence
from divproj.projection.confidence import NAMES, Calibration, CalibrationSample, calibrate, features, load, save
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.pipeline import CorpusOutput, project_corpus
from divproj.projection.prepare import Preparation, prepare_text
from divproj.projection.projector import Projector
from divproj.runtime.resources import folder

E = DepTree(("the", "dogs", "bark"), (2, 3, 0), ("det", "nsubj", "root"), ("DET", "NOUN", "VERB"), confidence=(0.9, 0.6, 0.99))
LINKS = Links(frozenset({(1, 2), (2, 3)}), (2, 3), weights=(((1, 2), 0.7),))
TEXT = ProjectionInput(("Hunde", "bellen"), E, LINKS, ("dog.PL", "bark"), "s1")
FOUND = Projection(TEXT, (2, 0), ("projected", "guess"), (0.5, 0.9))


def test_features_see_doubt_about_links_and_the_english_tree():
    table = dict(zip(NAMES, features(FOUND).T, strict=True))
    assert table["sure"][0] == 0
    assert np.allclose(table["link"][0], np.log(0.7 / 0.3))
    assert np.allclose(table["E edge"][0], np.log(0.6 / 0.4))
    assert table["s1-r agrees"].tolist() == [1, 1]
    assert table["reason guess"].tolist() == [0, 1]
    assert table["tag NOUN"].tolist() == [1, 0]
    assert table["head VERB"].tolist() == [1, 0]
    assert table["root"].tolist() == [0, 1]
    assert features(Projection(ProjectionInput((), DepTree((), ()), Links.of([], (0, 0))), (), ())).shape == (0, len(NAMES))


def sample(name: str, family: str, seed: int, bias: float = 0.0) -> CalibrationSample:
    """Words whose system says p and is right as often as p squared."""
    rng = random.Random(seed)
    table, right = np.zeros((400, len(NAMES))), np.zeros(400, bool)
    for k in range(400):
        p = rng.uniform(0.05, 0.99)
        table[k, :2] = 1.0, float(confidence.log_odds([p])[0])
        table[k, 2:6] = [max(0.0, table[k, 1] - knot) for knot in confidence.KNOTS]
        right[k] = rng.random() < p**2 + bias
    return CalibrationSample(name, family, table, right)


def test_a_map_learned_on_other_families_means_what_it_says():
    samples = [sample(f"b{k}", f"family{k % 4}", k) for k in range(8)]
    held = confidence.held_out_probabilities(samples)
    right = np.concatenate([s.right for s in samples])
    chances = np.concatenate([held[s.name] for s in samples])
    said = 1 / (1 + np.exp(-np.concatenate([s.table[:, 1] for s in samples])))
    assert confidence.calibration_error(chances, right) < 0.05 < confidence.calibration_error(said, right)
    own = confidence.learn(samples)
    assert 0 < own.error < 0.06
    assert own.source == "calibrated on 8 treebanks of other languages"


def test_nothing_to_tell_apart_gives_the_share():
    one = CalibrationSample("a", "x", np.ones((98, len(NAMES))), np.ones(98, bool))
    chance = Calibration(tuple(confidence.fit([one]).tolist()), 0.0, "").probabilities(one.table[:1])
    assert chance[0] == pytest.approx(0.99)


def test_samples_leave_out_words_without_a_gold_head():
    gold = DepTree(("Hunde", "bellen"), (-1, 0))
    assert CalibrationSample.of("a", "x", [(gold, FOUND)]).right.tolist() == [True]


def test_maps_are_kept_in_a_file(tmp_path: Path):
    table = {"s5": Calibration((0.5,) * len(NAMES), 0.05, "a test")}
    save(table, tmp_path / "c.json", {"licence": "CC0"})
    assert load(tmp_path / "c.json") == table


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"version": 99}, "of another version"),
        ({"systems": {"s5": {"weights": [1.0], "error": 0.1, "source": ""}}}, f"has not {len(NAMES)} finite weights"),
        ({"systems": {"s5": {"weights": "no"}}}, "cannot be read"),
        ({"systems": [1]}, "cannot be read"),
    ],
)
def test_damaged_maps_are_refused(tmp_path: Path, change: dict[str, object], what: str):
    place = tmp_path / "c.json"
    save({}, place, {})
    place.write_text(json.dumps({**json.loads(place.read_text()), **change}))
    with pytest.raises(ModelError, match=what):
        load(place)


def test_every_system_has_a_map_and_no_guess_is_sure():
    for system in ("s1-r", "s1-l", "s2-1", "s2-3", "s2+", "s5", "s6"):
        found = calibrate(FOUND, system)
        assert found.calibrated == system
        assert all(0 < p < 1 for p in found.confidence)
    assert calibrate(FOUND, "nobody's") is FOUND


@pytest.mark.parametrize("odds", [-20.0, -0.1, 0.1, 20.0])
def test_what_is_called_a_guess_has_at_most_even_odds(monkeypatch: pytest.MonkeyPatch, odds: float):
    own = Calibration((odds, *([0.0] * (len(NAMES) - 1))), 0.1, "")
    monkeypatch.setattr(confidence, "calibration_of", lambda _: own)
    marked = replace(TEXT, forms=(TEXT.forms[0], "!"))
    unlinked = replace(TEXT, links=Links.of([], (2, 3)))
    for given in (TEXT, marked, unlinked):
        found = calibrate(Projection(given, (0, 1), ("guess", "guess"), (0.96, 0.97)), "s5")
        for reason, sure in zip(found.reasons, found.confidence, strict=True):
            assert reason != "guess" or sure <= 0.5
            assert reason in ("guess", "parsed", "spontaneous")
    linked = calibrate(Projection(marked, (0, 1), ("guess", "guess"), (0.96, 0.97)), "s5").reasons
    assert linked[1] != "guess"  # marks hang by rule
    assert (linked[0] == "guess") == (odds < 0)
    assert set(calibrate(Projection(unlinked, (0, 1), ("guess", "guess"), (0.9, 0.9)), "s5").reasons) == {"guess"}


def test_one_word_at_a_time_is_the_same_as_all(monkeypatch):
    rng = np.random.default_rng(3)
    own = Calibration(tuple(rng.normal(size=len(NAMES)).tolist()), 0.1, "")
    monkeypatch.setattr(confidence, "calibration_of", lambda _: own)
    plain = replace(TEXT, e=replace(E, confidence=()), links=Links.of([(1, 3), (2, 3)], (2, 3)))
    for given in (
        FOUND,
        replace(FOUND, heads=(0, 1), confidence=(), upos=("X", "?")),
        Projection(plain, (0, 1), ("merge", "projected")),
        Projection(replace(plain, links=Links.of([], (2, 3))), (0, 1), ("guess", "spontaneous"), (0.99, 1.0)),
    ):
        found = calibrate(given, "s5")
        assert np.allclose(found.confidence, np.round(own.probabilities(features(given)), 4))
    far = Calibration((-1e6, *own.weights[1:]), 0.1, "")
    assert far.confidence(FOUND) == (0.0, 0.0)


def test_chunks_and_whole_texts_have_the_same_confidences(tmp_path: Path):
    text = tmp_path / "text.txt"
    text.write_text(
        "Hund-e bell-en\ndog-PL bark-3PL\n'The dogs bark.'\n\nHund schläf-t\ndog sleep-3SG\n'The dog sleeps.'\n", "utf-8"
    )
    corpus = Corpus(text)
    [chunk] = project_corpus(Projector("s1-r"), (corpus,), CorpusOutput(drawn=True), Faults())
    some = chunk.projections
    whole = [found for _, found in Projector("s1-r").projections(prepare_text(corpus, Preparation(), Faults()))]
    assert [f.confidence for f in some] == [f.confidence for f in whole]
    assert {f.calibrated for f in (*some, *whole)} == {"s1-r"}


SHIPPED = confidence.Calibration((0.0, 1.0, *(0.0,) * (len(NAMES) - 2)), 0.05, "nobody")


def sentences(power: float, seed: int = 1, count: int = 40) -> tuple[list, list]:
    """Features and right heads of sentences of ten words, right as often as a power of what the system says."""
    rng = random.Random(seed)
    tables, right = [], []
    for _ in range(count):
        table = np.zeros((10, len(NAMES)))
        says = [rng.uniform(0.05, 0.99) for _ in range(10)]
        table[:, 0], table[:, 1] = 1.0, confidence.log_odds(says)
        tables.append(table)
        right.append(np.array([rng.random() < p**power for p in says]))
    return tables, right


@pytest.mark.parametrize(("power", "kinds"), [(1.0, ("shipped", "shifted")), (3.0, ("shifted", "new"))])
def test_the_likeliest_map_in_folds_of_sentences_is_chosen(power, kinds, monkeypatch):
    monkeypatch.setattr(confidence, "shipped_calibrations", lambda: {"s6": SHIPPED})
    choice = confidence.choose_map("s6", *sentences(power))
    assert choice.kind in kinds
    assert choice.kind == max(choice.likelihoods, key=choice.likelihoods.__getitem__)
    assert choice.words == 400
    assert choice.errors["chosen"] <= choice.errors["shipped"] + 0.03
    if power > 1:
        tables, right = sentences(power, seed=2)
        said = choice.calibration.probabilities(np.concatenate(tables))
        assert confidence.calibration_error(said, np.concatenate(right)) < 0.5 * choice.errors["shipped"]
    assert 0 < choice.calibration.error < 0.1
    assert choice.calibration.source == "calibrated on 40 gold sentences"


def test_a_system_without_a_shipped_map_gets_one(monkeypatch):
    monkeypatch.setattr(confidence, "shipped_calibrations", dict)
    choice = confidence.choose_map("s4-1", *sentences(2.0))
    assert "shipped" not in choice.likelihoods | choice.errors
    with pytest.raises(ModelError, match="9 gold sentences, 10 or more expected"):
        confidence.choose_map("s4-1", *sentences(2.0, count=9))


def test_maps_are_compared_by_scikit_learn():
    from sklearn.base import clone
    from sklearn.model_selection import GroupKFold, cross_val_score

    tables, right = sentences(2.0)
    x, y, groups = np.concatenate(tables), np.concatenate(right), np.repeat(np.arange(40), 10)
    some = confidence.ConfidenceMap("shifted", weights=SHIPPED.weights)
    scores = cross_val_score(some, x, y, groups=groups, cv=GroupKFold(4))
    assert scores.max() < 0
    assert clone(some).get_params() == some.get_params()


def test_confidences_by_a_map_of_ones_own(tmp_path: Path):
    """The file of `proj calibrate` is for one system; trees say what it rests on."""
    path = tmp_path / "mine.json"
    weights = (5.0, *(0.0,) * (len(NAMES) - 1))
    save({"s1-r": Calibration(weights, 0.02, "calibrated on 12 gold sentences")}, path, {})
    [pair] = list(Projector("s1-r", calibration=path).pipe(Corpus.at("deu-eng")[:1]))
    assert set(pair.confidence) == {round(1 / (1 + np.exp(-5.0)), 4)}
    corpus, faults = Corpus.at("deu-eng"), Faults(strict=False)
    for jobs in (1, 2):
        from divproj.runtime.engine import Workers

        trees = list(project_corpus(Projector("s1-r", calibration=path), (corpus,), CorpusOutput(), faults, Workers(jobs)))
        assert "ProjConf=0.99" in trees[0].text
        assert "12 gold sentences" in str(trees[0].summary.accuracy)
    with pytest.raises(ModelError, match="the calibration is for s1-r, but the trees are by s1-l"):
        list(Projector("s1-l", calibration=path).pipe(Corpus.at("deu-eng")[:1]))
    path.write_text("{}")
    confidence.calibrations_in.cache_clear()
    with pytest.raises(ModelError, match="cannot be read"):
        Projector("s1-r", calibration=path)


@pytest.mark.parametrize(
    ("system", "glosses", "gloss_language", "e_language", "name"),
    [
        ("s6", ("chien.PL", "aboyer"), "fr", "fr", f"s6{confidence.NOT_ENGLISH}"),
        ("s6", ("chien.PL", "aboyer"), "fr", "en", f"s6{confidence.NOT_ENGLISH}"),
        ("s6", ("dog.PL", "bark"), "", "fr", "s6"),
        ("s5", (), "", "fr", f"s5{confidence.WITHOUT_GLOSSES}{confidence.NOT_ENGLISH}"),
        ("s5", (), "", "en", f"s5{confidence.WITHOUT_GLOSSES}"),
        ("s5", (), "", "", f"s5{confidence.WITHOUT_GLOSSES}"),
        ("s5", ("chien.PL", "aboyer"), "fr", "fr", "s5"),
        ("s1-r", (), "", "fr", "s1-r"),
    ],
)
def test_text_in_other_languages_has_maps_of_its_own(system, glosses, gloss_language, e_language, name):
    sentence = replace(TEXT, glosses=glosses, e_language=e_language)
    projection = replace(FOUND, sentence=sentence, gloss_language=gloss_language)
    assert confidence.shipped_map(projection, system) == name
    assert calibrate(projection, system).calibrated == name
    assert calibrate(projection, system).gloss_language == gloss_language


def test_the_gloss_model_says_which_language_the_glosses_are_in():
    for text, language in (("fr/bambara.txt", "fr"), ("es/quechua.txt", "es"), ("turkish.txt", "")):
        projector = Projector("s6")
        pairs = [*projector.prepare(Corpus(folder("tutorial") / text).pairs(trees=False))][:8]
        state = projector.adapt(pairs)
        assert {projector.raw_projection(pair, state).gloss_language for pair in pairs} == {language}


def test_a_map_is_moved_to_treebanks_of_another_kind():
    """Only how sure it is in general changes here, since these have no links; on a third treebank it then means what it says."""
    first = confidence.learn([sample(f"b{k}", f"family{k % 4}", k) for k in range(8)])
    others = [sample(f"c{k}", f"c{k}", 20 + k, 0.2) for k in range(3)]
    weights = confidence.move(first, others[:2])
    changed = {NAMES[k] for k in range(len(NAMES)) if weights[k] != first.weights[k]}
    assert changed == {"one"}
    moved = replace(first, weights=tuple(weights.tolist()))
    errors = [confidence.calibration_error(x.probabilities(others[2].table), others[2].right) for x in (first, moved)]
    assert errors[1] < errors[0] / 2

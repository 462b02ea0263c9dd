"""`WordAligner`: learning, priors, saving, and what it refuses."""

from __future__ import annotations

import _thread
import json
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj import Corpus, FormatError, ModelError
from divproj.evaluation.trees import score_links
from divproj.links.word_direction import TURN, Settings
from divproj.links.word_model import (
    LONGEST,
    WordAligner,
    from_dictionary,
    from_links,
    from_posteriors,
    grow_diag_final_and,
    stem,
)
from divproj.runtime.resources import folder

TEXT = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book"), ("ein haus", "a house")]
PAIRS = [(f.split(), e.split()) for f, e in TEXT]


def test_learns_a_tiny_lexicon():
    for linked in WordAligner().fit_align(PAIRS * 5):
        assert set(linked.probabilities) == {(1, 1), (2, 2)}
        assert linked.links.shape == (2, 2)


def test_the_same_seed_gives_the_same_links():
    a, b = (WordAligner(random_state=3).fit_align(PAIRS) for _ in range(2))
    assert a == b


def test_empty_and_endless_sentences_get_no_links():
    found = WordAligner().fit_align([*PAIRS, ([], ["x"]), (["x"], []), (["w"] * (LONGEST + 1), ["v"])])
    assert [linked.probabilities for linked in found[-3:]] == [{}, {}, {}]
    assert found[0].probabilities
    assert WordAligner().fit_align([([], [])])[0].probabilities == {}


def test_the_threshold_trades_recall_for_precision():
    gold = list(Corpus.at(folder("corpora") / "deu-eng"))
    text = [(pair.f.forms, pair.e.forms) for pair in gold]
    scores = []
    for threshold in (0.1, 0.7):
        found = WordAligner(threshold=threshold).fit_align(text)
        scores.append(score_links((pair.links, linked.links) for pair, linked in zip(gold, found, strict=True)))
    assert scores[0].recall > scores[1].recall
    assert scores[0].precision < scores[1].precision


@pytest.mark.parametrize("method", ["intersection", "union", "grow-diag-final-and"])
def test_other_methods(method):
    assert set(WordAligner(method=method).fit_align(PAIRS * 5)[0].probabilities) == {(1, 1), (2, 2)}


def test_an_unknown_method_is_refused():
    with pytest.raises(ModelError, match="no method 'best'; choose one of posterior, intersection"):
        WordAligner(method="best")


def test_a_dictionary_decides_where_text_cannot():
    pair = [(["foo", "bar"], ["one", "two"])]
    known = from_dictionary(["foo\ttwo\t9", "# a comment", "", "bar\tone\t9"])
    assert set(WordAligner().fit_align(pair, known)[0].probabilities) == {(1, 2), (2, 1)}


def test_bad_dictionaries():
    with pytest.raises(FormatError, match=r"d.tsv:2: one column, two expected"):
        from_dictionary(["a\tb", "c"], "d.tsv")
    with pytest.raises(FormatError, match=r"d.tsv:1: weight is 'x', a number expected"):
        from_dictionary(["a\tb\tx"], "d.tsv")


def test_links_become_pseudo_counts():
    assert from_links([(("Der", "Hund"), ("dog",), [(2, 1, 0.9), (2, 1, 0.6)])]) == {("hund", "dog"): 1.5}


def test_saved_models_come_back_and_go_on(tmp_path):
    model = WordAligner(threshold=0.4)
    model.fit(PAIRS * 3)
    model.save(tmp_path / "m")
    again = WordAligner.load(tmp_path / "m")
    assert again.threshold == 0.4
    assert again.counts_ == pytest.approx(model.counts_, abs=1e-3)
    assert again.align([(["das"], ["the"])])[0].probabilities.keys() == {(1, 1)}
    before = again.counts_["haus", "house"]
    again.fit(PAIRS)
    assert again.counts_["haus", "house"] > before


def test_ctrl_c_keeps_what_there_is():
    sweeps = []
    one_at_a_time = threading.Lock()

    def watch(stage, turn, likelihood):
        if stage == "sampling":
            with one_at_a_time:  # or both directions interrupt, and the second interrupt ends the test run
                sweeps.append(turn)
                if sweeps.count(TURN) == 2 and turn == TURN:  # both directions are at work
                    _thread.interrupt_main()
            time.sleep(0.5 if sweeps.count(TURN) == 2 else 0.02)  # long enough in all for the interrupt to be heard

    pairs = PAIRS * 200
    found = WordAligner(settings=Settings(sweeps=2000, burn_in=10)).fit_align(pairs, watch=watch)
    assert len(sweeps) < 2 * 2000 // TURN
    assert len(found) == len(pairs)
    assert found[0].probabilities


def test_broken_models_are_refused(tmp_path):
    with pytest.raises(ModelError, match="no word alignment model here"):
        WordAligner.load(tmp_path)
    model = WordAligner()
    model.fit(PAIRS)
    model.save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text())
    del about["arrays"]  # which binds the two files
    (tmp_path / "model.json").write_text(json.dumps({**about, "version": 9}))
    with pytest.raises(ModelError, match="not a word alignment model of version 1; train it again"):
        WordAligner.load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(about))
    good = (tmp_path / "weights.npz").read_bytes()
    np.savez(tmp_path / "weights.npz", counts=np.array([np.nan], np.float32))
    with pytest.raises(ModelError, match="array 'counts' has numbers that are not finite"):
        WordAligner.load(tmp_path)
    (tmp_path / "weights.npz").write_bytes(good)
    for change, why in (
        ({"settings": {**about["settings"], "sweeps": 10**9}}, "numbers from 0 to 100000 expected"),
        ({"settings": {**about["settings"], "beta": False}}, "alpha, beta, kappa above 0"),
        ({"settings": {**about["settings"], "sweeps": 10**30}}, "'sweeps' is 1000.*, a number of usual size expected"),
        ({"settings": {**about["settings"], "extra": 1}}, "no parameter 'extra'; there are alpha"),
        ({"threshold": "x"}, "'threshold' is 'x', int or float expected"),
        ({"pairs": [["a"]] * len(about["pairs"])}, "do not belong together"),
    ):
        (tmp_path / "model.json").write_text(json.dumps({**about, **change}))
        with pytest.raises(ModelError, match=why):
            WordAligner.load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(about))
    np.savez(tmp_path / "weights.npz", counts=np.array([1], np.float32))
    with pytest.raises(ModelError, match="do not belong together"):
        WordAligner.load(tmp_path)
    (tmp_path / "weights.npz").write_bytes(b"PK\x03\x04 truncated")
    with pytest.raises(ModelError, match="no word alignment model here"):
        WordAligner.load(tmp_path)


def test_lemmas_and_tags_help_where_forms_are_rare():
    pairs = [
        (["hunde", "bellen"], ["dogs", "bark"]),
        (["hund", "schläft"], ["dog", "sleeps"]),
        (["bellen", "hunden"], ["bark", "dogs"]),
    ]
    lemmas = (
        [["hund", "bellen"], ["hund", "schlafen"], ["bellen", "hund"]],
        [["dog", "bark"], ["dog", "sleep"], ["bark", "dog"]],
    )
    tags = ([["N", "V"], ["N", "V"], ["V", "N"]], [["N", "V"], ["N", "V"], ["V", "N"]])
    found = WordAligner().fit_align(pairs, lemmas=lemmas, tags=tags)
    assert [set(x.probabilities) for x in found] == [{(1, 1), (2, 2)}] * 3


def test_stems():
    assert stem("Häuser", 3) == "häu"
    assert stem("3,5") == stem("1000") == "0"


links = st.frozensets(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=8)


@given(links, links)
def test_growing_stays_between_intersection_and_union(a, b):
    grown = grow_diag_final_and(a, b)
    assert a & b <= grown <= a | b
    assert grow_diag_final_and(a, a) == a


def grown_slowly(forward, backward):
    """Grow-diag-final-and as Koehn et al. print it, asking all links whether a word has one."""
    links = set(forward & backward)

    def alone(i, j):
        return all(i != a for a, _ in links), all(j != b for _, b in links)

    while True:
        before = len(links)
        for i, j in sorted(links):
            for di, dj in ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
                if (i + di, j + dj) in forward | backward and any(alone(i + di, j + dj)):
                    links.add((i + di, j + dj))
        if len(links) == before:
            break
    for side in (forward, backward):
        for link in sorted(side):
            if all(alone(*link)):
                links.add(link)
    return links


@settings(max_examples=150)
@given(links, links)
def test_growing_is_as_printed(a, b):
    assert grow_diag_final_and(a, b) == grown_slowly(a, b)
    shared = a | {(k, k) for k in range(1, 4)}
    assert grow_diag_final_and(shared, b | {(2, 2)}) == grown_slowly(shared, b | {(2, 2)})


def test_posteriors_reach_the_threshold():
    forward, backward = np.array([[0.9, 0.4], [0.2, 0.6]]), np.array([[0.5, 0.2], [0.3, 0.4]])
    assert from_posteriors(forward, backward, 0.5) == {(1, 1): 0.7, (2, 2): 0.5}


@pytest.mark.parametrize(
    ("pairs", "chains", "sweeps", "burn_in"), [(0, 4, 20, 5), (5000, 4, 20, 5), (10_000, 3, 14, 3), (80_000, 1, 10, 2)]
)
def test_large_texts_are_swept_less(pairs, chains, sweeps, burn_in):
    found = Settings().for_pairs(pairs)
    assert (found.chains, found.sweeps, found.burn_in) == (chains, sweeps, burn_in)
    assert found.all_sweeps == chains * sweeps
    assert Settings(sweeps=0).for_pairs(pairs).sweeps == 0


def test_chains_are_averaged():
    """More chains, the same start: probabilities of more than one, and of no other sum."""
    pairs = PAIRS * 3
    one, four = (WordAligner(threshold=0.0, settings=Settings(chains=n, sweeps=10)).fit_align(pairs) for n in (1, 4))
    assert one != four
    assert all(sum(x.probabilities.values()) <= max(x.shape) + 1e-3 for x in four)

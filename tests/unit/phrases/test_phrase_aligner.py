"""`PhraseAligner` and `PhraseAlignment` as a user meets them; tuning."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import legit
import phrase_oracle as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.core.errors import ModelError
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.phrases import aligner as room
from divproj.phrases.aligner import PhraseAligner, force_root_pair
from divproj.phrases.problem import Clock, OutOfTimeError, fill

OLD = "(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN sun)))) (. .))"
NEW = "(S (PP (IN in) (NP (DT the) (NN sun))) (, ,) (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept)) (. .))"
OTHER = "(S (NP (NNS bees)) (VP (VBP hum)))"


def forest(text, binarise="all"):
    return forests_of(text, "brackets", None, ForestOptions(binarise))[0]


def links(src, tgt):
    return [(i, j) for i, a in enumerate(src.forms) for j, b in enumerate(tgt.forms) if a == b]


def align(src, tgt, found=None, **params):
    return PhraseAligner(**params).align_pair(src, tgt, links(src, tgt) if found is None else found)


def spans(alignment):
    return {(pair.src, pair.tgt) for pair in alignment.visible}


@pytest.mark.parametrize("params", [{}, {"noncomp": "off"}, {"noncomp": "trace"}, {"search": "packs"}, {"gap": 4}, {"parse_share": 0.5}])  # fmt: skip
def test_phrases_move_with_their_words(params):
    src, tgt = forest(OLD), forest(NEW)
    found = align(src, tgt, **params)
    assert found.reachable
    assert not found.truncated or params.get("noncomp") == "trace"  # unpacking supports is bounded, and says so
    assert {((0, 3), (4, 7)), ((4, 7), (0, 3)), ((5, 7), (1, 3)), ((0, 8), (0, 9))} <= spans(found)
    if not params:
        assert ((3, 4), (7, 8)) in spans(found)  # a flat mother of three does not compose
    beyond = [pair for pair in found.pairs if math.isnan(pair.posterior)]  # only non-compositional sets have them
    assert all(0 <= pair.posterior <= 1 for pair in found.pairs if pair not in beyond)
    assert beyond or params
    assert not beyond or params not in ({"noncomp": "off"}, {"search": "packs"})
    assert math.isfinite(found.log_alpha)


def test_nothing_virtual_is_shown_and_supports_reach_through():
    found = align(forest(OLD), forest(NEW))
    assert any(pair.virtual for pair in found.pairs)
    shown = found.visible
    for k, pair in enumerate(shown):
        for kid in pair.kids:
            assert kid > k
            inner = shown[kid]
            assert pair.src[0] <= inner.src[0]
            assert inner.src[1] <= pair.src[1]
            assert pair.tgt[0] <= inner.tgt[0]
            assert inner.tgt[1] <= pair.tgt[1]
    kids = [kid for pair in shown for kid in pair.kids]
    assert sorted(kids) == list(range(1, len(shown)))  # everything but the root supports one pair


def test_json_and_text():
    found = align(forest(OLD), forest(NEW))
    row = json.loads(json.dumps(found.to_json()))
    assert row["source"] == list(found.src.forms)
    assert row["reachable"] is True
    assert row["truncated"] is False
    top = row["pairs"][0]
    assert top["source"] == [0, 8]
    assert top["labels"] == ["S", "S"]
    assert {"the old dog"} == {p["text"][0] for p in row["pairs"] if p["source"] == [0, 3]}
    assert [x["text"] for x in row["nulls"]["target"]] == [","]
    lines = found.to_text().split("\n")
    assert "the old dog\tthe old dog" in lines
    assert "---\t," in lines
    covered = {line.split("\t")[0] for line in lines}
    assert {found.src.text(k) for k, x in enumerate(found.src.nodes) if not x.virtual} <= covered


def test_links_in_use_and_phrases_alone():
    found = align(forest(OLD), forest(NEW))
    assert (2, 6) in found.links
    alone = {found.tgt.text(k) for k in found.unaligned_nodes("tgt")}
    assert "," in alone
    assert not {found.src.text(k) for k in found.unaligned_nodes("src")} & {"the old dog", "the sun"}


@pytest.mark.parametrize("params", [{}, {"noncomp": "trace"}, {"search": "packs", "noncomp": "trace"}, {"gap": 1}])
def test_every_answer_is_legitimate(params, monkeypatch):
    seen = []
    real = room.alignment_of
    monkeypatch.setattr(room, "alignment_of", lambda s, t, given, found, sums: seen.append((given, found)) or real(s, t, given, found, sums))  # fmt: skip
    chance = random.Random(4)
    for _ in range(25):
        src, tgt = (oracle.random_forest(chance, chance.randint(1, 7), 3) for _ in range(2))
        some = [(chance.randrange(len(src.forms)), chance.randrange(len(tgt.forms))) for _ in range(6)]
        align(src, tgt, some, pair_cost=-1.0, **params)
    assert len(seen) == 25
    for problem, found in seen:
        assert legit.faults(replace(problem, gap=0), found) == []


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_an_unreachable_root_gets_a_defined_answer(seed):
    given, _ = oracle.random_problem(seed, 5, seed % 2 == 1)
    filled = fill(given, compiled=False)
    if filled.reachable:
        return
    found = force_root_pair(given, filled)
    assert not found.reachable
    assert found.pairs[0] == (given.src.root, given.tgt.root)
    assert legit.faults(given, found) == []


def test_no_candidates_at_all_and_single_words():
    found = align(forest(OLD), forest(OTHER), [])
    assert spans(found) == {((0, 8), (0, 2))}
    assert not found.reachable
    assert found.to_json()["pairs"][0]["kind"] == "forced"
    word = forest("(NN dogs)")
    both = align(word, word)
    assert both.reachable
    assert both.visible[0].kind == "word"
    assert both.visible[0].posterior == pytest.approx(1.0)
    one = align(word, forest(OTHER), [(0, 0)])
    assert not one.reachable
    joined = align(word, forest("(NP (DT the) (NNS dogs))"), [(0, 1)])
    assert joined.reachable
    assert joined.visible[0].kind == "word-phrase"
    assert not align(word, forest("(NP (DT the) (NNS dogs))"), [(0, 1)], leaf_phrase=False).reachable
    assert found.to_json()["log_alpha"] is not None


def long_tree(words, deep=False):
    """A chain of phrases as deep as there are words, or one flat phrase."""
    if not deep:
        return forest("(S " + " ".join(f"(NN w{k})" for k in range(words)) + ")", "head")
    nodes = [Node(k, k + 1, "NN", k, k) for k in range(words)]
    edges = []
    left = 0
    for k in range(1, words):
        edges.append(Edge(len(nodes), left, k))
        nodes.append(Node(0, k + 1, "S", 0, 0))
        left = len(nodes) - 1
    return Forest(tuple(f"w{k}" for k in range(words)), tuple(nodes), tuple(edges), left)


def test_long_sentences_and_deep_trees_end():
    found = align(long_tree(200), long_tree(200), max_seconds=5)
    assert len(found.links) == 200
    deep = align(long_tree(1000, True), long_tree(1000, True), max_seconds=20, noncomp="off")
    assert deep.reachable
    assert len(deep.links) > 900


def test_time_that_runs_out_is_said(monkeypatch):
    src, tgt = forest(OLD), forest(NEW)
    calls = []

    def slow(given, clock=None, compiled=None):
        calls.append(given)
        if len(calls) == 1:
            raise OutOfTimeError
        return fill(given, None, compiled)

    monkeypatch.setattr(room, "fill", slow)
    found = align(src, tgt)
    assert found.truncated
    assert found.reachable
    assert found.src.is_tree  # the best tree stood in for the forest
    monkeypatch.setattr(room, "fill", lambda *_: (_ for _ in ()).throw(OutOfTimeError))
    found = align(src, tgt)
    assert found.truncated
    assert not found.reachable
    assert len(found.pairs) == 1
    monkeypatch.undo()
    monkeypatch.setattr(room, "posteriors", lambda *_: (_ for _ in ()).throw(OutOfTimeError))
    found = align(src, tgt)
    assert found.truncated
    assert math.isnan(found.visible[0].posterior)
    assert found.to_json()["pairs"][0]["posterior"] is None
    monkeypatch.undo()
    monkeypatch.setattr(room, "MOST_CELLS", 10)
    assert align(src, tgt).truncated


def test_packs_out_of_time_leave_the_chart(monkeypatch):
    class Late:
        def __init__(self, *_):
            raise OutOfTimeError

    monkeypatch.setattr(room, "Packs", Late)
    found = align(forest(OLD), forest(NEW), noncomp="trace")
    assert found.truncated
    assert found.reachable
    assert align(forest(OLD), forest(NEW), search="packs").reachable


def corpus(times=3):
    rows = [(forest(OLD), forest(NEW)), (forest(OTHER), forest(OTHER)), (forest(OLD, "head"), forest(OLD, "head"))] * times
    return rows, [links(s, t) for s, t in rows]


def test_fit_predict_save_load(tmp_path: Path):
    pairs, found = corpus()
    aligner = PhraseAligner(epochs=3, batch_size=4).fit(pairs, found)
    assert len(aligner.history_) == 3
    assert (PhraseAligner().costs.word_cost, aligner.costs.word_cost) == (8.0, 0.0), "weights that were learned know better"
    assert aligner.vocabulary_
    aligner.save(tmp_path / "one")
    again = PhraseAligner.load(tmp_path / "one")
    assert again.get_params() == aligner.get_params()
    assert [x.to_json() for x in again.predict(pairs, found)] == [x.to_json() for x in aligner.predict(pairs, found)]
    PhraseAligner(epochs=3, batch_size=4).fit(pairs, found).save(tmp_path / "two")
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(("lexical", "optimiser"), [("pruned", "lbfgs"), ("hashed", "adagrad"), ("none", "lbfgs")])
def test_resuming_gives_the_same_bytes(tmp_path: Path, lexical, optimiser):
    pairs, found = corpus()

    def make():
        return PhraseAligner(epochs=3, batch_size=4, lexical=lexical, optimiser=optimiser)

    make().fit(pairs, found).save(tmp_path / "straight")

    class Interrupted(Exception):
        pass

    def stop(state):
        if (state.epoch, state.batch) == (1, 1):
            raise Interrupted

    with pytest.raises(Interrupted):
        make().fit(pairs, found, watch=stop, checkpoint=tmp_path / "part")
    make().fit(pairs, found, checkpoint=tmp_path / "part", resume=True).save(tmp_path / "resumed")
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / "straight" / name).read_bytes() == (tmp_path / "resumed" / name).read_bytes()
    with pytest.raises(ModelError, match="the checkpoint is of another training: pairs or settings differ"):
        make().set_params(random_state=9).fit(pairs, found, checkpoint=tmp_path / "part", resume=True)
    fresh = make().fit(pairs, found, checkpoint=tmp_path / "new", resume=True)  # nothing to resume from: a new training
    assert len(fresh.history_) == 3


def test_a_damaged_model_is_refused(tmp_path: Path):
    pairs, found = corpus(1)
    PhraseAligner(epochs=1).fit(pairs, found).save(tmp_path / "m")
    about = json.loads((tmp_path / "m" / "model.json").read_text())
    for change, said in (
        ({"version": 99}, "version is 99, 1 expected"),
        ({"params": {**about["params"], "speed": 3}}, "no parameter 'speed'"),
        ({"params": {**about["params"], "search": "guess"}}, "no search 'guess'"),
        ({"buckets": 7}, "array 'weights' has shape"),
    ):
        (tmp_path / "m" / "model.json").write_text(json.dumps({**about, **change}))
        with pytest.raises(ModelError) as error:
            PhraseAligner.load(tmp_path / "m")
        assert said in str(error.value)


def test_parameters_as_in_scikit_learn():
    aligner = PhraseAligner(null_cost=2.0)
    assert aligner.get_params()["null_cost"] == 2.0
    assert aligner.set_params(gap=3, noncomp="off").costs.gap == 3
    assert PhraseAligner(**aligner.get_params()).get_params() == aligner.get_params()
    with pytest.raises(ModelError, match="PhraseAligner has no parameter 'speed'; it has batch_size, beam"):
        aligner.set_params(speed=3)
    with pytest.raises(ModelError, match="no noncomp 'yes'; choose one of climb, trace, off"):
        PhraseAligner(noncomp="yes")


def test_the_default_search_finds_what_does_not_compose():
    src = forest("(S (NP (NN a) (NN b)) (VP (NN c) (NN d)))", "head")
    tgt = forest("(S (NP (NN a) (NN c)) (VP (NN b) (NN d)))", "head")
    strict, free = (align(src, tgt, noncomp=x, noncomp_cost=0.0, leaf_phrase=False) for x in ("off", "climb"))
    assert free.log_alpha > strict.log_alpha
    assert len(free.links) == 4
    assert free.visible[0].kind == "non-compositional"


def test_a_clock_without_an_end_never_rings():
    assert not Clock().over
    Clock().check()

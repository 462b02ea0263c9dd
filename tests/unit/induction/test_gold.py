"""What induction reads: tags, links, constituents; and what it gives back: phrase trees, forests, models."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from corpusfiles import pair, tree
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.core.errors import ModelError
from divproj.drawing.phrases import induced_svg, induced_text
from divproj.forest.parses import count_trees, inside, marginals
from divproj.induction import training
from divproj.induction.ccm import CCM
from divproj.induction.inducer import MONOLINGUAL_SWEEPS
from divproj.induction.reading import (
    TaggedSentence,
    TagPair,
    constituents,
    forest_of,
    one_to_one,
    phrase_tree,
    tag_pair,
    tags_of,
)
from divproj.induction.training import ChainPlan, Consensus, merge_chains, run_chains
from divproj.io.trees import brackets
from divproj.runtime import modelfile
from divproj.runtime.engine import Workers


def test_maximal_projections_leave_out_punctuation_and_gaps():
    upos = ("DET", "NOUN", "PUNCT", "VERB", "ADP", "DET", "NOUN", "PUNCT")
    flat = tree((2, 4, 2, 0, 7, 7, 4, 4), upos=upos)
    assert sorted(constituents(flat)) == [(0, 2), (0, 6), (3, 6)]
    crossing = tree((0, 4, 1, 1), upos=("V", "N", "A", "D"))  # word 2 depends on word 4 across word 3
    assert sorted(constituents(crossing)) == [(0, 4)]
    assert constituents(tree((0,), upos=("V",))) == frozenset()


def test_links_are_renumbered_and_one_to_one():
    f = tree((0, 1, 1), upos=("VERB", "PUNCT", "NOUN"))
    e = tree((0, 1), upos=("VERB", "NOUN"))
    made = tag_pair(pair(f, e, [(1, 1), (3, 1), (3, 2), (2, 2)], "s1"), "upos")
    assert made == TagPair(("VERB", "NOUN"), ("VERB", "NOUN"), {(1, 1): 1.0, (2, 2): 1.0}, "s1")
    soft = tag_pair(pair(f, e, []), "upos", {(1, 1): 0.2, (3, 1): 0.9})
    assert soft.links == {(2, 1): 0.9}
    assert one_to_one({}, (0, 0)) == {}


def test_projected_tags():
    f = tree((0, 1), forms=("salut", "toi"))
    e = tree((0, 1), upos=("INTJ", "PRON"))
    assert tag_pair(pair(f, e, [(2, 2)]), "projected").f == ("X", "PRON")
    with pytest.raises(ModelError, match=r"no tags 'deep'; choose one of auto, upos, xpos, projected"):
        tag_pair(pair(f, e, []), "deep")
    with pytest.raises(ModelError, match="no tags 'projected' on one side alone"):
        tags_of(f, "projected")


WORDS = TaggedSentence(
    ("«", "so", "it", "goes", ",", "on", "!"), ("PUNCT", "ADV", "PRON", "VERB", "PUNCT", "ADV", "PUNCT"), (1, 2, 3, 5), "s"
)


def test_phrase_trees_have_their_punctuation_back():
    made = phrase_tree(WORDS, ((0, 4), (1, 4), (2, 4)))
    assert brackets.dumps(made) == ("(X (PUNCT «) (ADV so) (X (PRON it) (X (VERB goes) (PUNCT ,) (ADV on) (PUNCT !))))\n")
    assert brackets.dumps(phrase_tree(TaggedSentence(("!", "?"), ("PUNCT", "PUNCT"), ()), ())) == "(X (PUNCT !) (PUNCT ?))\n"
    assert brackets.dumps(phrase_tree(TaggedSentence(("Ja",), ("INTJ",), (0,)), ())) == "(INTJ Ja)\n"


@pytest.fixture(scope="module")
def grammar():
    text = [["ADV", "PRON", "VERB", "ADV"], ["PRON", "VERB"], ["PRON", "VERB", "ADV"]] * 3
    return CCM(sweeps=5).fit(text).grammar_


def test_a_chart_is_a_forest_of_all_trees(grammar):
    (chart,) = grammar.charts([WORDS.tags])
    forest = forest_of(WORDS, chart, prune=0.0)
    assert count_trees(forest) == 5
    assert float(inside(forest)[forest.root]) == pytest.approx(0.0, abs=1e-9)
    found = marginals(forest).node
    bounds = WORDS.bounds
    place = {(bounds[i], bounds[j]): chart.marginals[i, j] for i in range(4) for j in range(i + 2, 5)}
    for k, node in enumerate(forest.nodes):
        if node.label == "X" and not node.virtual:
            assert found[k] == pytest.approx(place[node.span], abs=1e-9)
    best = phrase_tree(WORDS, grammar.parse([WORDS.tags])[0])
    pruned = forest_of(WORDS, chart, prune=1.0)
    spans = {(n.start, n.end) for n in pruned.nodes}
    assert {(n.start, n.end) for n in best.nodes if n.children} <= spans
    for words in (TaggedSentence(("!",), ("PUNCT",), ()), TaggedSentence(("Ja", "!"), ("INTJ", "PUNCT"), (0,))):
        (small,) = grammar.charts([words.tags])
        assert count_trees(forest_of(words, small)) == 1


def test_models_are_saved_and_read_back(grammar, tmp_path):
    training.save(tmp_path / "m", training.InducedGrammars({"f": Consensus((grammar,))}, {"tags": "upos"}))
    again = training.load(tmp_path / "m")
    assert again.about == {"tags": "upos"}
    text = [["ADV", "PRON", "VERB", "ADV"], ["?", "VERB"]]
    assert again.side("f").parse(text, "mbr") == grammar.parse(text, "mbr")
    before = {p.name: p.read_bytes() for p in (tmp_path / "m").iterdir()}
    training.save(tmp_path / "m", again)
    assert {p.name: p.read_bytes() for p in (tmp_path / "m").iterdir()} == before
    with pytest.raises(ModelError, match="the model has no side 'e'; choose f"):
        again.side("e")


def test_broken_models_say_so(grammar, tmp_path):
    with pytest.raises(ModelError, match="none: is not there; a model is a folder"):
        training.load(tmp_path / "none")
    folder = tmp_path / "m"
    training.save(folder, training.InducedGrammars({"f": Consensus((grammar,))}))
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(about | {"version": 9}))
    with pytest.raises(ModelError, match="version is 9, 1 expected; train it again"):
        training.load(folder)
    about["sides"]["f"]["tags"] = ["A"]
    (folder / "model.json").write_text(json.dumps(about))
    with pytest.raises(ModelError, match=r"array 'f_contexts' has shape .*, 2 × 4 expected"):
        training.load(folder)
    about["sides"]["f"] |= {"tags": list(grammar.inventory.tags), "distituent": -1.0}
    (folder / "model.json").write_text(json.dumps(about))
    with pytest.raises(ModelError, match=r"side 'f' has priors \(2.0, -1.0\) and"):
        training.load(folder)
    training.save(folder, training.InducedGrammars({"f": Consensus((grammar,))}))
    about = json.loads((folder / "model.json").read_text())
    del about["arrays"]  # which binds the two files
    (folder / "model.json").write_text(json.dumps(about))
    arrays = dict(np.load(folder / "weights.npz"))
    np.savez(folder / "weights.npz", **arrays | {"f_totals": -arrays["f_totals"]})
    with pytest.raises(ModelError, match="side 'f' has counts below 0"):
        training.load(folder)
    arrays["f_totals"] = arrays["f_totals"] * np.nan
    np.savez(folder / "weights.npz", **arrays)
    with pytest.raises(ModelError, match="array 'f_totals' has numbers that are not finite"):
        training.load(folder)
    (folder / "weights.npz").write_bytes(b"PK")
    with pytest.raises(ModelError, match=r"weights.npz: cannot be read"):
        training.load(folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="could not be written"):
        training._save_arrays(tmp_path / "file" / "x.npz", {})


PAIRS = [
    TagPair(tuple("DNV"), tuple("NV"), {(2, 1): 1.0}),
    TagPair(tuple("DANV"), tuple("DNAV"), {(2, 3): 1.0, (3, 2): 1.0}),
    TagPair(tuple("VDN"), tuple("DNV"), {(1, 3): 1.0, (3, 2): 1.0}),
] * 2


def test_a_run_interrupted_goes_on_to_the_same_bytes(tmp_path):
    settings_ = {"sweeps": 6, "random_state": 3}
    whole, complete = run_chains(PAIRS, 2, settings_, ChainPlan(tmp_path / "a", "x"), workers=Workers(2))
    assert complete
    told = []

    def stop(number, entry):
        told.append((number, entry["sweep"]))
        if entry["sweep"] == 4 and number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_chains(PAIRS, 2, settings_, ChainPlan(tmp_path / "b", "x", minutes=0.0), watch=stop)
    resumed, _ = run_chains(PAIRS, 2, settings_, ChainPlan(tmp_path / "b", "x", resume=True))
    for one, two in zip(whole, resumed, strict=True):
        assert one.history_ == two.history_
        assert (one.state_.mate == two.state_.mate).all()
    for name in ("chain-1.npz", "chain-2.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    training.save(tmp_path / "a", training.InducedGrammars(merge_chains(whole)))
    training.save(tmp_path / "b", training.InducedGrammars(merge_chains(resumed)))
    assert (tmp_path / "a" / "weights.npz").read_bytes() == (tmp_path / "b" / "weights.npz").read_bytes()
    with pytest.raises(ModelError, match="the checkpoint is of another corpus or other settings"):
        run_chains(PAIRS, 1, settings_, ChainPlan(tmp_path / "b", "y", resume=True))
    np.savez(tmp_path / "b" / "chain-1.npz", about=np.array("x"))
    with pytest.raises(ModelError, match="a broken checkpoint"):
        run_chains(PAIRS, 1, settings_, ChainPlan(tmp_path / "b", "x", resume=True))


def test_chains_differ_and_join():
    chains, _ = run_chains(PAIRS, 2, {"sweeps": 3, "random_state": 1, "alone": 0.0})
    alone, _ = run_chains(PAIRS, 1, {"sweeps": 3, "random_state": 2})
    assert chains[1].history_ == alone[0].history_
    both = merge_chains(chains)["f"]
    mean = both.mean.counts.yields
    assert mean == pytest.approx((chains[0].grammars_[0].counts.yields + chains[1].grammars_[0].counts.yields) / 2)


def test_a_consensus_takes_the_mean_of_what_its_chains_expect():
    chains, _ = run_chains(PAIRS, 3, {"sweeps": 3, "random_state": 1, "alone": 0.0})
    both, text = merge_chains(chains)["f"], ["DANV", "VDNDN", "N", ""]
    for sentence, chart in zip(text, both.charts(text), strict=True):
        singles = [next(member.charts([sentence])) for member in both.members]
        assert chart.marginals == pytest.approx(np.mean([each.marginals for each in singles], axis=0))
    assert both.parse(text) == both.parse(text, "mbr")
    assert both.parse(text, "viterbi") == both.mean.parse(text)
    one = Consensus(both.members[:1])
    assert one.parse(text) == both.members[0].parse(text, "viterbi")
    assert one.parse(text, "mbr") == both.members[0].parse(text, "mbr")
    with pytest.raises(ModelError, match="no way to decode 'best'; choose one of auto, viterbi, mbr"):
        both.parse(text, "best")
    with pytest.raises(ModelError, match="no chain to learn a grammar from"):
        Consensus(())


def test_the_forest_of_a_consensus_has_the_mean_probabilities():
    chains, _ = run_chains(PAIRS, 3, {"sweeps": 3, "random_state": 1})
    words = TaggedSentence(tuple("abcde"), tuple("VDNDN"), (0, 1, 2, 3, 4))
    (chart,) = merge_chains(chains)["f"].charts([words.tags])
    forest = forest_of(words, chart, 0.0)
    nodes = marginals(forest).node.tolist()
    found = {(node.start, node.end): p for node, p in zip(forest.nodes, nodes, strict=True)}
    assert len(found) > 5
    for (i, j), p in found.items():
        assert p == pytest.approx(chart.marginals[i, j])


def test_arrays_of_other_number_types(grammar, tmp_path):
    """Compiled code takes 64 bits: arrays of fewer are widened, of another kind refused."""
    folder = tmp_path / "m"
    training.save(folder, training.InducedGrammars({"f": Consensus((grammar,))}))
    text = [["ADV", "PRON", "VERB", "ADV"]]
    expected = training.load(folder).side("f").parse(text, "mbr")
    about = json.loads((folder / "model.json").read_text())
    del about["arrays"]
    (folder / "model.json").write_text(json.dumps(about))
    arrays = modelfile.read_arrays(folder / "weights.npz")
    narrow = {name: array.astype(np.int32 if array.dtype.kind == "i" else np.float32) for name, array in arrays.items()}
    modelfile.write_arrays(folder / "weights.npz", narrow)
    assert training.load(folder).side("f").parse(text, "mbr") == expected
    modelfile.write_arrays(folder / "weights.npz", {name: array.astype("U20") for name, array in arrays.items()})
    with pytest.raises(ModelError, match="array 'f_"):
        training.load(folder)


def test_several_chains_are_kept_in_a_model(tmp_path):
    chains, _ = run_chains(PAIRS, 3, {"sweeps": 2, "random_state": 1, "alone": 0.25})
    training.save(tmp_path / "m", training.InducedGrammars(merge_chains(chains)))
    again = training.load(tmp_path / "m").side("f")
    assert len(again.members) == 6
    assert again.weights == (0.75, 0.75, 0.75, 0.25, 0.25, 0.25)
    assert again.parse(["DANV"]) == merge_chains(chains)["f"].parse(["DANV"])
    about = json.loads((tmp_path / "m" / "model.json").read_text())
    about["sides"]["f"]["chains"] = 0
    (tmp_path / "m" / "model.json").write_text(json.dumps(about))
    with pytest.raises(ModelError, match="side 'f' has 0 chains, 1 to 1000 expected"):
        training.load(tmp_path / "m")
    about["sides"]["f"] |= {"chains": 6, "weights": [1, 2]}
    (tmp_path / "m" / "model.json").write_text(json.dumps(about))
    with pytest.raises(ModelError, match=r"side 'f' has the weights \[1, 2\], 6 numbers above 0 expected"):
        training.load(tmp_path / "m")


def test_the_language_alone_has_its_share_in_the_mean():
    chains, _ = run_chains(PAIRS, 1, {"sweeps": 3, "random_state": 1, "alone": 0.25})
    both = merge_chains(chains)["f"]
    [own], [other] = ([next(member.charts(["VDNDN"]))] for member in both.members)
    (chart,) = both.charts(["VDNDN"])
    assert chart.marginals == pytest.approx(0.75 * own.marginals + 0.25 * other.marginals)
    assert both.mean.counts.totals == pytest.approx(0.75 * both.members[0].counts.totals + 0.25 * both.members[1].counts.totals)
    assert both.members[1].counts.yields == pytest.approx(
        CCM(sweeps=MONOLINGUAL_SWEEPS, random_state=1).fit([pair.f for pair in PAIRS]).grammar_.counts.yields
    )


def test_pictures_escape_what_they_show():
    forms = (("<b>", "zwei", "drei"), ("one", "&", "three"))
    tags = (("X", "<", "_"), ("A", "B", "C"))
    trees = (((0, 3), (1, 3)), ((0, 3), (0, 2)))
    svg = induced_svg(forms, tags, trees, [((0, 3), (0, 3)), ((0, 1), (0, 1)), ((1, 3), (2, 3))], [(1, 1)], "s<1>")
    assert "<b>" not in svg
    assert "&lt;b&gt;" in svg
    assert svg.count('data-pair="1"') == 2
    assert svg.count('data-pair="2"') == 2
    assert 'data-pair="3"' not in svg
    assert "s&lt;1&gt;" in svg
    text = induced_text(forms, trees, [((0, 3), (0, 3))], "s1")
    assert text.splitlines()[:3] == ["# s1", "F [<b> [zwei drei]]", "E [[one &] three]"]
    assert induced_svg((("a",), ("b",)), (("_",), ("_",)), ((), ()), []).startswith("<svg")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from("DNVP"), min_size=1, max_size=8), st.sampled_from([0.0, 0.01, 0.5]))
def test_forests_of_any_sentence_are_sound(tags, prune):
    model = CCM(sweeps=2).fit([["D", "N", "V"], ["N", "V", "D", "N"]])
    kept = tuple(k for k, tag in enumerate(tags) if tag != "P")
    words = TaggedSentence(tuple(map(str, range(len(tags)))), tuple(tags), kept)
    (chart,) = model.grammar_.charts([words.tags])
    forest = forest_of(words, chart, prune)
    assert math.isclose(float(inside(forest)[forest.root]), 0.0, abs_tol=1e-9)
    assert len(forest.forms) == len(tags)

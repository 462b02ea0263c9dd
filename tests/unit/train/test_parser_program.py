"""The program that trains the parsers of language packs, where torch is installed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "train" / "parser"))

import data as training  # noqa: E402
import export  # noqa: E402
import loop  # noqa: E402
import recipes  # noqa: E402
import vectors as word_vectors  # noqa: E402
from divproj.parsing import network as storage  # noqa: E402
from divproj.parsing.features import ParserInput  # noqa: E402
from divproj.parsing.language import Language  # noqa: E402
from model import Network, gathered  # noqa: E402

LINES = (
    ("The/DET/DT/2/det girl/NOUN/NN/3/nsubj sings/VERB/VBZ/0/root ././././3/punct"),
    ("She/PRON/PRP/2/nsubj sees/VERB/VBZ/0/root the/DET/DT/4/det boat/NOUN/NN/2/obj !/././2/punct"),
    ("Mara/PROPN/NNP/2/nsubj sleeps/VERB/VBZ/0/root"),
    ("Girls/NOUN/NNS/2/nsubj see/VERB/VBP/0/root boats/NOUN/NNS/2/obj"),
)
COURSE = loop.Course(seed=1, layers=3, epochs=2, width=6, words=8, half=False)


def tree(line: str) -> training.Tree:
    cells = [("." if word.startswith(".") else word.split("/")[0], *word.rsplit("/", 4)[1:]) for word in line.split()]
    forms, upos, xpos, heads, rels = ([cell[k] for cell in cells] for k in range(5))
    return training.Tree(forms, forms, upos, xpos, [int(head) for head in heads], rels)


TREES = [tree(line) for line in LINES]


def setting():
    known = training.Names.of(TREES, ["the", "girl", "sees"])
    lessons = training.Lessons.of(TREES[:3], TREES[3:], known)
    sizes = {name: len(getattr(known, name)) for name in ("trained", "upos", "xpos", "rels")}
    return known, lessons, sizes


def network(sizes, table):
    torch.manual_seed(5)
    made = Network(table, sizes, COURSE.layers, COURSE.width)
    with torch.no_grad():
        made.rel.normal_()
    return made


def vectors(folder):
    rows, units = word_vectors.rounded(np.random.default_rng(2).normal(size=(3, 10)).astype(np.float32))
    np.savez(folder / "vectors.npz", rows=rows, units=units, words=np.array(["the", "girl", "sees"]))
    return np.concatenate([np.zeros((1, 10), np.float32), rows * units[:, None]])


def test_bare_sentences_have_no_capital_and_no_final_mark():
    assert training.bare(TREES[0]).forms == ["the", "girl", "sings"]
    assert training.bare(TREES[0]).heads == [2, 3, 0]
    assert training.bare(TREES[2]) is None
    _, lessons, _ = setting()
    assert lessons.trees[lessons.bare[1]].forms == ["she", "sees", "the", "boat"]
    assert lessons.bare[2] == 2
    shown = np.concatenate(lessons.shuffled(lessons.train, 8, np.random.default_rng(1), 0.15))
    assert len(shown) == len(lessons.train)


def test_torch_and_numpy_compute_the_same(tmp_path):
    known, _lessons, sizes = setting()
    made = network(sizes, vectors(tmp_path)).eval()
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim > 1:
                rows, units = storage.quantise_rows(weight.numpy())
                weight.copy_(torch.from_numpy(rows * units.reshape(-1, *[1] * (weight.ndim - 1))))
    (tmp_path / "train.conllu").write_text("1\tGirls" + "\t_" * 8 + "\n\n")
    recipe = recipes.Recipe("Test", "a treebank", "CC0", parts="im=in+dem")
    where = (tmp_path / "model", made, known, TREES, [tmp_path / "train.conllu"], tmp_path / "vectors.npz")
    export.write(*where, recipe, {"role": "twin"}, 1.0)
    assert Language.load(tmp_path / "model").words("Girls im boat") == ("Girls", "in", "dem", "boat")
    reader = Language.load(tmp_path / "model").parser.reader
    corpus = training.Corpus.of(TREES, known)
    for k, sentence in enumerate(TREES):
        with torch.inference_mode():
            theirs = made(gathered(corpus, corpus.grid(np.array([k]))), torch.tensor([sentence.heads]))
        [ours] = reader.read([ParserInput(tuple(sentence.forms), ())])
        np.testing.assert_allclose(ours.edges, theirs["arcs"][0].numpy(), atol=1e-4)
        assert ours.upos.tolist() == theirs["upos"][0].argmax(-1).tolist()
        assert ours.xpos.tolist() == theirs["xpos"][0].argmax(-1).tolist()
        [rels] = reader.network.relations([ours], [np.array(sentence.heads)])
        under = [c for c, head in enumerate(sentence.heads) if head]
        best = theirs["rels"][0].clone()
        best[:, reader.network.deprels.index("root")] = -np.inf
        assert rels[under].tolist() == best.argmax(-1)[under].tolist()


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    _known, lessons, sizes = setting()
    table = vectors(tmp_path)
    loop.train(network(sizes, table), lessons, lessons.train, COURSE, tmp_path / "whole")
    killed = lessons.__class__(**vars(lessons))

    class Killed(Exception):
        pass

    passes = iter((False, True))

    def stop(own, size, random, share):
        if next(passes):
            raise Killed
        return lessons.shuffled(own, size, random, share)

    killed.shuffled = stop
    with pytest.raises(Killed):
        loop.train(network(sizes, table), killed, lessons.train, COURSE, tmp_path / "parts")
    loop.train(network(sizes, table), lessons, lessons.train, COURSE, tmp_path / "parts")
    whole, parts = (torch.load(tmp_path / name / "final.pt", weights_only=True) for name in ("whole", "parts"))
    assert all(torch.equal(weight, parts[name]) for name, weight in whole.items())


def test_students_learn_from_opinions(tmp_path):
    _known, lessons, sizes = setting()
    made = network(sizes, vectors(tmp_path))
    loop.think(made, lessons.corpus, tmp_path / "a.npz")
    opinion = loop.Soft.load([tmp_path / "a.npz", tmp_path / "a.npz"])
    size = np.diff(opinion.arc_at)
    lengths = np.diff(lessons.corpus.first)
    assert size.tolist() == (lengths * (lengths + 1)).tolist()
    rows = opinion.arcs[: size[0]].reshape(lengths[0], -1)
    np.testing.assert_allclose(rows.sum(1), 1, atol=0.01)
    loop.train(made, lessons, lessons.both, replace(COURSE, epochs=1), tmp_path / "student", soft=opinion)
    assert (tmp_path / "student" / "final.pt").exists()


def test_features_as_tags():
    assert training.chosen("Case=Gen|Gender=Fem|Number=Sing", ("Number", "Case", "Tense")) == "Case=Gen|Number=Sing"
    assert training.chosen("_", ("Case",)) == "_"


def test_recipes():
    for code, recipe in recipes.RECIPES.items():
        assert len(code) == 2
        assert all(len(words) > 1 for words in recipe.contractions().values())


def test_a_language_without_vectors(tmp_path):
    words, table = word_vectors.vectors("id", recipes.Recipe("Test", "a treebank", "CC0", vectors=""), None, tmp_path)
    rows, units = word_vectors.rounded(table)
    assert words == []
    assert rows.shape == (0, 1)
    assert len(units) == 0

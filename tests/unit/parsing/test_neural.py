"""The network against its plain twin, and the interfaces around it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import tinynet
from trees_by_force import all_trees

from divproj.core.errors import ModelError, ProjError
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.parsing import network as neural
from divproj.parsing.features import ParserInput
from divproj.parsing.language import Language, forest_of, n_best, several
from divproj.parsing.network import NeuralParser, Scores, best_heads, is_tree

LINES = ("the dog saw the Cat", "dogs", "a b c d e", "The dog 's", "x y z . ...", "the cat", "Dogs see", "“ no ”")
SENTENCES = [tuple(line.split()) for line in LINES]


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    return Language.load(tinynet.saved(tmp_path_factory.mktemp("net") / "model"))


def fresh(language: Language) -> Language:
    return replace(language, parser=NeuralParser(neural.BatchScorer(language.parser.reader.network), language.parser.scale_))


def test_the_network_computes_what_its_plain_twin_does(language):
    for forms, found in zip(SENTENCES, language.parser.reader.read([ParserInput(f, ()) for f in SENTENCES]), strict=True):
        upos, xpos, edges, rels = tinynet.twin(forms)
        assert found.upos.tolist() == upos
        assert found.xpos.tolist() == xpos
        np.testing.assert_allclose(found.edges, edges, atol=2e-5)
        for heads in itertools.islice(all_trees(len(forms)), 5):
            names = language.parser.relations(ParserInput(forms, ()), heads)
            best = [rels[c, h].copy() for c, h in enumerate(heads)]
            for scores, head in zip(best, heads, strict=True):
                scores[tinynet.RELS.index("root")] = 1e9 if head == 0 else -1e9
            assert names == tuple(tinynet.RELS[int(np.argmax(scores))] for scores in best)


def test_a_sentence_alone_is_parsed_as_in_company(language):
    together = list(fresh(language).parser.marginals([ParserInput(f, ()) for f in SENTENCES]))
    for forms, found in zip(SENTENCES, together, strict=True):
        [alone] = fresh(language).parser.marginals([ParserInput(forms, ())])
        np.testing.assert_allclose(alone, found, atol=1e-6)
    assert fresh(language).parse(SENTENCES) == [fresh(language).parse([forms])[0] for forms in SENTENCES]


def test_small_batches_and_a_full_memory_change_nothing(language, monkeypatch):
    found = language.parse(SENTENCES * 2)
    monkeypatch.setattr(neural, "BATCH_WORDS", 2)
    monkeypatch.setattr(neural, "KEPT", 0)
    monkeypatch.setattr("divproj.parsing.network.KNOWN", 1)
    assert fresh(language).parse(SENTENCES * 2) == found


def test_a_given_tag_takes_the_place_of_the_networks_own(language):
    forms = SENTENCES[0]
    [tags] = language.tag([forms])
    same, other = (
        ParserInput(forms, tuple(u for u, _ in t), (tuple(x for _, x in t),)) for t in (tags, [("VERB", "VBZ"), *tags[1:]])
    )
    if tags[0] == ("VERB", "VBZ"):
        other = ParserInput(forms, ("DET", *same.tags[1:]), same.more)
    plain, clamped = fresh(language).parser, fresh(language).parser
    [edges], [free] = plain.edge_scores([same]), fresh(language).parser.edge_scores([ParserInput(forms, ())])
    np.testing.assert_array_equal(edges, free)
    assert not np.allclose(next(iter(clamped.edge_scores([other]))), free)
    strange = ParserInput(forms, ("??",) * len(forms))
    np.testing.assert_array_equal(next(iter(plain.edge_scores([strange]))), free)


def test_heads_are_a_tree_with_one_root():
    random = np.random.default_rng(3)
    for n in (1, 2, 3, 4):
        trees = [heads for heads in all_trees(n) if heads.count(0) == 1]
        for _ in range(20):
            edges = random.normal(size=(n, n + 1))
            edges[np.arange(n), np.arange(1, n + 1)] = -1e4
            none = np.zeros(0)
            found = best_heads(Scores(none, none, edges, none, none))
            best = max(trees, key=lambda heads: sum(edges[c, h] for c, h in enumerate(heads)))
            assert tuple(found.tolist()) == tuple(best)
            assert is_tree(found)


def test_sentences_are_annotated(language):
    made = list(language.annotate(map(_sentence, SENTENCES)))
    assert [s.forms for s in made] == SENTENCES
    assert all("ParseConf=" in cell for s in made for cell in s.column(9))
    assert "_" not in made[1].column(2)
    kept = list(language.annotate([m.with_columns({3: ("NOUN",) * len(m.forms)}) for m in made], keep_tags=True))
    assert {tag for s in kept for tag in s.column(3)} == {"NOUN"}


def test_several_trees_and_forests(language):
    [sentence] = language.annotate([_sentence(SENTENCES[0])])
    seen = language.seen(sentence.forms, list(zip(sentence.column(3), sentence.column(4), strict=True)))
    found = n_best(language.parser, seen, 4)
    assert len({heads for _, heads in found}) == 4
    assert [score for score, _ in found] == sorted((score for score, _ in found), reverse=True)
    assert len(list(several(language, sentence, 3))) == 3
    assert forest_of(language, sentence).nodes


def test_probabilities_add_up(language):
    for chances in language.parser.marginals([ParserInput(f, ()) for f in SENTENCES]):
        np.testing.assert_allclose(chances[:, 1:].sum(0), 1, atol=1e-9)
        np.testing.assert_allclose(chances[0].sum(), 1, atol=1e-9)


def test_calibration_makes_the_trees_probable(language):
    parser = fresh(language).parser
    seen = [ParserInput(f, ()) for f in SENTENCES]
    sure = parser.predict(seen)
    assert parser.calibrate(seen, sure).scale_ == neural.STEPS[-1]


def test_words_without_sentence(language):
    assert language.parse([()])[0].heads == ()
    assert language.parser.predict([DepTree(("dogs",), (0,), ("root",))])[0].heads == (0,)
    with pytest.raises(ProjError, match="the sentence has 1 words but 2 heads"):
        language.parser.relations(ParserInput(("dogs",), ()), (0, 1))


def test_it_is_not_saved_again(language, tmp_path):
    with pytest.raises(ModelError, match="written by the program that trains it"):
        language.save(tmp_path / "again")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scale": 0.0}, "'scale' is 0.0, a positive number expected"),
        ({"network": {**tinynet.facts()["network"], "format": 9}}, "its network is of version 9, 1 expected"),
        ({"network": {**tinynet.facts()["network"], "layers": 1}}, "is not possible"),
        ({"network": {**tinynet.facts()["network"], "width": 10**9}}, "is not possible"),
        ({"network": {**tinynet.facts()["network"], "upos": [1]}}, "'upos' is not a list of names"),
        ({"network": {**tinynet.facts()["network"], "rels": ["det"]}}, "'rels' has no relation 'root'"),
        ({"net__arc": np.zeros((2, 2), np.int8)}, r"'net.arc' has shape \(2, 2\), 7 × 6 expected"),
        ({"net__trained": np.zeros((3, 4), np.int16)}, "'net.trained' is of type int16, int8 expected"),
        ({"net__trained__words": np.frombuffer(b"\xff\xfe", np.uint8)}, "'net.trained.words' is no text in UTF-8"),
        ({"vectors__words": np.frombuffer(b"\xff\n", np.uint8)}, "'vectors.words' is no text in UTF-8"),
        ({"vectors__words": np.frombuffer(b"one", np.uint8)}, "1 words for 2 vectors of int8"),
        ({"net__root": np.full(9, np.nan, np.float32)}, "'net.root' has numbers that are not finite"),
    ],
)
def test_damaged_files_say_what_is_wrong(tmp_path, changed, message):
    with pytest.raises(ModelError, match=message):
        Language.load(tinynet.saved(tmp_path / "model", **changed))


def _sentence(forms):
    none = ("_",) * len(forms)
    return Rows((), (tuple(map(str, range(1, len(forms) + 1))), tuple(forms), *[none] * 8))

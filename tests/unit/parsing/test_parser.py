"""`MstParser`: learns what it is shown, in the style of scikit-learn."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from toybank import CROSSED, SMALL, TOY
from trees_by_force import is_projective, is_tree

from divproj import DepTree, ModelError, ProjError
from divproj.core.tree import NO_HEAD
from divproj.parsing import parser as module
from divproj.parsing.features import ParserInput
from divproj.parsing.learn import SIBLINGS_UP_TO
from divproj.parsing.parser import MstParser, Progress, crosses
from divproj.projection.parsers import NO_LINKS


@pytest.fixture(scope="module")
def toy():
    """A parser that has learned the toy treebank."""
    return MstParser(**SMALL).fit(TOY)


class TestFits:
    """A toy treebank is learned by heart."""

    @pytest.mark.parametrize("order", [1, 2, 3])
    @pytest.mark.parametrize("decoder", ["proj", "nonproj"])
    def test_every_way(self, order, decoder):
        parser = MstParser(order=order, decoder=decoder, **SMALL).fit(TOY)
        found = parser.predict(TOY)
        assert [tree.heads for tree in found] == [tree.heads for tree in TOY]
        assert [tree.deprels for tree in found] == [tree.deprels for tree in TOY]
        assert parser.score(TOY, TOY) == 1.0

    def test_edges_that_cross(self):
        parser = MstParser(**SMALL).fit(TOY[:4] + CROSSED)
        assert parser.crossing_, "a third of the trees"
        assert [tree.heads for tree in parser.predict(CROSSED)] == [tree.heads for tree in CROSSED]

    def test_edges_that_cross_by_a_decoder_that_may_not(self):
        parser = MstParser(decoder="proj", **SMALL).fit(TOY[:4] + CROSSED)
        assert not parser.crossing_
        found = parser.predict(CROSSED)
        assert all(is_tree(tree.heads) and is_projective(tree.heads) for tree in found)

    def test_few_crossing_trees_are_not_enough(self):
        assert not MstParser(epochs=1, bits=10).fit(TOY * 2 + CROSSED[:1]).crossing_

    def test_one_sentence_and_one_pass(self):
        parser = MstParser(bits=14, epochs=1).fit(TOY[2:3])
        assert parser.predict(TOY[2:3])[0].heads == TOY[2].heads

    def test_one_word(self):
        assert MstParser(**SMALL).fit(TOY[6:7]).predict(TOY[6:7]) == TOY[6:7]

    def test_without_relations(self):
        parser = MstParser(labels=False, **SMALL).fit(TOY)
        assert parser.rels_ == ("root",)
        assert [tree.heads for tree in parser.predict(TOY)] == [tree.heads for tree in TOY]
        bare = [DepTree(tree.forms, tree.heads, upos=tree.upos) for tree in TOY]
        assert MstParser(**SMALL).fit(bare).rels_ == ("root",)

    def test_the_relation_root_is_for_roots(self):
        trees = [DepTree(("w1", "w2", "w3"), (0, 1, 1), ("root", "root", "obj"))]
        parser = MstParser(**SMALL).fit(trees)
        assert parser.rels_ == ("root", "obj")
        assert parser.predict(trees)[0].deprels == ("root", "obj", "obj")

    def test_one_relation_besides_root(self):
        trees = [tree.with_heads(tree.heads, ["root" if h == 0 else "dep" for h in tree.heads]) for tree in TOY]
        parser = MstParser(**SMALL).fit(trees)
        assert parser.rels_ == ("root", "dep")
        assert parser.predict(trees) == trees

    def test_unknown_heads(self):
        """The same heads hidden everywhere: the others are learned, and every tree found is one."""
        hidden = [tree.with_heads(NO_HEAD if k == 1 else h for k, h in enumerate(tree.heads)) for tree in TOY[:6]]
        parser = MstParser(**SMALL).fit(hidden)
        for tree, found in zip(hidden, parser.predict(hidden), strict=True):
            assert is_tree(found.heads)
            assert all(a == b for a, b in zip(tree.heads, found.heads, strict=True) if a != NO_HEAD)
        assert parser.score(hidden, hidden) == 1.0, "what is not known is not counted"

    def test_a_sentence_of_no_words(self, toy):
        empty = DepTree((), ())
        assert toy.predict([empty, TOY[0], empty]) == [empty, TOY[0], empty]
        assert MstParser(**SMALL).fit([empty, *TOY]).predict([TOY[1]]) == [TOY[1]]
        assert [found.shape for found in toy.marginals([empty])] == [(1, 1)]

    def test_a_sentence_past_what_siblings_can_hold(self, toy):
        n = SIBLINGS_UP_TO + 5
        [found] = toy.predict([ParserInput(("dog",) * n, ("NOUN",) * n)])
        assert is_tree(found.heads)
        assert toy.tables(ParserInput(("dog",) * n, ("NOUN",) * n)).siblings is None

    def test_codes_alone_teach(self):
        """Words that say nothing, and a code that marks the gold edges."""
        trees = [DepTree(("x",) * len(tree), tree.heads, upos=("X",) * len(tree)) for tree in TOY]
        seen = [ParserInput(tree.forms, tree.upos, codes=marked(tree)) for tree in trees]
        parser = MstParser(**SMALL).fit(seen, trees)
        assert parser.slots_ == 1
        assert [tree.heads for tree in parser.predict(seen)] == [tree.heads for tree in TOY]

    def test_sentences_without_any_link(self):
        codes = [np.zeros((len(tree) + 1, len(tree) + 1, 5), np.int32) for tree in TOY]
        for own in codes:
            own[:, :, 0] = NO_LINKS
        seen = [ParserInput(tree.forms, tree.upos, codes=own) for tree, own in zip(TOY, codes, strict=True)]
        parser = MstParser(**SMALL).fit(seen, TOY)
        assert [tree.heads for tree in parser.predict(seen)] == [tree.heads for tree in TOY]
        plain = parser.predict([ParserInput.of(tree) for tree in TOY])
        assert [tree.heads for tree in plain] == [tree.heads for tree in TOY], "codes may be left out"

    def test_further_columns_teach(self):
        """Words that say nothing, and a column that does."""
        trees = [DepTree(("x",) * len(tree), tree.heads, upos=("X",) * len(tree)) for tree in TOY]
        seen = [ParserInput(tree.forms, tree.upos, (full.forms,)) for tree, full in zip(trees, TOY, strict=True)]
        parser = MstParser(**SMALL).fit(seen, trees)
        assert [tree.heads for tree in parser.predict(seen)] == [tree.heads for tree in TOY]


def marked(tree):
    codes = np.zeros((len(tree) + 1, len(tree) + 1, 1), np.int32)
    codes[list(tree.heads), range(1, len(tree) + 1), 0] = 1
    return codes


class TestRefused:
    @pytest.mark.parametrize(
        ("options", "why"),
        [
            ({"order": 4}, "order is 4, 1, 2 or 3 expected"),
            ({"decoder": "best"}, "decoder is 'best', auto, proj or nonproj expected"),
            ({"bits": 40}, "bits is 40, 10 to 28 expected"),
            ({"epochs": 0}, "epochs is 0, 1 or more expected"),
        ],
    )
    def test_parameters(self, options, why):
        with pytest.raises(ProjError) as error:
            MstParser(**options).fit(TOY)
        assert str(error.value) == why

    @pytest.mark.parametrize("trees", [[], [TOY[0].with_heads([NO_HEAD] * 3)], [DepTree((), ())]])
    def test_nothing_to_learn_from(self, trees):
        with pytest.raises(ProjError, match="there is no word with a head to learn from"):
            MstParser().fit(trees)

    def test_trees_that_do_not_fit(self):
        with pytest.raises(ProjError, match="2 sentences but 1 trees"):
            MstParser().fit(TOY[:2], TOY[:1])
        with pytest.raises(ProjError, match="sentence 2 has 5 words but 3 heads"):
            MstParser().fit(TOY[:2], [TOY[0], TOY[0]])

    @pytest.mark.parametrize("head", [2, 9])
    def test_heads_that_cannot_be(self, head):
        bad = TOY[0].with_heads([0, head, 1])
        with pytest.raises(ProjError, match=f"sentence 1: the head of word 2 is {head}, another one of 3 words or 0 expected"):
            MstParser().fit([bad])

    def test_nothing_learned_yet(self):
        for use in (
            lambda p: p.predict(TOY),
            lambda p: p.score(TOY, TOY),
            lambda p: list(p.marginals(TOY)),
            lambda p: p.calibrate(TOY, TOY),
        ):
            with pytest.raises(ModelError, match="the parser has learned nothing yet; call fit, or load a model"):
                use(MstParser())

    def test_other_columns_or_codes(self, toy):
        with pytest.raises(ModelError, match="the parser sees 0 further columns, the sentence has 1"):
            toy.predict([ParserInput(("a",), ("X",), (("x",),))])
        with pytest.raises(ModelError, match="the parser sees 0 codes an edge, the sentence has 3"):
            toy.predict([ParserInput(("a",), ("X",), codes=np.zeros((2, 2, 3), np.int32))])
        mixed = [ParserInput(("a",), ("X",)), ParserInput(("a",), ("X",), (("x",),))]
        with pytest.raises(ModelError, match="the parser sees 0 further columns, the sentence has 1"):
            MstParser().fit(mixed, [TOY[6]] * 2)

    def test_more_than_can_be_seen(self):
        seen = ParserInput(("a",), ("X",), (("x",),) * 30)
        with pytest.raises(ProjError, match="30 further columns and 0 codes an edge are more than the parser can see"):
            MstParser().fit([seen], [TOY[6]])

    def test_relations_of_a_tree_that_does_not_fit(self, toy):
        with pytest.raises(ProjError, match="the sentence has 3 words but 1 heads"):
            toy.relations(ParserInput.of(TOY[0]), (0,))


class TestManner:
    """As scikit-learn has it."""

    def test_parameters(self):
        parser = MstParser(order=1, bits=12)
        assert parser.get_params()["order"] == 1
        assert parser.set_params(order=3, epochs=2) is parser
        assert parser.get_params() == MstParser(order=3, bits=12, epochs=2).get_params()
        with pytest.raises(ProjError, match=r"MstParser has no parameter 'depth'; it has bits, clip"):
            parser.set_params(depth=1)

    def test_clone(self, toy):
        from sklearn.base import clone

        twin = clone(toy)
        assert twin.get_params() == toy.get_params()
        assert not hasattr(twin, "weights_")
        assert twin.fit(TOY).weights_.tobytes() == toy.weights_.tobytes()

    def test_repr(self):
        parser = MstParser(order=1)
        assert repr(parser).startswith("MstParser(order=1, decoder='auto', ")
        assert eval(repr(parser), {"MstParser": MstParser, "inf": float("inf")}).get_params() == parser.get_params()

    def test_trees_come_back_as_given(self, toy):
        given = [DepTree(t.forms, (), (), t.upos, ("x",) * len(t)) for t in TOY]
        found = toy.predict(given)
        assert [t.xpos for t in found] == [t.xpos for t in given]
        assert [t.heads for t in found] == [t.heads for t in TOY]

    def test_the_same_seed_makes_the_same_parser(self, toy):
        again = MstParser(**SMALL).fit(TOY)
        other = MstParser(random_state=2, **SMALL).fit(TOY)
        for name in ("weights_", "votes_", "label_weights_"):
            assert getattr(again, name).tobytes() == getattr(toy, name).tobytes()
        assert other.weights_.tobytes() != toy.weights_.tobytes()

    def test_a_refit_forgets(self, toy):
        again = MstParser(**SMALL).fit(CROSSED).fit(TOY)
        assert again.weights_.tobytes() == toy.weights_.tobytes()
        assert again.rels_ == toy.rels_


class TestProgress:
    def test_each_pass_is_told(self):
        seen = []
        MstParser(bits=14, epochs=4).fit(TOY, dev=(TOY, TOY), progress=seen.append)
        assert [state.epoch for state in seen] == [1, 2, 3, 4]
        assert all(state.epochs == 4 for state in seen)
        assert all(after.loss <= before.loss for before, after in pairwise(seen))
        assert seen[-1].dev_uas == 100.0
        seen.clear()
        MstParser(bits=14, epochs=1).fit(TOY, progress=seen.append)
        assert seen[0].dev_uas is None
        assert 0 < seen[0].loss <= 1

    def test_the_best_pass_is_kept(self, monkeypatch):
        """However the later ones fare."""
        scores = iter([50.0, 80.0, 70.0, 60.0])
        kept = []

        def judged(self, weights, votes, *dev):
            kept.append(weights)
            self.weights_, self.votes_ = weights, votes
            return next(scores)

        monkeypatch.setattr(MstParser, "_dev_uas", judged)
        parser = MstParser(bits=14, epochs=4).fit(TOY, dev=(TOY, TOY))
        assert parser.weights_.tobytes() == kept[1].tobytes()
        assert parser.weights_.tobytes() != kept[3].tobytes()

    def test_an_interrupt_keeps_what_was_learned(self):
        def stop(state):
            if state.epoch == 3:
                raise KeyboardInterrupt

        parser = MstParser(bits=14, epochs=1000).fit(TOY, progress=stop)
        assert parser.epochs_ == 3
        assert parser.weights_.tobytes() == MstParser(bits=14, epochs=3).fit(TOY).weights_.tobytes()
        assert parser.predict(TOY[:1])[0].deprels == TOY[0].deprels, "relations are learned all the same"

    def test_an_interrupt_before_anything_was_learned(self, monkeypatch):
        def stopped(*args, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(module, "epoch", SimpleNamespace(compiled=stopped))
        with pytest.raises(KeyboardInterrupt):
            MstParser(bits=14).fit(TOY)

    def test_progress_is_a_value(self):
        assert Progress(1, 2, 0.5) == Progress(1, 2, 0.5, None)


class TestChances:
    @pytest.mark.parametrize("decoder", ["proj", "nonproj"])
    def test_they_sum_to_one_and_favour_gold(self, decoder):
        parser = MstParser(decoder=decoder, order=1, **SMALL).fit(TOY)
        for tree, chances in zip(TOY, parser.marginals(TOY), strict=True):
            assert chances[:, 1:].sum(axis=0) == pytest.approx(np.ones(len(tree)))
            assert np.mean([chances[h, c] for c, h in enumerate(tree.heads, 1)]) > 0.6

    @pytest.mark.parametrize("decoder", ["proj", "nonproj"])
    def test_calibration_finds_how_sure_to_be(self, decoder):
        parser = MstParser(decoder=decoder, **SMALL).fit(TOY)
        assert parser.scale_ == 1.0
        assert parser.calibrate(TOY, TOY) is parser
        sure = parser.scale_
        assert sure > 1, "what was learned by heart is sure"
        wrong = [tree.with_heads(heads_of_a_chain(len(tree))) for tree in TOY]
        assert parser.calibrate(TOY, wrong).scale_ < sure

    def test_scores_far_apart(self):
        """Where exp(score) leaves the range of numbers."""
        parser = MstParser(decoder="nonproj", **SMALL).fit(TOY)
        parser.scale_ = 1e4
        for chances in parser.marginals(TOY):
            assert chances[:, 1:].sum(axis=0) == pytest.approx(np.ones(len(chances) - 1))

    def test_projective_ones_of_a_parser_that_may_cross(self):
        scores = np.random.default_rng(0).normal(size=(5, 5))
        assert MstParser.projective_marginals(scores)[:, 1:].sum(axis=0) == pytest.approx(np.ones(4))


def heads_of_a_chain(n):
    return [*range(2, n + 1), 0]


def test_long_texts_are_parsed_a_part_at_a_time(toy, monkeypatch):
    whole = toy.predict(TOY)
    monkeypatch.setattr(module, "BATCH_TOKENS", 10)
    assert [len(part) for part in toy._parts([ParserInput.of(tree) for tree in TOY])] == [2, 1, 2, 2, 1]
    assert toy.predict(TOY) == whole


def test_relations_of_a_given_tree(toy):
    for tree in TOY:
        assert toy.relations(ParserInput.of(tree), tree.heads) == tree.deprels
    assert toy.relations(ParserInput.of(TOY[0]), (0, 1, 1))[0] == "root"


@pytest.mark.parametrize("tree", TOY + CROSSED)
def test_crossing(tree):
    assert crosses(tree) != is_projective(tree.heads)


def test_an_edge_over_the_root_crosses():
    assert crosses(DepTree(("a", "b", "c"), (3, 0, 2)))

"""Features, the local model, its gradient, and EM."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import asdict, fields, replace

import numpy as np
import phrase_oracle as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.core.errors import AlignmentError, ModelError
from divproj.forest.build import from_n_best
from divproj.forest.heads import NULL
from divproj.io.trees import brackets
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.phrases import model as features
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.em import (
    EmState,
    Training,
    block,
    events_of,
    expect,
    maximise,
    objective,
    potential,
    spread,
    train,
    update,
)
from divproj.phrases.model import (
    FIXED,
    FLAGS,
    LINKED,
    NORMS,
    PREPOSITIONS,
    SAME_CATEGORY,
    SURFACE,
    LocalModel,
    PhraseEncoder,
    PhraseKinds,
    first_weights,
    lexical_keys,
)
from divproj.phrases.problem import (
    PAPER_COSTS,
    Costs,
    ScoredForest,
    fill,
    posteriors,
    prepare,
    problem,
    read_off,
    with_tree_weights,
)

TEXTS = [
    ("(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN sun)))))",
     "(S (NP (DT an) (JJ old) (NN dog)) (VP (VBD was) (VP (VBG sleeping) (PP (IN in) (NP (NN sunshine))))))"),
    ("(S (NP (NNS farmers)) (VP (VBP grow) (NP (JJ red) (NNS apples))))", "(S (NP (JJ red) (NNS apples)) (VP (VBP please) (NP (NNS farmers))))"),
    ("(S (NP (PRP she)) (VP (VBD gave) (NP (PRP him)) (NP (DT a) (NN book))))", "(S (NP (PRP she)) (VP (VBD gave) (NP (DT a) (NN book)) (PP (TO to) (NP (PRP him)))))"),
]  # fmt: skip


def same_words(src, tgt):
    return [(i, j) for i, a in enumerate(src.forms) for j, b in enumerate(tgt.forms) if a == b]


def pairs_of(binarise="head", times=1):
    options = ForestOptions(binarise)
    return [tuple(forests_of(text, "brackets", None, options)[0] for text in pair) for pair in TEXTS * times]


def prepared(binarise="head", times=1, learning=True):
    encoder = PhraseEncoder()
    encoder.learning = learning
    return [prepare(ScoredForest(s), ScoredForest(t), same_words(s, t), encoder) for s, t in pairs_of(binarise, times)]


def test_kinds_are_heads_and_categories():
    src, _ = pairs_of()[0]
    kinds = PhraseKinds.of(src)
    assert kinds.count.sum() == len(src)
    root = kinds.of_node[src.root]
    assert kinds.lemma[root] == "slept"
    of = next(k for k, node in enumerate(src.nodes) if node.label == "PP")
    assert kinds.lemma[kinds.of_node[of]] == "sun"  # semantic, not lexical head
    assert not kinds.preposition[kinds.of_node[of]]
    word = next(k for k, node in enumerate(src.nodes) if node.label == "IN")
    assert kinds.preposition[kinds.of_node[word]]


def test_flags_of_a_table():
    one = prepared()[0]
    s, t = one.src.kinds, one.tgt.kinds
    flags = one.table.flags

    def at(a, b):
        rows = [k for k, x in enumerate(s.lemma) if x == a]
        columns = [k for k, x in enumerate(t.lemma) if x == b]
        return np.bitwise_or.reduce([flags[i, j] for i in rows for j in columns])

    assert at("dog", "dog") & SURFACE
    assert at("dog", "dog") & LINKED
    assert at("sun", "sunshine") & SURFACE
    assert not at("dog", "sunshine") & (SURFACE | LINKED)
    assert at("in", "in") & PREPOSITIONS
    assert at("dog", "sunshine") & SAME_CATEGORY
    assert not flags[-1].any()
    assert not flags[:, -1].any()
    assert one.table.category[-1, 0] == FLAGS + NULL * features.CATEGORIES + t.category[0]


def test_unknown_lemmas_have_no_lexical_feature():
    learned = PhraseEncoder()
    learned.learning = True
    s, t = map(ScoredForest, pairs_of()[0])
    known = prepare(s, t, [], learned).table
    assert (known.keys >= 0).all()
    fresh = PhraseEncoder(vocabulary=["dog"])
    table = prepare(s, t, [], fresh).table
    dogs = [k for k, x in enumerate(s.kinds.lemma) if x == "dog"]
    assert table.keys[dogs[0], -1] >= 0
    assert (table.keys >= 0).sum() < known.keys.size
    assert fresh.vocabulary == ["dog"]


def test_relations_are_asked_once():
    asked = []

    def relation(a, b):
        asked.append((a, b))
        return 0

    encoder = PhraseEncoder(relation)
    for s, t in pairs_of(times=2):
        prepare(ScoredForest(s), ScoredForest(t), [], encoder)
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("norm", NORMS)
def test_probabilities_sum_to_one(norm):
    one = prepared()[0]
    chance = np.random.default_rng(1)
    model = LocalModel(chance.normal(size=FIXED), null_norm=norm)
    probs = model.log_probs(one.table)
    table = model.potentials(one.table)
    counts_s, counts_t = one.src.kinds.count, one.tgt.kinds.count
    if norm != "symmetric":
        total = (np.exp(probs.pair) * counts_t).sum(1) + np.exp(probs.null_s)
        assert np.allclose(total, 1)
    if norm == "literal":
        assert np.isclose((np.exp(probs.null_t) * counts_t).sum(), 1)
    if norm == "mirrored":
        shares = np.exp(table[:-1, :-1]) * counts_s[:, None]
        assert np.allclose(np.exp(probs.null_t), np.exp(table[-1, :-1]) / (shares.sum(0) + np.exp(table[-1, :-1])))
    uniform = LocalModel(np.zeros(FIXED), null_norm=norm).log_probs(one.table)
    assert np.allclose(uniform.pair, uniform.probability[0])
    assert np.allclose(uniform.null_s, uniform.probability[1])
    assert np.allclose(uniform.null_t, uniform.probability[2])


def test_a_symmetric_model_does_not_know_which_side_is_the_source():
    s, t = map(ScoredForest, pairs_of()[0])
    links = same_words(s.forest, t.forest)
    model = LocalModel()
    there = problem(
        prepare(s, t, links, PhraseEncoder()), model.log_probs(prepare(s, t, links, PhraseEncoder()).table), Costs()
    )
    turned = prepare(t, s, [(j, i) for i, j in links], PhraseEncoder())
    back = problem(turned, model.log_probs(turned.table), Costs())
    assert np.allclose(there.pair, back.pair.T)
    assert np.allclose(there.src.null, back.tgt.null)


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.sampled_from(range(3)), st.booleans())
def test_the_gradient_is_that_of_finite_differences(seed, norm, hashed):
    chance = np.random.default_rng(seed)
    rows = prepared()
    tables = [x.table for x in rows]
    keys = np.empty(0, np.int64) if hashed else lexical_keys(tables, 1)
    buckets = 37 if hashed else 0
    model = LocalModel(chance.normal(size=FIXED + (buckets or len(keys))), keys, buckets, NORMS[norm])
    events = [chance.uniform(0, 2, x.flags.shape) * (chance.random(x.flags.shape) < 0.3) for x in tables]
    data = block(tables, events, model)
    weights = model.weights[data.numbers]
    value, gradient = objective(weights, data, 0.3, norm)
    for k in chance.choice(len(weights), 12, replace=False):
        step = np.zeros(len(weights))
        step[k] = 1e-5
        slope = (objective(weights + step, data, 0.3, norm)[0] - objective(weights - step, data, 0.3, norm)[0]) / 2e-5
        assert slope == pytest.approx(gradient[k], rel=1e-4, abs=1e-5)
    assert np.isfinite(value)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from(range(3)), st.sampled_from(["viterbi", "soft"]))
def test_the_objective_never_falls_in_an_m_step(seed, norm, kind):
    rows = prepared("all" if seed % 2 else "head")
    model = LocalModel(np.random.default_rng(seed).normal(size=FIXED), null_norm=NORMS[norm])
    seen = [expect(x, model, Costs(), Training(kind)) for x in rows]
    kept = [(x.table, s[1]) for x, s in zip(rows, seen, strict=True) if s is not None]
    data = block([t for t, _ in kept], [e for _, e in kept], model)
    now = model.weights[data.numbers]
    better = maximise(now, data, 1.0, norm, 10)
    before, after = (objective(w, data, 1.0, norm)[0] for w in (now, better))
    assert after >= before
    for share in (0.3, 0.7):  # the way between is no worse either: the objective is concave
        assert objective((1 - share) * now + share * better, data, 1.0, norm)[0] >= before - 1e-9


def test_whole_viterbi_em_never_falls():
    rows = prepared("all", times=2)
    model = LocalModel(first_weights(), null_norm="mirrored")
    costs, training = Costs(relative=False), Training(epochs=1, batch=100, kappa=0.0)
    state = EmState(model.weights.copy(), np.zeros(FIXED))
    model.weights = state.weights
    seen = []
    for _ in range(5):
        state.running = [0.0, 0.0]
        update(rows, model, costs, training, state, True)
        seen.append(state.running[0])
    assert all(b >= a - 1e-6 for a, b in itertools.pairwise(seen))
    assert seen[-1] > seen[0]


def test_soft_events_are_posteriors_and_viterbi_events_those_of_the_set():
    for one in prepared("all"):
        model = LocalModel()
        given = problem(one, model.log_probs(one.table), Costs())
        found = read_off(fill(given, compiled=False), compiled=False)
        events = events_of(one, found)
        assert events[:-1, :-1].sum() == len(found.pairs)
        assert events[:-1, -1].sum() == len(found.null_s)
        assert events[-1, :-1].sum() == len(found.null_t)
        score, soft = expect(one, model, Costs(), Training("soft"))
        assert score >= found.score - 40  # a sum over all sets, each tree by its share
        assert soft[:-1, :-1].sum() > 1
        assert (soft >= 0).all()


def test_soft_events_add_up_the_posteriors_of_nodes_of_a_kind():
    for one in prepared("all"):
        model, s, t = LocalModel(), one.src.kinds, one.tgt.kinds
        sums = posteriors(with_tree_weights(one, problem(one, model.log_probs(one.table), Costs())))
        expected = np.zeros(one.table.flags.shape)
        for u, row in enumerate(sums.pair):
            for v, share in enumerate(row):
                expected[s.of_node[u], t.of_node[v]] += share
        for u, share in enumerate(sums.null_s):
            expected[s.of_node[u], -1] += share
        for v, share in enumerate(sums.null_t):
            expected[-1, t.of_node[v]] += share
        score, soft = expect(one, model, Costs(), Training("soft"))
        assert score == pytest.approx(sums.log_sum)
        assert soft == pytest.approx(expected)
        assert soft != pytest.approx(expect(one, model, Costs(), Training())[1]), "those of the best set alone are others"


def test_a_batch_moves_the_fixed_weights_and_those_of_its_words():
    rows = prepared()
    keys = lexical_keys([x.table for x in rows], 1)
    model = LocalModel(first_weights(len(keys)), keys)
    numbers = block([rows[0].table], [np.zeros(rows[0].table.flags.shape)], model).numbers
    lexical = model.lexical(rows[0].table)
    assert numbers.tolist() == [*range(FIXED), *(FIXED + np.unique(lexical[lexical >= 0])).tolist()]
    assert FIXED < len(numbers) < FIXED + len(keys)
    assert Training(epochs=0).epochs == 0


def test_a_pair_that_cannot_be_reached_teaches_nothing():
    s, t = map(ScoredForest, pairs_of()[0])
    nothing = prepare(s, t, [], PhraseEncoder())
    assert expect(nothing, LocalModel(), Costs(), Training()) is None
    model = LocalModel()
    before = model.weights.copy()
    state = train([nothing], model, Costs(), Training(epochs=2), 1)
    assert np.array_equal(state.weights, before)


@pytest.mark.parametrize(("kind", "optimiser"), [("viterbi", "lbfgs"), ("soft", "lbfgs"), ("viterbi", "adagrad")])
def test_same_seed_same_weights(kind, optimiser):
    def run():
        rows = prepared("all", times=3)
        keys = lexical_keys([x.table for x in rows])
        model = LocalModel(first_weights(len(keys)), keys)
        return train(rows, model, Costs(), Training(kind, 3, 4, optimiser), 7)

    one, two = run(), run()
    assert np.array_equal(one.weights, two.weights)
    assert one.history == two.history
    assert not np.array_equal(one.weights, first_weights(len(one.weights) - FIXED))


def test_every_epoch_sees_all_batches():
    seen = []
    state = train(
        prepared(times=3), LocalModel(), Costs(), Training(epochs=2, batch=4), 1, lambda x: seen.append((x.epoch, x.batch))
    )
    assert seen == [(0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0)]
    assert (state.updates, len(state.history), state.running) == (6, 2, [0.0, 0.0])


def test_the_history_is_of_mean_scores():
    rows = prepared(times=2)
    scores = [expect(row, LocalModel(), Costs(), Training())[0] for row in rows]
    state = train(rows, LocalModel(), Costs(), Training(epochs=1, batch=100), 1)
    assert state.history == [pytest.approx(sum(scores) / len(scores))]


def test_training_ends_when_it_stalls():
    rows = prepared(times=2)
    state = train(rows, LocalModel(), Costs(), Training(epochs=60, batch=100, patience=2), 1)
    assert len(state.history) < 60
    assert state.finished


def test_lexical_features_are_those_of_several_pairs():
    tables = [x.table for x in prepared(times=2)]
    assert len(lexical_keys(tables, 2)) == len(lexical_keys(tables, 1))
    alone = [x.table for x in prepared()]
    assert len(lexical_keys(alone, 2)) < len(lexical_keys(alone, 1))
    assert len(lexical_keys(alone, 1, most=10)) == 10
    model = LocalModel(first_weights(5), buckets=5)
    numbers = model.lexical(alone[0])
    assert numbers.max() < 5
    assert numbers.min() >= 0


def test_costs_come_into_the_scores():
    one = prepared()[0]
    probs = LocalModel().log_probs(one.table)
    leaf = one.src.forest.arrays.is_leaf[:, None], one.tgt.forest.arrays.is_leaf[None, :]
    strict, free = (problem(one, probs, Costs(leaf_phrase=x, word_cost=0.0)) for x in (False, True))
    words = leaf[0] & leaf[1]
    assert np.isfinite(strict.pair[words]).sum() == len(one.links)
    assert not np.isfinite(strict.pair[leaf[0] ^ leaf[1]]).any()
    assert np.isfinite(free.pair[leaf[0] ^ leaf[1]]).any()
    dear = problem(one, probs, Costs(pair_cost=2.0, word_cost=0.0))
    assert np.allclose(free.pair[~(leaf[0] | leaf[1])] - 2.0, dear.pair[~(leaf[0] | leaf[1])])
    seldom = problem(one, probs, Costs(word_cost=8.0))
    mixed = leaf[0] ^ leaf[1]
    assert np.array_equal(np.where(mixed, free.pair - 8.0, free.pair), seldom.pair)
    heavy = problem(one, probs, Costs(null_cost=2.5))
    assert np.allclose(heavy.src.null - free.src.null, 0.5 * one.src.length)
    assert heavy.noncomp == 2.5


@pytest.mark.parametrize("binarise", ["head", "all"])
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("leaf_phrase", [False, True])
def test_scores_pair_by_pair(binarise, relative, leaf_phrase):
    """Every score from the model's probabilities, the words of the two phrases and the costs, by loops."""
    costs = Costs(null_cost=1.5, pair_cost=0.7, relative=relative, leaf_phrase=leaf_phrase, word_cost=2.0)
    for one in prepared(binarise):
        probs = LocalModel(np.random.default_rng(1).normal(size=FIXED)).log_probs(one.table)
        ours, s, t = problem(one, probs, costs), one.src, one.tgt
        base = (
            LocalModel().probability(int(one.table.src.count.sum()), int(one.table.tgt.count.sum())) if relative else (0, 0, 0)
        )
        links = {(i, j) for i, j in one.links.tolist()}
        for u, a in enumerate(s.forest.nodes):
            for v, b in enumerate(t.forest.nodes):
                words = a.end - a.start, b.end - b.start
                expected = probs.pair[s.kinds.of_node[u], t.kinds.of_node[v]] - base[0]
                if 1 not in words:
                    expected -= costs.pair_cost
                elif (features.head_word(s.forest, u), features.head_word(t.forest, v)) not in links:
                    expected = -np.inf
                elif words != (1, 1):
                    expected -= (
                        costs.pair_cost + costs.null_cost * (max(words) - 1) + costs.word_cost if leaf_phrase else np.inf
                    )
                assert ours.pair[u, v] == pytest.approx(expected)
        for u, a in enumerate(s.forest.nodes):
            alone = probs.null_s[s.kinds.of_node[u]] - base[1] - costs.null_cost * (a.end - a.start)
            assert ours.src.null[u] == pytest.approx(alone)
        for v, b in enumerate(t.forest.nodes):
            alone = probs.null_t[t.kinds.of_node[v]] - base[2] - costs.null_cost * (b.end - b.start)
            assert ours.tgt.null[v] == pytest.approx(alone)


def test_the_parse_of_a_phrase():
    """log of the share of the parses that have the phrase; a virtual node has that of the likeliest phrase around it."""
    one, two = "(S (NP (DT a) (NN b) (NN c)) (VP (VB d)))", "(S (NP (DT a) (NN b)) (VP (NN c) (VB d)))"
    trees = [brackets.loads(text)[0].trees[0] for text in (one, two)]
    view = ScoredForest(from_n_best(trees, [math.log(3.0), 0.0], binarise="all"))
    rho = {(x.start, x.end, x.virtual): value for x, value in zip(view.forest.nodes, view.rho.tolist(), strict=True)}
    assert rho[0, 4, False] == 0.0, "exactly, what all parses have"
    assert rho[0, 3, False] == pytest.approx(math.log(0.75))
    assert rho[0, 2, False] == rho[2, 4, False] == pytest.approx(math.log(0.25))
    assert rho[0, 2, True] == rho[1, 3, True] == rho[0, 3, False]
    assert all(view.word[k] == x.start for k, x in enumerate(view.forest.nodes) if x.end - x.start == 1)


def test_the_penalty_of_section_5_3():
    """log Pe = −(|τs|φ + |τt|φ + 1)·μn, and μc·μn more for a non-compositional pair: what the paper's costs take from a score."""
    one = prepared()[0]
    probs = LocalModel().log_probs(one.table)
    paper, none = problem(one, probs, PAPER_COSTS), problem(one, probs, replace(PAPER_COSTS, null_cost=0.0, pair_cost=0.0))
    s, t = one.src, one.tgt
    phrases = ~s.forest.arrays.is_leaf[:, None] & ~t.forest.arrays.is_leaf[None, :]
    assert (PAPER_COSTS.null_cost, PAPER_COSTS.pair_cost, PAPER_COSTS.noncomp_cost) == (1.0, 1.0, 3.0)
    assert none.pair[phrases] - paper.pair[phrases] == pytest.approx(1.0)
    for before, after, side in ((none.src, paper.src, s), (none.tgt, paper.tgt, t)):
        assert before.null - after.null == pytest.approx(side.length)
    assert (none.noncomp, paper.noncomp) == (0.0, 3.0)


def test_the_cost_of_a_pair_is_asked_of_phrases_alone():
    """Not of two words; of a word and a phrase it is."""
    one = prepared()[0]
    probs = LocalModel().log_probs(one.table)
    free, dear = (problem(one, probs, Costs(pair_cost=cost, word_cost=0.0)).pair for cost in (0.0, 2.0))
    leaf = one.src.forest.arrays.is_leaf[:, None] & one.tgt.forest.arrays.is_leaf[None, :]
    finite = np.isfinite(free)
    assert (finite & leaf).any()
    assert free[finite] - dear[finite] == pytest.approx(np.where(leaf, 0.0, 2.0)[finite])


def test_a_word_and_a_phrase_leave_the_other_words_alone():
    """Each of them costs what a word without a partner does."""
    one = prepared()[0]
    probs = LocalModel().log_probs(one.table)
    cheap, dear = (problem(one, probs, Costs(null_cost=cost, word_cost=0.0)).pair for cost in (1.0, 3.0))
    s, t = one.src, one.tgt
    rest = np.where(s.forest.arrays.is_leaf[:, None], t.length[None, :] - 1, 0.0)
    rest += np.where(t.forest.arrays.is_leaf[None, :], s.length[:, None] - 1, 0.0)
    finite = np.isfinite(cheap)
    assert rest[finite].max() > 0
    assert cheap[finite] - dear[finite] == pytest.approx(2 * rest[finite])


def test_costs_have_their_defaults_in_one_place():
    own = PhraseAligner().get_params()
    assert {f.name: own[f.name] for f in fields(Costs)} == asdict(Costs())
    paper = asdict(PAPER_COSTS)
    assert (paper["null_cost"], paper["noncomp_cost"], paper["parse_share"], paper["gap"]) == (1.0, 3.0, 0.7, 5)


def test_parses_count_by_their_share():
    """Binarisations of one tree are no choice of the parser."""
    one = prepared("all")[2]
    probs = LocalModel().log_probs(one.table)
    plain, mixed = (problem(one, probs, Costs(parse_share=share)) for share in (0.0, 0.4))
    assert not one.src.rho.any()
    assert np.array_equal(mixed.pair, plain.pair)


def forest_pair(seed=3, words=5):
    """Two forests whose phrases are the parser's choice, and pairs of them with the trees of TEXTS, which are not ambiguous."""
    chance = random.Random(seed)
    forests = [ScoredForest(oracle.random_forest(chance, words, 3)) for _ in range(2)]
    return prepare(*forests, [(k, k) for k in range(words)], PhraseEncoder())


def test_each_side_s_parses_count():
    """μp weighs the parse of either side; where one side alone is ambiguous it is asked of that."""
    both = forest_pair()
    assert both.src.rho.min() < 0 > both.tgt.rho.min()
    tree = ScoredForest(oracle.random_tree(random.Random(1), 5))
    links = [(k, k) for k in range(5)]
    for one in (both, prepare(both.src, tree, links, PhraseEncoder()), prepare(tree, both.tgt, links, PhraseEncoder())):
        probs = LocalModel().log_probs(one.table)
        plain, mixed, literal = (problem(one, probs, c) for c in (Costs(parse_share=0.0), Costs(parse_share=0.4), Costs(parse_share=0.4, combine="literal")))  # fmt: skip
        finite = np.isfinite(plain.pair)
        rho = one.src.rho[:, None] + one.tgt.rho[None, :]
        assert mixed.pair[finite] == pytest.approx((0.6 * plain.pair + 0.4 * rho)[finite])
        assert mixed.src.null == pytest.approx(0.6 * plain.src.null)
        assert mixed.tgt.null == pytest.approx(0.6 * plain.tgt.null)
        assert mixed.noncomp == pytest.approx(0.6 * plain.noncomp)
        assert literal.mix == 0.4
        assert literal.src.rho.tolist() == one.src.rho.tolist()
        assert literal.tgt.rho.tolist() == one.tgt.rho.tolist()
        assert literal.noncomp == plain.noncomp


@pytest.mark.parametrize("seed", range(4))
def test_the_edges_of_a_phrase_share_its_probability(seed):
    """exp of the weights of sums: p(edge | phrase), which is what trees through the edge have of all trees below the phrase."""
    one = forest_pair(seed, 6)
    for view in (one.src, one.tgt):
        a = view.forest.arrays
        shares = np.zeros(len(view.forest))
        np.add.at(shares, a.edge_parent, np.exp(view.probabilities))
        assert shares[~a.is_leaf] == pytest.approx(np.ones(int((~a.is_leaf).sum())))
        trees = {}
        for tree in oracle.trees_of(view.forest):
            mass = np.exp(sum(a.edge_weight[e] for e in tree.values()))
            edge = tree[view.forest.root]
            trees[edge] = trees.get(edge, 0.0) + mass
        for edge, mass in trees.items():
            assert np.exp(view.probabilities[edge]) == pytest.approx(mass / sum(trees.values()))


class TestFamilies:
    """§5.2, each feature for all pairs of kinds."""

    @pytest.fixture
    def one(self):
        return prepared()[0]

    def test_words_and_categories_together(self, one):
        """Family 1: two pairs share a weight if lemmas and categories of both sides are the same; τ∅ is a lemma of its own."""
        rows = [*zip(one.src.kinds.lemma, one.src.kinds.category.tolist(), strict=True), ("", NULL)]
        columns = [*zip(one.tgt.kinds.lemma, one.tgt.kinds.category.tolist(), strict=True), ("", NULL)]
        seen = {}
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                seen.setdefault((row, column), set()).add(int(one.table.keys[i, j]))
        assert all(len(numbers) == 1 for numbers in seen.values())
        assert len(set.union(*seen.values())) == len(seen)

    def test_prepositions(self, one):
        """Family 5: both heads are prepositions."""
        s, t = one.src.kinds.preposition, one.tgt.kinds.preposition
        assert s.any()
        assert not s.all()
        assert ((one.table.flags[:-1, :-1] & PREPOSITIONS > 0) == np.logical_and.outer(s, t)).all()

    def test_categories(self, one):
        """Family 6: a weight for each pair of categories; family 7: the same on both sides."""
        s, t = one.src.kinds.category, one.tgt.kinds.category
        same = one.table.flags[:-1, :-1] & SAME_CATEGORY > 0
        assert (same == np.equal.outer(s, t)).all()
        assert 0 < same.sum() < same.size
        numbers = one.table.category - FLAGS
        assert (numbers[:-1] // features.CATEGORIES == s[:, None]).all()
        assert (numbers[:, :-1] % features.CATEGORIES == t[None, :]).all()
        assert (numbers[-1] // features.CATEGORIES == NULL).all()


class TestSteps:
    """How far an M-step goes."""

    def after(self, training, updates, whole):
        """Weights before and after an update, those that L-BFGS finds and the gradient there."""
        rows = prepared("all")
        model = LocalModel(first_weights())
        state = EmState(model.weights.copy(), np.zeros(FIXED), updates=updates)
        model.weights = state.weights
        seen = [expect(x, model, Costs(), training) for x in rows]
        kept = [(x.table, own[1]) for x, own in zip(rows, seen, strict=True) if own is not None]
        data = block([table for table, _ in kept], [events for _, events in kept], model)
        before, norm = state.weights.copy(), NORMS.index(model.null_norm)
        best, gradient = before.copy(), np.zeros(FIXED)
        best[data.numbers] = maximise(before[data.numbers], data, training.kappa, norm, training.steps)
        gradient[data.numbers] = objective(before[data.numbers], data, training.kappa, norm)[1]
        update(rows, model, Costs(), training, state, whole)
        assert state.running == [pytest.approx(sum(own[0] for own in seen if own)), len(kept)]
        assert state.updates == updates + 1
        return before, state, best, gradient

    @pytest.mark.parametrize(("updates", "whole", "step"), [(0, False, 2**-0.7), (3, False, 5**-0.7), (3, True, 1.0)])
    def test_mini_batches_go_a_part_of_the_way(self, updates, whole, step):
        """η_k = (k + 2)^-0.7 (Liang & Klein 2009); all pairs at once go the whole way."""
        before, state, best, _ = self.after(Training(), updates, whole)
        assert np.abs(best - before).max() > 0.01
        assert state.weights == pytest.approx((1 - step) * before + step * best)

    def test_adagrad_goes_uphill(self):
        before, state, _, gradient = self.after(Training(optimiser="adagrad", rate=0.05), 0, False)
        assert state.weights == pytest.approx(before + 0.05 * gradient / np.sqrt(gradient**2 + 1e-8))
        assert state.squares == pytest.approx(gradient**2)


def test_training_that_no_longer_gains_has_stalled():
    from divproj.phrases.em import _has_no_gain

    assert not _has_no_gain([-10.0, -9.0], 2)
    assert not _has_no_gain([-10.0, -9.0, -8.0], 2)
    assert _has_no_gain([-10.0, -10.0, -10.0], 2)
    assert _has_no_gain([-10.0, -8.0, -9.0, -8.5], 2)
    assert not _has_no_gain([-10.0, -8.0, -9.0, -7.0], 2)


def test_settings_that_cannot_be_are_refused():
    for make, said in (
        (lambda: Costs(combine="half"), "no combine 'half'; choose one of loglinear, literal"),
        (lambda: Costs(parse_share=1.0), "parse_share is 1.0, a number from 0 to below 1 expected"),
        (lambda: Costs(gap=-1), "gap and null_cost cannot be negative"),
        (lambda: Training("hard"), "no kind 'hard'; choose one of viterbi, soft"),
        (lambda: Training(optimiser="sgd"), "no optimiser 'sgd'; choose one of lbfgs, adagrad"),
        (lambda: Training(batch=0), "epochs cannot be negative, and a batch has at least one pair"),
        (lambda: LocalModel(null_norm="none"), "no null_norm 'none'; choose one of literal, mirrored, symmetric"),
    ):
        with pytest.raises(ModelError) as error:
            make()
        assert str(error.value) == said


def test_candidates_outside_the_sentences_are_refused():
    s, t = map(ScoredForest, pairs_of()[1])
    with pytest.raises(
        AlignmentError, match=r"word candidate 0-9 \(counted from 0\) is out of range: the sentences have 4 and 4 words"
    ):
        prepare(s, t, [(0, 0), (0, 9)], PhraseEncoder())


def test_the_random_problems_of_the_oracle_are_what_they_say():
    tree = oracle.random_tree(random.Random(1), 5)
    assert tree.is_tree
    forest = oracle.random_forest(random.Random(1), 5)
    assert forest.check() is forest


@pytest.mark.parametrize("lexical", [-1, 0, 1])
def test_the_weight_of_a_cell_is_the_sum_over_its_features(lexical):
    """Flags are bits 0 to 5, one category, and a lexical feature after the `fixed` ones, the first of which is number 0."""
    weights = 2.0 ** np.arange(12)
    on = {0, 3, 5, 7} | ({10 + lexical} if lexical >= 0 else set())
    gradient = np.zeros(12)
    spread.plain(gradient, 0b101001, 7, lexical, 10, 1.5)
    assert potential.plain(weights, 0b101001, 7, lexical, 10) == sum(2.0**k for k in on)
    assert gradient.tolist() == [1.5 if k in on else 0.0 for k in range(12)]


def test_training_that_users_get():
    """A change of these changes what users get, and belongs into CHANGELOG."""
    usual = Training()
    assert (usual.kind, usual.epochs, usual.batch, usual.optimiser, usual.steps) == ("viterbi", 6, 200, "lbfgs", 10)
    assert (usual.rate, usual.kappa, usual.noncomp, usual.patience) == (0.1, 1.0, False, 2)


def test_the_word_of_a_leaf_is_its_own():
    for forest in itertools.chain(*pairs_of(), *pairs_of("all")):
        scored = ScoredForest(forest)
        for k, node in enumerate(forest.nodes):
            assert node.start <= scored.word[k] < node.end
            assert scored.length[k] == node.end - node.start

"""The bilingual sampler: detailed balance, counts, normaliser, Giza-scores, reduction, seeds."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.induction import brute

from divproj.core.errors import AlignmentError, ModelError
from divproj.induction import inducer, sampler, training
from divproj.induction import tree_alignment as ta
from divproj.induction.ccm import CCM
from divproj.induction.inducer import BilingualInducer, PairState, TagArrays, giza_priors
from divproj.induction.reading import TagPair
from divproj.runtime.modelfile import read_arrays

PAIRS = [
    TagPair(("D", "N", "V"), ("N", "V"), {(2, 1): 1.0, (3, 2): 1.0}),
    TagPair(("D", "A", "N", "V"), ("D", "N", "A", "V"), {(1, 1): 1.0, (2, 3): 1.0, (3, 2): 1.0, (4, 4): 1.0}),
    TagPair(("V",), ("V", "P"), {(1, 1): 1.0}),
    TagPair(("P", "V", "D", "N"), ("P", "D", "N", "V"), {(1, 1): 1.0, (2, 4): 1.0, (4, 3): 1.0}),
    TagPair(("N",), ("N",)),
] * 2
tags = st.lists(st.sampled_from("DNV"), min_size=1, max_size=5).map(tuple)


@st.composite
def tag_pairs(draw):
    f, e = draw(tags), draw(tags)
    rows = draw(st.permutations(range(1, len(f) + 1)))
    count = draw(st.integers(0, min(len(f), len(e))))
    return TagPair(f, e, {(i, j): 1.0 for j, i in enumerate(rows[:count], 1)})


def test_giza_scores_of_the_papers_example():
    sums = np.zeros((5, 5))
    links = np.array([(0, 0), (2, 2), (1, 3)], np.int32)  # my/mera, name/naam; long outside
    for count, wanted in ((2, 2), (3, 1)):
        sampler.link_sums(4, 4, 0, count, links, np.ones(3), sums)
        assert sampler.giza_pair(sums, 4, 4, 0, 3, 0, 3) - sampler.CAP == wanted
    many = np.array([(k, k) for k in range(4)], np.int32)
    sampler.link_sums(4, 4, 0, 4, many, np.ones(4), sums)
    assert sampler.giza_pair(sums, 4, 4, 0, 4, 0, 4) - sampler.CAP == 3
    assert sampler.giza_pair(sums, 4, 4, 0, 4, 0, 1) - sampler.CAP == -2
    assert [sampler.giza_node(x) for x in (0.0, 1.0, 2.0, 7.0)] == [0, 1, 2, 3]


def test_link_kinds():
    b = TagArrays.of([PAIRS[1]])
    f = b.kinds[0].reshape(5, 5)
    assert f[1, 3] == 1  # adjective and noun trade places
    assert f[0, 2] == -1  # determiner and adjective stand apart on the other side
    assert TagArrays.of([PAIRS[4]]).kinds[0].tolist() == [0, 0, 0, 0]


def all_states(n):
    return [brute.arrays(tree) for tree in brute.all_trees(0, n)]


def toy(seed, guided):
    """Every pair of trees over 4 and 4 words with log Q and log M under random parameters and mild Giza weights."""
    chance = np.random.default_rng(seed)
    ratio = [chance.normal(0, 1, (5, 5)) for _ in range(2)]
    for r in ratio:
        r[0, 4] = 0.0
    cells = [(i, j) for i in range(4) for j in range(4) if chance.random() < 0.3]
    links = np.array(cells or [(0, 0)], np.int32)
    sums = np.zeros((5, 5))
    sampler.link_sums(4, 4, 0, len(links), links, np.ones(len(links)), sums)
    gz = [x / x.sum() for x in giza_priors(10, 1)]
    yields = np.arange(25, dtype=np.int32)
    keys, values = np.full(1024, -1, np.int64), np.zeros(1024, np.int32)
    common = (keys, values, np.zeros(25), np.array([1.0, 1.5, 1.0, 0.0, 1.0]), 25)
    trees = all_states(4)
    rho, table, scale = np.zeros((7, 7)), np.zeros((ta.TABLES, 7, 7)), np.zeros((7, 7), np.int32)
    found = []
    for a, b in itertools.product(range(len(trees)), repeat=2):
        one, two = trees[a], trees[b]
        alone = sampler.fill_rho(4, 4, one[0], one[1], two[0], two[1], 0, 0, yields, yields, sums, gz[0], gz[1], *common, rho)
        found.append(alone + ta.sum_trees(one[2], one[3], two[2], two[3], rho, table, scale))
    scores = [[sum(r[i, j] for i, j in zip(t[0], t[1], strict=True) if j - i > 1) for t in trees] for r in ratio]
    bonus = {}
    if guided:
        for b, two in enumerate(trees):
            extra = np.zeros((5, 5))
            sampler.guide(0, 4, 4, two[0], two[1], 0, 0, yields, yields, sums, gz[0], gz[1], *common, extra)
            bonus[b] = [sampler.tree_bonus(4, t[0], t[1], extra) for t in trees]
    return trees, np.array(found).reshape(5, 5), np.array(scores), bonus


@pytest.mark.parametrize("seed", range(4))
def test_detailed_balance_of_pair_moves(seed):
    """pi ~ Q M; K(s,t) = Q(t) min(1, M(t)/M(s)):  pi(s) K(s,t) = pi(t) K(t,s)."""
    _, weight, scores, _ = toy(seed, False)
    q = np.exp(scores[0][:, None] + scores[1][None, :]).ravel()
    m = np.exp(weight - weight.max()).ravel()
    q, pi = q / q.sum(), q * m / (q * m).sum()
    step = q[None, :] * np.minimum(1, m[None, :] / m[:, None])
    flow = pi[:, None] * step
    assert np.abs(flow - flow.T).max() < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_detailed_balance_of_guided_moves(seed):
    """The tree of F drawn from r times a bonus that E's tree gives; the bonus is taken back on acceptance."""
    _, weight, scores, bonus = toy(seed, True)
    for b in range(5):
        log_q = scores[0] + np.array(bonus[b])
        q = np.exp(log_q - log_q.max())
        q /= q.sum()
        log_pi = scores[0] + weight[:, b]
        pi = np.exp(log_pi - log_pi.max())
        pi /= pi.sum()
        log_ratio = (weight[None, :, b] - np.array(bonus[b])[None, :]) - (weight[:, None, b] - np.array(bonus[b])[:, None])
        flow = pi[:, None] * q[None, :] * np.minimum(1, np.exp(log_ratio))
        assert np.abs(flow - flow.T).max() < 1e-12


@pytest.mark.parametrize("moves", ["pair", "single", "both", "guided"])
def test_the_chain_visits_states_as_often_as_it_should(moves, monkeypatch):
    """One pair alone: counts are all 0 when it is resampled, so the target is known and the chain must find it."""
    monkeypatch.setattr(inducer, "fast", lambda kernel, words: kernel.compiled)
    pair = TagPair(tuple("ABCD"), tuple("EFGH"), {(1, 2): 1.0, (4, 1): 1.0})
    model = BilingualInducer(
        moves=moves,
        giza_high=3,
        giza_low=1,
        strength=1.0,
        contradiction=0.3,
        edges=0.0,
        anneal=0.0,
        average=0.0,
        constituent=1.0,
        distituent=1.0,
    ).begin([pair])
    sweeps = 3_000
    seen = np.zeros((5, 5))
    trees = [frozenset(t) for t in brute.all_trees(0, 4)]
    model.state_.normaliser = lambda grammars, beta: 2.0  # S would change with the state
    model._log_joint = lambda norm: 0.0
    for _ in range(sweeps):
        model.done_, model.last_ = model.done_ + 1, 1
        model._sweep()
        at = [trees.index(frozenset(zip(f.nodes[0].tolist(), f.nodes[1].tolist(), strict=True))) for f in model.state_.forests]
        seen[at[0], at[1]] += 1
    wanted = np.exp(exact_log_target(model, pair))
    wanted /= wanted.sum()
    assert np.abs(seen / sweeps - wanted).sum() / 2 < 0.08


def exact_log_target(model, pair):
    b, priors = model.bitext_, giza_priors(3, 1)
    gz = [x / x.sum() for x in priors]
    sums = np.zeros((5, 5))
    sampler.link_sums(4, 4, 0, 2, b.links, b.weights, sums)
    settings = np.array([1.0, 2.0, 1.0, 1.0])
    keys, values = np.full(1024, -1, np.int64), np.zeros(1024, np.int32)
    trees = all_states(4)
    found = np.zeros((5, 5))
    rho, table, scale = np.zeros((7, 7)), np.zeros((ta.TABLES, 7, 7)), np.zeros((7, 7), np.int32)
    y = [side.yields for side in b.sides]
    for a, one in enumerate(trees):
        for c, two in enumerate(trees):
            zero = np.zeros(b.inventories[0].yields)
            alone = sampler.fill_rho(
                4,
                4,
                one[0],
                one[1],
                two[0],
                two[1],
                0,
                0,
                y[0],
                y[1],
                sums,
                gz[0],
                gz[1],
                keys,
                values,
                zero,
                settings,
                100,
                rho,
            )
            found[a, c] = alone + ta.sum_trees(one[2], one[3], two[2], two[3], rho, table, scale)
            for s, tree in enumerate((one, two)):  # with no counts and equal priors every r is the same: links alone differ
                spans = [(i, j) for i, j in zip(tree[0], tree[1], strict=True) if j - i > 1]
                found[a, c] -= sum(0.3 * (b.kinds[s][i * 5 + j] < 0) for i, j in spans)
    return found


@settings(max_examples=15, deadline=None)
@given(
    st.lists(tag_pairs(), min_size=1, max_size=5), st.sampled_from(["both", "guided"]), st.sampled_from(["trees", "matchings"])
)
def test_counts_after_sweeps_equal_a_recount(pairs, moves, mode):
    model = BilingualInducer(sweeps=3, restarts=1, moves=moves, mode=mode, align_leaves=len(pairs) % 2 == 0).fit(pairs)
    state = model.state_
    fresh = PairState.from_trees(model.bitext_, state.forests, state.mate, giza_priors(1e6, 1e3), False, model.align_leaves)
    for a, b in zip(state.counts, fresh.counts, strict=True):
        assert (a.yields == b.yields).all()
        assert (a.contexts == b.contexts).all()
    assert (state.in_pairs == fresh.in_pairs).all()
    assert state.pair_scores.tolist() == fresh.pair_scores.tolist()
    assert state.node_scores.tolist() == fresh.node_scores.tolist()
    assert [x.tolist() for x in state.tidy()] == [x.tolist() for x in fresh.tidy()]
    assert (state.values >= 0).all()
    for k in range(len(model.bitext_)):
        found = state.aligned_spans(k)
        assert len({f for f, _ in found}) == len({e for _, e in found}) == len(found)


def test_the_sparse_normaliser_equals_the_explicit_one():
    model = BilingualInducer(sweeps=2, count_empty=True).fit(PAIRS)
    state, kinds = model.state_, model.state_.kinds
    norm = state.normaliser(model.grammars_, 1.0)
    keys, values = state.tidy()
    table = np.ones((model.bitext_.inventories[0].yields, kinds))
    np.add.at(table, (keys // kinds, keys % kinds), values)
    omega = table / table.sum()
    pis = []
    for grammar, counts in zip(model.grammars_, state.counts, strict=True):
        smooth = counts.yields[0] + grammar.prior[0]
        pis.append(smooth / smooth.sum())
    joint = pis[0][:, None] * pis[1][None, :] * omega
    expected = omega / joint.sum()
    assert expected == pytest.approx(table / norm, rel=1e-12)


@pytest.mark.parametrize("version", ["plain", "compiled"])
def test_coupling_of_two_yields(version):
    """omega/Z: (c + beta) / Z for yields that were aligned c times, beta / Z for others."""
    keys, values = np.full(16, -1, np.int64), np.zeros(16, np.int32)
    for (one, other), count in {(2, 3): 4, (1, 3): 1}.items():
        slot = sampler.find_slot(keys, values, one * 10 + other)
        keys[slot], values[slot] = one * 10 + other, count
    in_pairs, settings = np.array([0.0, 1.0, 4.0]), np.array([0.5, 2.0, 1.0])
    found = {
        pair: getattr(sampler.coupling, version)(*pair, 10, keys, values, in_pairs, settings)
        for pair in ((2, 3), (1, 3), (2, 4), (0, 3))
    }
    assert found == {(2, 3): 2.25, (1, 3): 0.75, (2, 4): 0.25, (0, 3): 0.25}


@pytest.mark.parametrize("leaves", [False, True])
def test_weights_of_aligned_nodes(leaves):
    """rho = (omega/Z) p(score of the pair) / (p(score of one alone) p(score of the other alone)); words only where leaves count."""
    links = np.array([(0, 0), (1, 2)], np.int32)
    sums, rho = np.zeros((4, 4)), np.zeros((3, 5))
    sampler.link_sums(2, 3, 0, 2, links, np.ones(2), sums)
    one, two = brute.arrays(((0, 2), (0, 1), (1, 2))), brute.arrays(((0, 3), (0, 1), (1, 3), (1, 2), (2, 3)))
    yields = np.arange(16, dtype=np.int32)
    gz_pair, gz_node = np.linspace(0.1, 0.7, 7), np.linspace(0.2, 0.8, 4)
    keys, values = np.full(1024, -1, np.int64), np.zeros(1024, np.int32)
    settings = np.array([0.5, 2.0, float(leaves)])
    base = sampler.fill_rho(
        2, 3, one[0], one[1], two[0], two[1], 0, 0, yields, yields, sums, gz_pair, gz_node, keys, values, np.zeros(16), settings, 16, rho
    )  # fmt: skip

    def touching(side, start, end):
        return sum(start <= link[side] < end for link in links.tolist())

    def alone(side, start, end):
        return gz_node[min(touching(side, start, end), 3)]

    spans = [list(zip(tree[0].tolist(), tree[1].tolist(), strict=True)) for tree in (one, two)]
    counted = [[span for span in own if leaves or span[1] - span[0] > 1] for own in spans]
    assert base == pytest.approx(sum(math.log(alone(side, *span)) for side in (0, 1) for span in counted[side]))
    for a, (i, j) in enumerate(spans[0]):
        for b, (k, m) in enumerate(spans[1]):
            if (i, j) not in counted[0] or (k, m) not in counted[1]:
                assert rho[a, b] == 0.0
                continue
            good = sum(i <= x < j and k <= y < m for x, y in links.tolist())
            score = good - (touching(0, i, j) + touching(1, k, m) - 2 * good)
            wanted = 0.25 * gz_pair[max(-3, min(score, 3)) + 3] / (alone(0, i, j) * alone(1, k, m))
            assert rho[a, b] == pytest.approx(wanted)


@pytest.mark.parametrize(("average", "kept"), [(0.0, 1), (0.2, 1), (0.5, 2), (1.0, 5)])
def test_the_grammar_is_of_the_last_sweeps(average, kept):
    """Of the last alone as in the paper (`average` 0), or of the mean of the last share of them."""
    model = BilingualInducer(sweeps=5, average=average, restarts=1).begin(PAIRS)
    seen = []
    model.run(0, 5, lambda _: seen.append([counts.multiply(1.0) for counts in model.state_.counts]))
    assert model.kept_ == kept
    for k, grammar in enumerate(model.grammars_):
        for name in ("yields", "contexts", "totals"):
            mean = sum(getattr(counts[k], name) for counts in seen[-kept:]) / kept
            assert getattr(grammar.counts, name) == pytest.approx(mean), name
    assert any((a[0].yields != b[0].yields).any() for a, b in itertools.pairwise(seen))


def test_the_model_s_power_rises_to_its_strength():
    model = BilingualInducer(sweeps=10, strength=0.8, anneal=0.5).begin(PAIRS)
    model.last_ = 10
    powers = []
    for model.done_ in (1, 2, 6, 10):
        powers.append(model._strength())
    assert powers == pytest.approx([0.0, 0.16, 0.8, 0.8])
    model.anneal = 0.0
    assert model._strength() == 0.8


def test_without_links_and_alignments_matchings_are_two_ccms():
    """rho = 0 everywhere: M is the same for every pair of trees, so every proposal is accepted."""
    bare = [TagPair(p.f, p.e) for p in PAIRS]
    model = BilingualInducer(
        sweeps=4, mode="matchings", moves="pair", coupling=1e-300, contradiction=0.0, edges=0.0, anneal=0.0
    ).fit(bare)
    assert all(told["acceptance"] == 1.0 for told in model.history_[1:])
    assert model.history_[-1]["aligned"] == 0
    trees = BilingualInducer(
        sweeps=12, mode="trees", moves="pair", coupling=1e-300, contradiction=0.0, edges=0.0, anneal=0.0, strength=1.0
    ).fit(bare)
    assert min(told["acceptance"] for told in trees.history_) < 1.0


def test_the_same_seed_gives_the_same_state():
    first, second, third = (BilingualInducer(sweeps=4, random_state=s).fit(PAIRS) for s in (7, 7, 8))
    assert first.history_ == second.history_ != third.history_
    assert all((a.counts.yields == b.counts.yields).all() for a, b in zip(first.grammars_, second.grammars_, strict=True))


def test_partial_fit_goes_on_and_predict_takes_unknown_tags():
    model = BilingualInducer(sweeps=2, average=0.0, anneal=0.0).fit(PAIRS).partial_fit(sweeps=2)
    whole = BilingualInducer(sweeps=4, average=0.0, anneal=0.0).fit(PAIRS)
    assert [t["log_joint"] for t in model.history_] == [t["log_joint"] for t in whole.history_]
    assert model.predict([["?", "N", "V"]])[0][0] == (0, 3)
    assert model.predict([["N"], []], side="e") == [(), ()]
    assert 0 <= model.score([["D", "N", "V"]], [[(0, 2)]], side="f") <= 100
    assert len(model.trees("f")) == len(PAIRS)
    assert model.get_params()["sweeps"] == 2
    assert model.set_params(sweeps=9).sweeps == 9
    copy = BilingualInducer(**model.get_params())
    assert copy.get_params() == model.get_params()


def test_stopping_early_keeps_the_last_sweep():
    model = BilingualInducer(sweeps=50).begin(PAIRS).run(0, 50, until=lambda: True)
    assert model.done_ == 1
    assert model.trees("f") == model.state_.forests[0].trees()
    assert model.grammars_[0].counts.totals[0] == sum(2 * len(p.f) - 1 for p in PAIRS)


def test_mirrored_languages_come_out_alike():
    same = [TagPair(p.f, p.f, {(k, k): 1.0 for k in range(1, len(p.f) + 1)}) for p in PAIRS]
    model = BilingualInducer(sweeps=20, strength=1.0).fit(same)
    f, e = ([set(t) for t in model.trees(side)] for side in "fe")
    shared = sum(len(a & b) for a, b in zip(f, e, strict=True))
    assert shared >= 0.9 * sum(map(len, f))


def test_messages():
    with pytest.raises(ModelError, match=r"no moves 'jump'; choose one of pair, single, both, guided"):
        BilingualInducer(moves="jump").fit(PAIRS)
    with pytest.raises(ModelError, match=r"no mode 'sets'; choose one of trees, matchings"):
        BilingualInducer(mode="sets").fit(PAIRS)
    with pytest.raises(ModelError, match="no pair with words on both sides"):
        BilingualInducer().fit([TagPair((), ("N",))])
    with pytest.raises(ModelError, match=r"a sentence has 300 words, at most 200 can be learned from; set a maximum length"):
        BilingualInducer().fit([TagPair(("N",) * 300, ("N",))])
    with pytest.raises(ModelError, match=r"no side 'g'; choose f or e"):
        BilingualInducer(sweeps=1).fit(PAIRS).predict([["N"]], side="g")
    with pytest.raises(ModelError, match="no parameter 'speed'"):
        BilingualInducer().set_params(speed=1)
    with pytest.raises(
        AlignmentError, match=r"link 2-1 \(counted from 1\) is out of range: the sentences have 1 and 1 words \(sent_id s\)"
    ):
        TagPair(("N",), ("N",), {(2, 1): 1.0}, "s")
    with pytest.raises(ModelError, match=r"no method 'guess'; choose one of gibbs, em"):
        CCM("guess").fit([["N"]])
    with pytest.raises(ModelError, match="no sentence to learn from"):
        CCM().fit([[]])
    with pytest.raises(ModelError, match=r"no way to decode 'best'; choose one of viterbi, mbr"):
        CCM(sweeps=1, decode="best").fit([["N", "V"]]).predict([["N"]])
    with pytest.raises(ModelError, match=r"sentence 1 has 1001 words, at most 1000 can be parsed; split it"):
        CCM(sweeps=1).fit([["N", "V"]]).predict([["N"] * 1001])
    with pytest.raises(ModelError, match=r"3001 different tags, at most 3000 expected; take another column"):
        CCM().fit([[str(k)] for k in range(3001)])


def test_long_sentences_can_be_parsed():
    model = CCM(sweeps=2).fit([["N", "V"], ["D", "N", "V"]])
    tree = model.predict([["D", "N"] * 60])[0]
    assert len(tree) == 119
    assert math.isfinite(sampler.inside(3, np.zeros((4, 4)), np.zeros((4, 4))))


def test_two_that_write_one_checkpoint(tmp_path):
    """Each writes into a file of its own, which then takes the name."""

    def save(number):
        training._save_arrays(tmp_path / "chain-1.npz", {"number": np.full(1000, number)})

    with ThreadPoolExecutor(4) as threads:
        assert len(list(threads.map(save, range(40)))) == 40
    assert len(set(read_arrays(tmp_path / "chain-1.npz")["number"])) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["chain-1.npz"]


def test_priors_of_each_language():
    pairs = [TagPair(("DET", "NOUN", "VERB"), ("NOUN", "VERB"), {(2, 1): 1.0, (3, 2): 1.0})] * 4
    model = BilingualInducer(sweeps=2, prior="2,8/20,80").fit(pairs)
    model.learn_alone(pairs)
    for grammars in (model.grammars_, model.alone_):
        assert [(grammar.constituent, grammar.distituent) for grammar in grammars] == [(2, 8), (20, 80)]
    one, both = (
        BilingualInducer(sweeps=3, random_state=2, **how).fit(pairs) for how in ({"prior": "2,8"}, {"distituent": 8.0})
    )
    assert one.history_ == both.history_


@pytest.mark.parametrize("prior", ["2", "2,8/20", "a,b", "2,8/2,8/2,8", "0,8", "2,-1", "nan,2"])
def test_priors_that_are_none(prior: str):
    with pytest.raises(ModelError, match="positive pseudo-counts of constituents and distituents expected, such as 2,8 or F/E"):
        BilingualInducer(prior=prior).fit([TagPair(("DET", "NOUN"), ("NOUN",), {})])

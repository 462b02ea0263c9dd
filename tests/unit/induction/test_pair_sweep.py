"""The sweep over pairs of trees against the same in plain words: counts by `Counter`, sums by their definition, a few words a side."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from divproj.induction import sampler
from divproj.induction import tree_alignment as ta
from divproj.induction.inducer import BilingualInducer, giza_priors
from divproj.induction.reading import TagPair

PAIRS = [
    TagPair(("D", "N", "V"), ("N", "V"), {(2, 1): 1.0, (3, 2): 1.0}),
    TagPair(("D", "A", "N", "V"), ("D", "N", "A", "V"), {(1, 1): 1.0, (2, 3): 0.6, (3, 2): 1.0, (4, 4): 1.0}),
    TagPair(("V",), ("V", "P", "V"), {(1, 1): 1.0}),
    TagPair(("N",), ("N",)),
    TagPair(("P", "V", "D", "N"), ("P", "D", "N"), {(1, 1): 1.0, (2, 3): 0.3, (4, 3): 1.0}),
    TagPair(("D", "N"), ("D", "N"), {(1, 1): 1.0, (2, 2): 1.0}),
]


class Sweep:
    """The state as trees (lists of spans), alignments and nothing else; all counts are taken anew for each pair."""

    def __init__(self, model, numbers, norm):
        self.model, self.numbers, self.norm, state = model, numbers, norm, model.state_
        self.texts = [[p.f for p in PAIRS], [p.e for p in PAIRS]]
        self.trees = [[tuple(x.copy() for x in forest.part(k)) for k in range(len(PAIRS))] for forest in state.forests]
        first = np.cumsum([0, *(2 * len(p.f) - 1 for p in PAIRS)])
        self.mates = [state.mate[a:b].tolist() for a, b in itertools.pairwise(first)]
        self.tallies = [0, 0, 0]

    def touching(self, k, side, span):
        return sum(w for link, w in PAIRS[k].links.items() if span[0] < link[side] <= span[1])

    def node_score(self, k, side, span):
        return min(3, math.floor(self.touching(k, side, span) + 0.5))

    def pair_score(self, k, f, e):
        good = sum(w for (i, j), w in PAIRS[k].links.items() if f[0] < i <= f[1] and e[0] < j <= e[1])
        bad = self.touching(k, 0, f) + self.touching(k, 1, e) - 2 * good
        return max(-3, min(3, math.floor(good - bad + 0.5))) + 3

    def spans(self, tree):
        return list(zip(tree[0].tolist(), tree[1].tolist(), strict=True))

    def counted(self, span):
        return self.model.align_leaves or span[1] - span[0] > 1

    def count(self, but):
        """Yields and contexts in and out of trees, scores of nodes and pairs, aligned yields, of all pairs but one."""
        spans = [{(what, role): Counter() for what in "yx" for role in (0, 1)} for _ in range(2)]
        high, low = (x.copy() for x in giza_priors(self.model.giza_high, self.model.giza_low))
        couples = Counter()
        for k in range(len(PAIRS)):
            if k == but:
                continue
            for side in (0, 1):
                words, inside = self.texts[side][k], set(self.spans(self.trees[side][k]))
                for i in range(len(words) + 1):
                    for j in range(i, len(words) + 1):
                        if (j > i or self.model.count_empty) and ((i, j) in inside or j != i + 1):
                            spans[side]["y", int((i, j) not in inside)][words[i:j]] += 1
                            spans[side]["x", int((i, j) not in inside)][(("#", *words, "#")[i], (*words, "#")[j])] += 1
            f, e, mate = self.spans(self.trees[0][k]), self.spans(self.trees[1][k]), self.mates[k]
            for a, b in enumerate(mate):
                if b >= 0:
                    high[self.pair_score(k, f[a], e[b])] += 1
                    couples[self.texts[0][k][slice(*f[a])], self.texts[1][k][slice(*e[b])]] += 1
                elif self.counted(f[a]):
                    low[self.node_score(k, 0, f[a])] += 1
            for b, span in enumerate(e):
                if b not in mate and self.counted(span):
                    low[self.node_score(k, 1, span)] += 1
        return spans, high / high.sum(), low / low.sum(), couples

    def ratio(self, k, side, counts):
        words, prior = self.texts[side][k], self.model.grammars_[side].prior
        n, weights = len(words), self.model.extra_[side].weights
        place = int(self.model.bitext_.sides[side].grid_at[k])
        ratio = np.zeros((n + 1, n + 1))

        def log_share(role, i, j):
            y, x = counts["y", role], counts["x", role]
            a, context = prior[role], (("#", *words)[i], (*words, "#")[j])
            share = (y[words[i:j]] + a) / (y.total() + a * prior[2]) * (x[context] + a) / (x.total() + a * prior[3])
            return math.log(share)

        for i in range(n):
            for j in range(i + 1, n + 1):
                ratio[i, j] = log_share(0, i, j)
                if j > i + 1:
                    ratio[i, j] += weights[place + i * (n + 1) + j] - log_share(1, i, j)
        return ratio

    def weigh(self, k, tree, high, low, couples):
        """log M of two trees, and the tables for a draw."""
        f, e = map(self.spans, tree)
        rho, alone = np.zeros((len(f), len(e))), 0.0
        for side, spans in enumerate((f, e)):
            alone += sum(math.log(low[self.node_score(k, side, s)]) for s in spans if self.counted(s))
        for a, one in enumerate(f):
            for b, two in enumerate(e):
                if self.counted(one) and self.counted(two):
                    rho[a, b] = self.aligned(k, one, two, high, couples)
                    rho[a, b] /= low[self.node_score(k, 0, one)] * low[self.node_score(k, 1, two)]
        table, scale = np.zeros((ta.TABLES, len(f), len(e))), np.zeros((len(f), len(e)), np.int32)
        total = ta.sum_matchings if self.model.mode == "matchings" else ta.sum_trees
        return alone + total.plain(*tree[0][2:], *tree[1][2:], rho, table, scale), (rho, table, scale)

    def aligned(self, k, one, two, high, couples):
        couple = couples[self.texts[0][k][slice(*one)], self.texts[1][k][slice(*two)]] + self.model.coupling
        return couple / self.norm * high[self.pair_score(k, one, two)]

    def bonus(self, k, side, other, high, low, couples):
        n = len(self.texts[side][k])
        bonus = np.zeros((n + 1, n + 1))
        for i in range(n - 1):
            for j in range(i + 2, n + 1):
                total = low[self.node_score(k, side, (i, j))]
                for span in filter(self.counted, self.spans(other)):
                    f, e = ((i, j), span) if side == 0 else (span, (i, j))
                    total += self.aligned(k, f, e, high, couples) / low[self.node_score(k, 1 - side, span)]
                bonus[i, j] = math.log(total) if (i, j) != (0, n) else 0.0  # the whole sentence is a node of every tree
        return bonus

    def draw(self, ratio, used):
        n = len(ratio) - 1
        chart, nodes = np.zeros((n + 1, n + 1)), tuple(np.zeros(2 * n - 1, np.int32) for _ in range(4))
        total = sampler.inside.plain(n, ratio, chart)
        return nodes, sampler.sample_tree.plain(n, chart, self.numbers, used, *nodes), total

    def visit(self, k, used, strength):
        spans, *given = self.count(k)
        ratio = [self.ratio(k, side, spans[side]) for side in (0, 1)]
        tree = [self.trees[0][k], self.trees[1][k]]
        weight, tables = self.weigh(k, tree, *given)
        moves, long = self.model.moves, [len(words[k]) > 2 for words in self.texts]
        for turn in {"pair": [2], "single": [0, 1], "both": [0, 1, 2], "guided": [0, 1, 2]}[moves]:
            if not (any(long) if turn == 2 else long[turn]):
                continue
            new, log_back, log_forth, sides = list(tree), 0.0, 0.0, [turn]
            if turn == 2:
                lead = 0
                if moves == "guided":
                    lead, used = int(self.numbers[used] * 2), used + 1
                new[lead], used, _ = self.draw(ratio[lead], used)
                sides = [1 - lead]
            (s,) = sides
            if moves == "guided":
                extra = [self.bonus(k, s, other, *given) for other in (tree[1 - s], new[1 - s])]
                new[s], used, total = self.draw(ratio[s] + extra[1], used)
                _, _, back = self.draw(ratio[s] + extra[0], 0)
                log_back = sum(extra[0][i, j] for i, j in self.spans(tree[s])) - back
                log_forth = sum(extra[1][i, j] for i, j in self.spans(new[s])) - total
            else:
                new[s], used, _ = self.draw(ratio[s], used)
            new_weight, new_tables = self.weigh(k, new, *given)
            self.tallies[0] += 1
            if math.log(self.numbers[used]) < strength * (new_weight - weight) + log_back - log_forth:
                self.tallies[1] += 1
                tree, weight, tables = new, new_weight, new_tables
            used += 1
        self.trees[0][k], self.trees[1][k] = tree
        mate = np.zeros(len(tree[0][0]), np.int32)
        draw = ta.sample_in_matchings if self.model.mode == "matchings" else ta.sample_in_trees
        draw.plain(*tree[0][2:], *tree[1][2:], *tables, self.numbers, used, mate)
        self.mates[k] = mate.tolist()
        self.tallies[2] += sum(b >= 0 for b in self.mates[k])


@pytest.mark.parametrize("mode", ["trees", "matchings"])
@pytest.mark.parametrize("moves", ["pair", "single", "both", "guided"])
@pytest.mark.parametrize("leaves", [False, True], ids=["phrases", "words too"])
def test_a_sweep_does_what_is_said(mode, moves, leaves):
    model = BilingualInducer(
        mode=mode, moves=moves, align_leaves=leaves, count_empty=leaves, strength=0.7, giza_high=20, giza_low=3, prior="2,8/3,5"
    ).begin(PAIRS)  # fmt: skip
    b, s = model.bitext_, model.state_
    code = {"pair": sampler.PAIR, "single": sampler.SINGLE, "both": sampler.BOTH, "guided": sampler.GUIDED}[moves]
    for sweep in range(4):
        chance = np.random.default_rng([sweep, code])
        numbers, norm, tallies = chance.random(b.probabilities), 30.0, np.zeros(3)
        plain, order = Sweep(model, numbers, norm), chance.permutation(len(PAIRS))
        sampler.pair_sweep.plain(
            order, *(tuple(getattr(side, name) for side in b.sides) for name in ("at", "grid_at", "yields", "contexts")),
            (s.forests[0].nodes, s.forests[1].nodes), *(tuple(getattr(c, name) for c in s.counts) for name in ("yields", "contexts", "totals")),
            tuple(g.prior for g in model.grammars_), float(leaves), b.link_at, b.links, b.weights,
            tuple(extra.weights for extra in model.extra_), s.mate, s.keys, s.values, s.in_pairs,
            np.array([model.coupling, norm, float(leaves), 0.7]), s.kinds, s.pair_scores, s.node_scores,
            int(mode == "matchings"), code, b.longest, numbers, tallies,
        )  # fmt: skip
        for k in order.tolist():
            plain.visit(k, 14 * sum(len(p.f) + len(p.e) for p in PAIRS[:k]) + 16 * k, 0.7)
        assert tallies.tolist() == plain.tallies
        assert s.mate.tolist() == [b for mate in plain.mates for b in mate]
        for side in (0, 1):
            for k in range(len(PAIRS)):
                kernel, own = s.forests[side].part(k), plain.trees[side][k]
                assert [x.tolist() for x in kernel] == [x.tolist() for x in own], (sweep, side, k)
        _, high, low, couples = plain.count(None)
        assert s.pair_scores / s.pair_scores.sum() == pytest.approx(high)
        assert s.node_scores / s.node_scores.sum() == pytest.approx(low)
        assert sorted(s.values[s.values > 0].tolist()) == sorted(couples.values())


@pytest.mark.parametrize("seed", range(6))
def test_which_spans_agree_with_the_links(seed):
    """1 where all links into the block that a span's links reach come from the span, -1 where one does not, 0 without links."""
    chance = np.random.default_rng(seed)
    sizes = (4, 6) if seed % 2 else (5, 3)
    links = np.array([(i, j) for i in range(sizes[0]) for j in range(sizes[1]) if chance.random() < 0.25], np.int32)
    sums = np.zeros((7, 7))
    sampler.link_sums.plain(*sizes, 0, len(links), links, np.ones(len(links)), sums)
    for side, (n, other) in enumerate((sizes, sizes[::-1])):
        kinds = np.zeros(3 + (n + 1) ** 2)
        sampler.link_kinds.plain(n, other, 3, sums, side, kinds)
        for i in range(n):
            for j in range(i + 1, n + 1):
                reached = [link[1 - side] for link in links.tolist() if i <= link[side] < j]
                into = [link for link in links.tolist() if reached and min(reached) <= link[1 - side] <= max(reached)]
                wanted = 0 if not reached else 1 if all(i <= link[side] < j for link in into) else -1
                assert kinds[3 + i * (n + 1) + j] == wanted, (side, i, j)

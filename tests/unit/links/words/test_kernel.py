"""The models of word alignment against brute force on tiny sentences."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.links import word_direction
from divproj.links.word_direction import Direction, Settings, WordArrays


def bitext(f, e):
    src, tgt = [w for s in f for w in s], [w for s in e for w in s]
    at = [np.cumsum([0, *map(len, side)]).astype(np.int64) for side in (f, e)]
    a, b = np.array(src, np.int32), np.array(tgt, np.int32)
    sizes = (max(src) + 1, max(tgt) + 1)
    ones = np.ones(len(a), np.int32), np.ones(len(b), np.int32)
    return WordArrays(a, at[0], b, at[1], a, b, (*sizes, *sizes), *ones)


words = st.lists(st.integers(1, 4), min_size=1, max_size=4)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=5)


@given(corpora)
def test_cells_tell_type_pairs_apart(pairs):
    b = bitext([f for f, _ in pairs], [e for _, e in pairs])
    cells, sources = b.cells(b.src, b.tgt)
    seen = {}
    for k, (f, e) in enumerate(pairs):
        block = cells[b.cell_at[k] : b.cell_at[k + 1]].reshape(len(f) + 1, len(e))
        for i, s in enumerate([0, *f]):
            for j, t in enumerate(e):
                assert seen.setdefault((s, t), block[i, j]) == block[i, j]
                assert sources[block[i, j]] == s
    assert len(set(seen.values())) == len(seen) == len(sources)


@given(corpora)
def test_the_likelihood_never_falls_under_em(pairs):
    direction = Direction(bitext([f for f, _ in pairs], [e for _, e in pairs]), Settings(ibm1=6, hmm=0))
    seen = []
    direction.em(lambda stage, turn, score: seen.append(score))
    assert len(seen) == 6
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(seen))


@given(corpora)
def test_the_likelihood_never_falls_in_the_hmm(pairs):
    direction = Direction(bitext([f for f, _ in pairs], [e for _, e in pairs]), Settings(ibm1=3, hmm=6))
    seen = []
    direction.em(lambda stage, turn, score: seen.append(score) if stage == "hmm" else None)
    assert len(seen) > 1
    assert all(b >= a - 1e-6 for a, b in itertools.pairwise(seen))


@settings(max_examples=30)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 10_000))
def test_forward_backward_equals_brute_force(n, m, seed):
    chance = np.random.default_rng(seed)
    cells = np.arange((n + 1) * m, dtype=np.int32)
    table = chance.random((n + 1) * m)
    jumps = chance.random(word_direction.JUMPS) + 0.01
    null = 0.2
    half = word_direction.JUMPS // 2
    total, post = 0.0, np.zeros((n + 1, m))
    for states in itertools.product(range(2 * n), repeat=m):  # 2i: word i+1 speaks; 2i+1: it is kept, and no word speaks
        p, before = 1.0, None
        for j, state in enumerate(states):
            i, silent = state // 2 + 1, state % 2
            if silent:
                p *= null * (1 / n if before is None else float(before == i)) * table[j]
            else:
                norm = 1.0 if before is None else sum(jumps[to - before + half] for to in range(1, n + 1))
                p *= (1 - null) * (1 / n if before is None else jumps[i - before + half] / norm) * table[i * m + j]
            before = i
        total += p
        for j, state in enumerate(states):
            post[0 if state % 2 else state // 2 + 1, j] += p
    found = np.zeros((n + 1, m))
    for run in (word_direction.hmm_posteriors, word_direction.hmm_posteriors.compiled):
        score = run(
            n,
            m,
            0,
            cells,
            table,
            jumps,
            null,
            found,
            np.zeros((2 * n, m)),
            np.zeros(word_direction.JUMPS),
            np.zeros(word_direction.JUMPS),
        )
        assert score == pytest.approx(math.log(total))
        assert found == pytest.approx(post / total)
        assert found.sum(axis=0) == pytest.approx(np.ones(m))


@given(corpora, st.integers(0, 50))
def test_sampled_posteriors_sum_to_one_and_repeat(pairs, seed):
    b = bitext([f for f, _ in pairs], [e for _, e in pairs])
    found = []
    for _ in range(2):
        direction = Direction(b, Settings(sweeps=20, burn_in=10))
        direction.em()
        found.append(direction.sample(seed))
    assert (found[0] == found[1]).all()
    for k, (f, e) in enumerate(pairs):
        block = found[0][b.cell_at[k] : b.cell_at[k + 1]].reshape(len(f) + 1, len(e))
        assert block.sum(axis=0) == pytest.approx(np.ones(len(e)), abs=1e-4)


@given(corpora, st.data())
def test_jumps_against_a_walk_through_the_links(pairs, data):
    b = bitext([f for f, _ in pairs], [e for _, e in pairs])
    links = np.array([data.draw(st.integers(0, len(f))) for f, e in pairs for _ in e], np.int32)
    direction, half = Direction(b, Settings()), word_direction.JUMPS // 2
    expected = 2 * np.exp(-0.7 * np.abs(np.arange(word_direction.JUMPS) - half - 1)) + 0.01
    place = 0
    for f, e in pairs:
        at = 0
        for link in [*links[place : place + len(e)].tolist(), len(f) + 1]:
            if link:
                expected[half + link - at] += 1
                at = link
        place += len(e)
    assert np.allclose(direction._jump_counts(links), expected)


def stem_of(word):
    return (word + 1) // 2


class Sampler:
    """The sampler a second time: all counts made anew from the links for every word, whole numbers for chance."""

    def __init__(self, pairs, tags, settings, links, state):
        self.pairs, self.tags, self.links, self.state = pairs, tags, links, state
        self.alpha, self.kappa, self.beta, self.null, self.words, self.stems, self.kinds = settings
        self.sums = [np.zeros((len(f) + 1, len(e))) for f, e in pairs]

    def linked(self, but=None):
        """(source type, target type) of every link but that of one word."""
        for k, (f, e) in enumerate(self.pairs):
            for j, target in enumerate(e):
                if (k, j) != but:
                    i = self.links[k][j]
                    yield (k, i, j), (f[i - 1] if i else 0), target

    def steps(self, k):
        """Jumps of a sentence, with the target words at their ends (-1 and m for its borders)."""
        f, e = self.pairs[k]
        chain = [(-1, 0), *((j, i) for j, i in enumerate(self.links[k]) if i), (len(e), len(f) + 1)]
        return [(a, b, at - before) for (a, before), (b, at) in itertools.pairwise(chain)]

    def jumps(self, but=None):
        """Counts of jumps without those that pass the word, begin or end there."""
        half = word_direction.JUMPS // 2
        counts = 2 * np.exp(-0.7 * np.abs(np.arange(word_direction.JUMPS) - half - 1)) + 0.01
        for k in range(len(self.pairs)):
            for a, b, step in self.steps(k):
                if but is None or k != but[0] or not a <= but[1] <= b:
                    counts[min(max(step, -half), half) + half] += 1
        return lambda step: counts[min(max(step, -half), half) + half], counts.sum()

    def filled(self, k, i, but):
        return sum(link == i and (k, j) != but for j, link in enumerate(self.links[k]))

    def more(self, k, i, but):
        """How much likelier a word of this type has one link more."""
        most, word = word_direction.FERTILITIES - 1, self.pairs[k][0][i - 1]
        count = self.filled(k, i, but)
        if count >= most:
            return 1.0
        table = np.array(word_direction.FERTILITY, float)
        for n, (f, _) in enumerate(self.pairs):
            for place, other in enumerate(f, 1):
                if other == word:
                    table[min(self.filled(n, place, but), most)] += 1
        return table[count + 1] / (table[count] - 1)

    def weights(self, k, j, all_jumps):
        f, e = self.pairs[k]
        but, target = (k, j), e[j]
        others, (jump, _) = list(self.linked(but)), self.jumps(but)
        before = next((i for i in reversed(self.links[k][:j]) if i), 0)
        after = next((i for i in self.links[k][j + 1 :] if i), len(f) + 1)
        made = []
        for i, source in enumerate([0, *f]):
            same = sum(s == source and t == target for _, s, t in others)
            of_source = sum(s == source for _, s, _ in others)
            alike = sum(stem_of(s) == stem_of(source) and stem_of(t) == stem_of(target) for _, s, t in others)
            of_alike = sum(stem_of(s) == stem_of(source) for _, s, _ in others)
            back_off = (alike + self.beta) / (of_alike + self.beta * self.stems)
            lexical = (same + self.alpha + self.kappa * back_off) / (of_source + self.alpha * self.words + self.kappa)
            if self.kinds > 1:
                own, tag = self.tag(source), self.tags[1][target]
                both = sum(self.tag(s) == own and self.tags[1][t] == tag for _, s, t in others)
                lexical *= (both + 1) / (sum(self.tag(s) == own for _, s, _ in others) + self.kinds)
            if i:
                made.append((1 - self.null) * lexical * jump(i - before) * jump(after - i) * self.more(k, i, but))
            else:
                made.append(self.null * lexical * jump(after - before) * all_jumps)
        return made

    def tag(self, source):
        return self.tags[0][source] if source else 0

    def sweep(self, summed):
        _, all_jumps = self.jumps()
        for k, (_, e) in enumerate(self.pairs):
            for j in range(len(e)):
                weights = self.weights(k, j, all_jumps)
                if summed:
                    self.sums[k][:, j] += np.array(weights) / sum(weights)
                for shift in (12, -25, 27):
                    self.state ^= (self.state >> shift if shift > 0 else self.state << -shift) & (2**64 - 1)
                wanted = (self.state * 2685821657736338717 % 2**64 >> 11) / 2**53 * sum(weights)
                sums = itertools.accumulate(weights)
                self.links[k][j] = next((i for i, reached in enumerate(sums) if reached >= wanted), len(weights) - 1)


@settings(max_examples=20)
@given(corpora, st.integers(0, 1000), st.booleans())
def test_sampling_is_as_defined(pairs, seed, tagged):
    """Links and sums of three sweeps, the first burnt, are those of the sampler that counts anew; and the counts follow the links."""
    kinds = ({1: 1, 2: 2, 3: 1, 4: 2}, {1: 2, 2: 1, 3: 1, 4: 2}) if tagged else (dict.fromkeys(range(1, 5), 1),) * 2
    b = bitext([f for f, _ in pairs], [e for _, e in pairs])
    labels = {
        name: np.array([own[w] for w in side], np.int32)
        for name, own, side in (("src_tag", kinds[0], b.src), ("tgt_tag", kinds[1], b.tgt))
    }
    stems = {"src_stem": stem_of(b.src), "tgt_stem": stem_of(b.tgt)}
    b = replace(b, **labels, **stems, sizes=(*b.sizes[:2], 3, 3), tags=(2, 2) if tagged else (1, 1))
    chance = np.random.default_rng(seed)
    first = [[int(chance.integers(0, len(f) + 1)) for _ in e] for f, e in pairs]
    given_ = np.array([0.1, 1.5, 0.2, 0.3, b.sizes[1], b.sizes[3], min(b.tags)])
    system = Direction(b, Settings())
    stem_cells, stem_src = b.cells(b.src_stem, b.tgt_stem)
    tag_cells, tag_src = b.cells(b.src_tag, b.tgt_tag)

    def begin(links):
        chain = system._empty_chain(len(stem_src), len(tag_src))
        chain.first[:] = [i for own in links for i in own]
        system._begin(chain, stem_cells, tag_cells, stem_src, tag_src)
        return chain

    chain = begin(first)
    with np.errstate(over="ignore"):
        state = word_direction.sample.plain(
            b.src_at, b.tgt_at, b.cell_at, system.cells, stem_cells, tag_cells, b.src, system.cell_src, stem_src, tag_src, chain.links,
            chain.pairs, chain.sources, chain.stem_pairs, chain.stem_sources, chain.tag_pairs, chain.tag_sources,
            chain.jumps, chain.fertility, chain.post, given_, 3, 1, np.uint64(seed * 2 + 1),
        )  # fmt: skip
    twin = Sampler(pairs, kinds, given_.tolist(), first, seed * 2 + 1)
    for summed in (False, True, True):
        twin.sweep(summed)
    assert int(state) == twin.state
    assert chain.links.tolist() == [i for own in twin.links for i in own]
    assert chain.post == pytest.approx(np.concatenate([sums.ravel() for sums in twin.sums]), rel=1e-4)
    again = begin(twin.links)
    for name in ("pairs", "sources", "stem_pairs", "stem_sources", "tag_pairs", "tag_sources", "jumps", "fertility"):
        assert getattr(chain, name) == pytest.approx(getattr(again, name), abs=1e-3), name


@pytest.mark.parametrize("run", ["plain", "compiled"])
def test_empty_sentences_are_passed_over(run):
    """Neither side of a pair need have words; the HMM says nothing of them, and of the others what it says of each alone."""
    pairs = [([1, 2], [2, 1]), ([], [1]), ([1], []), ([], []), ([2], [2])]
    b = bitext([f for f, _ in pairs], [e for _, e in pairs])
    system = Direction(b, Settings())
    table, jumps = np.random.default_rng(1).random(len(system.table)), np.linspace(1, 2, word_direction.JUMPS)
    unused = np.zeros(word_direction.JUMPS)
    expected, counts, total = np.zeros(len(system.cells), np.float32), np.zeros(len(table)), 0.0
    for k in (0, 4):
        n, m = map(len, pairs[k])
        post = np.zeros((n + 1, m))
        own = b.cell_at[k], b.cell_at[k + 1]
        total += word_direction.hmm_posteriors(
            n, m, own[0], system.cells, table, jumps, 0.2, post, np.zeros((2 * n, m)), unused, unused
        )
        expected[slice(*own)] = post.ravel()
        np.add.at(counts, system.cells[slice(*own)], post.ravel())
    found, of_types = np.zeros_like(expected), np.zeros_like(counts)
    with np.errstate(all="raise"):
        getattr(word_direction.hmm_all, run)(b.src_at, b.tgt_at, b.cell_at, system.cells, table, jumps, 0.2, found)
    assert found == pytest.approx(expected)
    places = b.src_at, b.tgt_at, b.cell_at
    score = getattr(word_direction.hmm_expect, run)(
        *places, system.cells, table, jumps, 0.2, of_types, unused.copy(), unused.copy()
    )
    assert score == pytest.approx(total)
    assert of_types == pytest.approx(counts)

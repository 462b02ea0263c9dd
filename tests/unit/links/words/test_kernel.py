"""The models of word alignment against brute force on tiny sentences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.links.words import kernel
from divproj.links.words.direction import Direction, Settings, WordArrays


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
    jumps = chance.random(kernel.JUMPS) + 0.01
    null = 0.2
    half = kernel.JUMPS // 2
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
    for run in (kernel.hmm_posteriors, kernel.hmm_posteriors.compiled):
        score = run(
            n, m, 0, cells, table, jumps, null, found, np.zeros((2 * n, m)), np.zeros(kernel.JUMPS), np.zeros(kernel.JUMPS)
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
    direction, half = Direction(b, Settings()), kernel.JUMPS // 2
    expected = 2 * np.exp(-0.7 * np.abs(np.arange(kernel.JUMPS) - half - 1)) + 0.01
    place = 0
    for f, e in pairs:
        at = 0
        for link in [*links[place : place + len(e)].tolist(), len(f) + 1]:
            if link:
                expected[half + link - at] += 1
                at = link
        place += len(e)
    assert np.allclose(direction._jump_counts(links), expected)

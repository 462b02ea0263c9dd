"""The chart over all headed bracketings of F, each F phrase paired with the E phrase of its head's anchor. Arrays only.

A headed F phrase needs no second chart dimension for E: its E partner is the phrase that the anchor of its head governs. How a
pair of phrases is related to the pair above it is then a property of the edge between the two F heads, the relation code of
`relate`. For

    E   dogs bark loudly     bark → dogs, bark → loudly
    F   Hunde bellen laut    linked word by word

the codes [h, c] of head h and child c are

    h, c      Hunde    bellen   laut
    root      root     top      root       bellen may be the root: its anchor is the top of E
    Hunde     –        kid      sister     dogs is a kid of bark
    bellen    mother   –        mother     bark is the mother of dogs, so this edge costs nothing
    laut      sister   kid      –

`arc_scores` turns codes into log weights, and adds what each word prefers as its head; `phrase_sums` sums over all
bracketings and returns probabilities of edges and of phrase borders; `expect` adds up expected counts for learning. Words are
counted from 1; index 0 is the root.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import LOW, kernel, log_add

MOTHER, OUT, SAME, ABOVE, SISTER, KID, FAR, LOOSE, GAP, TOP, TOP_OUT, ROOT = range(12)
RELATIONS = ("mother", "out", "same", "above", "sister", "kid", "far", "loose", "gap", "top", "top-out", "root")
"""What the head's E word is to the child's: its mother (`out`: the child shares its E word with others), the same, further above,
a sister, a kid, none of these; the head has no E word (`gap`: and E's mother no F word); root edges: E's top is above, or not."""
BUCKETS = 6
SMALLEST = 1e-200
"""Sum over all trees from which plain numbers are exact enough: what has a share of 1e-14 in it is still far from the smallest number."""


@kernel("void(i4[::1], i4[::1], i1[:,::1])")
def relate(anchors, e_heads, codes):  # type: ignore[no-untyped-def]
    """Relation codes of all edges from the anchors of F (0 for none) and the heads of E, both with place 0."""
    n1, m1 = len(anchors), len(e_heads)
    held = np.zeros(m1, np.int32)
    for i in range(1, n1):
        if anchors[i] > 0:
            held[anchors[i]] += 1
    mother = np.zeros(m1, np.int32)  # nearest anchored E word above, 0 for none
    for e in range(1, m1):
        up = e_heads[e]
        while up > 0 and held[up] == 0:
            up = e_heads[up]
        mother[e] = up if up > 0 else 0
    above = np.zeros((m1, m1), np.bool_)
    for e in range(1, m1):
        up = e_heads[e]
        while up > 0:
            above[e, up] = True
            up = e_heads[up]
    for c in range(1, n1):
        a = anchors[c]
        shared = a > 0 and held[a] > 1
        gap = a > 0 and e_heads[a] != mother[a]
        for h in range(n1):
            b = anchors[h]
            if h == 0:
                code = ROOT
                if a > 0 and mother[a] == 0:
                    code = TOP_OUT if shared else TOP
            elif a == 0:
                code = LOOSE if b == 0 else MOTHER
            elif b == 0:
                code = GAP if gap or mother[a] == 0 else LOOSE
            elif b == mother[a]:
                code = OUT if shared else MOTHER
            elif b == a:
                code = SAME
            elif above[a, b]:
                code = ABOVE
            elif mother[a] == mother[b]:
                code = SISTER
            elif mother[b] == a:
                code = KID
            else:
                code = FAR
            codes[h, c] = code


@kernel("i8(i8)")
def bucket(far):  # type: ignore[no-untyped-def]
    """Distances of words as the cues tell them apart: 1, 2, 3, up to 5, up to 8, more."""
    if far <= 3:
        return far - 1
    return 3 if far <= 5 else 4 if far <= 8 else 5


@kernel("void(i4[::1], i4[::1], i1[::1], i1[:,::1], f8[:,::1], f8[:,::1], f8[:,:,::1], f8[:,::1])")
def arc_scores(words, tags, kinds, codes, weights, choice, far, scores):  # type: ignore[no-untyped-def]
    """scores[h, c]: what the pair's relation weighs, what the word chooses (side and tag of a head), and how far.

    `weights[kind, relation]`; `choice[word, side·T + tag]` with the root last and `far[tag, side, bucket]` are logarithms.
    """
    n1 = len(words)
    size = choice.shape[1] // 2
    for c in range(n1):
        for h in range(n1):
            if c == 0 or h == c:
                scores[h, c] = LOW
            elif h == 0:
                scores[h, c] = weights[kinds[c], codes[h, c]] + choice[words[c], 2 * size]
            else:
                side = 1 if h > c else 0
                scores[h, c] = (
                    weights[kinds[c], codes[h, c]]
                    + choice[words[c], side * size + tags[h]]
                    + far[tags[c], side, bucket(abs(h - c))]
                )


@kernel("f8(f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1])")
def phrase_sums(scores, edges, lefts, rights):  # type: ignore[no-untyped-def]
    """Inside and outside over all headed bracketings: log of the sum is returned.

    Filled with probabilities: `edges[h, c]`, and `lefts[h, s]`, `rights[h, t]`, that the phrase of h begins at s, ends at t.

    Weights of the heads of a word are divided by their sum, which changes no probability. Then no sum over trees is above 1, so one
    that matters is not far below the sum over all trees, and logarithms are needed only where that is next to nothing.
    """
    n1 = len(scores)
    edges[:] = 0.0
    lefts[:] = 0.0
    rights[:] = 0.0
    if n1 < 2:
        return 0.0
    weights, taken = np.zeros((n1, n1)), 0.0
    for c in range(1, n1):
        peak = scores[:, c].max()
        total = 0.0
        for h in range(n1):
            weights[h, c] = np.exp(scores[h, c] - peak)
            total += weights[h, c]
        for h in range(n1):
            weights[h, c] /= total
        taken += peak + np.log(total)
    # [s, t] and, for what is summed along the other side, [t, s]
    full_l, full_r, half_r = np.zeros((n1, n1)), np.zeros((n1, n1)), np.zeros((n1, n1))
    turned_l, turned_r, turned_half = np.zeros((n1, n1)), np.zeros((n1, n1)), np.zeros((n1, n1))
    for s in range(1, n1):
        full_l[s, s] = full_r[s, s] = turned_l[s, s] = turned_r[s, s] = 1.0
    for width in range(1, n1 - 1):
        for s in range(1, n1 - width):
            t = s + width
            whole = 0.0
            for r in range(s, t):
                whole += full_r[s, r] * turned_l[t, r + 1]
            turned_half[t, s], half_r[s, t] = whole * weights[t, s], whole * weights[s, t]
            total, more = 0.0, 0.0
            for r in range(s, t):
                total += full_l[s, r] * turned_half[t, r]
                more += half_r[s, r + 1] * turned_r[t, r + 1]
            full_l[s, t] = turned_l[t, s] = total
            full_r[s, t] = turned_r[t, s] = more
    last = n1 - 1
    z = 0.0
    for r in range(1, n1):
        z += full_l[1, r] * full_r[r, last] * weights[0, r]
    if not z > SMALLEST:
        return log_phrase_sums(scores, edges, lefts, rights)
    # outside as probabilities: what each item is worth, shared out among what it was made of; a dependent's side is complete
    half_pr, full_pr = np.zeros((n1, n1)), np.zeros((n1, n1))
    half_pl, full_pl = np.zeros((n1, n1)), np.zeros((n1, n1))
    for r in range(1, n1):
        share = full_l[1, r] * full_r[r, last] * weights[0, r] / z
        edges[0, r] = share
        full_pl[1, r] += share
        full_pr[r, last] += share
        lefts[r, 1] += share
        rights[r, last] += share
    for width in range(n1 - 2, 0, -1):
        for s in range(1, n1 - width):
            t = s + width
            p = full_pr[s, t]
            if p > 1e-14:
                p /= full_r[s, t]
                for r in range(s + 1, t + 1):
                    share = p * half_r[s, r] * turned_r[t, r]
                    half_pr[s, r] += share
                    full_pr[r, t] += share
                    rights[r, t] += share
            p = full_pl[s, t]
            if p > 1e-14:
                p /= full_l[s, t]
                for r in range(s, t):
                    share = p * full_l[s, r] * turned_half[t, r]
                    half_pl[r, t] += share
                    full_pl[s, r] += share
                    lefts[r, s] += share
        for s in range(1, n1 - width):
            t = s + width
            right, left = half_pr[s, t], half_pl[s, t]
            edges[s, t], edges[t, s] = right, left
            if right + left > 1e-14:
                whole = 0.0
                for r in range(s, t):
                    whole += full_r[s, r] * turned_l[t, r + 1]
                for r in range(s, t):
                    share = full_r[s, r] * turned_l[t, r + 1] / whole
                    full_pr[s, r] += (right + left) * share
                    full_pl[r + 1, t] += (right + left) * share
                    rights[s, r] += left * share
                    lefts[t, r + 1] += right * share
    return np.log(z) + taken


@kernel("f8(f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1])")
def log_phrase_sums(scores, edges, lefts, rights):  # type: ignore[no-untyped-def]
    """`phrase_sums` with logarithms throughout: slower, and never too small for a number."""
    n1 = len(scores)
    edges[:] = 0.0
    lefts[:] = 0.0
    rights[:] = 0.0
    if n1 < 2:
        return 0.0
    full_l, full_r = np.full((n1, n1), LOW), np.full((n1, n1), LOW)
    half_l, half_r = np.full((n1, n1), LOW), np.full((n1, n1), LOW)
    for s in range(1, n1):
        full_l[s, s] = full_r[s, s] = 0.0
    for width in range(1, n1 - 1):
        for s in range(1, n1 - width):
            t = s + width
            peak = LOW
            for r in range(s, t):
                peak = max(peak, full_r[s, r] + full_l[r + 1, t])
            total = 0.0
            for r in range(s, t):
                total += np.exp(full_r[s, r] + full_l[r + 1, t] - peak)
            whole = peak + np.log(total)
            half_l[s, t], half_r[s, t] = whole + scores[t, s], whole + scores[s, t]
            peak, other = LOW, LOW
            for r in range(s, t):
                peak = max(peak, full_l[s, r] + half_l[r, t])
                other = max(other, half_r[s, r + 1] + full_r[r + 1, t])
            total, more = 0.0, 0.0
            for r in range(s, t):
                total += np.exp(full_l[s, r] + half_l[r, t] - peak)
                more += np.exp(half_r[s, r + 1] + full_r[r + 1, t] - other)
            full_l[s, t], full_r[s, t] = peak + np.log(total), other + np.log(more)
    last = n1 - 1
    z = LOW
    for r in range(1, n1):
        z = log_add(z, full_l[1, r] + full_r[r, last] + scores[0, r])
    # outside as probabilities: what each item is worth, shared out among what it was made of; a dependent's side is complete
    half_pl, half_pr = np.zeros((n1, n1)), np.zeros((n1, n1))
    full_pl, full_pr = np.zeros((n1, n1)), np.zeros((n1, n1))
    for r in range(1, n1):
        share = np.exp(full_l[1, r] + full_r[r, last] + scores[0, r] - z)
        edges[0, r] = share
        full_pl[1, r] += share
        full_pr[r, last] += share
        lefts[r, 1] += share
        rights[r, last] += share
    for width in range(n1 - 2, 0, -1):
        for s in range(1, n1 - width):
            t = s + width
            p = full_pr[s, t]
            if p > 1e-14:
                for r in range(s + 1, t + 1):
                    share = p * np.exp(half_r[s, r] + full_r[r, t] - full_r[s, t])
                    half_pr[s, r] += share
                    full_pr[r, t] += share
                    rights[r, t] += share
            p = full_pl[s, t]
            if p > 1e-14:
                for r in range(s, t):
                    share = p * np.exp(full_l[s, r] + half_l[r, t] - full_l[s, t])
                    half_pl[r, t] += share
                    full_pl[s, r] += share
                    lefts[r, s] += share
        for s in range(1, n1 - width):
            t = s + width
            right, left = half_pr[s, t], half_pl[s, t]
            edges[s, t], edges[t, s] = right, left
            if right + left > 1e-14:
                whole = half_r[s, t] - scores[s, t]
                for r in range(s, t):
                    share = np.exp(full_r[s, r] + full_l[r + 1, t] - whole)
                    full_pr[s, r] += (right + left) * share
                    full_pl[r + 1, t] += (right + left) * share
                    rights[s, r] += left * share
                    lefts[t, r + 1] += right * share
    return z


@kernel(
    "f8(i8[::1], i8[::1], i4[::1], i4[::1], i1[::1], i1[::1], f8[::1], f8[:,::1], f8[:,::1], f8[:,:,::1], f8[:,::1], f8[:,:,::1])"
)
def expect(at, cells, words, tags, kinds, codes, extra, weights, choice, far, chosen, distances):  # type: ignore[no-untyped-def]
    """Expected choices and distances of all sentences, added up; the log-likelihood is returned.

    Sentence k has places at[k] … at[k+1]-1 of words, tags and kinds, and its codes from cells[k] on; so have further scores of
    its edges, `extra`, where there are any.
    """
    total = 0.0
    size = choice.shape[1] // 2
    for k in range(len(at) - 1):
        low, high = at[k], at[k + 1]
        n1 = high - low
        own_words, own_tags = words[low:high], tags[low:high]
        own_codes = codes[cells[k] : cells[k] + n1 * n1].reshape((n1, n1))
        scores = np.empty((n1, n1))
        arc_scores(own_words, own_tags, kinds[low:high], own_codes, weights, choice, far, scores)
        if len(extra):
            scores += extra[cells[k] : cells[k] + n1 * n1].reshape((n1, n1))
        edges, lefts, rights = np.empty((n1, n1)), np.empty((n1, n1)), np.empty((n1, n1))
        total += phrase_sums(scores, edges, lefts, rights)
        for c in range(1, n1):
            chosen[own_words[c], 2 * size] += edges[0, c]
            for h in range(1, n1):
                if h != c and edges[h, c] > 1e-9:
                    side = 1 if h > c else 0
                    chosen[own_words[c], side * size + own_tags[h]] += edges[h, c]
                    distances[own_tags[c], side, bucket(abs(h - c))] += edges[h, c]
    return total

"""The array core of the tagger: hashed features, a search over the likely tags of each word, margin updates.

Words are rows of `atoms` (hashed properties of a word type). A template names up to three (offset, atom) pairs; its key is a
32-bit hash of them, and `slots`/`owners` are an open-addressing table from keys to rows of weights. Each word keeps its K
likeliest tags; the search over these is exact for three tags in a row. Tag T stands for the places before the sentence.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

MASK = 0xFFFFFFFF
NONE = -(10**6)
"""Offset of an unused pair in a template."""
LOW = -1e30
"""Score of what cannot be: below all sums of scores."""


@kernel("i8(i8, i8)")
def mix(key, value):  # type: ignore[no-untyped-def]
    """One step of a 32-bit hash, in 64-bit numbers that never overflow."""
    key = ((key ^ value) * 0x2C1B3C6D) & MASK
    key ^= key >> 15
    key = (key * 0x297A2D39) & MASK
    return max(key ^ (key >> 13), 1)


@kernel("void(i8[:, ::1], i8[::1], i8, i8, i8[:, :, ::1], i8[:, ::1])")
def sentence_keys(atoms, words, start, end, templates, keys):  # type: ignore[no-untyped-def]
    """keys[i, f] of the i-th word and template f; outside the sentence every atom is 1 (left) or 2 (right)."""
    for i in range(end - start):
        for f in range(templates.shape[0]):
            key = f + 1
            for part in range(templates.shape[1]):
                if templates[f, part, 0] == NONE:
                    break
                place = start + i + templates[f, part, 0]
                if place < start:
                    value = 1
                elif place >= end:
                    value = 2
                else:
                    value = atoms[words[place], templates[f, part, 1]]
                key = mix(key + part * 7919, value)
            keys[i, f] = key


@kernel("i8(i8, i8)")
def after(key, tag):  # type: ignore[no-untyped-def]
    """Key of a feature together with the tag of the word before."""
    return mix(key, tag + 77)


@kernel("void(i8[:, ::1], i8[::1], i8[::1], i8[:, :, ::1], i8[::1], i8[::1], i8, i8[:, ::1], i8[:, ::1])")
def training_keys(atoms, words, at, templates, linked, gold, tags, keys, pair_keys):  # type: ignore[no-untyped-def]
    """All keys of tagged sentences: those of the words, and those of `linked` templates with the tag before."""
    for s in range(len(at) - 1):
        sentence_keys(atoms, words, at[s], at[s + 1], templates, keys[at[s] : at[s + 1]])
        for k in range(at[s], at[s + 1]):
            for d in range(len(linked)):
                pair_keys[k, d] = after(keys[k, linked[d]], gold[k - 1] if k > at[s] else tags)


@kernel("i8(u4[::1], i4[::1], i8)")
def find(slots, owners, key):  # type: ignore[no-untyped-def]
    """Row of a key; -1 when it has none. A slot that holds 0 is free."""
    mask = len(slots) - 1
    slot = key & mask
    while slots[slot] != 0:
        if slots[slot] == key:
            return np.int64(owners[slot])
        slot = (slot + 1) & mask
    return np.int64(-1)


@kernel("void(i8[::1], u4[::1], i4[::1])")
def fill_table(keys, slots, owners):  # type: ignore[no-untyped-def]
    """Row r for keys[r]; all slots are free before."""
    mask = len(slots) - 1
    for r in range(len(keys)):
        slot = keys[r] & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = keys[r]
        owners[slot] = r


@kernel("void(u4[::1], i4[::1], i8[:, ::1], i8[:, ::1])")
def find_all(slots, owners, keys, rows):  # type: ignore[no-untyped-def]
    for k in range(keys.shape[0]):
        for f in range(keys.shape[1]):
            rows[k, f] = find(slots, owners, keys[k, f])


@kernel("i8(f8[::1], i8, f8, i8[::1])")
def likeliest(scores, gold, gap, chosen):  # type: ignore[no-untyped-def]
    """Fill `chosen` with the tags of highest score, best first, ties to the lower; returns how many are within `gap` of the best.

    `gold` (if not -1) is among them.
    """
    count, K = 0, len(chosen)
    least = scores.max() - gap
    missing = gold >= 0
    for t in range(len(scores)):
        if scores[t] < least or (count == K and scores[t] <= scores[chosen[K - 1]]):
            continue
        count = min(count + 1, K)
        k = count - 1
        while k > 0 and scores[chosen[k - 1]] < scores[t]:
            chosen[k] = chosen[k - 1]
            k -= 1
        chosen[k] = t
    for k in range(count):
        missing = missing and chosen[k] != gold
    if missing:
        count = min(count + 1, K)
        chosen[count - 1] = gold
    return count


@kernel("f8(i8[:, ::1], i8[::1], f8[:, ::1], f8[:, :, ::1], f4[:, :, ::1], i8[::1])")
def search(likely, count, single, pair, triple, path):  # type: ignore[no-untyped-def]
    """Viterbi over pairs of neighbours: `path` gets for each word the place of its tag in `likely`; returns the score.

    Word i has count[i] likely tags.
    """
    n, K = likely.shape
    tags = triple.shape[2]
    back = np.zeros((n, K, K), np.int64)
    reached = np.full((K, K), LOW)
    for i in range(n):
        new = np.full((K, K), LOW)
        for j in range(count[i - 1] if i > 0 else 1):
            before = likely[i - 1, j] if i > 0 else tags
            for k in range(count[i]):
                best, best_score = 0, LOW
                for l in range(count[i - 2] if i > 1 else 1):  # noqa: E741
                    earlier = likely[i - 2, l] if i > 1 else tags
                    score = triple[earlier, before, likely[i, k]] + (reached[l, j] if i > 0 else 0.0)
                    if score > best_score:
                        best, best_score = l, score
                new[j, k] = best_score + single[i, k] + pair[i, j, k]
                back[i, j, k] = best
        reached = new
    j, k = 0, 0
    for x in range(count[n - 2] if n > 1 else 1):
        for y in range(count[n - 1]):
            if reached[x, y] > reached[j, k]:
                j, k = x, y
    total = reached[j, k]
    for i in range(n - 1, -1, -1):
        path[i] = k
        j, k = back[i, j, k], j
    return total


@kernel("f8(i8[:, ::1], f8[:, ::1], f8[:, :, ::1], f4[:, :, ::1], i8[::1])")
def path_score(likely, single, pair, triple, path):  # type: ignore[no-untyped-def]
    """Score of one path, the sum that `search` maximises."""
    total, tags = 0.0, triple.shape[2]
    before, earlier = tags, tags
    for i in range(len(path)):
        tag = likely[i, path[i]]
        total += single[i, path[i]] + pair[i, path[i - 1] if i > 0 else 0, path[i]] + triple[earlier, before, tag]
        earlier, before = before, tag
    return total


@kernel("void(i8[:, ::1], i8[:, ::1], i8[::1], i8[::1], u4[::1], i4[::1], i8, i8[:, :, ::1])")
def find_pairs(keys, likely, count, linked, slots, owners, tags, rows):  # type: ignore[no-untyped-def]
    """rows[i, j, d]: row of the d-th linked template of word i after the j-th likely tag of the word before."""
    for i in range(likely.shape[0]):
        for j in range(count[i - 1] if i > 0 else 1):
            before = likely[i - 1, j] if i > 0 else tags
            for d in range(len(linked)):
                rows[i, j, d] = find(slots, owners, after(keys[i, linked[d]], before))


@kernel(
    "f8(i8[:, ::1], i8[:, :, ::1], i8[:, ::1], i8[::1], i8[::1], f8, f8, f4[:, ::1], f4[:, ::1], f4[:, :, ::1], f4[:, :, ::1])"
)
def shift(rows, pair_rows, likely, path, other, amount, step, weights, sums, triple, triple_sums):  # type: ignore[no-untyped-def]
    """Add `amount` to the weights of `path` where it is not `other`; returns how many weights that are.

    `sums` take amount x step, so that weights - sums / steps is the average of all steps.
    """
    touched, tags = 0.0, triple.shape[2]
    for i in range(len(path)):
        tag = likely[i, path[i]]
        differs = path[i] != other[i]
        if differs:
            for f in range(rows.shape[1]):
                if rows[i, f] >= 0:
                    weights[rows[i, f], tag] += amount
                    sums[rows[i, f], tag] += amount * step
                    touched += 1
        differs = differs or (i > 0 and path[i - 1] != other[i - 1])
        if differs:
            for d in range(pair_rows.shape[2]):
                row = pair_rows[i, path[i - 1] if i > 0 else 0, d]
                if row >= 0:
                    weights[row, tag] += amount
                    sums[row, tag] += amount * step
                    touched += 1
        if differs or (i > 1 and path[i - 2] != other[i - 2]):
            before = likely[i - 1, path[i - 1]] if i > 0 else tags
            earlier = likely[i - 2, path[i - 2]] if i > 1 else tags
            triple[earlier, before, tag] += amount
            triple_sums[earlier, before, tag] += amount * step
            touched += 1
    return touched


@kernel("void(i8[:, ::1], b1[::1], f8, f8, i8, i8[:, ::1])")
def drop_out(rows, lexical, drop, drop_word, seed, active):  # type: ignore[no-untyped-def]
    """`active` = rows without those left out by chance: single ones, and all lexical ones of a word at once."""
    for i in range(rows.shape[0]):
        state = mix(seed, i + 1)
        no_word = (state >> 8) < drop_word * 0x1000000
        for f in range(rows.shape[1]):
            state = mix(state, f + 1)
            out = (no_word and lexical[f]) or (state >> 8) < drop * 0x1000000
            active[i, f] = -1 if out else rows[i, f]


@kernel(
    "i8(i8[:, ::1], i8[:, ::1], i8[::1], i8[::1], i8[::1], b1[::1], i8[::1], u4[::1], i4[::1], "
    "f4[:, ::1], f4[:, ::1], f4[:, :, ::1], f4[:, :, ::1], f8[::1], i8, i8[::1])"
)
def learn(  # type: ignore[no-untyped-def]
    rows, keys, at, gold, order, lexical, linked, slots, owners, weights, sums, triple, triple_sums, settings, seed, steps
):  # fmt: skip
    """One pass of cost-augmented MIRA (Crammer & Singer 2003; eq. of the 1-best case); returns wrong words.

    tau = min(C, (score of the best path with its costs - score of the gold path) / |difference of features|).
    settings = K, C, cost of a wrong tag, share of features and of words' lexical features left out, gap.
    """
    K, most, cost = int(settings[0]), settings[1], settings[2]
    tags, wrong = triple.shape[2], 0
    scores = np.zeros(tags)
    for s in order:
        a, n = at[s], at[s + 1] - at[s]
        if n == 0:
            continue
        steps[0] += 1
        active = np.empty((n, rows.shape[1]), np.int64)
        drop_out(rows[a : a + n], lexical, settings[3], settings[4], mix(seed, s + 1), active)
        likely, single, count = np.zeros((n, K), np.int64), np.zeros((n, K)), np.zeros(n, np.int64)
        right, path = np.zeros(n, np.int64), np.zeros(n, np.int64)
        for i in range(n):
            scores[:] = 0.0
            for f in range(active.shape[1]):
                row = active[i, f]
                if row >= 0:
                    for t in range(tags):
                        scores[t] += weights[row, t]
            count[i] = likeliest(scores, gold[a + i], settings[5], likely[i])
            for k in range(count[i]):
                tag = likely[i, k]
                single[i, k] = scores[tag] if tag == gold[a + i] else scores[tag] + cost
                if tag == gold[a + i]:
                    right[i] = k
        pair_rows = np.full((n, K, len(linked)), -1, np.int64)
        find_pairs(keys[a : a + n], likely, count, linked, slots, owners, tags, pair_rows)
        pair = np.zeros((n, K, K))
        for i in range(n):
            for j in range(count[i - 1] if i > 0 else 1):
                for d in range(len(linked)):
                    row = pair_rows[i, j, d]
                    if row >= 0:
                        for k in range(count[i]):
                            pair[i, j, k] += weights[row, likely[i, k]]
        best = search(likely, count, single, pair, triple, path)
        errors = (path != right).sum()
        if errors == 0:
            continue
        wrong += errors
        gap = best - path_score(likely, single, pair, triple, right)
        norm = shift(active, pair_rows, likely, right, path, 0.0, 0.0, weights, sums, triple, triple_sums)
        norm += shift(active, pair_rows, likely, path, right, 0.0, 0.0, weights, sums, triple, triple_sums)
        tau = min(most, gap / norm)
        shift(active, pair_rows, likely, right, path, tau, steps[0], weights, sums, triple, triple_sums)
        shift(active, pair_rows, likely, path, right, -tau, steps[0], weights, sums, triple, triple_sums)
    return wrong


@kernel(
    "void(i8[:, ::1], i8[::1], i8[::1], i8[:, :, ::1], i8[::1], u4[::1], i4[::1], i4[::1], u2[::1], f4[::1], f4[:, :, ::1], i8, f8, i8[::1])"
)
def tag_all(  # type: ignore[no-untyped-def]
    atoms, words, at, templates, linked, slots, owners, starts, columns, values, triple, most, gap, best_tags
):  # fmt: skip
    """Best tags of every word. Row r of the weights is columns/values[starts[r] : starts[r + 1]], columns ascending."""
    tags, F, K = triple.shape[2], templates.shape[0], most
    scores, place = np.zeros(tags), np.full(tags, -1, np.int64)
    for s in range(len(at) - 1):
        a, n = at[s], at[s + 1] - at[s]
        if n == 0:
            continue
        keys = np.empty((n, F), np.int64)
        sentence_keys(atoms, words, a, a + n, templates, keys)
        likely, single, count = np.zeros((n, K), np.int64), np.zeros((n, K)), np.zeros(n, np.int64)
        for i in range(n):
            scores[:] = 0.0
            for f in range(F):
                row = find(slots, owners, keys[i, f])
                if row < 0:
                    continue
                start, end = starts[row], starts[row + 1]
                if end - start == tags:  # a full row: no look at the columns
                    full = values[start:end]
                    for t in range(tags):
                        scores[t] += full[t]
                else:
                    for c in range(start, end):
                        scores[columns[c]] += values[c]
            count[i] = likeliest(scores, -1, gap, likely[i])
            for k in range(count[i]):
                single[i, k] = scores[likely[i, k]]
        pair_rows = np.full((n, K, len(linked)), -1, np.int64)
        find_pairs(keys, likely, count, linked, slots, owners, tags, pair_rows)
        pair = np.zeros((n, K, K))
        for i in range(n):
            for k in range(count[i]):
                place[likely[i, k]] = k
            for j in range(count[i - 1] if i > 0 else 1):
                for d in range(len(linked)):
                    row = pair_rows[i, j, d]
                    if row >= 0:
                        for c in range(starts[row], starts[row + 1]):
                            if place[columns[c]] >= 0:
                                pair[i, j, place[columns[c]]] += values[c]
            for k in range(count[i]):
                place[likely[i, k]] = -1
        path = np.zeros(n, np.int64)
        search(likely, count, single, pair, triple, path)
        for i in range(n):
            best_tags[a + i] = likely[i, path[i]]

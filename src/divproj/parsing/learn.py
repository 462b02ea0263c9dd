"""One pass of MIRA, and parsing, over sentences that lie end to end; kernels that know arrays alone.

Averages are kept lazily: `later` gathers step × change; after n steps the average is (weights × (n + 1) − later) / n.
"""

from __future__ import annotations

import numpy as np

from divproj.parsing.decode import chu_liu_edmonds, eisner, eisner_siblings
from divproj.parsing.features import (
    BETWEEN,
    PER_EDGE,
    edge_ids,
    edge_scores,
    grandparent_ids,
    grandparent_scores,
    sibling_ids,
    sibling_scores,
    tags_between,
)
from divproj.parsing.labels import VOTES, add_votes, vote_ids, vote_scores
from divproj.runtime.jit import kernel

SIBLINGS_UP_TO = 170
"""Words up to which siblings are looked at: their scores take n³ places."""


@kernel(
    "void(f4[::1], f4[:,::1], i8[:,::1], i8[:,::1], i4[::1], i8, i8, i8, i8[::1], i8[::1], f8, f8[:,::1], i4[:,::1], i8[::1])"
)
def parse_one(weights, votes, atoms, more, codes, slots, order, crossing, gold, gold_labels, cost, scores, best, heads):  # type: ignore[no-untyped-def]
    """The best tree of one sentence; `scores` and `best` keep the edges' scores and relations. `cost` is for wrong choices."""
    n1 = len(atoms)
    edge_scores(weights, atoms, more, codes, slots, scores)
    if votes.shape[1] > 1:
        said = np.empty((n1, 4, votes.shape[1]), np.float32)
        vote_scores(votes, atoms, said)
        add_votes(said, scores, gold_labels, cost, best)
    if cost != 0.0:
        for c in range(1, n1):
            if gold[c] >= 0:
                for h in range(n1):
                    if h != gold[c]:
                        scores[h, c] += cost
    if order == 1 or n1 > SIBLINGS_UP_TO:
        if crossing:
            chu_liu_edmonds(scores, heads)
        else:
            eisner(scores, heads)
        return
    siblings = np.zeros((n1, n1, n1), np.float32)
    sibling_scores(weights, atoms, siblings)
    eisner_siblings(scores, siblings, heads)
    grand = np.zeros((n1 if order > 2 else 0, n1, n1), np.float32)
    if order > 2:
        grandparent_scores(weights, atoms, grand)
    if crossing or order > 2:
        climb(scores, siblings, grand, crossing, heads)


@kernel("f8(f4[:,:,::1], i8[::1], i8)")
def sibling_sum(siblings, heads, h):  # type: ignore[no-untyped-def]
    """Sibling terms of the children of h."""
    total = 0.0
    for step in (-1, 1):
        last = h
        c = h + step
        while 0 < c < len(heads):
            if heads[c] == h:
                total += siblings[h, last, c]
                last = c
            c += step
    return total


@kernel("f8(f4[:,:,::1], i8[::1], i8, i8)")
def grand_sum(grand, heads, c, h):  # type: ignore[no-untyped-def]
    """Grandparent terms that word c is part of when its head is h: its own, and those of its children."""
    total = 0.0
    if h > 0:
        total += grand[heads[h], h, c]
    for k in range(1, len(heads)):
        if heads[k] == c:
            total += grand[h, c, k]
    return total


@kernel("b1(i8[::1], i8, i8)")
def would_cross(heads, h, c):  # type: ignore[no-untyped-def]
    """Whether the edge between h and c would cross another one."""
    lo, hi = min(h, c), max(h, c)
    for k in range(1, len(heads)):
        if k == c:
            continue
        a, b = min(k, heads[k]), max(k, heads[k])
        if a < lo < b < hi or lo < a < hi < b:
            return True
    return False


@kernel("void(f8[:,::1], f4[:,:,::1], f4[:,:,::1], i8, i8[::1])")
def climb(scores, siblings, grand, crossing, heads):  # type: ignore[no-untyped-def]
    """Give one word at a time a better head while the sum of all terms rises; edges cross only where they may.

    `grand` may be empty: then it is the second step of McDonald & Pereira (2006); else hill-climbing as in Zhang et al. (2014).
    """
    n1 = len(heads)
    higher = len(grand) > 0
    for _ in range(4 * n1):
        gain, word, new = 1e-6, 0, 0
        for c in range(1, n1):
            old = heads[c]
            if old == 0:
                continue
            before = scores[old, c] + sibling_sum(siblings, heads, old)
            if higher:
                before += grand_sum(grand, heads, c, old)
            for h in range(1, n1):
                if h == c or h == old or (not crossing and would_cross(heads, h, c)):
                    continue
                k = h
                while k > 0 and k != c:
                    k = heads[k]
                if k == c:
                    continue
                there = sibling_sum(siblings, heads, h)
                heads[c] = h
                value = scores[h, c] + sibling_sum(siblings, heads, old) + sibling_sum(siblings, heads, h) - before - there
                if higher:
                    value += grand_sum(grand, heads, c, h)
                heads[c] = old
                if value > gain:
                    gain, word, new = value, c, h
        if word == 0:
            return
        heads[word] = new


@kernel("i8(i8[::1], i8)")
def inner_sibling(heads, c):  # type: ignore[no-untyped-def]
    """The nearest child of c's head between the two, the head itself for none."""
    h = heads[c]
    step = -1 if c > h else 1
    k = c + step
    while k != h and heads[k] != h:
        k += step
    return k


@kernel("i8(i8[:,::1], i8[:,::1], i4[::1], i8, i8, i8[::1], i8[::1], f4, i8, i8, i8[::1], f4[::1])")
def tree_ids(atoms, more, codes, slots, order, heads, other, sign, mask, count, ids, signs):  # type: ignore[no-untyped-def]
    """Append the places of the parts of a tree that another tree has not; returns how many there are now."""
    n1 = len(atoms)
    between = np.empty(BETWEEN, np.int64)
    found = np.empty(PER_EDGE, np.int64)
    for c in range(1, n1):
        h = heads[c]
        if h != other[c]:
            betweens = tags_between(atoms, min(h, c), max(h, c), between)
            for j in range(edge_ids(atoms, more, codes, slots, h, c, between, betweens, mask, found)):
                ids[count], signs[count] = found[j], sign
                count += 1
        if order > 1 and n1 <= SIBLINGS_UP_TO:
            s = inner_sibling(heads, c)
            if h != other[c] or s != inner_sibling(other, c):
                for j in range(sibling_ids(atoms, h, s, c, mask, found)):
                    ids[count], signs[count] = found[j], sign
                    count += 1
        if order > 2 and n1 <= SIBLINGS_UP_TO and h > 0 and (h != other[c] or heads[h] != other[h]):
            for j in range(grandparent_ids(atoms, heads[h], h, c, mask, found)):
                ids[count], signs[count] = found[j], sign
                count += 1
    return count


@kernel("i8(i8[:,::1], i8, i8, i8, f4, i8, i8, i8, i8[::1], f4[::1])")
def label_places(atoms, h, c, rel, sign, rels, mask, count, ids, signs):  # type: ignore[no-untyped-def]
    """Append the places of both ends' votes for the relation of an edge, in the flattened table of votes."""
    rows = np.empty(5 * VOTES, np.int64)
    way = 0 if c > h else 1
    for end in range(2):
        vote_ids(atoms, h if end == 0 else c, mask, rows)
        role = way if end == 0 else 2 + way
        for j in range(VOTES):
            ids[count], signs[count] = rows[j] * rels + rel, sign
            ids[count + 1], signs[count + 1] = rows[(role + 1) * VOTES + j] * rels + rel, sign
            count += 2
    return count


@kernel("UniTuple(f8, 2)(f4[::1], f4[::1], i8, i8[::1], f4[::1])")
def difference(weights, delta, count, ids, signs):  # type: ignore[no-untyped-def]
    """w · (phi_gold − phi_pred) and the square of its length; `delta` is left holding the difference."""
    for k in range(count):
        delta[ids[k]] += signs[k]
    margin, norm = 0.0, 0.0
    for k in range(count):
        margin += signs[k] * weights[ids[k]]
        norm += signs[k] * delta[ids[k]]
    return margin, norm


@kernel("void(f4[::1], f8[::1], f4[::1], f8, f8, i8, i8[::1])")
def move(weights, later, delta, tau, step, count, ids):  # type: ignore[no-untyped-def]
    """Add tau × difference to the weights, and empty `delta`."""
    for k in range(count):
        change = tau * delta[ids[k]]
        delta[ids[k]] = 0.0
        weights[ids[k]] += change
        later[ids[k]] += step * change


@kernel(
    "void(f4[::1], f8[::1], f4[:,::1], f8[:,::1], f8[::1], i8[::1], i8[::1], i8[:,::1], i8[:,::1], i4[::1], i8[::1], i8,"
    " i8, i8, i8[::1], i8[::1], f8, f8)"
)
def epoch(  # type: ignore[no-untyped-def]
    weights, later, votes, votes_later, state, order_of, first, atoms, more, codes, code_at, slots,
    order, crossing, gold, gold_labels, cost, clip,
):  # fmt: skip
    """One pass of 1-best MIRA in the given order.

    tau = (L − margin) / ‖phi_gold − phi_pred‖², at most `clip`. `state` holds the steps so far, and adds up the
    wrong heads and the words.
    """
    mask, rels = len(weights) - 1, votes.shape[1]
    vote_mask = len(votes) - 1
    flat, flat_later = votes.reshape(-1), votes_later.reshape(-1)
    delta, vote_delta = np.zeros(len(weights), np.float32), np.zeros(len(flat), np.float32)
    for s in order_of:
        at, end = first[s], first[s + 1]
        n1 = end - at
        state[0] += 1
        if n1 < 2:
            continue
        scores, best, heads = np.zeros((n1, n1)), np.zeros((n1, n1), np.int32), np.zeros(n1, np.int64)
        own, own_more, own_codes = atoms[at:end], more[at:end], codes[code_at[s] : code_at[s + 1]]
        right, said = gold[at:end].copy(), gold_labels[at:end]
        parse_one(weights, votes, own, own_more, own_codes, slots, order, crossing, right, said, cost, scores, best, heads)
        loss = 0
        for c in range(1, n1):
            state[2] += right[c] >= 0
            if right[c] < 0:  # a word without a gold head: whatever was found is right
                right[c] = heads[c]
            loss += heads[c] != right[c]
        state[1] += loss
        room = 2 * n1 * (PER_EDGE + 80)
        ids, signs = np.empty(room, np.int64), np.empty(room, np.float32)
        vids, vsigns = np.empty(8 * VOTES * n1, np.int64), np.empty(8 * VOTES * n1, np.float32)
        many = 0
        if rels > 1:
            for c in range(1, n1):
                if said[c] < 0 or (best[heads[c], c] == said[c] and heads[c] == right[c]):
                    continue
                loss += best[heads[c], c] != said[c]
                many = label_places(own, right[c], c, said[c], 1.0, rels, vote_mask, many, vids, vsigns)
                many = label_places(own, heads[c], c, best[heads[c], c], -1.0, rels, vote_mask, many, vids, vsigns)
        if loss == 0:
            continue
        count = tree_ids(own, own_more, own_codes, slots, order, right, heads, 1.0, mask, 0, ids, signs)
        count = tree_ids(own, own_more, own_codes, slots, order, heads, right, -1.0, mask, count, ids, signs)
        margin, norm = difference(weights, delta, count, ids, signs)
        vote_margin, vote_norm = difference(flat, vote_delta, many, vids, vsigns)
        tau = min(clip, max(0.0, loss - margin - vote_margin) / max(norm + vote_norm, 1e-9))
        move(weights, later, delta, tau, state[0], count, ids)
        move(flat, flat_later, vote_delta, tau, state[0], many, vids)


@kernel("void(f4[::1], f4[:,::1], i8[::1], i8[:,::1], i8[:,::1], i4[::1], i8[::1], i8, i8, i8, i8[::1])")
def parse_all(weights, votes, first, atoms, more, codes, code_at, slots, order, crossing, heads):  # type: ignore[no-untyped-def]
    """Heads of all words of all sentences."""
    for s in range(len(first) - 1):
        at, end = first[s], first[s + 1]
        n1 = end - at
        if n1 < 2:
            continue
        scores, best = np.zeros((n1, n1)), np.zeros((n1, n1), np.int32)
        none = heads[at:end]
        parse_one(
            weights, votes, atoms[at:end], more[at:end], codes[code_at[s] : code_at[s + 1]], slots, order, crossing,
            none, none, 0.0, scores, best, heads[at:end],
        )  # fmt: skip

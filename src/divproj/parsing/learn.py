"""One pass of MIRA, and parsing, over sentences that lie end to end; kernels that know arrays alone.

Averages are kept lazily: `later` gathers step × change; after n steps the average is (weights × (n + 1) − later) / n.

Relations: first a guess that helps attachment (each end of an edge votes alone), then a choice with the tree in view.

Weights are a table with a row a hashed feature and a column a relation, so that one look-up serves all relations.
"""

from __future__ import annotations

import numpy as np

from divproj.parsing.decode import chu_liu_edmonds, eisner, eisner_siblings
from divproj.parsing.features import (
    BETWEEN,
    END,
    FORM,
    MIX,
    PER_EDGE,
    PREFIX,
    STR,
    TAG,
    A,
    B,
    C,
    D,
    E,
    T,
    bucket,
    edge_ids,
    edge_scores,
    grandparent_ids,
    grandparent_scores,
    sibling_ids,
    sibling_scores,
    tags_between,
)
from divproj.runtime.jit import kernel

VOTES = 7
"""Features of a token that votes for a relation; each once bare and once with role and direction."""
PER_LABEL = 120


@kernel("void(i8[:,::1], i8, i8, i8[::1])")
def vote_ids(atoms, k, mask, ids):  # type: ignore[no-untyped-def]
    """Rows of token k: the first `VOTES` bare, then as many for each of head/child × right/left."""
    n1 = len(atoms)
    w, t = atoms[k, FORM] * A, atoms[k, TAG] * B
    before = atoms[k - 1, TAG] * C if k > 0 else STR * C
    after = atoms[k + 1, TAG] * D if k + 1 < n1 else END * D
    for role in range(5):
        base = role * E
        at = role * VOTES
        ids[at] = ((base + 401 * T) * MIX >> 31) & mask
        ids[at + 1] = ((base + 402 * T + w + t) * MIX >> 31) & mask
        ids[at + 2] = ((base + 403 * T + t) * MIX >> 31) & mask
        ids[at + 3] = ((base + 404 * T + before + t) * MIX >> 31) & mask
        ids[at + 4] = ((base + 405 * T + t + after) * MIX >> 31) & mask
        ids[at + 5] = ((base + 406 * T + before + t + after) * MIX >> 31) & mask
        ids[at + 6] = ((base + 407 * T + w) * MIX >> 31) & mask


@kernel("void(f4[:,::1], i8[:,::1], f4[:,:,::1])")
def vote_scores(weights, atoms, votes):  # type: ignore[no-untyped-def]
    """votes[k, role, r]: what token k as head of a right (0) or left (1) child, as right (2) or left (3) child, says of r."""
    deprels = weights.shape[1]
    mask = len(weights) - 1
    ids = np.empty(5 * VOTES, np.int64)
    for k in range(len(atoms)):
        vote_ids(atoms, k, mask, ids)
        for role in range(4):
            for r in range(deprels):
                votes[k, role, r] = 0.0
            for j in range(VOTES):
                bare, row = ids[j], ids[(role + 1) * VOTES + j]
                for r in range(deprels):
                    votes[k, role, r] += weights[bare, r] + weights[row, r]


@kernel("void(f4[:,:,::1], f8[:,::1], i8[::1], f8, i4[:,::1])")
def add_votes(votes, scores, gold, cost, best):  # type: ignore[no-untyped-def]
    """Add to each edge the votes for its best relation, which is kept; every relation but the gold one gains `cost`."""
    n1 = len(scores)
    deprels = votes.shape[2]
    for h in range(n1):
        for c in range(1, n1):
            if h == c:
                continue
            way = 0 if c > h else 1
            top, at = -np.inf, 0
            for r in range(deprels):
                value = votes[h, way, r] + votes[c, 2 + way, r]
                if cost != 0.0 and gold[c] >= 0 and r != gold[c]:
                    value += cost
                if value > top:
                    top, at = value, r
            scores[h, c] += top
            best[h, c] = at


@kernel("i8(i8[:,::1], i8[:,::1], i8[::1], i8, i8, i8[::1])")
def label_ids(atoms, more, heads, c, mask, ids):  # type: ignore[no-untyped-def]
    """Rows for the relation of word c in a tree: both ends, their neighbours, siblings, children and grandparent."""
    n1 = len(atoms)
    h = heads[c]
    g = heads[h] if h > 0 else 0
    way = (2 if c > h else 1) * E
    x1, x2, y1, y2 = atoms[h, FORM] * A, atoms[h, TAG] * B, atoms[c, FORM] * C, atoms[c, TAG] * D
    inner, outer, first, last, kids, kin = 0, 0, 0, 0, 0, 0
    for k in range(1, n1):
        if heads[k] == h and k != c:
            kin += 1
            if k < c:
                inner = k
            elif outer == 0:
                outer = k
        elif heads[k] == c:
            kids += 1
            if first == 0:
                first = k
            last = k
    t_in = atoms[inner, TAG] if inner > 0 else STR
    t_out = atoms[outer, TAG] if outer > 0 else END
    t_first = atoms[first, TAG] if first > 0 else STR
    t_last = atoms[last, TAG] if last > 0 else END
    w_first = atoms[first, FORM] if first > 0 else STR
    before = atoms[c - 1, TAG]
    after = atoms[c + 1, TAG] if c + 1 < n1 else END
    keys = np.empty(40, np.int64)
    keys[0] = 500 * T
    keys[1] = 501 * T + x1
    keys[2] = 502 * T + x2
    keys[3] = 503 * T + y1
    keys[4] = 504 * T + y2
    keys[5] = 505 * T + x1 + y1
    keys[6] = 506 * T + x1 + y2
    keys[7] = 507 * T + x2 + y1
    keys[8] = 508 * T + x2 + y2
    keys[9] = 509 * T + x2 + y1 + y2
    keys[10] = 510 * T + x1 + x2 + y2
    keys[11] = 511 * T + x2 + y2 + before * A + after * C
    keys[12] = 512 * T + y2 + before * A
    keys[13] = 513 * T + y2 + after * A
    keys[14] = 514 * T + x2 + y2 + t_in * A
    keys[15] = 515 * T + x2 + y2 + t_out * A
    keys[16] = 516 * T + x2 + y2 + t_in * A + t_out * C
    keys[17] = 517 * T + x2 + y2 + t_first * A
    keys[18] = 518 * T + x2 + y2 + t_last * A
    keys[19] = 519 * T + x2 + y2 + w_first * A
    keys[20] = 520 * T + y1 + t_first * A
    keys[21] = 521 * T + x2 + y2 + atoms[g, TAG] * A
    keys[22] = 522 * T + x2 + y2 + bucket(h, c) * A
    keys[23] = 523 * T + y2 + min(kids, 3) * A
    keys[24] = 524 * T + x2 + y2 + min(kin, 3) * A
    keys[25] = 525 * T + atoms[c, PREFIX] * A + y2
    keys[26] = 526 * T + atoms[h, PREFIX] * A + y2
    keys[27] = 527 * T + y2 + w_first * A
    keys[28] = 528 * T + y1 + t_in * A
    keys[29] = 529 * T + x1 + y2 + t_in * A
    keys[30] = 530 * T + x1 + y2 + t_first * A
    keys[31] = 531 * T + y2 + t_first * A + t_last * C
    count = 32
    for m in range(min(more.shape[1], 2)):
        keys[count] = (540 + 4 * m) * T + more[c, m] * A
        keys[count + 1] = (541 + 4 * m) * T + more[c, m] * A + more[h, m] * C
        keys[count + 2] = (542 + 4 * m) * T + more[c, m] * A + x2
        count += 3
    for j in range(count):
        ids[2 * j] = (keys[j] * MIX >> 31) & mask
        ids[2 * j + 1] = ((keys[j] + way) * MIX >> 31) & mask
    return 2 * count


@kernel("void(f4[:,::1], i8[::1], i8, f4[::1])")
def row_sums(weights, ids, count, sums):  # type: ignore[no-untyped-def]
    deprels = weights.shape[1]
    for r in range(deprels):
        sums[r] = 0.0
    for k in range(count):
        row = ids[k]
        for r in range(deprels):
            sums[r] += weights[row, r]


@kernel("void(f4[:,::1], i8[::1], i8[:,::1], i8[:,::1], i8[::1], i8[::1])")
def relabel(weights, first, atoms, more, heads, labels):  # type: ignore[no-untyped-def]
    """The best relation of every word of every sentence, given its tree; relation 0 is the root's."""
    sums = np.empty(weights.shape[1], np.float32)
    ids = np.empty(PER_LABEL, np.int64)
    mask = len(weights) - 1
    for s in range(len(first) - 1):
        at, end = first[s], first[s + 1]
        for c in range(1, end - at):
            count = label_ids(atoms[at:end], more[at:end], heads[at:end], c, mask, ids)
            row_sums(weights, ids, count, sums)
            root = heads[at + c] == 0
            best = 0
            for r in range(1, len(sums)):
                if (r == 0) == root and (best == 0 or sums[r] > sums[best]):
                    best = r
            labels[at + c] = best


@kernel("i8(f4[:,::1], f8[:,::1], i8, i8[::1], i8[::1], i8[:,::1], i8[:,::1], i8[::1], i8[::1])")
def label_epoch(weights, later, step, order, first, atoms, more, heads, gold):  # type: ignore[no-untyped-def]
    """One pass of multiclass MIRA over the edges of trees `heads`; returns how many steps there have been now."""
    deprels = weights.shape[1]
    sums = np.empty(deprels, np.float32)
    ids = np.empty(PER_LABEL, np.int64)
    mask = len(weights) - 1
    for s in order:
        at, end = first[s], first[s + 1]
        for c in range(1, end - at):
            right = gold[at + c]
            if right < 1 or heads[at + c] < 1:
                continue
            step += 1
            count = label_ids(atoms[at:end], more[at:end], heads[at:end], c, mask, ids)
            row_sums(weights, ids, count, sums)
            wrong = 1 if right != 1 else 2
            if wrong >= deprels:
                continue
            for r in range(1, deprels):
                if r != right and sums[r] > sums[wrong]:
                    wrong = r
            margin = sums[right] - sums[wrong]
            if margin < 1.0:
                tau = (1.0 - margin) / (2.0 * count)
                for k in range(count):
                    weights[ids[k], right] += tau
                    weights[ids[k], wrong] -= tau
                    later[ids[k], right] += step * tau
                    later[ids[k], wrong] -= step * tau
    return step


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
    places = np.empty(PER_EDGE, np.int64)
    for c in range(1, n1):
        h = heads[c]
        if h != other[c]:
            betweens = tags_between(atoms, min(h, c), max(h, c), between)
            for j in range(edge_ids(atoms, more, codes, slots, h, c, between, betweens, mask, places)):
                ids[count], signs[count] = places[j], sign
                count += 1
        if order > 1 and n1 <= SIBLINGS_UP_TO:
            s = inner_sibling(heads, c)
            if h != other[c] or s != inner_sibling(other, c):
                for j in range(sibling_ids(atoms, h, s, c, mask, places)):
                    ids[count], signs[count] = places[j], sign
                    count += 1
        if order > 2 and n1 <= SIBLINGS_UP_TO and h > 0 and (h != other[c] or heads[h] != other[h]):
            for j in range(grandparent_ids(atoms, heads[h], h, c, mask, places)):
                ids[count], signs[count] = places[j], sign
                count += 1
    return count


@kernel("i8(i8[:,::1], i8, i8, i8, f4, i8, i8, i8, i8[::1], f4[::1])")
def label_places(atoms, h, c, rel, sign, deprels, mask, count, ids, signs):  # type: ignore[no-untyped-def]
    """Append the places of both ends' votes for the relation of an edge, in the flattened table of votes."""
    rows = np.empty(5 * VOTES, np.int64)
    way = 0 if c > h else 1
    for end in range(2):
        vote_ids(atoms, h if end == 0 else c, mask, rows)
        role = way if end == 0 else 2 + way
        for j in range(VOTES):
            ids[count], signs[count] = rows[j] * deprels + rel, sign
            ids[count + 1], signs[count + 1] = rows[(role + 1) * VOTES + j] * deprels + rel, sign
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
    mask, deprels = len(weights) - 1, votes.shape[1]
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
        own_atoms, own_more, own_codes = atoms[at:end], more[at:end], codes[code_at[s] : code_at[s + 1]]
        right, said = gold[at:end].copy(), gold_labels[at:end]
        parse_one(
            weights, votes, own_atoms, own_more, own_codes, slots, order, crossing, right, said, cost, scores, best, heads
        )
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
        if deprels > 1:
            for c in range(1, n1):
                if said[c] < 0 or (best[heads[c], c] == said[c] and heads[c] == right[c]):
                    continue
                loss += best[heads[c], c] != said[c]
                many = label_places(own_atoms, right[c], c, said[c], 1.0, deprels, vote_mask, many, vids, vsigns)
                many = label_places(own_atoms, heads[c], c, best[heads[c], c], -1.0, deprels, vote_mask, many, vids, vsigns)
        if loss == 0:
            continue
        count = tree_ids(own_atoms, own_more, own_codes, slots, order, right, heads, 1.0, mask, 0, ids, signs)
        count = tree_ids(own_atoms, own_more, own_codes, slots, order, heads, right, -1.0, mask, count, ids, signs)
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

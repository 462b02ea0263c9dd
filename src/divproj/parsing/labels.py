"""Relations: first a guess that helps attachment (each end of an edge votes alone), then a choice with the tree in view.

Weights are a table with a row a hashed feature and a column a relation, so that one look-up serves all relations.
"""

from __future__ import annotations

import numpy as np

from divproj.parsing.features import END, FORM, MIX, PREFIX, STR, TAG, A, B, C, D, E, T, bucket
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
    rels = weights.shape[1]
    mask = len(weights) - 1
    ids = np.empty(5 * VOTES, np.int64)
    for k in range(len(atoms)):
        vote_ids(atoms, k, mask, ids)
        for role in range(4):
            for r in range(rels):
                votes[k, role, r] = 0.0
            for j in range(VOTES):
                bare, row = ids[j], ids[(role + 1) * VOTES + j]
                for r in range(rels):
                    votes[k, role, r] += weights[bare, r] + weights[row, r]


@kernel("void(f4[:,:,::1], f8[:,::1], i8[::1], f8, i4[:,::1])")
def add_votes(votes, scores, gold, cost, best):  # type: ignore[no-untyped-def]
    """Add to each edge the votes for its best relation, which is kept; every relation but the gold one gains `cost`."""
    n1 = len(scores)
    rels = votes.shape[2]
    for h in range(n1):
        for c in range(1, n1):
            if h == c:
                continue
            way = 0 if c > h else 1
            top, at = -np.inf, 0
            for r in range(rels):
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
    rels = weights.shape[1]
    for r in range(rels):
        sums[r] = 0.0
    for k in range(count):
        row = ids[k]
        for r in range(rels):
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
    rels = weights.shape[1]
    sums = np.empty(rels, np.float32)
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
            if wrong >= rels:
                continue
            for r in range(1, rels):
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

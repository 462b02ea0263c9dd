"""The array core of divergence analysis: edge classes (eq. 10, C1-C4) and Algorithms 2-5 for one pair.

Arrays have a place 0 for the root. A head is a word, 0 for the root, `NONE` where there is no edge, `GONE` where the
word was removed or merged away. Links are two parallel arrays sorted by (f, e), with no link twice.
Side 0 is F, side 1 is E.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

NONE, GONE = -1, -2
MATCH, UNALIGNED, MERGE, SWAP, OTHER, LABELLED, RELABELLED = range(7)
COUNTS = 7
INITIAL, REMOVED, MERGED, EXTENDED, SWAPPED = range(5)
OP_REMOVE, OP_MERGE, OP_EXTENDED, OP_SWAP = range(4)
PLAIN, MERGE_BOTH, PAPER = range(3)
"""What an analysis does: our Algorithm 5, that with extended merges, the paper's to the letter."""
OP_FIELDS = 5
"""A logged operation: side, kind, child, parent, class of the edge before it."""


@kernel("Tuple((i4[::1], i4[::1]))(i4[::1], i4[::1], i8)")
def index_links(ends, other, size):  # type: ignore[no-untyped-def]
    """Links grouped by one end: images of word w are `images[start[w]:start[w+1]]`."""
    count = len(ends)
    start = np.zeros(size + 2, np.int32)
    for k in range(count):
        start[ends[k] + 1] += 1
    for w in range(size + 1):
        start[w + 1] += start[w]
    fill = start.copy()
    images = np.empty(count, np.int32)
    for k in range(count):
        images[fill[ends[k]]] = other[k]
        fill[ends[k]] += 1
    return start, images


@kernel("UniTuple(i8, 2)(i8, i8, i4[::1], i4[::1], i4[::1], i4[::1], i4[::1])")
def edge_class(child, parent, start, images, heads, deprels, other_rels):  # type: ignore[no-untyped-def]
    """Class of the edge (child, parent); of a match also whether a matching edge has the same label or only others.

    `heads` are the other side's; a label below 0 is not known.
    """
    c0, c1 = start[child], start[child + 1]
    if c0 == c1:
        return UNALIGNED, NONE
    p0, p1 = start[parent], start[parent + 1]
    match, shared, swap, label = False, False, False, NONE
    for x in range(c0, c1):
        a = images[x]
        for y in range(p0, p1):
            b = images[y]
            if heads[a] == b:
                match = True
                if deprels[child] >= 0 and other_rels[a] >= 0 and label != LABELLED:
                    label = LABELLED if deprels[child] == other_rels[a] else RELABELLED
            if a == b:
                shared = True
            if heads[b] == a:
                swap = True
    if match:
        return MATCH, label
    if shared:
        return MERGE, NONE
    if swap:
        return SWAP, NONE
    return OTHER, NONE


@kernel("void(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i1[::1], i8[::1])")
def classify(heads, start, images, other_heads, deprels, other_rels, classes, counts):  # type: ignore[no-untyped-def]
    """Classes of all edges of one side into `classes` (NONE where a word has no edge), summed into `counts`."""
    for w in range(1, len(heads)):
        if heads[w] <= 0:
            classes[w] = NONE
            continue
        kind, label = edge_class(w, heads[w], start, images, other_heads, deprels, other_rels)
        classes[w] = kind
        counts[kind] += 1
        if label >= 0:
            counts[label] += 1


@kernel("i8(i4[:, ::1], i8, i8, i8, i8, i8, i8)")
def log_operation(ops, n_ops, side, kind, child, parent, before):  # type: ignore[no-untyped-def]
    row = ops[n_ops]
    row[0] = side
    row[1] = kind
    row[2] = child
    row[3] = parent
    row[4] = before
    return n_ops + 1


@kernel("i8(i4[::1], i4[::1], i1[::1], i8, i4[:, ::1], i8)")
def remove_all(heads, start, classes, side, ops, n_ops):  # type: ignore[no-untyped-def]
    """O1 for every spontaneous word: each word that stays is attached to its nearest ancestor that stays."""
    n = len(heads)
    up = heads.copy()
    skip = np.full(n, -3, np.int32)  # of a spontaneous word: its nearest ancestor that stays
    for w in range(1, n):
        h = heads[w]
        while h > 0 and start[h] == start[h + 1] and skip[h] == -3:
            h = heads[h]
        if h > 0 and start[h] == start[h + 1]:
            h = skip[h]
        x = heads[w]
        while x > 0 and start[x] == start[x + 1] and skip[x] == -3:
            skip[x] = h
            x = heads[x]
        up[w] = h
    for w in range(1, n):
        if start[w] == start[w + 1]:
            n_ops = log_operation(ops, n_ops, side, OP_REMOVE, w, heads[w], classes[w])
            heads[w] = GONE
        else:
            heads[w] = up[w]
    return n_ops


@kernel("i4[::1](i4[::1])")
def depths(heads):  # type: ignore[no-untyped-def]
    """Edges between each word and the top of its tree."""
    n = len(heads)
    depth = np.full(n, -1, np.int32)
    for w in range(1, n):
        steps = 0
        x = w
        while x > 0 and depth[x] < 0:
            steps += 1
            x = heads[x]
        base = depth[x] + 1 if x > 0 else 0
        x = w
        while x > 0 and depth[x] < 0:
            steps -= 1
            depth[x] = base + steps
            x = heads[x]
    return depth


@kernel("b1(i8, i8, i4[::1], i4[::1])")
def shares_image(a, b, start, images):  # type: ignore[no-untyped-def]
    for x in range(start[a], start[a + 1]):
        for y in range(start[b], start[b + 1]):
            if images[x] == images[y]:
                return True
    return False


@kernel("void(i8, i8, i4[::1], i4[::1])")
def fold(child, parent, heads, ends):  # type: ignore[no-untyped-def]
    """O2: the child disappears, its children and its links go to the parent."""
    for w in range(1, len(heads)):
        if heads[w] == child:
            heads[w] = parent
    heads[child] = GONE
    for k in range(len(ends)):
        if ends[k] == child:
            ends[k] = parent


@kernel("UniTuple(i8, 2)(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8, i4[:, ::1], i8)")
def merge_side(heads, other_heads, ends, other, deprels, other_rels, side, ops, n_ops):  # type: ignore[no-untyped-def]
    """Merge edges whose two words share an image, deepest first, then by word, until none is left."""
    done = 0
    while True:
        start, images = index_links(ends, other, len(heads) - 1)
        depth = depths(heads)
        best, best_depth = 0, -1
        for w in range(1, len(heads)):
            if heads[w] > 0 and depth[w] > best_depth and shares_image(w, heads[w], start, images):
                best, best_depth = w, depth[w]
        if best == 0:
            return done, n_ops
        parent = heads[best]
        before, _ = edge_class(best, parent, start, images, other_heads, deprels, other_rels)
        n_ops = log_operation(ops, n_ops, side, OP_MERGE, best, parent, before)
        fold(best, parent, heads, ends)
        done += 1


@kernel("i8(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[:, ::1], i8)")
def merge_all(f_heads, e_heads, f_ends, e_ends, f_rels, e_rels, ops, n_ops):  # type: ignore[no-untyped-def]
    """O2 on F, then on E, until neither has an edge to merge."""
    while True:
        _, n_ops = merge_side(f_heads, e_heads, f_ends, e_ends, f_rels, e_rels, 0, ops, n_ops)
        in_e, n_ops = merge_side(e_heads, f_heads, e_ends, f_ends, e_rels, f_rels, 1, ops, n_ops)
        if in_e == 0:
            return n_ops


@kernel("i8(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8, i4[:, ::1], i8)")
def merge_once(heads, other_heads, ends, other, deprels, other_rels, side, ops, n_ops):  # type: ignore[no-untyped-def]
    """Step 2 of Algorithm 5 as printed: one pass over the links; a word that is merged away keeps its other links.

    A deleted link is one of the roots, (0, 0).
    """
    for k in range(len(ends)):
        child = ends[k]
        parent = heads[child] if child > 0 else 0
        if parent <= 0:
            continue
        shared = False
        for x in range(len(ends)):
            if ends[x] == parent and other[x] == other[k]:
                shared = True
        if shared:
            start, images = index_links(ends, other, len(heads) - 1)
            before, _ = edge_class(child, parent, start, images, other_heads, deprels, other_rels)
            n_ops = log_operation(ops, n_ops, side, OP_MERGE, child, parent, before)
            for w in range(1, len(heads)):
                if heads[w] == child:
                    heads[w] = parent
            heads[child] = GONE
            ends[k] = 0
            other[k] = 0
    return n_ops


@kernel("b1(i8, i8, i8, i4[::1], i4[::1])")
def linked_only_to(w, a, b, start, images):  # type: ignore[no-untyped-def]
    for x in range(start[w], start[w + 1]):
        if images[x] != a and images[x] != b:
            return False
    return start[w] < start[w + 1]


@kernel("b1(i8, i8, i8, i8, i4[::1], i4[::1], i4[::1], i4[::1])")
def mends(child, parent, d, q, f_heads, e_heads, start, images):  # type: ignore[no-untyped-def]
    """Whether folding the edges (child, parent) and (d, q) makes an unmatched edge below them match."""
    for x in range(1, len(f_heads)):
        if x == child or (f_heads[x] != child and f_heads[x] != parent):
            continue
        matched, could = False, False
        for k in range(start[x], start[x + 1]):
            y = images[k]
            up = e_heads[y]
            if y != d and (up == d or up == q):
                could = True
            for z in range(start[f_heads[x]], start[f_heads[x] + 1]):
                if images[z] == up:
                    matched = True
        if could and not matched:
            return True
    return False


@kernel("i8(i4[::1], i4[::1], i4[::1], i4[::1], i4[:, ::1], i8)")
def extended_merge(f_heads, e_heads, f_ends, e_ends, ops, n_ops):  # type: ignore[no-untyped-def]
    """Merge an edge on both sides at once (§4.3) where its words are linked as a block and an edge below is mended."""
    while True:
        start, images = index_links(f_ends, e_ends, len(f_heads) - 1)
        back, sources = index_links(e_ends, f_ends, len(e_heads) - 1)
        depth = depths(f_heads)
        best, best_d, best_depth = 0, 0, -1
        for c in range(1, len(f_heads)):
            p = f_heads[c]
            if p <= 0 or depth[c] <= best_depth:
                continue
            for d in range(1, len(e_heads)):
                q = e_heads[d]
                if (
                    q > 0
                    and linked_only_to(c, d, q, start, images)
                    and linked_only_to(p, d, q, start, images)
                    and linked_only_to(d, c, p, back, sources)
                    and linked_only_to(q, c, p, back, sources)
                    and mends(c, p, d, q, f_heads, e_heads, start, images)
                ):
                    best, best_d, best_depth = c, d, depth[c]
                    break
        if best == 0:
            return n_ops
        n_ops = log_operation(ops, n_ops, 0, OP_EXTENDED, best, f_heads[best], OTHER)
        n_ops = log_operation(ops, n_ops, 1, OP_EXTENDED, best_d, e_heads[best_d], OTHER)
        fold(best, f_heads[best], f_heads, f_ends)
        fold(best_d, e_heads[best_d], e_heads, e_ends)


@kernel("i8(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8, i4[:, ::1], i8)")
def swap_side(heads, start, images, other_heads, deprels, other_rels, side, ops, n_ops):  # type: ignore[no-untyped-def]
    """O3 in one pass over the links: the child takes its parent's place where the other side has them reversed."""
    for c in range(1, len(heads)):
        for x in range(start[c], start[c + 1]):
            p = heads[c]
            if p <= 0:
                break
            for y in range(start[p], start[p + 1]):
                if other_heads[images[y]] == images[x]:
                    before, _ = edge_class(c, p, start, images, other_heads, deprels, other_rels)
                    n_ops = log_operation(ops, n_ops, side, OP_SWAP, c, p, before)
                    heads[c] = heads[p]
                    heads[p] = c
                    break
    return n_ops


@kernel("void(i4[::1], i4[:, ::1], i8, i8)")
def store(heads, states, stage, start):  # type: ignore[no-untyped-def]
    for w in range(len(heads)):  # a loop: assigning the slice takes a second to compile
        states[stage, start + w] = heads[w]


@kernel("Tuple((i4[::1], i4[::1]))(i4[::1], i4[::1])")
def distinct(f_ends, e_ends):  # type: ignore[no-untyped-def]
    """The links sorted by (f, e) without repetition."""
    a, b = f_ends.copy(), e_ends.copy()
    for k in range(1, len(a)):  # they were sorted before the merges: few have far to go
        x, y = a[k], b[k]
        j = k - 1
        while j >= 0 and (a[j] > x or (a[j] == x and b[j] > y)):
            a[j + 1], b[j + 1] = a[j], b[j]
            j -= 1
        a[j + 1], b[j + 1] = x, y
    kept = 0
    for k in range(len(a)):
        if kept == 0 or a[k] != a[kept - 1] or b[k] != b[kept - 1]:
            a[kept], b[kept] = a[k], b[k]
            kept += 1
    return a[:kept], b[:kept]


@kernel(
    "Tuple((i8, i4[::1], i4[::1]))(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8, i8[:, :, ::1], i4[:, ::1], i4[:, ::1], i1[:, ::1], i1[:, ::1], i8, i8, i4[:, ::1], i8)"
)
def analyze_pair(  # type: ignore[no-untyped-def]
    f_heads, e_heads, f_ends, e_ends, f_rels, e_rels, variant,
    counts, f_states, e_states, f_classes, e_classes, f0, e0, ops, n_ops
):  # fmt: skip
    """Algorithm 5 with a count after each stage.

    counts[direction, stage, class] grows; direction 0 is E→F (edges of E), 1 is F→E. `*_states[stage]` are the heads and
    `*_classes[stage]` the classes after each stage (after SWAPPED: of the run that alters that side), from `f0`, `e0` on.
    Returns the number of operations logged and the links as they are in the end.
    """
    f, e = f_heads.copy(), e_heads.copy()
    f1, e1 = f0 + len(f), e0 + len(e)
    a, b = f_ends.copy(), e_ends.copy()
    for stage in range(5):
        if stage == REMOVED:
            start, images = index_links(a, b, len(f) - 1)
            back, sources = index_links(b, a, len(e) - 1)
            n_ops = remove_all(f, start, f_classes[INITIAL, f0:f1], 0, ops, n_ops)
            n_ops = remove_all(e, back, e_classes[INITIAL, e0:e1], 1, ops, n_ops)
        elif stage == MERGED and variant == PAPER:
            n_ops = merge_once(f, e, a, b, f_rels, e_rels, 0, ops, n_ops)
            n_ops = merge_once(e, f, b, a, e_rels, f_rels, 1, ops, n_ops)
        elif stage == MERGED:
            n_ops = merge_all(f, e, a, b, f_rels, e_rels, ops, n_ops)
            a, b = distinct(a, b)
        elif stage == EXTENDED and variant == MERGE_BOTH:
            n_ops = extended_merge(f, e, a, b, ops, n_ops)
            a, b = distinct(a, b)
        start, images = index_links(a, b, len(f) - 1)
        back, sources = index_links(b, a, len(e) - 1)
        f_other, e_other = f, e
        if stage == SWAPPED:
            f_other, e_other = f.copy(), e.copy()
            n_ops = swap_side(f, start, images, e_other, f_rels, e_rels, 0, ops, n_ops)
            n_ops = swap_side(e, back, sources, f_other, e_rels, f_rels, 1, ops, n_ops)
        store(f, f_states, stage, f0)
        store(e, e_states, stage, e0)
        classify(e, back, sources, f_other, e_rels, f_rels, e_classes[stage, e0:e1], counts[0, stage])
        classify(f, start, images, e_other, f_rels, e_rels, f_classes[stage, f0:f1], counts[1, stage])
    return n_ops, a, b


@kernel(
    "void(i4[::1], i8[::1], i4[::1], i8[::1], i4[::1], i4[::1], i8[::1], i4[::1], i4[::1], i8, i8[:, :, :, ::1], i4[:, ::1], i4[:, ::1], i1[:, ::1], i1[:, ::1], i4[:, ::1], i8[::1])"
)
def analyze_batch(  # type: ignore[no-untyped-def]
    f_heads, f_at, e_heads, e_at, f_ends, e_ends, link_at, f_rels, e_rels, variant,
    counts, f_states, e_states, f_classes, e_classes, ops, op_at
):  # fmt: skip
    """`analyze_pair` for pairs laid end to end; pair k has words `at[k]:at[k+1]`, the root's place included."""
    n_ops = 0
    for k in range(len(f_at) - 1):
        f0, f1, e0, e1, l0, l1 = f_at[k], f_at[k + 1], e_at[k], e_at[k + 1], link_at[k], link_at[k + 1]
        op_at[k] = n_ops
        n_ops, _, _ = analyze_pair(
            f_heads[f0:f1],
            e_heads[e0:e1],
            f_ends[l0:l1],
            e_ends[l0:l1],
            f_rels[f0:f1],
            e_rels[e0:e1],
            variant,
            counts[k],
            f_states,
            e_states,
            f_classes,
            e_classes,
            f0,
            e0,
            ops,
            n_ops,
        )
    op_at[len(f_at) - 1] = n_ops

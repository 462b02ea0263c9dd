"""One sweep of the bilingual sampler: for every pair propose trees, accept or not, draw an alignment, count."""

from __future__ import annotations

import numpy as np

from divproj.induction.pair_sampler import (
    BOTH,
    CAP,
    GUIDED,
    PAIR,
    add_charts,
    count_alignment,
    fill_rho,
    guide,
    link_sums,
    shares,
    tree_bonus,
)
from divproj.induction.sampler import add_weights, count_tree, inside, log_ratios, sample_tree
from divproj.induction.tree_alignment import TABLES, sample_in_matchings, sample_in_trees, sum_matchings, sum_trees
from divproj.runtime.jit import kernel

CHANCES = 14
"""Uniform numbers a word (and 16 a pair) that suffice for one visit."""
TREE = "UniTuple(i4[::1], 4)"
TABLE_OF_PAIRS = "i8[::1], i4[::1], f8[::1], f8[::1], i8"


@kernel(
    f"f8(i8, i8, {TREE}, {TREE}, i8, i8, i4[::1], i4[::1], f8[:, ::1], f8[::1], f8[::1], {TABLE_OF_PAIRS}, i8, "
    "f8[:, ::1], f8[:, :, ::1], i4[:, ::1])"
)
def weigh(  # type: ignore[no-untyped-def]
    n1, n2, tree1, tree2, base1, base2, yields1, yields2, sums, gz_pair, gz_node,
    keys, values, in_pairs, settings, kinds, matchings, rho, table, scale,
):  # fmt: skip
    """log M(T1, T2): everything about two trees but their CCM probabilities, summed over alignments."""
    alone = fill_rho(
        n1, n2, tree1[0], tree1[1], tree2[0], tree2[1], base1, base2, yields1, yields2, sums, gz_pair, gz_node,
        keys, values, in_pairs, settings, kinds, rho,
    )  # fmt: skip
    if matchings:
        return alone + sum_matchings(tree1[2], tree1[3], tree2[2], tree2[3], rho, table, scale)
    return alone + sum_trees(tree1[2], tree1[3], tree2[2], tree2[3], rho, table, scale)


@kernel(f"{TREE}({TREE}, i8, i8)")
def part(tree, first, last):  # type: ignore[no-untyped-def]
    """The nodes first..last-1 of the arrays start, end, left, right."""
    return tree[0][first:last], tree[1][first:last], tree[2][first:last], tree[3][first:last]


@kernel(f"void({TREE}, {TREE})")
def copy(tree, into):  # type: ignore[no-untyped-def]
    """All four arrays of a tree into those of another."""
    for k in range(4):
        for node in range(len(tree[k])):  # a slice would take numba four seconds to compile
            into[k][node] = tree[k][node]


@kernel(
    "void(i8[::1], UniTuple(i8[::1], 2), UniTuple(i8[::1], 2), UniTuple(i4[::1], 2), UniTuple(i4[::1], 2), "
    f"UniTuple({TREE}, 2), UniTuple(f8[:, ::1], 2), UniTuple(f8[:, ::1], 2), UniTuple(f8[::1], 2), UniTuple(f8[::1], 2), f8, "
    f"i8[::1], i4[:, ::1], f8[::1], UniTuple(f8[::1], 2), i4[::1], {TABLE_OF_PAIRS}, f8[::1], f8[::1], i8, i8, i8, f8[::1], f8[::1])"
)
def pair_sweep(  # type: ignore[no-untyped-def]
    order, ats, grid_ats, yields, contexts, trees, in_yields, in_contexts, totals, priors, empty,
    link_at, links, link_weights, span_weights, mates, keys, values, in_pairs, settings, kinds, pair_scores, node_scores,
    matchings, moves, longest, chance, told,
):  # fmt: skip
    """Visit the pairs in `order`; `told` gathers proposals, acceptances and aligned pairs.

    accept = min(1, M(T*) Q(T) / (M(T) Q(T*))), where Q is what is left of the proposals once the CCM has cancelled.
    """
    side = longest + 1
    ratio = (np.zeros((side, side)), np.zeros((side, side)))
    chart = (np.zeros((side, side)), np.zeros((side, side)))
    bonus, sums = np.zeros((side, side)), np.zeros((side, side))
    guided_ratio, guided_chart = np.zeros((side, side)), np.zeros((side, side))
    nodes = 2 * longest - 1
    rho, table, scale = np.zeros((nodes, nodes)), np.zeros((TABLES, nodes, nodes)), np.zeros((nodes, nodes), np.int32)
    new_rho, new_table, new_scale = (
        np.zeros((nodes, nodes)),
        np.zeros((TABLES, nodes, nodes)),
        np.zeros((nodes, nodes), np.int32),
    )
    room = np.zeros((8, nodes), np.int32)
    gz_pair, gz_node = np.zeros(2 * CAP + 1), np.zeros(CAP + 1)
    for k in order:
        used = CHANCES * (ats[0][k] + ats[1][k]) + 16 * k
        n = (ats[0][k + 1] - ats[0][k], ats[1][k + 1] - ats[1][k])
        base = (grid_ats[0][k], grid_ats[1][k])
        first1, first2 = 2 * ats[0][k] - k, 2 * ats[1][k] - k
        size1, size2 = 2 * n[0] - 1, 2 * n[1] - 1
        tree = (part(trees[0], first1, first1 + size1), part(trees[1], first2, first2 + size2))
        new = (
            (room[0, :size1], room[1, :size1], room[2, :size1], room[3, :size1]),
            (room[4, :size2], room[5, :size2], room[6, :size2], room[7, :size2]),
        )
        mate = mates[first1 : first1 + size1]
        link_sums(n[0], n[1], link_at[k], link_at[k + 1], links, link_weights, sums)
        count_alignment(
            n[0], n[1], base[0], base[1], tree[0][0], tree[0][1], tree[1][0], tree[1][1], yields[0], yields[1], mate, sums,
            keys, values, in_pairs, pair_scores, node_scores, settings, kinds, -1.0,
        )  # fmt: skip
        for s in range(2):
            count_tree(
                n[s],
                base[s],
                yields[s],
                contexts[s],
                tree[s][0],
                tree[s][1],
                in_yields[s],
                in_contexts[s],
                totals[s],
                empty,
                -1.0,
            )
            log_ratios(n[s], base[s], yields[s], contexts[s], in_yields[s], in_contexts[s], totals[s], priors[s], ratio[s])
            add_weights(n[s], base[s], span_weights[s], ratio[s])
            inside(n[s], ratio[s], chart[s])
        shares(pair_scores, gz_pair)
        shares(node_scores, gz_node)
        weight = weigh(
            n[0], n[1], tree[0], tree[1], base[0], base[1], yields[0], yields[1], sums, gz_pair, gz_node,
            keys, values, in_pairs, settings, kinds, matchings, rho, table, scale,
        )  # fmt: skip
        for turn in range(3):  # a tree of the first side, of the second, of both
            if (moves == PAIR and turn < 2) or (moves != PAIR and moves != BOTH and moves != GUIDED and turn == 2):
                continue
            if turn < 2 and n[turn] < 3:
                continue
            if turn == 2 and n[0] < 3 and n[1] < 3:
                continue
            correction = 0.0
            if turn == 2:
                lead = 0
                if moves == GUIDED:
                    lead = int(chance[used] * 2)
                    used += 1
                used = sample_tree(n[lead], chart[lead], chance, used, new[lead][0], new[lead][1], new[lead][2], new[lead][3])
                s = 1 - lead
            else:
                s = turn
                copy(tree[1 - s], new[1 - s])
            o = 1 - s
            if moves == GUIDED:
                for later in range(2 if turn == 2 else 1):  # the way back, then the way there
                    seen = tree[o] if turn == 2 and later == 0 else new[o]
                    guide(
                        s, n[s], n[o], seen[0], seen[1], base[s], base[o], yields[s], yields[o], sums, gz_pair, gz_node,
                        keys, values, in_pairs, settings, kinds, bonus,
                    )  # fmt: skip
                    add_charts(n[s], ratio[s], bonus, guided_ratio)
                    total = inside(n[s], guided_ratio, guided_chart)
                    if later == 0:
                        correction += tree_bonus(n[s], tree[s][0], tree[s][1], bonus) - total
                    if later == 1 or turn < 2:
                        used = sample_tree(n[s], guided_chart, chance, used, new[s][0], new[s][1], new[s][2], new[s][3])
                        correction -= tree_bonus(n[s], new[s][0], new[s][1], bonus) - total
            else:
                used = sample_tree(n[s], chart[s], chance, used, new[s][0], new[s][1], new[s][2], new[s][3])
            new_weight = weigh(
                n[0], n[1], new[0], new[1], base[0], base[1], yields[0], yields[1], sums, gz_pair, gz_node,
                keys, values, in_pairs, settings, kinds, matchings, new_rho, new_table, new_scale,
            )  # fmt: skip
            told[0] += 1
            accepted = np.log(max(chance[used], 1e-300)) < settings[3] * (new_weight - weight) + correction
            used += 1
            if accepted:
                told[1] += 1
                weight = new_weight
                copy(new[0], tree[0])
                copy(new[1], tree[1])
                rho, new_rho = new_rho, rho
                table, new_table = new_table, table
                scale, new_scale = new_scale, scale
        if matchings:
            sample_in_matchings(tree[0][2], tree[0][3], tree[1][2], tree[1][3], rho, table, scale, chance, used, mate)
        else:
            sample_in_trees(tree[0][2], tree[0][3], tree[1][2], tree[1][3], rho, table, scale, chance, used, mate)
        for s in range(2):
            count_tree(
                n[s],
                base[s],
                yields[s],
                contexts[s],
                tree[s][0],
                tree[s][1],
                in_yields[s],
                in_contexts[s],
                totals[s],
                empty,
                1.0,
            )
        count_alignment(
            n[0], n[1], base[0], base[1], tree[0][0], tree[0][1], tree[1][0], tree[1][1], yields[0], yields[1], mate, sums,
            keys, values, in_pairs, pair_scores, node_scores, settings, kinds, 1.0,
        )  # fmt: skip
        for a in range(size1):
            told[2] += mate[a] >= 0

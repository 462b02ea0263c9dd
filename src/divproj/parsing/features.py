"""Hashed features of edges and of adjacent siblings, after MSTParser; kernels that take integers only.

A token is a row of atoms (64-bit hashes): form, prefix, tag. A feature is a sum of atoms times odd numbers, one number a
place, and of its template's number; its place in the table of weights is taken from the high bits of one more product.
`ids` is filled with the places of an edge's features, so that scoring and learning see the same ones.

`ParserInput` is a sentence as the parser sees it, `Batch` has sentences as the kernels take them:
words and tags hashed once, laid end to end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from divproj.core.tree import DepTree
from divproj.runtime.jit import kernel

VERSION = 1
"""Version of the templates; weights of another one are refused."""


A = -7046029254386353131  # odd numbers with well spread bits
B = -4417276706812531889
C = 1609587929392839161
D = 9650029242287828579 - 2**64
E = 2870177450012600261
T = -5435081209227447693
MIX = -49064778989728563


FORM, PREFIX, TAG = 0, 1, 2
STR, END, MID = 101, 103, 107
"""Tags beside the sentence, and between neighbours."""
PER_EDGE = 640
"""Room for the features of one edge: the tags between its ends are the part that grows."""
BETWEEN = 200
"""Tags between two words that are told apart at most."""


@kernel("i8(i8, i8)")
def bucket(h, c):  # type: ignore[no-untyped-def]
    """Direction and distance of an edge, from 1 to 14."""
    d = abs(h - c) - 1
    if d > 9:
        d = 6
    elif d > 4:
        d = 5
    return d + 1 if c > h else d + 8


@kernel("i8(i8[::1], i8, i8, i8, i8)")
def both(ids, k, key, far, mask):  # type: ignore[no-untyped-def]
    """A feature bare, and with direction and distance."""
    ids[k] = (key * MIX >> 31) & mask
    ids[k + 1] = ((key + far) * MIX >> 31) & mask
    return k + 2


@kernel("i8(i8, i8[::1], i8)")
def one_more(tag, between, count):  # type: ignore[no-untyped-def]
    """Add a tag to so many different ones, if it is new and there is room; returns how many there are now."""
    for seen in range(count):
        if between[seen] == tag:
            return count
    if count == BETWEEN:
        return count
    between[count] = tag
    return count + 1


@kernel("i8(i8[:,::1], i8, i8, i8[::1])")
def tags_between(atoms, lo, hi, between):  # type: ignore[no-untyped-def]
    """The different tags strictly between two words; returns how many."""
    count = 0
    for k in range(lo + 1, hi):
        count = one_more(atoms[k, TAG], between, count)
    return count


@kernel("i8(i8[:,::1], i8[:,::1], i4[::1], i8, i8, i8, i8[::1], i8, i8, i8[::1])")
def edge_ids(atoms, more, codes, slots, h, c, between, betweens, mask, ids):  # type: ignore[no-untyped-def]
    """Places of the features of the edge from h to c; returns how many.

    `more` holds further atoms of the tokens (fine tag, gloss, …; 0 where a token has none), `codes` the `slots` small
    numbers of each edge (0 for nothing) that come from outside: projection and alignment.
    """
    n1 = len(atoms)
    far = bucket(h, c) * E
    lo, hi = min(h, c), max(h, c)
    x1, x2 = atoms[h, FORM] * A, atoms[h, TAG] * B
    y1, y2 = atoms[c, FORM] * C, atoms[c, TAG] * D
    k = 0
    k = both(ids, k, T + x1, far, mask)
    k = both(ids, k, 2 * T + x1 + x2, far, mask)
    k = both(ids, k, 3 * T + x1 + x2 + y2, far, mask)
    k = both(ids, k, 4 * T + x1 + x2 + y1 + y2, far, mask)
    k = both(ids, k, 5 * T + x1 + y1, far, mask)
    k = both(ids, k, 6 * T + x1 + y2, far, mask)
    k = both(ids, k, 7 * T + x2 + y1, far, mask)
    k = both(ids, k, 8 * T + x2 + y1 + y2, far, mask)
    k = both(ids, k, 9 * T + x2 + y2, far, mask)
    k = both(ids, k, 10 * T + y1 + y2, far, mask)
    k = both(ids, k, 11 * T + x2, far, mask)
    k = both(ids, k, 12 * T + y1, far, mask)
    k = both(ids, k, 13 * T + y2, far, mask)
    p1, q1 = atoms[h, PREFIX] * A, atoms[c, PREFIX] * C
    if p1 != 0:
        k = both(ids, k, 14 * T + p1 + x2, far, mask)
        k = both(ids, k, 15 * T + p1 + y2, far, mask)
        k = both(ids, k, 16 * T + p1 + x2 + y2, far, mask)
        k = both(ids, k, 17 * T + p1, far, mask)
    if q1 != 0:
        k = both(ids, k, 18 * T + q1 + y2, far, mask)
        k = both(ids, k, 19 * T + q1 + x2, far, mask)
        k = both(ids, k, 20 * T + q1 + x2 + y2, far, mask)
        k = both(ids, k, 21 * T + q1, far, mask)
    if p1 != 0 or q1 != 0:
        p, q = (p1 if p1 != 0 else x1), (q1 if q1 != 0 else y1)
        k = both(ids, k, 22 * T + p + q, far, mask)
        k = both(ids, k, 23 * T + p + x2 + q + y2, far, mask)
    a, b = atoms[lo, TAG], atoms[hi, TAG]
    left = atoms[lo - 1, TAG] if lo > 0 else STR
    right = atoms[hi + 1, TAG] if hi + 1 < n1 else END
    after = atoms[lo + 1, TAG] if lo + 1 < hi else MID
    before = atoms[hi - 1, TAG] if lo + 1 < hi else MID
    aA, bB, lC, rD, fC, eD = a * A, b * B, left * C, right * D, after * C, before * D
    k = both(ids, k, 24 * T + lC + aA + bB, far, mask)
    k = both(ids, k, 25 * T + lC + aA + bB + rD, far, mask)
    k = both(ids, k, 26 * T + lC + bB + rD, far, mask)
    k = both(ids, k, 27 * T + lC + aA + rD, far, mask)
    k = both(ids, k, 28 * T + aA + bB + rD, far, mask)
    k = both(ids, k, 29 * T + aA + fC + eD, far, mask)
    k = both(ids, k, 30 * T + aA + fC + eD + bB, far, mask)
    k = both(ids, k, 31 * T + aA + fC + bB, far, mask)
    k = both(ids, k, 32 * T + aA + eD + bB, far, mask)
    k = both(ids, k, 33 * T + fC + eD + bB, far, mask)
    k = both(ids, k, 34 * T + lC + aA + eD + bB, far, mask)
    k = both(ids, k, 35 * T + aA + fC + bB + rD, far, mask)
    ab = 36 * T + aA + bB
    for j in range(betweens):
        k = both(ids, k, ab + between[j] * C, far, mask)
    for m in range(more.shape[1]):
        mh, mc = more[h, m] * A, more[c, m] * C
        base = (40 + 10 * m) * T
        if mh != 0:
            k = both(ids, k, base + mh, far, mask)
            k = both(ids, k, base + T + mh + y2, far, mask)
            k = both(ids, k, base + 2 * T + mh + y1, far, mask)
        if mc != 0:
            k = both(ids, k, base + 3 * T + mc, far, mask)
            k = both(ids, k, base + 4 * T + mc + x2, far, mask)
            k = both(ids, k, base + 5 * T + mc + x1, far, mask)
        if mh != 0 and mc != 0:
            k = both(ids, k, base + 6 * T + mh + mc, far, mask)
            k = both(ids, k, base + 7 * T + mh + mc + x2 + y2, far, mask)
    if more.shape[1] > 0 and more[lo, 0] != 0 and more[hi, 0] != 0:
        a, b = more[lo, 0] * A, more[hi, 0] * B
        left = (more[lo - 1, 0] if lo > 0 else STR) * C
        right = (more[hi + 1, 0] if hi + 1 < n1 else END) * D
        after = (more[lo + 1, 0] if lo + 1 < hi else MID) * C
        before = (more[hi - 1, 0] if lo + 1 < hi else MID) * D
        k = both(ids, k, 140 * T + left + a + b, far, mask)
        k = both(ids, k, 141 * T + a + b + right, far, mask)
        k = both(ids, k, 142 * T + a + after + b, far, mask)
        k = both(ids, k, 143 * T + a + before + b, far, mask)
        k = both(ids, k, 144 * T + left + a + b + right, far, mask)
        k = both(ids, k, 145 * T + a + after + before + b, far, mask)
    way = (2 if c > h else 1) * E
    at = (h * n1 + c) * slots
    for m in range(slots):
        if codes[at + m] != 0:
            key = (200 + 4 * m) * T + codes[at + m] * MIX
            ids[k] = (key * MIX >> 31) & mask
            ids[k + 1] = ((key + way) * MIX >> 31) & mask
            key += T + x2 + y2
            ids[k + 2] = (key * MIX >> 31) & mask
            ids[k + 3] = ((key + way) * MIX >> 31) & mask
            k += 4
    return k


@kernel("void(f4[::1], i8[:,::1], i8[:,::1], i4[::1], i8, f8[:,::1])")
def edge_scores(weights, atoms, more, codes, slots, scores):  # type: ignore[no-untyped-def]
    """scores[h, c] of every edge."""
    n1 = len(atoms)
    mask = len(weights) - 1
    ids = np.empty(PER_EDGE, np.int64)
    between = np.empty(BETWEEN, np.int64)
    for lo in range(n1):
        betweens = 0
        for hi in range(lo + 1, n1):
            if hi - lo > 1:
                betweens = one_more(atoms[hi - 1, TAG], between, betweens)
            for way in range(2 if lo > 0 else 1):
                h, c = (lo, hi) if way == 0 else (hi, lo)
                total = 0.0
                for k in range(edge_ids(atoms, more, codes, slots, h, c, between, betweens, mask, ids)):
                    total += weights[ids[k]]
                scores[h, c] = total


@kernel("i8(i8[:,::1], i8, i8, i8, i8, i8, i8[::1])")
def sibling_head_ids(atoms, h, s, c, mask, k, ids):  # type: ignore[no-untyped-def]
    """Places of the features of head, sibling and child together, from k on; returns where they end."""
    way = (2 if c > h else 1) * E
    t_h, t_c, w_c = atoms[h, TAG] * A, atoms[c, TAG] * C, atoms[c, FORM] * C
    t_s, w_s = (atoms[s, TAG] * B, atoms[s, FORM] * B) if s != h else (STR * B, STR * B)
    k = both(ids, k, 301 * T + t_h + t_s + t_c, way, mask)
    k = both(ids, k, 308 * T + atoms[h, FORM] * A + t_s + t_c, way, mask)
    k = both(ids, k, 309 * T + t_h + w_s + t_c, way, mask)
    return both(ids, k, 310 * T + t_h + t_s + w_c, way, mask)


@kernel("i8(i8[:,::1], i8, i8, i8, i8, i8, i8[::1])")
def sibling_pair_ids(atoms, h, s, c, mask, k, ids):  # type: ignore[no-untyped-def]
    """Places of the features of two siblings alone: of the head only its side matters, and whether it is s (c is the first)."""
    way = (2 if c > h else 1) * E
    t_c, w_c = atoms[c, TAG] * C, atoms[c, FORM] * C
    t_s, w_s = (atoms[s, TAG] * B, atoms[s, FORM] * B) if s != h else (STR * B, STR * B)
    k = both(ids, k, 302 * T + t_s + t_c, way, mask)
    k = both(ids, k, 303 * T + w_s + w_c, way, mask)
    k = both(ids, k, 304 * T + w_s + t_c, way, mask)
    k = both(ids, k, 305 * T + t_s + w_c, way, mask)
    far = bucket(s, c) * D
    k = both(ids, k, 306 * T + far, way, mask)
    return both(ids, k, 307 * T + t_s + t_c + far, way, mask)


@kernel("i8(i8[:,::1], i8, i8, i8, i8, i8[::1])")
def sibling_ids(atoms, h, s, c, mask, ids):  # type: ignore[no-untyped-def]
    """Places of the features of child c after sibling s (s = h: c is the first) on one side of h; returns how many."""
    return sibling_pair_ids(atoms, h, s, c, mask, sibling_head_ids(atoms, h, s, c, mask, 0, ids), ids)


@kernel("f8(f4[::1], i8, i8, i8)")
def weight_of(weights, key, far, mask):  # type: ignore[no-untyped-def]
    """The weight of a feature bare and with direction and distance: what `both` finds the places of."""
    return np.float64(weights[(key * MIX >> 31) & mask]) + weights[((key + far) * MIX >> 31) & mask]


@kernel("f8(f4[::1], i8[::1], i8)")
def sum_of(weights, ids, count):  # type: ignore[no-untyped-def]
    """The sum of the weights at the first so many places."""
    total = 0.0
    for k in range(count):
        total += weights[ids[k]]
    return total


@kernel("i8(i8[:,::1], i8[::1], i8[::1])")
def tag_numbers(atoms, number, tags):  # type: ignore[no-untyped-def]
    """Number the different tags of a sentence from 0: the number of each token, and the tags; returns how many there are."""
    count = 0
    for k in range(len(atoms)):
        t = 0
        while t < count and tags[t] != atoms[k, TAG]:
            t += 1
        if t == count:
            tags[t] = atoms[k, TAG]
            count += 1
        number[k] = t
    return count


@kernel("void(f4[::1], i8[:,::1], f4[:,:,::1])")
def sibling_scores(weights, atoms, siblings):  # type: ignore[no-untyped-def]
    """siblings[h, s, c] for every child c and inner neighbour s on the same side of h, s = h for none.

    This is where parsing spends its time, so each feature of `sibling_head_ids` is looked up once for all that share it: one
    word and two tags at most. Neighbours s are taken tag by tag; what is not known yet is NaN.
    """
    n1, mask = len(atoms), len(weights) - 1
    ids, number, tags = np.empty(40, np.int64), np.empty(n1, np.int64), np.empty(n1, np.int64)
    count = tag_numbers(atoms, number, tags)
    plain, with_s = np.empty((count, count)), np.empty((count, count))  # [tag of h, tag of c]
    with_h, with_c, pair = np.empty((n1, count)), np.empty((count, n1)), np.empty(n1)
    h_seen, c_seen = np.empty(count, np.bool_), np.empty(count, np.bool_)
    for s in range(n1):
        for c in range(1, n1):
            if s != c:
                siblings[s, s, c] = sum_of(weights, ids, sibling_ids(atoms, s, s, c, mask, ids))
    for side in range(2):
        way = (2 - side) * E
        for t in range(count):
            t_s = tags[t] * B
            plain[:], with_h[:], with_c[:] = np.nan, np.nan, np.nan
            for s in range(2, n1 - 1):
                if number[s] != t:
                    continue
                first, end, c_first, c_end = (1, s, s + 1, n1) if side == 0 else (s + 1, n1, 1, s)
                beyond, w_s = (s - 1 if side == 0 else s + 1), atoms[s, FORM] * B
                h_seen[:], c_seen[:] = False, False
                for c in range(c_first, c_end):
                    c_seen[number[c]] = True
                    pair[c] = sum_of(weights, ids, sibling_pair_ids(atoms, beyond, s, c, mask, 0, ids))
                for h in range(first, end):
                    a, t_h, w_h = number[h], atoms[h, TAG] * A, atoms[h, FORM] * A
                    for b in range(count):
                        if c_seen[b] and np.isnan(with_h[h, b]):
                            with_h[h, b] = weight_of(weights, 308 * T + t_s + tags[b] * C + w_h, way, mask)
                    if not h_seen[a]:
                        h_seen[a] = True
                        for b in range(count):
                            if c_seen[b]:
                                with_s[a, b] = weight_of(weights, 309 * T + w_s + tags[b] * C + t_h, way, mask)
                                if np.isnan(plain[a, b]):
                                    plain[a, b] = weight_of(weights, 301 * T + t_s + tags[b] * C + t_h, way, mask)
                        for c in range(c_first, c_end):
                            if np.isnan(with_c[a, c]):
                                with_c[a, c] = weight_of(weights, 310 * T + t_s + atoms[c, FORM] * C + t_h, way, mask)
                    for c in range(c_first, c_end):
                        b = number[c]
                        siblings[h, s, c] = pair[c] + plain[a, b] + with_h[h, b] + with_s[a, b] + with_c[a, c]


@kernel("i8(i8, i8, i8)")
def grand_way(g, h, c):  # type: ignore[no-untyped-def]
    """How grandparent, head and child stand to each other, as a part of features."""
    return ((2 if c > h else 1) + (2 if h > g else 0) + (4 if (c > g) != (h > g) else 0)) * E


@kernel("i8(i8[:,::1], i8, i8, i8, i8, i8[::1])")
def grandparent_ids(atoms, g, h, c, mask, ids):  # type: ignore[no-untyped-def]
    """Places of the features of child c under h whose own head is g; returns how many."""
    way = grand_way(g, h, c)
    t_g, t_h, t_c = atoms[g, TAG] * A, atoms[h, TAG] * B, atoms[c, TAG] * C
    w_g, w_h, w_c = atoms[g, FORM] * A, atoms[h, FORM] * B, atoms[c, FORM] * C
    k = both(ids, 0, 321 * T + t_g + t_h + t_c, way, mask)
    k = both(ids, k, 322 * T + t_g + t_c, way, mask)
    k = both(ids, k, 323 * T + w_g + w_c, way, mask)
    k = both(ids, k, 324 * T + w_g + t_c, way, mask)
    k = both(ids, k, 325 * T + t_g + w_c, way, mask)
    k = both(ids, k, 326 * T + w_g + t_h + t_c, way, mask)
    k = both(ids, k, 327 * T + t_g + w_h + t_c, way, mask)
    return both(ids, k, 328 * T + t_g + t_h + w_c, way, mask)


@kernel("void(f4[::1], i8[:,::1], f4[:,:,::1])")
def grandparent_scores(weights, atoms, grand):  # type: ignore[no-untyped-def]
    """grand[g, h, c] for every child c of h under g: the features of `grandparent_ids`, summed without a list of places.

    Heads left of both, between them and right of both each stand in one way, and share the features of g and c.
    """
    n1 = len(atoms)
    mask = len(weights) - 1
    for c in range(1, n1):
        t_c, w_c = atoms[c, TAG] * C, atoms[c, FORM] * C
        for g in range(n1):
            if g == c:
                continue
            t_g, w_g = atoms[g, TAG] * A, atoms[g, FORM] * A
            plain, with_h = 321 * T + t_g + t_c, 327 * T + t_g + t_c
            with_g, with_c = 326 * T + w_g + t_c, 328 * T + t_g + w_c
            lo, hi = min(g, c), max(g, c)
            for part in range(3):
                first, end = (1, lo) if part == 0 else (lo + 1, hi) if part == 1 else (hi + 1, n1)
                if first >= end:
                    continue
                way = grand_way(g, first, c)
                pair = weight_of(weights, 322 * T + t_g + t_c, way, mask)
                pair += weight_of(weights, 323 * T + w_g + w_c, way, mask)
                pair += weight_of(weights, 324 * T + w_g + t_c, way, mask)
                pair += weight_of(weights, 325 * T + t_g + w_c, way, mask)
                for h in range(first, end):
                    t_h = atoms[h, TAG] * B
                    total = pair + weight_of(weights, plain + t_h, way, mask)
                    total += weight_of(weights, with_g + t_h, way, mask)
                    total += weight_of(weights, with_h + atoms[h, FORM] * B, way, mask)
                    grand[g, h, c] = total + weight_of(weights, with_c + t_h, way, mask)


Ints = NDArray[np.int64]
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_LONG = 5


@dataclass(frozen=True)
class ParserInput:
    """What a parser may see of a sentence: words, tags, further columns of text, and codes of edges from outside.

    `more` holds columns, each with a text a word ('' for none). `codes[h, c]` are the small numbers (0 for nothing) that a
    projection and its links say of the edge from h to c, one number a slot.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    more: tuple[tuple[str, ...], ...] = ()
    codes: NDArray[np.int32] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, tree: DepTree, tags: str = "auto") -> ParserInput:
        return cls(tree.forms, tree.tags(tags))

    def __len__(self) -> int:
        return len(self.forms)


@lru_cache(maxsize=500_000)
def atom(kind: str, text: str) -> int:
    """A 64-bit number for a text of a kind, the same on every machine."""
    return int.from_bytes(blake2b(f"{kind}\0{text}".encode("utf-8", "replace"), digest_size=8).digest(), "little", signed=True)


def _row(form: str, tag: str) -> tuple[int, int, int]:
    form = "<num>" if _NUMBER.fullmatch(form) else form
    return atom("w", form), atom("p", form[:_LONG]) if len(form) > _LONG else 0, atom("t", tag)


_ROOT = (atom("root", "form"), 0, atom("root", "tag"))


@dataclass(frozen=True)
class Batch:
    """Sentences end to end, each with the root before its words: sentence s has tokens first[s] to first[s + 1]."""

    first: Ints
    atoms: Ints
    more: Ints
    codes: NDArray[np.int32]
    code_at: Ints
    slots: int

    @classmethod
    def of(cls, sentences: Sequence[ParserInput], columns: int = 0, slots: int = 0) -> Batch:
        rows: list[tuple[int, int, int]] = []
        extra: list[tuple[int, ...]] = []
        first = [0]
        none = (0,) * columns
        for sentence in sentences:
            rows.append(_ROOT)
            rows.extend(map(_row, sentence.forms, sentence.tags))
            if columns:
                extra.append(none)
                extra.extend(
                    tuple(atom(f"m{k}", text) if text else 0 for k, text in enumerate(texts))
                    for texts in zip(*sentence.more, strict=True)
                )
            first.append(len(rows))
        sizes = [(len(s) + 1) ** 2 * slots for s in sentences]
        codes = np.zeros(sum(sizes), np.int32)
        code_at = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        if slots:
            for sentence, at, end in zip(sentences, code_at[:-1], code_at[1:], strict=True):
                if sentence.codes is not None:
                    codes[at:end] = sentence.codes.ravel()
        return cls(
            np.array(first, np.int64),
            np.array(rows, np.int64).reshape(-1, 3),
            np.array(extra, np.int64).reshape(len(rows), columns),
            codes,
            code_at,
            slots,
        )

    def __len__(self) -> int:
        return len(self.first) - 1

    def codes_of(self, s: int) -> NDArray[np.int32]:
        return self.codes[self.code_at[s] : self.code_at[s + 1]]

    def flat(self, values: Iterable[Sequence[int]]) -> Ints:
        """Numbers of the words laid out like the tokens, −1 at the roots."""
        return np.array([n for row in values for n in (-1, *row)], np.int64)

    def split(self, values: Ints) -> list[tuple[int, ...]]:
        """Numbers of the tokens back as a tuple a sentence, the roots left out."""
        return [tuple(values[a + 1 : b].tolist()) for a, b in zip(self.first[:-1], self.first[1:], strict=True)]

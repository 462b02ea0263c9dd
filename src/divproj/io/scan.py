"""The array core of reading: CoNLL-U and Pharaoh text as bytes, straight to numbers.

Only sentences without any peculiarity are taken; all others are marked, for the reader that can tell what is wrong.
Strings become codes through an open-addressing table: found by their 64-bit hashes, compared by their bytes.
"""

from __future__ import annotations

import numpy as np

from divproj.runtime.jit import kernel

TAB, LF, SPACE, HASH, DASH, DOT, EQUALS = 9, 10, 32, 35, 45, 46, 61


@kernel("b1(u1[::1], i8, i8, u1[::1], i8, i8)")
def same_bytes(a, a0, a1, b, b0, b1):  # type: ignore[no-untyped-def]
    if a1 - a0 != b1 - b0:
        return False
    for k in range(a1 - a0):
        if a[a0 + k] != b[b0 + k]:
            return False
    return True


@kernel("i8(u1[::1], i8, i8, u8[::1], i4[::1], i8[::1], i8[:, ::1], u1[::1])")
def string_code(text, start, end, keys, codes, size, found, pool):  # type: ignore[no-untyped-def]
    """Code of the bytes; a new string gets the next one and is kept in the pool, at found[code].

    `size` is how many there are, and how much of the pool they take. -1 where there is no room for another.
    """
    value = np.uint64(14695981039346656037)
    for k in range(start, end):
        value = (value ^ np.uint64(text[k])) * np.uint64(1099511628211)
    if value == 0:
        value = np.uint64(1)
    mask = np.uint64(len(keys) - 1)
    slot = value & mask
    while keys[slot] != 0:
        if keys[slot] == value:  # strings of one hash may differ
            code = codes[slot]
            if same_bytes(text, start, end, pool, found[code, 0], found[code, 1]):
                return code
        slot = (slot + np.uint64(1)) & mask
    code, place = size[0], size[1]
    if code >= len(found) or place + end - start > len(pool):
        return -1
    keys[slot] = value
    codes[slot] = code
    for k in range(start, end):
        pool[place + k - start] = text[k]
    found[code, 0] = place
    found[code, 1] = place + end - start
    size[0] += 1
    size[1] = found[code, 1]
    return code


@kernel("b1(i4[::1], i8, i8, i4[::1])")
def is_tree(heads, first, n, mark):  # type: ignore[no-untyped-def]
    """Whether words 1..n with heads from place `first` on make a tree with one root; `mark` is scratch."""
    roots = 0
    for k in range(1, n + 1):
        mark[k] = 0
        if heads[first + k] == 0:
            roots += 1
        if heads[first + k] > n:
            return False
    if roots != 1:
        return False
    for start in range(1, n + 1):
        k = start
        while k > 0 and mark[k] == 0:
            mark[k] = start
            k = heads[first + k]
        if k > 0 and mark[k] == start:
            return False
    return True


@kernel(
    "UniTuple(i8, 2)(u1[::1], u8[::1], i4[::1], i8[::1], i8[:, ::1], u1[::1], i8[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8[:, ::1], b1[::1])"
)
def scan_conllu(text, keys, codes, size, found, pool, at, heads, rels, upos, xpos, spans, good):  # type: ignore[no-untyped-def]
    """Sentences of a text that ends with its last row: how many, and how many places they fill.

    spans[k] = start, end, line (from 0), start and end of the sent_id. A sentence with `good` False fills no place.
    """
    end = len(text)
    mark = np.zeros(end // 18 + 2, np.int32)  # a row has 18 bytes at least, the tabs and one byte a field
    pos, line, n_sentences, n_places = 0, 0, 0, 0
    while pos < end:
        if text[pos] == LF:
            pos += 1
            line += 1
            continue
        spans[n_sentences, 0] = pos
        spans[n_sentences, 2] = line
        spans[n_sentences, 3] = spans[n_sentences, 4] = 0
        first = n_places
        fine, n, reach = True, 0, 0
        heads[first] = -1
        rels[first] = upos[first] = xpos[first] = 0
        while pos < end and text[pos] != LF:
            if text[pos] == HASH:
                fine = fine and n == 0
                start = pos
                while pos < end and text[pos] != LF:
                    fine = fine and text[pos] != 0
                    pos += 1
                a = start + 1
                while a < pos and text[a] <= SPACE:
                    a += 1
                if (
                    a + 7 < pos
                    and text[a] == 115
                    and text[a + 1] == 101
                    and text[a + 2] == 110
                    and text[a + 3] == 116
                    and text[a + 4] == 95
                    and text[a + 5] == 105
                    and text[a + 6] == 100
                    and spans[n_sentences, 4] == 0
                ):
                    plain = a == start + 2 and text[start + 1] == SPACE
                    a += 7
                    while a < pos and text[a] == SPACE:
                        a += 1
                    fine = fine and plain and a < pos and text[a] == EQUALS
                    a += 1
                    while a < pos and text[a] == SPACE:
                        a += 1
                    b = pos
                    while b > a and text[b - 1] == SPACE:
                        b -= 1
                    spans[n_sentences, 3] = a
                    spans[n_sentences, 4] = b
            else:
                low, start = 0, pos
                while pos < end and 48 <= text[pos] <= 57 and pos - start < 7:
                    low = low * 10 + text[pos] - 48
                    pos += 1
                fine = fine and pos > start and (text[start] != 48 or pos == start + 1)
                word = pos < end and text[pos] == TAB
                if word:
                    n += 1
                    fine = fine and low == n
                else:  # a multiword token or an empty node: checked and passed over
                    dash = pos < end and text[pos] == DASH
                    fine = fine and (dash or (pos < end and text[pos] == DOT))
                    if pos < end and text[pos] != LF:
                        pos += 1
                    high, start = 0, pos
                    while pos < end and 48 <= text[pos] <= 57 and pos - start < 7:
                        high = high * 10 + text[pos] - 48
                        pos += 1
                    fine = fine and pos > start and pos < end and text[pos] == TAB
                    if dash:
                        fine = fine and low == n + 1 and high >= low and low > reach
                        reach = high
                    else:
                        fine = fine and low == n
                place = first + n
                column, start, number = 0, pos, 0
                while True:
                    byte = text[pos] if pos < end else LF
                    if byte == TAB or byte == LF:
                        if column > 0:
                            fine = fine and pos > start
                        if word and (column == 3 or column == 4 or column == 7):
                            code = string_code(text, start, pos, keys, codes, size, found, pool)
                            fine = fine and code >= 0
                            if column == 3:
                                upos[place] = code
                            elif column == 4:
                                xpos[place] = code
                            else:
                                rels[place] = code
                        elif word and column == 6:
                            fine = fine and number != n
                            heads[place] = number
                        column += 1
                        number = 0
                        start = pos + 1
                        if byte == LF:
                            break
                    elif word and column == 6:
                        fine = fine and 48 <= byte <= 57 and number < 1000000
                        number = number * 10 + byte - 48
                    elif byte == 0:
                        fine = False
                    pos += 1
                fine = fine and column == 10
                if not fine:  # on to the blank line
                    while pos < end and not (text[pos] == LF and (pos + 1 >= end or text[pos + 1] == LF)):
                        if text[pos] == LF:
                            line += 1
                        pos += 1
            if pos < end:
                pos += 1
            line += 1
        spans[n_sentences, 1] = pos
        good[n_sentences] = fine and n > 0 and reach <= n and is_tree(heads, first, n, mark)
        if good[n_sentences]:
            n_places = first + n + 1
        at[n_sentences + 1] = n_places
        n_sentences += 1
    return n_sentences, n_places


@kernel("i8(u1[::1], i8[::1], i8[::1], i4[:, ::1], b1[::1])")
def scan_links(text, line_at, link_at, ends, good):  # type: ignore[no-untyped-def]
    """Lines of links `i-j`, counted from 0, to rows counted from 1; `line_at` gets where each line starts."""
    pos, n_lines, n_links = 0, 0, 0
    end = len(text)
    while pos < end:
        line_at[n_lines] = pos
        fine = True
        while pos < end and text[pos] != LF:
            if text[pos] == SPACE:
                pos += 1
                continue
            i, j, digits = 0, 0, 0
            while pos < end and 48 <= text[pos] <= 57 and digits < 9:
                i = i * 10 + text[pos] - 48
                digits += 1
                pos += 1
            fine = fine and digits > 0 and pos < end and text[pos] == DASH
            if pos < end and text[pos] != LF:
                pos += 1
            digits = 0
            while pos < end and 48 <= text[pos] <= 57 and digits < 9:
                j = j * 10 + text[pos] - 48
                digits += 1
                pos += 1
            fine = fine and digits > 0 and (pos >= end or text[pos] == SPACE or text[pos] == LF)
            if not fine:
                while pos < end and text[pos] != LF:
                    pos += 1
                break
            ends[n_links, 0] = i + 1
            ends[n_links, 1] = j + 1
            n_links += 1
        if not fine:
            n_links = link_at[n_lines]
        good[n_lines] = fine
        n_lines += 1
        link_at[n_lines] = n_links
        pos += 1
    line_at[n_lines] = end
    return n_lines


@kernel("b1(i4[:, ::1], i8, i8, i8, i8)")
def in_range(ends, start, end, n, m):  # type: ignore[no-untyped-def]
    """Whether links fit sentences of n and m words, and stand sorted with none twice."""
    for k in range(start, end):
        if ends[k, 0] > n or ends[k, 1] > m:
            return False
        if k > start and (ends[k, 0] < ends[k - 1, 0] or (ends[k, 0] == ends[k - 1, 0] and ends[k, 1] <= ends[k - 1, 1])):
            return False
    return True


@kernel(
    "void(i8, b1[::1], u1[::1], i8[:, ::1], b1[::1], i8[::1], i8, u1[::1], i8[:, ::1], b1[::1], i8[::1], i8, i4[:, ::1], i8[::1], b1[::1], i8, b1)"
)
def check_pairs(  # type: ignore[no-untyped-def]
    count,
    plain,
    f_text,
    f_spans,
    f_good,
    f_at,
    f_from,
    e_text,
    e_spans,
    e_good,
    e_at,
    e_from,
    ends,
    link_at,
    l_good,
    l_from,
    ids,
):
    """plain[k]: both sentences, their ids and their links are without peculiarity."""
    for k in range(count):
        f, e, a = f_from + k, e_from + k, l_from + k
        n, m = f_at[f + 1] - f_at[f] - 1, e_at[e + 1] - e_at[e] - 1
        plain[k] = (
            f_good[f]
            and e_good[e]
            and l_good[a]
            and in_range(ends, link_at[a], link_at[a + 1], n, m)
            and (not ids or same_bytes(f_text, f_spans[f, 3], f_spans[f, 4], e_text, e_spans[e, 3], e_spans[e, 4]))
        )

"""Features a second time: templates as readable lines, and places in the table by whole numbers without bounds.

A line of a table is the template's number and its observations; an observation is w (form), p (prefix), t (tag) of h (head),
c (child), s (sibling) or g (grandparent), or a tag beside one of the two ends, read from left to right.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from divproj.parsing.features import MIX, A, B, C, D, E, T

WORD = 1 << 64
ROOT = "<root>"

EDGE = """
1 w_h
2 w_h t_h
3 w_h t_h t_c
4 w_h t_h w_c t_c
5 w_h w_c
6 w_h t_c
7 t_h w_c
8 t_h w_c t_c
9 t_h t_c
10 w_c t_c
11 t_h
12 w_c
13 t_c
"""
LONG_HEAD = """
14 p_h t_h
15 p_h t_c
16 p_h t_h t_c
17 p_h
"""
LONG_CHILD = """
18 p_c t_c
19 p_c t_h
20 p_c t_h t_c
21 p_c
"""
AROUND = """
24 left lo hi
25 left lo hi right
26 left hi right
27 left lo right
28 lo hi right
29 lo after before
30 lo after before hi
31 lo after hi
32 lo before hi
33 after before hi
34 left lo before hi
35 lo after hi right
"""
MORE_HEAD = """
0 m_h
1 m_h t_c
2 m_h w_c
"""
MORE_CHILD = """
3 m_c
4 m_c t_h
5 m_c w_h
"""
MORE_BOTH = """
6 m_h m_c
7 m_h m_c t_h t_c
"""
MORE_AROUND = """
140 left lo hi
141 lo hi right
142 lo after hi
143 lo before hi
144 left lo hi right
145 lo after before hi
"""
SIBLING = """
301 t_h t_s t_c
308 w_h t_s t_c
309 t_h w_s t_c
310 t_h t_s w_c
302 t_s t_c
303 w_s w_c
304 w_s t_c
305 t_s w_c
306 gap
307 t_s t_c gap
"""
GRANDPARENT = """
321 t_g t_h t_c
322 t_g t_c
323 w_g w_c
324 w_g t_c
325 t_g w_c
326 w_g t_h t_c
327 t_g w_h t_c
328 t_g t_h w_c
"""
VOTE = """
401
402 w t
403 t
404 before t
405 t after
406 before t after
407 w
"""
AT_EDGE = {"w_h": A, "p_h": A, "m_h": A, "t_h": B, "w_c": C, "p_c": C, "m_c": C, "t_c": D}
AT_AROUND = {"lo": A, "hi": B, "left": C, "after": C, "right": D, "before": D}
AT_SIBLING = {"t_h": A, "w_h": A, "t_s": B, "w_s": B, "t_c": C, "w_c": C, "gap": D}
AT_GRANDPARENT = {"t_g": A, "w_g": A, "t_h": B, "w_h": B, "t_c": C, "w_c": C}
AT_VOTE = {"w": A, "t": B, "before": C, "after": D}


@dataclass(frozen=True)
class Value:
    """What is observed: how it reads and the number that stands for it."""

    text: str
    number: int


STR, END, MID = Value("STR", 101), Value("END", 103), Value("MID", 107)


def hashed(kind: str, text: str) -> int:
    return int.from_bytes(blake2b(f"{kind}\0{text}".encode(), digest_size=8).digest(), "little")


def place(key: int, mask: int) -> int:
    return (key * MIX % WORD >> 31) & mask


class Twin:
    """The features of a sentence given as forms, tags, further columns and codes[h][c]."""

    def __init__(self, forms, tags, more=(), codes=None, mask=(1 << 22) - 1):
        self.forms = [ROOT, *("<num>" if form.replace(",", "").replace(".", "").isdigit() else form for form in forms)]
        self.tags, self.more, self.codes, self.mask = [ROOT, *tags], [("", *column) for column in more], codes, mask

    def form(self, k):
        return Value(self.forms[k], hashed("w", self.forms[k]) if k else hashed("root", "form"))

    def tag(self, k):
        return Value(self.tags[k], hashed("t", self.tags[k]) if k else hashed("root", "tag"))

    def prefix(self, k):
        """The first five letters of a longer word; None for others."""
        long = k > 0 and len(self.forms[k]) > 5
        return Value(self.forms[k][:5] + "-", hashed("p", self.forms[k][:5])) if long else None

    def column(self, m, k):
        return Value(self.more[m][k], hashed(f"m{m}", self.more[m][k])) if self.more[m][k] else None

    def feature(self, number, names, values, weights, extra="", extra_key=0, name=None):
        key = number * T + sum(values[name].number * weights[name] for name in names) + extra_key
        said = " ".join(f"{name}={values[name].text}" for name in names)
        return " ".join(filter(None, (name or f"{number}:", said, extra))), place(key, self.mask)

    def pairs(self, table, values, weights, extra, extra_key, base=0, kind=""):
        """Each template bare, and with a further observation."""
        for line in table.strip().splitlines():
            number, *names = line.split()
            label = f"{kind}{number}:" if kind else None
            yield self.feature(base + int(number), names, values, weights, name=label)
            yield self.feature(base + int(number), names, values, weights, extra, extra_key, label)

    def edge(self, h, c):
        """(name, place) of every feature of an edge, in order."""
        far = f"& {'R' if c > h else 'L'}{distance(h, c)}", signed_distance(h, c) * E
        lo, hi = min(h, c), max(h, c)
        ends = {"w_h": self.form(h), "t_h": self.tag(h), "w_c": self.form(c), "t_c": self.tag(c)}
        yield from self.pairs(EDGE, ends, AT_EDGE, *far)
        p_h, p_c = self.prefix(h), self.prefix(c)
        if p_h:
            yield from self.pairs(LONG_HEAD, ends | {"p_h": p_h}, AT_EDGE, *far)
        if p_c:
            yield from self.pairs(LONG_CHILD, ends | {"p_c": p_c}, AT_EDGE, *far)
        if p_h or p_c:
            either = ends | {"p_h": p_h or ends["w_h"], "p_c": p_c or ends["w_c"]}
            yield from self.pairs("22 p_h p_c\n23 p_h t_h p_c t_c", either, AT_EDGE, *far)
        around = self.around(lo, hi, self.tag)
        yield from self.pairs(AROUND, around, AT_AROUND, *far)
        for between in dict.fromkeys(self.tags[lo + 1 : hi]):
            values = around | {"between": Value(between, hashed("t", between))}
            yield from self.pairs("36 lo hi between", values, AT_AROUND | {"between": C}, *far)
        yield from self.further(h, c, ends, far)
        yield from self.coded(h, c, ends)

    def around(self, lo, hi, see):
        """What is seen of both ends and of the words beside them."""
        near = hi == lo + 1
        return {
            "lo": see(lo),
            "hi": see(hi),
            "left": see(lo - 1) if lo else STR,
            "right": see(hi + 1) if hi < len(self.forms) - 1 else END,
            "after": MID if near else see(lo + 1),
            "before": MID if near else see(hi - 1),
        }

    def further(self, h, c, ends, far):
        for m in range(len(self.more)):
            m_h, m_c = self.column(m, h), self.column(m, c)
            values = ends | {"m_h": m_h, "m_c": m_c}
            tables = ((MORE_HEAD, m_h), (MORE_CHILD, m_c), (MORE_BOTH, m_h and m_c))
            for table, there in tables:
                if there:
                    yield from self.pairs(table, values, AT_EDGE, *far, base=40 + 10 * m, kind=f"m{m}.")
        if self.more and self.column(0, h) and self.column(0, c):
            around = self.around(min(h, c), max(h, c), lambda k: self.column(0, k) or Value("", 0))
            yield from self.pairs(MORE_AROUND, around, AT_AROUND, *far, kind="m0.")

    def coded(self, h, c, ends):
        """Codes of the edge from outside, bare and with direction, without and with both tags."""
        way = f"& {'R' if c > h else 'L'}", (2 if c > h else 1) * E
        for m, code in enumerate(self.codes[h][c] if self.codes is not None else ()):
            if code:
                for tags in (0, 1):
                    label = f"code{m}={code}:"
                    number, names, own = 200 + 4 * m + tags, ("t_h", "t_c")[: 2 * tags], int(code) * MIX
                    yield self.feature(number, names, ends, AT_EDGE, extra_key=own, name=label)
                    yield self.feature(number, names, ends, AT_EDGE, way[0], own + way[1], label)

    def sibling(self, h, s, c):
        way = f"& {'R' if c > h else 'L'}", (2 if c > h else 1) * E
        values = {
            "t_h": self.tag(h),
            "w_h": self.form(h),
            "t_c": self.tag(c),
            "w_c": self.form(c),
            "t_s": self.tag(s) if s != h else STR,
            "w_s": self.form(s) if s != h else STR,
            "gap": Value(str(distance(s, c)), signed_distance(s, c)),
        }
        yield from self.pairs(SIBLING, values, AT_SIBLING, *way)

    def grandparent(self, g, h, c):
        ways = ("R" if c > h else "L", "R" if h > g else "L", "across" if (c > g) != (h > g) else "along")
        number = 1 + (ways[0] == "R") + 2 * (ways[1] == "R") + 4 * (ways[2] == "across")
        values = {
            f"{kind}_{name}": see(k)
            for kind, see in (("t", self.tag), ("w", self.form))
            for name, k in zip("ghc", (g, h, c), strict=True)
        }
        yield from self.pairs(GRANDPARENT, values, AT_GRANDPARENT, "& " + " ".join(ways), number * E)

    def votes(self, k):
        """Five groups of a token's votes: bare, head of a right and of a left child, right and left child."""
        last = len(self.forms) - 1
        values = {
            "w": self.form(k),
            "t": self.tag(k),
            "before": self.tag(k - 1) if k else STR,
            "after": self.tag(k + 1) if k < last else END,
        }
        for role, said in enumerate(("", "& head R", "& head L", "& child R", "& child L")):
            for line in VOTE.strip().splitlines():
                number, *names = line.split()
                yield self.feature(int(number), names, values, AT_VOTE, said, role * E)


def distance(h, c):
    """Words apart in the buckets 0 to 4, 5 (for 5 to 9) and 10 words between."""
    between = abs(h - c) - 1
    return between if between < 5 else 5 if between < 10 else 10


def signed_distance(h, c):
    """1 to 7 to the right, 8 to 14 to the left."""
    return (1 if c > h else 8) + {10: 6}.get(distance(h, c), distance(h, c))

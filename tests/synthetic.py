"""Pairs made at random: any pair, and pairs whose divergences are known because we made them."""

from __future__ import annotations

import random

from strategies import RELS, TAGS

from divproj import DepTree, Links, Pair
from divproj.core.tree import NO_HEAD


def random_heads(rng: random.Random, n: int) -> list[int]:
    order = rng.sample(range(1, n + 1), n)
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = order[rng.randrange(k)]
    return heads


def random_tree(rng: random.Random, n: int, cut: float = 0.0) -> DepTree:
    """A tree, or with `cut` a forest where that share of words is a root or has no known head."""
    heads = [rng.choice((0, NO_HEAD)) if rng.random() < cut else h for h in random_heads(rng, n)]
    columns = (tuple(rng.choices(names, k=n)) for names in (RELS, TAGS, TAGS))
    return DepTree(tuple(f"w{k}" for k in range(1, n + 1)), tuple(heads), *columns)


def random_pair(rng: random.Random, n: int, m: int, sent_id: str = "", cut: float = 0.1) -> Pair:
    """Any pair: forests too, unknown heads, links many to many or none."""
    sides = (random_tree(rng, size, rng.choice((0.0, cut))) for size in (n, m))
    density = rng.choice((0.0, 0.5, 1.0, 1.5, 3.0)) * max(n, m)
    links = {(rng.randint(1, n), rng.randint(1, m)) for _ in range(int(density))} if n and m else set()
    return Pair(*sides, Links(frozenset(links), (n, m)), sent_id)


def known_pair(rng: random.Random, n: int) -> tuple[Pair, set[tuple[str, str, int, int | None]]]:
    """A tree twice, altered in places that do not touch, and the operations that undo it.

    Words lose their link on both sides (remove); a word of one side is split in two that share its link (merge); a
    dependent takes its head's place in E (swap, seen from both sides). An operation is (side, kind, child, parent).
    """
    heads = {"f": random_heads(rng, n)}
    heads["e"] = list(heads["f"])
    image = [0, *rng.sample(range(1, n + 1), n)]  # the words of E stand in another order
    free = set(range(1, n + 1))
    expected: list[tuple[str, str, int, int | None]] = []
    unlinked: set[int] = set()
    split: list[tuple[int, int]] = []  # (word of E, word of F) links of the words that splitting made
    for word in rng.sample(range(1, n + 1), n):
        if word not in free:
            continue
        kind = rng.choice(("nothing", "remove", "merge", "swap"))
        head = heads["f"][word - 1]
        if kind == "remove":
            free.discard(word)
            unlinked.add(word)
            expected += [("f", "remove", word, None), ("e", "remove", word, None)]
        elif kind == "merge":
            free.discard(word)
            side = rng.choice("fe")
            heads[side].append(word)
            new = len(heads[side])
            for k in range(1, new):  # some of its children depend on the new word
                if heads[side][k - 1] == word and rng.random() < 0.5:
                    heads[side][k - 1] = new
            split.append((word, new) if side == "e" else (new, word))
            expected.append((side, "merge", new, word))
        elif kind == "swap" and 0 < head <= n and {word, head} <= free:
            free -= {word, head}
            e = heads["e"]
            e[word - 1], e[head - 1] = e[head - 1], word
            expected += [("f", "swap", word, head), ("e", "swap", head, word)]
    links = {(word, word) for word in range(1, n + 1) if word not in unlinked} | set(split)
    image += range(n + 1, len(heads["e"]) + 1)
    moved = [0] * len(heads["e"])
    for k, head in enumerate(heads["e"], 1):
        moved[image[k] - 1] = image[head]
    f = DepTree(tuple(f"f{k}" for k in range(1, len(heads["f"]) + 1)), tuple(heads["f"]))
    e = DepTree(tuple(f"e{k}" for k in range(1, len(moved) + 1)), tuple(moved))
    pair = Pair(f, e, Links(frozenset((a, image[b]) for a, b in links), (len(f), len(e))))
    here = {"f": range(len(f) + 1), "e": image}
    return pair, {(side, kind, here[side][c], p if p is None else here[side][p]) for side, kind, c, p in expected}

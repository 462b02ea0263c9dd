"""Edge classes and Algorithms 2-5 a second time: sets, no arrays, nothing clever.

A tree is a set of (child, parent) edges between words, so the root edge is not in it. Links are a set of (left, right)
pairs, where left is the side whose edges are looked at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

CLASSES = ("match", "unaligned", "merge", "swap", "other")
UNKNOWN = ("", "_", "dep")


def edges_of(heads):
    return {(child, head) for child, head in enumerate(heads, 1) if head > 0}


def flipped(links):
    return {(b, a) for a, b in links}


def images(word, links):
    return {b for a, b in links if a == word}


def parent_of(word, tree):
    return next((p for c, p in tree if c == word), None)


def depth(word, tree):
    up = parent_of(word, tree)
    return 0 if up is None else 1 + depth(up, tree)


def edge_class(child, parent, links, other):
    """One of the five, tested in the order of the specification."""
    here, above = images(child, links), images(parent, links)
    if any((a, b) in other for a in here for b in above):
        return "match"
    if not here:
        return "unaligned"
    if here & above:
        return "merge"
    if any((b, a) in other for a in here for b in above):
        return "swap"
    return "other"


def same_label(child, parent, links, other, rels, other_rels):
    """Of a matched edge: True if a partner has its label, False if only other labels, None if labels are not known."""
    partners = [a for a in images(child, links) for b in images(parent, links) if (a, b) in other]
    own = base(rels, child)
    labels = {base(other_rels, a) for a in partners} - {None}
    return None if own is None or not labels else own in labels


def base(rels, word):
    rel = rels[word - 1].split(":")[0] if rels else "_"
    return None if rel in UNKNOWN else rel


def remove(word, tree):
    """Algorithm 2."""
    up = parent_of(word, tree)
    kids = {c for c, p in tree if p == word}
    kept = {(c, p) for c, p in tree if word not in (c, p)}
    return kept if up is None else kept | {(kid, up) for kid in kids}


def merge(child, parent, tree):
    """Algorithm 3."""
    return {(c, parent if p == child else p) for c, p in tree if c != child}


def swap(child, parent, tree):
    """Algorithm 4."""
    up = parent_of(parent, tree)
    kept = {(c, p) for c, p in tree if c not in (child, parent)} | {(parent, child)}
    return kept if up is None else kept | {(child, up)}


@dataclass
class Run:
    """What one pair goes through: counts, edges and operations."""

    counts: dict = field(default_factory=lambda: {"e_to_f": {}, "f_to_e": {}})
    edges: dict = field(default_factory=lambda: {"f": {}, "e": {}})
    log: list = field(default_factory=list)
    links: set = field(default_factory=set)


def run(pair, extended=False, paper=False):
    """Algorithm 5, both directions, with the counts after each stage; with extended merges, or with merges as the paper prints them."""
    found = Run()
    n, m = len(pair.f), len(pair.e)
    f, e, links = edges_of(pair.f.heads), edges_of(pair.e.heads), set(pair.links.links)
    count(found, "initial", pair, f, e, f, e, links)
    f = remove_all("f", n, f, links, found.log)
    e = remove_all("e", m, e, flipped(links), found.log)
    count(found, "remove", pair, f, e, f, e, links)
    while not paper:
        before = len(found.log)
        f, links = merge_all("f", f, e, links, found.log)
        e, back = merge_all("e", e, f, flipped(links), found.log)
        links = flipped(back)
        if len(found.log) == before:
            break
    if paper:
        f, links = merge_once("f", f, e, links, found.log)
        e, back = merge_once("e", e, f, flipped(links), found.log)
        links = flipped(back)
    count(found, "merge", pair, f, e, f, e, links)
    if extended:
        f, e, links = merge_both(f, e, links, found.log)
        count(found, "extended", pair, f, e, f, e, links)
    swapped_f = swap_all("f", f, e, links, found.log)
    swapped_e = swap_all("e", e, f, flipped(links), found.log)
    count(found, "swap", pair, swapped_f, swapped_e, f, e, links)
    found.links = links
    return found


def remove_all(side, size, tree, links, log):
    """Step 1: words without a link go; their edges are logged as they stood before the step, without the parent."""
    given = tree
    for word in range(1, size + 1):
        if not images(word, links):
            log.append((side, "remove", word, None, None if parent_of(word, given) is None else "unaligned"))
            tree = remove(word, tree)
    return tree


def merge_all(side, tree, other, links, log):
    """Step 2: edges whose words share an image, the deepest first, then by word; all links of the child go to the parent."""
    while True:
        sharing = [(c, p) for c, p in tree if images(c, links) & images(p, links)]
        if not sharing:
            return tree, links
        child, parent = min(sharing, key=lambda edge: (-depth(edge[0], tree), edge[0]))
        log.append((side, "merge", child, parent, edge_class(child, parent, links, other)))
        tree = merge(child, parent, tree)
        links = {(parent if a == child else a, b) for a, b in links}


def merge_once(side, tree, other, links, log):
    """Step 2 as printed: one pass over the links of F, in their order; the link of a merged word is deleted, its others stay with it."""
    left = set(links)
    for child, image in sorted(links, key=lambda link: link if side == "f" else link[::-1]):
        parent = parent_of(child, tree)
        if parent is not None and (parent, image) in left:
            log.append((side, "merge", child, parent, edge_class(child, parent, left, other)))
            tree = merge(child, parent, tree)
            left.discard((child, image))
    return tree, left


def merge_both(f, e, links, log):
    """§4.3: an edge on each side whose words are linked with each other alone are folded together, where an edge of F then matches that did not."""
    while True:
        possible = []
        for child, parent in f:
            for d, q in e:
                block = all(images(word, links) and images(word, links) <= {d, q} for word in (child, parent))
                block &= all(
                    images(word, flipped(links)) and images(word, flipped(links)) <= {child, parent} for word in (d, q)
                )
                after_f, after_e = merge(child, parent, f), merge(d, q, e)
                after = {(parent if a == child else a, q if b == d else b) for a, b in links}
                mended = [
                    word
                    for word, up in f
                    if word != child
                    and up in (child, parent)
                    and edge_class(word, up, links, e) != "match"
                    and edge_class(word, parent, after, after_e) == "match"
                ]
                if block and mended:
                    possible.append((-depth(child, f), child, d, parent, q, after_f, after_e, after))
        if not possible:
            return f, e, links
        _, child, d, parent, q, f, e, links = min(possible, key=lambda fold: fold[:3])
        log += [("f", "extended", child, parent, "other"), ("e", "extended", d, q, "other")]


def swap_all(side, tree, other, links, log):
    """Step 3: one pass over the sorted links, altering the left side."""
    for child, image in sorted(links):
        parent = parent_of(child, tree)
        if parent is not None and any((b, image) in other for b in images(parent, links)):
            log.append((side, "swap", child, parent, edge_class(child, parent, links, other)))
            tree = swap(child, parent, tree)
    return tree


def count(found, stage, pair, f, e, f_seen, e_seen, links):
    """`f` and `e` are the trees whose edges are counted, `*_seen` what the other side looks at."""
    found.edges["f"][stage], found.edges["e"][stage] = f, e
    found.counts["f_to_e"][stage] = counted(f, e_seen, links, pair.f.deprels, pair.e.deprels)
    found.counts["e_to_f"][stage] = counted(e, f_seen, flipped(links), pair.e.deprels, pair.f.deprels)


def counted(tree, other, links, rels, other_rels):
    classes = {(c, p): edge_class(c, p, links, other) for c, p in tree}
    sums = Counter(classes.values())
    matches = [edge for edge, name in classes.items() if name == "match"]
    labelled = sum(same_label(c, p, links, other, rels, other_rels) is True for c, p in matches)
    return {"edges": len(tree), **{name: sums[name] for name in CLASSES}, "labelled": labelled}


def relabelled(pair):
    """E edges that match F edges of other relations alone, in the trees as given."""
    f, e, back = edges_of(pair.f.heads), edges_of(pair.e.heads), flipped(pair.links.links)
    return sum(same_label(c, p, back, f, pair.e.deprels, pair.f.deprels) is False for c, p in e)

"""Better links: aligned phrases veto word links that leave them, and propose links between their heads."""

from __future__ import annotations

from divproj.data.links import Links
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal.projector import LONGEST, Chances, PhraseProjector
from divproj.projection.settings import DOUBTED_LINK, TRUSTED_LINK


def refine_links(projector: PhraseProjector, bitext: ProjectionInput) -> Links:
    """The links of a bitext after its phrases were aligned.

    A link is vetoed when it crosses the border of an aligned phrase (neither the head of its F word nor a dependent of it is
    linked to E's head or a dependent of the E word), when it is one of several of its words, so that none loses its last
    link, and when the observed text doubts it. A link is proposed between two unlinked words that head paired phrases: their heads are linked, so are
    dependents of theirs, and the observed text believes in it.
    """
    if not 0 < len(bitext) <= LONGEST or not bitext.links.links:
        return bitext.links
    found = projector.chances(bitext)
    kept = set(bitext.links.links)
    for i, j in sorted(bitext.links.links, key=lambda link: (found.linked.chances.get(link, 0.0), link)):
        several = sum(1 for link in kept if link[0] == i) > 1 or sum(1 for link in kept if link[1] == j) > 1
        if several and found.linked.chances.get((i, j), 0.0) < DOUBTED_LINK and not any(_support(found, i, j)):
            kept.discard((i, j))
    used_f, used_e = {i for i, _ in kept}, {j for _, j in kept}
    for (i, j), chance in sorted(found.linked.chances.items(), key=lambda item: (-item[1], item[0])):
        if chance >= TRUSTED_LINK and i not in used_f and j not in used_e and all(_support(found, i, j)):
            kept.add((i, j))
            used_f.add(i)
            used_e.add(j)
    return Links(frozenset(kept), bitext.links.shape, bitext.links.possible & kept)


def _support(found: Chances, i: int, j: int) -> tuple[bool, bool]:
    """Whether the heads of the two words are linked, and whether dependents of theirs are."""
    given = found.linked.given
    images, e_heads, heads = given.links.forward, given.e_heads, (0, *found.heads)
    up = heads[i]
    above = e_heads[j] in images[up] if up else e_heads[j] == 0
    below = any(e_heads[k] == j for word, head in enumerate(heads) if head == i and word for k in images[word])
    return above, below

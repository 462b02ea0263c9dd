"""Candidate heads of s2+ and the features of each, by name, for three sentences.

The weights in rule files are known by these names: if they change, rules learned before mean something else. When that is intended, write the file
anew with `pytest tests/golden/test_correction_features.py --update-outputs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from divproj import DepTree, Links
from divproj.projection.candidates import Lattice, TagLexicon, names
from divproj.projection.direct import ProjectionInput

FILE = Path(__file__).with_name("correction_features.txt")
READ = ProjectionInput(
    ("Mere", "bhaaii", "ne", "ghar", "mem", "kitaab", "paDhii", "hai", "."),
    DepTree(
        ("My", "brother", "read", "the", "book", "at", "home", "."),
        (2, 3, 0, 5, 3, 3, 6, 3),
        ("poss", "nsubj", "root", "det", "dobj", "prep", "pobj", "punct"),
        (),
        ("PRP$", "NN", "VBD", "DT", "NN", "IN", "NN", "."),
    ),
    Links(frozenset({(1, 1), (2, 2), (4, 7), (5, 6), (6, 4), (6, 5), (7, 3), (8, 3), (9, 8)}), (9, 8)),
    ("1SG.GEN", "brother", "ERG", "house", "in", "book", "read-PFV.F", "be.PRS", ""),
)
"""Glossed, with Penn's tags: a word without a link, a group of two, a word for two."""
BARE = ProjectionInput(
    ("ach", "ja", "der", "alte", "mann", "schläft", "nicht"),
    DepTree(("the", "old", "man", "sleeps"), (3, 3, 4, 0), (), ("DET", "ADJ", "NOUN", "VERB")),
    Links(frozenset({(3, 1), (4, 2), (5, 3), (6, 4)}), (7, 4)),
)
"""Without glosses and relations; the first two words and the last have no link."""
UNLINKED = ProjectionInput(("o", "!"), DepTree((), ()), Links(frozenset(), (2, 0)))
LEXICON = TagLexicon({"ne": "IN", "nicht": "PART"}, {"house": "NN"}, {"ne": "case"})
LATTICES = {
    "read": Lattice(READ, LEXICON),
    "read, word 4 as the root": Lattice(READ, LEXICON, 4),
    "bare": Lattice(BARE, LEXICON),
    "bare, word 7 as the root": Lattice(BARE, LEXICON).with_top(7),
    "unlinked": Lattice(UNLINKED),
}


def lines() -> Iterator[str]:
    for title, lattice in LATTICES.items():
        yield f"# {title}"
        yield f"tags {' '.join(lattice.tags)} | {' '.join(lattice.fine)} | {' '.join(lattice.guesses)}"
        yield f"kinds {''.join(lattice.kinds)} last {lattice.last} root {lattice.old_top}"
        for word in range(1, len(lattice.sentence) + 1):
            form, heads = lattice.sentence.forms[word - 1], lattice.heads(word)
            yield f"{form} as root: {' '.join(names(lattice.root_block(word)))}"
            for head, blocks in zip(heads, lattice.all_blocks(word, heads), strict=True):
                other = lattice.sentence.forms[head - 1] if head else "ROOT"
                known = f"{lattice.relation(word, head)} {lattice.path(word, head)}"
                spelled = [name for block in blocks for name in names(block)] if not lattice.top else []
                yield " ".join((f"{form} on {other}: {known}", *spelled))


def test_names(request: pytest.FixtureRequest):
    if request.config.getoption("--update-outputs"):
        FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    assert list(lines()) == FILE.read_text(encoding="utf-8").splitlines()


def test_blocks_of_one_edge_are_those_of_all():
    for lattice in LATTICES.values():
        for word in range(1, len(lattice.sentence) + 1):
            heads = lattice.heads(word)
            assert [lattice.blocks(word, head) for head in heads] == lattice.all_blocks(word, heads)
            assert len(set(heads)) == len(heads)
            assert word not in heads
            assert 0 in heads

"""The features of one edge by name, with their places in a table of 2^22 weights.

When this changes, `features.VERSION` must change too: weights learned before would be read at the wrong places. Then write the
file anew with `python tests/golden/test_edge_features.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("edge_features.txt")
FORMS = ("Gardeners", "sold", "1,250", "yellow", "roses")
TAGS = ("NOUN", "VERB", "NUM", "ADJ", "NOUN")
STEMS = ("garden", "sell", "", "yellow", "rose")
HEAD, CHILD, SLOTS = 1, 4, 2
BITS = 22


def codes():
    """Two numbers an edge: the second says nothing but of this edge."""
    found = np.ones((len(FORMS) + 1, len(FORMS) + 1, SLOTS), np.int32)
    found[:, :, 1] = 0
    found[HEAD, CHILD, 1] = 3
    return found


def lines():
    from feature_twin import Twin

    from divproj.parsing.features import VERSION

    twin = Twin(FORMS, TAGS, (STEMS,), codes(), (1 << BITS) - 1)
    yield f"# templates {VERSION}: {FORMS[HEAD - 1]} -> {FORMS[CHILD - 1]} in '{' '.join(FORMS)}'"
    for name, place in twin.edge(HEAD, CHILD):
        yield f"{place:>7} {name}"


def test_names_and_places():
    assert list(lines()) == FILE.read_text(encoding="utf-8").splitlines()


def test_the_kernel_has_the_same_places():
    from divproj.parsing import features
    from divproj.parsing.features import Batch, ParserInput

    batch = Batch.of([ParserInput(FORMS, TAGS, (STEMS,), codes())], 1, SLOTS)
    between, ids = np.empty(features.BETWEEN, np.int64), np.empty(features.PER_EDGE, np.int64)
    betweens = features.tags_between.compiled(batch.atoms, HEAD, CHILD, between)
    count = features.edge_ids.compiled(
        batch.atoms, batch.more, batch.codes, SLOTS, HEAD, CHILD, between, betweens, (1 << BITS) - 1, ids
    )
    rows = FILE.read_text(encoding="utf-8").splitlines()[1:]
    assert ids[:count].tolist() == [int(row.split()[0]) for row in rows]


if __name__ == "__main__":
    sys.path.insert(0, str(FILE.parents[1]))
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")

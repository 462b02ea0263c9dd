"""Table 2b of Georgi, Xia & Lewis on the paper's own data."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from shared import need, pairs_of

from divproj import analyze

TABLE = tomllib.loads(Path(__file__).with_name("georgi_table2b.toml").read_text(encoding="utf-8"))
LANGUAGES = [name for name, value in TABLE.items() if isinstance(value, dict)]
STAGES = ("initial", "remove", "merge", "swap")


@pytest.mark.parametrize("language", LANGUAGES)
def test_match_percentages(language):
    row = TABLE[language]
    found = analyze(pairs_of(need(row["data"]))).match_percentages(TABLE["direction"])
    assert found == pytest.approx({stage: row[stage] for stage in STAGES}, abs=row["tolerance"])


def test_sizes_of_the_irish_data():
    """Table 1, and §3.2: every word but one a sentence has an edge."""
    row = TABLE["GLI"]
    found = analyze(pairs_of(need(row["data"])))
    assert (found.sentences, found.words) == (row["instances"], row["words"])
    assert found.stage_counts("f_to_e")[0]["edges"] == row["words"]["f"] - row["instances"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_operations_resolve_what_they_are_for(language):
    """As in Table 2a: no unaligned edge after the removals, none to merge after the merges."""
    found = analyze(pairs_of(need(TABLE[language]["data"])))
    for direction in ("e_to_f", "f_to_e"):
        _, removed, merged, swapped = found.stage_counts(direction)
        assert removed["unaligned"] == merged["unaligned"] == merged["merge"] == swapped["unaligned"] == 0
        assert merged["edges"] == swapped["edges"]

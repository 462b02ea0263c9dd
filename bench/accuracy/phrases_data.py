"""Data of the phrase alignment benchmarks: Edinburgh paraphrases and SMULTRON, as forests with candidates."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import need

from divproj.forest.build import from_tree
from divproj.forest.hypergraph import Forest
from divproj.io.trees import brackets
from divproj.phrases import wordnet
from divproj.phrases.lexicon import Lexicon
from divproj.phrases.reading import Candidates, candidates

Row = dict[str, Any]
Pairs = list[tuple[Forest, Forest]]


@cache
def lexicon() -> Lexicon:
    """Return forms, lemmas and WordNet, without vectors; leave with a message if there is no WordNet, which changes every figure."""
    synonyms = wordnet.find()
    if synonyms is None:
        sys.exit("WordNet is not there, and the kept figures were measured with it; set WNHOME or NLTK_DATA to where it is")
    return Lexicon(wordnet=synonyms)


def edinburgh(data: Path) -> list[Row]:
    with gzip.open(need(data / "paraphrase" / "edinburgh" / "train.jsonl.gz"), "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def part_of(row: Row) -> str:
    """train, dev or test, by a hash of the id: 5, 2 and 3 of ten."""
    tenth = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 10
    return "train" if tenth < 5 else "dev" if tenth < 7 else "test"


def forests(row: Row, binarise: str) -> tuple[Forest, Forest]:
    made = [from_tree(brackets.loads(row[key])[0].trees[0], binarise=binarise) for key in ("stree", "ttree")]
    return lexicon().with_lemmas(made[0], 0), lexicon().with_lemmas(made[1], 1)


def with_candidates(rows: list[Row], binarise: str) -> tuple[Pairs, list[Candidates]]:
    pairs = [forests(row, binarise) for row in rows]
    return pairs, [candidates(s, t, lexicon()) for s, t in pairs]

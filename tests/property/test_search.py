"""Queries: what is written back means the same; nothing but QueryError; the laws of `not`, `and`, `or`."""

from __future__ import annotations

import contextlib
import random

from hypothesis import given
from hypothesis import strategies as st

from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.search import QueryError, find_in, parse

ATOMS = st.sampled_from(
    [
        "upos=NOUN",
        "upos=NOUN|VERB",
        "rel=obj",
        "distance>1",
        "side=left",
        "form~a",
        "form=/w[13]/",
        "children>=2",
        "gloss",
        "id<3",
    ]
)
AXES = st.sampled_from(["head", "child", "ancestor", "descendant", "sibling", "next", "prev"])
QUERIES = st.recursive(
    ATOMS,
    lambda part: st.one_of(
        st.tuples(part, part).map(" & ".join),
        st.tuples(part, part).map(lambda two: f"({two[0]}) | ({two[1]})"),
        part.map(lambda one: f"!({one})"),
        st.tuples(AXES, part).map(lambda two: f"{two[0]}({two[1]})"),
    ),
    max_leaves=6,
)


def sentence_of(seed: int) -> Rows:
    """A random tree, by attaching words in random order."""
    chance = random.Random(seed)
    n = chance.randint(1, 7)
    order = chance.sample(range(1, n + 1), n)
    heads = {word: chance.choice(order[:k]) if k else 0 for k, word in enumerate(order)}
    rows = (
        f"{k}\tw{k}{chance.choice('ab')}\t_\t{chance.choice(['NOUN', 'VERB'])}\t_\t_\t{heads[k]}\t{chance.choice(['obj', 'nsubj'])}\t_\t_"
        for k in range(1, n + 1)
    )
    return conllu.loads("\n".join(rows) + "\n\n")[0]


SENTENCES = st.integers(0, 10**6).map(sentence_of)


@given(QUERIES, SENTENCES)
def test_written_back_it_means_the_same(query: str, sentence: Rows):
    assert find_in(sentence, str(parse(query))) == find_in(sentence, query)


@given(QUERIES, QUERIES, SENTENCES)
def test_laws(one: str, two: str, sentence: Rows):
    every = set(range(1, len(sentence.forms) + 1))
    a, b = set(find_in(sentence, one)), set(find_in(sentence, two))
    assert set(find_in(sentence, f"!({one})")) == every - a
    assert set(find_in(sentence, f"({one}) & ({two})")) == a & b
    assert set(find_in(sentence, f"({one}) | ({two})")) == a | b
    assert set(find_in(sentence, f"!(!({one}) | !({two}))")) == a & b


@given(QUERIES, SENTENCES)
def test_child_is_head_turned_round(query: str, sentence: Rows):
    heads = sentence.usable_tree()[0].heads
    fits = set(find_in(sentence, query))
    assert set(find_in(sentence, f"child({query})")) == {heads[k - 1] for k in fits if heads[k - 1] > 0}
    assert set(find_in(sentence, f"head({query})")) == {k for k, head in enumerate(heads, 1) if head in fits}


@given(st.text(st.sampled_from('upos=NOUN&|!()~"/<>.@ headchild1,\\'), max_size=40) | st.text(max_size=40))
def test_anything_is_a_query_or_a_query_error(text: str):
    with contextlib.suppress(QueryError):
        assert parse(text).condition

"""What holds of induced trees and gold constituents, whatever the sentence."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import trees

from divproj.evaluation.brackets import bracket_spans as scored
from divproj.evaluation.brackets import score_one, upper_bound
from divproj.induction.ccm import CCM
from divproj.induction.reading import TaggedSentence, constituents, kept_words, one_to_one, phrase_tree
from divproj.io.trees import brackets

MODEL = CCM(sweeps=3, random_state=2).fit([list("DNVDN"), list("DNV"), list("PDAN"), list("NVP")])
words = st.lists(st.sampled_from("DNVAP."), min_size=1, max_size=9)


@settings(max_examples=40, deadline=None)
@given(words)
def test_a_tree_has_all_words_and_nests(tags):
    kept = tuple(k for k, tag in enumerate(tags) if tag != ".")
    sentence = TaggedSentence(tuple(f"w{k}" for k in range(len(tags))), tuple(tags), kept)
    (spans,) = MODEL.predict([sentence.tags])
    assert len(spans) == max(len(kept) - 1, 0)
    for (a, b), (c, d) in itertools.combinations(spans, 2):
        assert b <= c or d <= a or (a <= c and d <= b) or (c <= a and b <= d)
    made = phrase_tree(sentence, spans)
    again = brackets.loads(brackets.dumps(made))[0].trees[0]
    assert again.forms == sentence.forms
    assert sorted((n.start, n.end) for n in again.nodes) == sorted((n.start, n.end) for n in made.nodes)
    units = sentence.bounds
    found = {(n.start, n.end) for n in made.nodes if n.children}
    assert len(kept) < 2 or found == {(units[i], units[j]) for i, j in spans}


@settings(max_examples=40, deadline=None)
@given(words, st.integers(0, 50))
def test_mbr_and_viterbi_give_binary_trees(tags, seed):
    model = CCM(sweeps=1, random_state=seed).fit([list("DNV"), tags])
    for decode in ("viterbi", "mbr"):
        model.decode = decode
        (spans,) = model.predict([tags])
        assert len(set(spans)) == len(tags) - 1
        assert len(tags) < 2 or spans[0] == (0, len(tags))


@settings(max_examples=60, deadline=None)
@given(trees())
def test_constituents_nest_and_a_binary_tree_may_have_them_all(tree):
    n = len(kept_words(tree))
    found = constituents(tree)
    for (a, b), (c, d) in itertools.combinations(found, 2):
        assert b <= c or d <= a or (a <= c and d <= b) or (c <= a and b <= d)
    if n > 1:
        bound = upper_bound(found, n)
        assert bound.right == bound.gold == len(scored(found, n))
        assert score_one(found, found, n).f1 == 100


@given(st.dictionaries(st.tuples(st.integers(1, 5), st.integers(1, 5)), st.sampled_from([0.2, 0.5, 1.0]), max_size=12))
def test_links_become_one_to_one_and_none_could_be_added(links):
    found = one_to_one(links, (5, 5))
    rows, columns = {i for i, _ in found}, {j for _, j in found}
    assert len(rows) == len(columns) == len(found)
    assert all(i in rows or j in columns for i, j in links)

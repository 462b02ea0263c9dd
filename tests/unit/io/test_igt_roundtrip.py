"""What goes out comes back: any instance through plain text, CoNLL-U and Xigt, and from one to the other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import ROOT
from strategies import tree_heads

from divproj.core.sentence import Sentence
from divproj.core.tree import NO_HEAD, DepTree
from divproj.io.interlinear import formats, plain, rows, xigt
from divproj.io.interlinear.parts import instance, tag_columns
from divproj.io.trees import conllu

FIXTURES = sorted(path for path in (ROOT / "tests" / "fixtures" / "igt").iterdir() if path.name != "README.md")

_letters = "abñʔ语ǃΩ" + "'.,;:()[]/\\|<>&\"=*#?`´’“”_-~"
_words = st.text(_letters, min_size=1, max_size=6).filter(lambda word: word != "_")
_spaced = st.one_of(_words, _words, _words, st.builds("{} {}".format, _words, _words))
_texts = st.lists(_words, min_size=1, max_size=5).map(" ".join)
_plain_words = st.text("abñʔ语", min_size=1, max_size=6)
_segments = st.lists(_plain_words, min_size=1, max_size=3).flatmap(
    lambda pieces: st.sampled_from("-=~").map(lambda mark: mark.join(pieces))
)
_keys = st.sampled_from(("speaker", "note", "source", "doc-id", "begin"))
_tags = st.sampled_from(("NOUN", "VERB", "n", "v:Any", ""))


@st.composite
def _trees(draw, forms: tuple[str, ...], tags: tuple[str, ...]) -> DepTree | None:
    if not forms or not draw(st.booleans()):
        return None
    heads = [draw(st.sampled_from((head, head, NO_HEAD))) for head in draw(tree_heads(len(forms)))]
    if all(head == NO_HEAD for head in heads):
        return None
    rels = tuple("_" if head == NO_HEAD else draw(st.sampled_from(("nsubj", "obj", "_"))) for head in heads)
    return DepTree(forms, tuple(heads), rels if any(rel != "_" for rel in rels) else (), **tag_columns(tags))


@st.composite
def instances(draw, words=_spaced, glosses=_spaced, max_words: int = 5) -> Sentence:
    """Instances in their one form: lines that fit or not, with all that a source may say."""
    n = draw(st.integers(1, max_words))
    row = lambda values: st.one_of(st.just(()), st.tuples(*[values] * n), st.lists(values, max_size=max_words))  # noqa: E731
    forms = draw(st.tuples(*[words] * n))
    tags = draw(st.one_of(st.just(()), st.tuples(*[_tags] * n)))
    e_words = tuple(draw(st.lists(_words, max_size=4)))
    e_tags = draw(st.tuples(*[_tags] * len(e_words))) if e_words else ()
    links = st.frozensets(st.tuples(st.integers(1, n), st.integers(1, max(1, len(e_words)))), max_size=4)
    translation = draw(st.one_of(st.just(""), _texts))
    others = draw(st.lists(st.tuples(st.sampled_from(("fr", "es", "bi")), _texts), max_size=2, unique_by=lambda pair: pair[0]))
    translations = (("en", translation), *others) if translation and others else ()
    return instance(
        forms,
        draw(row(_segments)),
        draw(row(st.one_of(glosses, st.just("")))),
        tags,
        text=draw(st.one_of(st.just(""), _texts)),
        translation=translation,
        translations=translations,
        sent_id=draw(st.sampled_from(("s1", "12a", "7", "a b", "ü-3"))),
        language=draw(st.sampled_from(("", "deu", "Kurmu"))),
        judgement=draw(st.sampled_from(("", "*", "?", "#", "??"))),
        meta=draw(st.lists(st.tuples(_keys, _texts), max_size=3, unique_by=lambda pair: pair[0])),
        e_words=e_words,
        e_tags=e_tags if any(e_tags) else (),
        links=draw(st.one_of(st.none(), links)) if e_words else None,
        tree=draw(_trees(forms, tags)),
        e_tree=draw(_trees(e_words, e_tags)),
    )


tidy = instances(words=_plain_words, glosses=_segments)


@given(st.lists(instances(), max_size=3))
def test_plain_text_brings_back_any_instance(given_instances):
    text = plain.dumps(given_instances)
    assert (formats.loads(text, "plain", as_written=True) if text else []) == given_instances


@given(st.lists(instances(), max_size=3))
def test_conllu_brings_back_any_instance(given_instances):
    assert rows.loads(rows.dumps(given_instances)) == given_instances


@given(st.lists(tidy, max_size=3))
def test_xigt_brings_back_instances(given_instances):
    assert xigt.loads(xigt.dumps(given_instances)) == given_instances


@given(tidy)
def test_from_xigt_to_conllu_and_plain_text_and_back(given_instance):
    once = rows.loads(rows.dumps(xigt.loads(xigt.dumps([given_instance]))))
    twice = formats.loads(plain.dumps([replace(found, rows=None) for found in once]), "plain", as_written=True)
    assert xigt.loads(xigt.dumps([replace(found, rows=None) for found in twice])) == [given_instance]


@given(instances())
def test_what_conllu_writes_is_conllu(given_instance):
    text = rows.dumps([given_instance])
    (sentence,) = conllu.loads(text)
    assert conllu.dumps(sentence) == text
    assert rows.dumps(rows.loads(text)) == text


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_every_fixture_through_every_format(path):
    found = list(formats.load(path, as_written=True))
    bare = [replace(one, rows=None) for one in found]
    assert [replace(one, rows=None) for one in rows.loads(rows.dumps(bare))] == bare
    assert xigt.loads(xigt.dumps(bare)) == _as_xigt_can(bare)
    assert [_one_tag(one) for one in formats.loads(plain.dumps(bare), "plain", as_written=True)] == [
        _one_tag(one) for one in bare
    ]


def _as_xigt_can(found: list[Sentence]) -> list[Sentence]:
    """Xigt numbers what has no id and knows one tag a word."""
    return [_one_tag(replace(one, sent_id=one.sent_id or f"i{k}")) for k, one in enumerate(found, 1)]


def _one_tag(one: Sentence) -> Sentence:
    return replace(one, tree=one.tree and replace(one.tree, xpos=()) if one.tree and one.tree.upos else one.tree)

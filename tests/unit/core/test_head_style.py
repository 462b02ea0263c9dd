"""Content words as heads, function words as heads."""

from __future__ import annotations

import pytest
from shared import need

from divproj import DepTree, FormatError
from divproj.io.trees import conllu
from divproj.ud.head_style import as_written, content_heads, from_written, function_heads, in_style, sud_names


def tree(text):
    """`word/head/rel` for every word."""
    forms, heads, rels = zip(*(word.split("/") for word in text.split()), strict=True)
    return DepTree(forms, tuple(map(int, heads)), rels)


def written(found):
    return " ".join(f"{w}/{h}/{r}" for w, h, r in zip(found.forms, found.heads, found.deprels, strict=True))


@pytest.mark.parametrize(
    ("ud", "function"),
    [
        ("in/3/case the/3/det house/0/root", "in/0/root the/3/det house/1/comp:case"),
        (
            "that/8/mark he/8/nsubj will/8/aux have/8/aux been/8/cop in/8/case the/8/det house/0/root",
            "that/0/root he/3/nsubj will/1/comp:mark have/3/comp:aux been/4/comp:aux in/5/comp:cop the/8/det house/6/comp:case",
        ),
        ("Is/3/cop Omar/3/nsubj late/0/root ?/3/punct", "Is/0/root Omar/1/nsubj late/1/comp:cop ?/1/punct"),
        ("She/3/nsubj:pass was/3/aux:pass seen/0/root", "She/2/nsubj:pass was/0/root seen/2/comp:aux:pass"),
        (
            "idea/5/nsubj:outer is/5/cop that/5/mark she/5/nsubj left/0/root",
            "idea/2/nsubj:outer is/0/root that/2/comp:cop she/5/nsubj left/3/comp:mark",
        ),
        (
            "in/2/case huts/0/root and/5/cc on/5/case boats/2/conj",
            "in/0/root huts/1/comp:case and/4/cc on/1/conj boats/4/comp:case",
        ),
        ("will/2/aux sing/0/root and/4/cc dance/2/conj", "will/0/root sing/1/comp:aux and/4/cc dance/2/conj"),
        ("Rosa/3/nmod:poss 's/1/case hen/0/root", "Rosa/2/comp:case 's/3/nmod:poss hen/0/root"),
        (
            "because/4/case of/1/fixed the/4/det rain/0/root",
            "because/0/root of/1/fixed the/4/det rain/1/comp:case",
        ),
        ("right/2/advmod in/3/case front/0/root", "right/2/own:advmod in/0/root front/2/comp:case"),
        ("x/3/fixed in/3/case huts/0/root", "x/2/up:fixed in/0/root huts/2/comp:case"),
        ("huts/0/root", "huts/0/root"),
    ],
)
def test_there_and_back(ud, function):
    found = function_heads(tree(ud))
    assert written(found) == function
    assert content_heads(found) == tree(ud)


def test_kinds():
    ud = tree("she/3/nsubj will/3/aux go/0/root to/6/case the/6/det hut/3/obl")
    only = function_heads(ud, ("case",))
    assert written(only) == "she/3/nsubj will/3/aux go/0/root to/3/obl the/6/det hut/4/comp:case"
    more = function_heads(ud, ("case", "det", "aux"))
    assert written(more) == "she/2/nsubj will/0/root go/2/comp:aux to/3/obl the/4/comp:case hut/5/comp:det"
    assert content_heads(only) == content_heads(more) == ud


def test_named_manners():
    ud = tree("she/4/nsubj is/4/cop in/4/case huts/0/root")
    function = function_heads(ud)
    for start in (ud, function):
        assert in_style(start, "as-is") == start
        assert in_style(start, "ud") == ud
        assert in_style(start, "function") == in_style(start, "determiners") == function
        assert written(in_style(start, "adpositions")) == "she/3/nsubj is/3/cop in/0/root huts/3/comp:case"


def test_a_function_word_with_its_own_is_content():
    ud = tree("a/2/case b/3/case c/0/root")
    assert written(function_heads(ud)) == "a/3/case b/1/comp:case c/0/root"
    assert content_heads(function_heads(ud)) == ud


def test_other_fields_stay():
    ud = DepTree(("in", "huts"), (2, 0), ("case", "root"), ("ADP", "NOUN"), ("IN", "NNS"), ("LOC", "hut.PL"))
    turned = function_heads(ud)
    assert (turned.forms, turned.upos, turned.xpos) == (ud.forms, ud.upos, ud.xpos)


def test_empty_tree_and_tree_without_relations():
    assert function_heads(DepTree((), ())) == DepTree((), ())
    assert content_heads(DepTree(("a",), (0,))) == DepTree(("a",), (0,))
    with pytest.raises(FormatError, match=r"no relations.*; give a tree with UD relations"):
        function_heads(DepTree(("a",), (0,)))


def test_refused():
    with pytest.raises(FormatError, match=r"word 2 has the relation 'comp:case'.*already"):
        function_heads(tree("in/0/root huts/1/comp:case"))
    with pytest.raises(FormatError, match="no function words of relation 'punct'; choose among mark, aux"):
        function_heads(tree("a/0/root"), ("punct",))


def test_what_a_parser_may_say():
    """Two complements of one word, marks without a chain: a UD tree all the same."""
    assert written(content_heads(tree("in/0/root huts/1/comp:case nets/1/comp:case"))) == "in/2/case huts/0/root nets/2/dep"
    assert written(content_heads(tree("a/2/own:det b/0/root c/2/up:fixed"))) == "a/2/det b/0/root c/2/fixed"
    assert written(content_heads(tree("a/0/comp:case b/1/obj"))) == "a/0/dep b/1/obj"


@pytest.mark.parametrize("name", ["ewt/en_ewt-ud-dev.conllu", "pud/fr/e.conllu", "pud/zh/f.conllu"])
def test_treebanks(name):
    for sentence in conllu.load(need(name)):
        assert content_heads(function_heads(sentence.tree)) == sentence.tree


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("she/3/nsubj was/3/aux:pass seen/0/root", "subj root comp:aux@pass"),
        ("Is/3/cop Omar/3/nsubj late/0/root ?/3/punct", "root subj comp:pred punct"),
        ("she/2/nsubj wants/0/root to/4/mark go/2/xcomp", "subj root comp:obj@x comp:obj"),
        ("give/0/root me/1/iobj that/1/obj of/5/case Ann/1/obl:arg", "root comp:obl comp:obj comp:obl comp:obj"),
        ("red/2/amod hen/0/root 's/2/nmod:poss up/2/compound:prt", "mod root udep@poss compound:prt"),
        ("because/0/root of/1/fixed the/4/det rain/1/comp:case", "root unk@fixed det comp:obj"),
    ],
)
def test_relations_of_sud(text: str, names: str):
    shown = tree(text) if "comp:" in text else function_heads(tree(text))
    assert " ".join(sud_names(shown)) == names


def test_trees_of_sud_are_not_taken_for_our_own():
    one = tree("she/2/subj sees/0/root it/2/comp:obj")
    assert in_style(one, "as-is") is one
    for style in ("ud", "function"):
        with pytest.raises(FormatError, match="relations of SUD, of which those of UD cannot be made again; use it as it is"):
            in_style(one, style)


def test_what_is_written_can_be_read_back():
    start = tree("she/3/nsubj will/3/aux sing/0/root in/5/case Oslo/3/obl")
    turned = function_heads(start)
    names, misc = as_written(turned, ("_", "A=b", "_", "_", "_"))
    assert misc[:2] == ("UDRel=nsubj", "A=b|UDRel=root")
    assert content_heads(from_written(turned.with_heads(turned.heads, names), misc)) == start
    assert from_written(start, ("_",) * 5) is start

"""TIGER-XML and node links."""

from pathlib import Path

import pytest
import shared

from divproj.core.errors import Faults, FormatError
from divproj.forest import build
from divproj.io.trees import tiger


def sentence(terminals: str, phrases: str, name: str = "s1") -> str:
    """`id:word:pos …` and `id:cat:child/edge,child/edge …`"""
    words = "".join(
        f'<t id="{i}" word="{w}" pos="{p}" lemma="{w.lower()}"/>' for i, w, p in (t.split(":") for t in terminals.split())
    )
    inner = ""
    for phrase in phrases.split():
        i, cat, kids = phrase.split(":")
        pairs = [kid.split("/") for kid in kids.split(",")] if kids else []
        inner += f'<nt id="{i}" cat="{cat}">' + "".join(f'<edge idref="{k}" label="{e}"/>' for k, e in pairs) + "</nt>"
    return f'<s id="{name}"><graph root="x"><terminals>{words}</terminals><nonterminals>{inner}</nonterminals></graph></s>'


def corpus(*sentences: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<corpus id="c">\n<head/><body>\n'
        + "\n".join(sentences)
        + "\n</body></corpus>\n"
    )


PLAIN = sentence("a:Der:ART b:Hund:NN c:bellt:VVFIN d:.:$.", "x:NP:a/NK,b/HD y:S:x/SB,c/HD")


def test_a_sentence_with_a_loose_full_stop() -> None:
    (tree,) = tiger.loads(corpus(PLAIN))
    assert tree.to_nltk().pformat() == "(VROOT (S (NP (ART Der) (NN Hund)) (VVFIN bellt)) ($. .))"
    assert tree.lemmas == ("der", "hund", "bellt", ".")
    forest = build.from_tree(tree).check()
    assert {name: node.span for node in forest.nodes for name in node.ids if name} == {
        "a": (0, 1), "b": (1, 2), "c": (2, 3), "d": (3, 4), "x": (0, 2), "y": (0, 3),
    }  # fmt: skip
    assert {forest.forms[node.head] for node in forest.nodes if "y" in node.ids} == {"bellt"}
    assert not tree.notes


def test_a_comma_goes_to_the_phrase_around_it() -> None:
    text = sentence("a:Er:PPER b:sagt:VVFIN k:,:$, c:sie:PPER d:kommt:VVFIN", "y:S:c/SB,d/HD x:S:a/SB,b/HD,y/OC")
    (tree,) = tiger.loads(corpus(text))
    assert tree.to_nltk().pformat() == "(S (PPER Er) (VVFIN sagt) ($, ,) (S (PPER sie) (VVFIN kommt)))"


def test_a_discontinuous_phrase_keeps_the_part_with_its_head() -> None:
    """Ein Hund kam, der bellt: the relative clause of the noun stands after the verb."""
    text = sentence(
        "a:Ein:ART b:Hund:NN c:kam:VVFIN k:,:$, d:der:PRELS e:bellt:VVFIN",
        "r:S:d/SB,e/HD n:NP:a/NK,b/HD,r/RC s:S:n/SB,c/HD",
    )
    (tree,) = tiger.loads(corpus(text))
    assert tree.to_nltk().pformat(200) == "(S (NP (ART Ein) (NN Hund)) (VVFIN kam) ($, ,) (S (PRELS der) (VVFIN bellt)))"
    assert tree.notes == ("n is discontinuous: r was attached to s",)
    assert build.from_tree(tree).check().is_tree


def test_empty_elements() -> None:
    text = sentence("a:go:VB b:*T*:-NONE-", "e:NP:b/-- x:VP:a/--,e/OBJ")
    assert tiger.loads(corpus(text))[0].forms == ("go",)
    assert tiger.loads(corpus(text), empties=True)[0].forms == ("go", "*T*")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (sentence("", "", "x"), "the sentence has no words"),
        (sentence("a:A:X a:B:X", "x:S:a/HD", "x"), "two words or phrases have the same id"),
        (sentence("a:A:X", "x:S:a/HD,q/NK", "x"), "the phrase x has a child 'q' that is not in the sentence"),
        (sentence("a:A:X", "x:S:a/HD y:S:a/HD", "x"), "a is a child of both x and y, one expected"),
        (sentence("a:A:X", "x:S: y:S:a/HD", "x"), r"the phrase x \(S\) is empty"),
        (sentence("a:A:X b:B:X", "x:S:y/HD y:S:x/HD z:S:a/HD,b/NK", "x"), "the phrase x is a part of itself"),
        ('<s id="x"><graph>', "<s> is not closed"),
        ('<s id="x"><graph></s>', "not well-formed XML at column 20: mismatched tag"),
        (sentence("a:*:-NONE-", "x:S:a/HD", "x"), "no word is left in the tree"),
    ],
)
def test_a_bad_sentence_costs_no_other(bad: str, message: str) -> None:
    text = corpus(PLAIN, bad, PLAIN)
    faults = Faults(strict=False)
    assert len(tiger.loads(text, faults)) == 2
    assert len(faults.noted) == 1
    with pytest.raises(FormatError, match=rf"<text>:5 \(sent_id x\): {message}"):
        tiger.loads(text)
    from io import BytesIO

    kept = list(tiger.read(BytesIO(text.encode()), "", Faults(strict=False), keep_places=True))  # type: ignore[arg-type]
    assert [tree is None for tree in kept] == [False, True, False]


def test_declared_encodings() -> None:
    from io import BytesIO

    text = corpus(PLAIN.replace("Hund", "Bär")).replace("UTF-8", "ISO-8859-1")
    (tree,) = tiger.read(BytesIO(text.encode("latin-1")), "", Faults())  # type: ignore[arg-type]
    assert tree is not None
    assert tree.forms[1] == "Bär"


LINKS = """<treealign><head><treebanks><treebank id="de" filename="de.xml"/><treebank id="en" filename="en.xml"/></treebanks></head>
<alignments>
<align type="good"><node treebank_id="de" node_id="s2_1"/><node treebank_id="en" node_id="s3_1"/></align>
<align type="fuzzy"><node treebank_id="en" node_id="s3_5"/><node treebank_id="de" node_id="s2_4"/></align>
<align type="good"><node treebank_id="de" node_id="s10_1"/><node treebank_id="en" node_id="s3_2"/></align>
<align type="comment"><node treebank_id="de" node_id="s2_1"/><node treebank_id="en" node_id="s3_1"/></align>
</alignments></treealign>"""


def test_node_links(tmp_path: Path) -> None:
    path = tmp_path / "links.xml"
    path.write_text(LINKS)
    links = tiger.load_links(path)
    assert links.treebanks == ("de", "en")
    assert links.files == ("de.xml", "en.xml")
    assert links.links == (("good", "s2_1", "s3_1"), ("fuzzy", "s2_4", "s3_5"), ("good", "s10_1", "s3_2"))
    assert list(links.sentences()) == [("s2", "s3"), ("s10", "s3")]
    assert tiger.best_sentence_pairs(links) == [("s2", "s3")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<treealign>", "links.xml:1: not well-formed XML: no element found"),
        ("<treealign/>", "links.xml: 0 treebanks named, 2 expected"),
        ("<!DOCTYPE x><x/>", "links.xml: the XML has a DOCTYPE or entities, which is refused"),
        (LINKS.replace('"de" node_id="s10_1"', '"fr" node_id="s10_1"'), r"link 3 is between \['en', 'fr'\], one node of each"),
    ],
)
def test_bad_link_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "links.xml"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        tiger.load_links(path)


def test_smultron() -> None:
    raw = shared.need("smultron/raw")
    for language in ("de", "en", "sv"):
        faults = Faults(strict=False)
        trees = [tree for tree in tiger.load(raw / f"smultron_{language}_banana.xml.gz", faults) if tree]
        assert len(trees) > 70
        assert not faults.noted
        assert all(build.from_tree(tree).check().is_tree for tree in trees)

"""Enju XML."""

from pathlib import Path

import pytest
import shared

from divproj.core.errors import Faults, FormatError, ProjError
from divproj.forest import build
from divproj.io.trees import enju

DOG = (
    '<sentence id="s1" parse_status="success"><cons id="c0" cat="S" head="c3" sem_head="c3">'
    '<cons id="c1" cat="NP" head="c2" sem_head="c2"><cons id="c2" cat="NX" head="t0" sem_head="t0">'
    '<tok id="t0" cat="N" pos="NNS" base="dog">Dogs</tok></cons></cons> '
    '<cons id="c3" cat="VP" head="c4" sem_head="c5"><cons id="c4" cat="VX" head="t1" sem_head="t1">'
    '<tok id="t1" cat="V" pos="MD" base="will">will</tok></cons> '
    '<cons id="c5" cat="VP" head="t2" sem_head="t2"><tok id="t2" cat="V" pos="VB" base="bark">bark</tok></cons></cons></cons>.</sentence>'
)


def test_words_lemmas_heads_and_ids() -> None:
    (tree,) = enju.loads(DOG)
    assert (tree.forms, tree.lemmas, tree.tags) == (("Dogs", "will", "bark"), ("dog", "will", "bark"), ("NNS", "MD", "VB"))
    forest = build.from_tree(tree).check()
    assert [(n.span, n.chain, n.ids, n.head, n.sem_head) for n in forest.nodes] == [
        ((0, 1), ("NP", "NX"), ("c1", "c2"), 0, 0),
        ((1, 2), ("VX",), ("c4",), 1, 1),
        ((2, 3), ("VP",), ("c5",), 2, 2),
        ((1, 3), ("VP",), ("c3",), 1, 2),
        ((0, 3), ("S",), ("c0",), 1, 2),
    ]
    assert tree.sent_id == "s1"


def test_many_sentences_with_or_without_a_root_element() -> None:
    for text in (f"{DOG}\n{DOG}\n", f"<?xml version='1.0'?>\n<corpus>{DOG}{DOG}</corpus>"):
        assert [tree.sent_id for tree in enju.loads(text)] == ["s1", "s1"]


def test_fragments_get_a_root() -> None:
    text = (
        '<sentence id="s2"><cons id="a" cat="NP"><tok>Dogs</tok></cons><cons id="b" cat="VP"><tok>bark</tok></cons></sentence>'
    )
    (tree,) = enju.loads(text)
    assert [(node.label, node.start, node.end) for node in tree.nodes] == [("NP", 0, 1), ("VP", 1, 2), ("FRAG", 0, 2)]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ('<sentence id="x" parse_status="fail">Dogs</sentence>', r"<text>:2 \(sent_id x\): no phrase in the sentence \(fail\)"),
        ('<sentence id="x"><cons id="c9" cat="NP"/></sentence>', r"<text>:2 \(sent_id x\): the phrase c9 \(NP\) has no words"),
        ('<sentence id="x"><cons></sentence>', r"<text>:2 \(sent_id x\): not well-formed XML at column 26: mismatched tag"),
        ('<sentence id="x"><cons>', r"<text>:2 \(sent_id x\): <sentence> is not closed"),
        ('<sentence id="x">&lol;</sentence>', r"<text>:2 \(sent_id x\): not well-formed XML at column 18: undefined entity"),
        ('<sentence id="x"/>', r"<text>:2 \(sent_id x\): no phrase in the sentence \(no status given\)"),
    ],
)
def test_a_bad_sentence_costs_no_other(bad: str, message: str) -> None:
    text = f"{DOG}\n{bad}\n{DOG}"
    faults = Faults(strict=False)
    assert len(enju.loads(text, faults)) == 2
    assert len(faults.noted) == 1
    with pytest.raises(FormatError, match=message):
        enju.loads(text)
    from io import BytesIO

    kept = list(enju.read(BytesIO(text.encode()), "", Faults(strict=False), keep_places=True))  # type: ignore[arg-type]
    assert [tree is None for tree in kept] == [False, True, False]


def test_bombs_are_refused() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + DOG.replace("Dogs", "&b;")
    with pytest.raises(ProjError, match="<text>:1: the XML defines entities, which is refused; remove the DOCTYPE"):
        enju.loads(bomb)


@pytest.mark.parametrize("depth", [1000, 10_000])
def test_deep(depth: int) -> None:
    opened = "".join(f'<cons id="c{k}" cat="X"><cons id="d{k}" cat="N"><tok>w{k}</tok></cons>' for k in range(depth))
    text = f'<sentence id="s">{opened}<cons id="z" cat="N"><tok>last</tok></cons>{"</cons>" * depth}</sentence>'
    (tree,) = enju.loads(text)
    assert len(tree) == depth + 1
    assert len(build.from_tree(tree).nodes) == 2 * depth + 1


def test_annotations(tmp_path: Path) -> None:
    path = tmp_path / "s-1.xml"
    path.write_text(DOG.replace('<cons id="c1"', '<cons id="c1" pa1="c4 c5" pa2="-1"'))
    assert enju.load_links(path) == [{"pa1": {"c1": ("c4", "c5")}, "pa2": {"c1": ("-1",)}}]
    assert [tree and tree.where.path for tree in enju.load(path)] == [str(path)]


def test_the_authors_sample() -> None:
    folder = shared.need("paraphrase/enju")
    expected = (folder / "expected-alignment.txt").read_text().splitlines()
    for side, name in ((0, "s-001.xml"), (1, "t-001.xml")):
        (tree,) = enju.load(folder / name)
        assert tree is not None
        forest = build.from_tree(tree).check()
        assert forest.is_tree
        texts = {name: forest.text(k) for k, node in enumerate(forest.nodes) for name in node.ids}
        for line in filter(str.strip, expected):
            name, _, text = line.split("|||")[side].strip().partition(" ")
            if name != "---":
                assert texts[name] == text

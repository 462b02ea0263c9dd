"""The text of a run: sentences of several files in step with their trees and links, ids, bitext."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipelinefiles import conllu, rows, write

from divproj import AlignmentError, DepTree, Faults, Links
from divproj.data.igt import Igt
from divproj.io.trees import as_sentence
from divproj.run import gold as golden
from divproj.run.reading import Item, Text, bitext, instances, items, missing, read_links, read_trees, write_text

ONE = Igt(("miko-na", "dal-ti"), glosses=("dog-NOM", "see-PST"), translation="The dog saw it.", sent_id="a")
TREE = DepTree(("The", "dog"), (2, 0), ("det", "root"), ("DET", "NOUN"))


def test_a_text_comes_back(tmp_path: Path):
    write_text([Item(ONE, as_sentence(TREE, "a"), "0-1"), Item(ONE, None, None)], tmp_path)
    text = Text.read(tmp_path)
    assert len(text) == 2
    assert text.instances[0].glosses == ONE.glosses
    assert text.instances[0].translation == ONE.translation
    trees = read_trees(tmp_path / "e.conllu")
    assert trees[0] is not None
    assert (trees[0].heads, trees[0].upos, trees[1]) == ((2, 0), ("DET", "NOUN"), None)
    links = read_links(tmp_path / "links.txt", text, trees)
    assert [sorted(x.links) for x in links] == [[(1, 2)], []]


def test_a_tree_without_words_is_missing():
    assert as_sentence(None, "a").rows == missing().rows == as_sentence(DepTree((), ()), "b").rows


def test_faults_of_given_trees_are_told(tmp_path: Path):
    (tmp_path / "e.conllu").write_text(conllu([rows("a b", "X X", "2 1", "x x")]), encoding="utf-8")
    faults = Faults(strict=False)
    read_trees(tmp_path / "e.conllu", faults)
    assert "heads make a cycle" in str(faults.noted[0])


def test_ids_are_made_unlike():
    same = [("one", ONE), ("one", ONE), ("two", ONE), ("two", None), ("two", Igt(("x",)))]
    found = [item.igt.sent_id for item in items(same, (), (), Faults())]
    assert found == ["a", "one-a", "two-a", "5"]


def test_other_files_stay_in_step(tmp_path: Path):
    trees, links = tmp_path / "e.conllu", tmp_path / "links.txt"
    trees.write_text(conllu([rows(w, "X", "0", "root") for w in ("a", "b", "c", "d")]).replace("# sent_id", "# id"))
    links.write_text("0-0\n1-1\n2-2\n\n3-3\n")
    faults = Faults(strict=False)
    found = list(items([("t", Igt(("x",))), ("t", None), ("t", Igt(("z",)))], [trees], [links], faults))
    assert [(item.tree.forms if item.tree else None, (item.links or "").strip()) for item in found] == [
        (("a",), "0-0"),
        (("c",), "2-2"),
    ]
    assert "more sentences than the text has; the rest was not used" in str(faults.noted[0])
    with pytest.raises(AlignmentError, match="links for 5 sentences, but the text has more; a line a sentence"):
        list(items([("t", Igt(("x",)))] * 6, (), [links], faults))
    faults = Faults(strict=False)
    list(items([("t", Igt(("x",)))] * 4, (), [links], faults))
    assert f"{links}:5: more lines than the text has sentences" in str(faults.noted[0])


def test_trees_of_other_sentences_are_left_out(tmp_path: Path):
    (tmp_path / "e.conllu").write_text(conllu([rows("a", "X", "0", "root")], start=7))
    faults = Faults(strict=False)
    assert list(items([("t", ONE)], [tmp_path / "e.conllu"], (), faults)) == []
    assert "the text has sent_id a where the trees" in str(faults.noted[0])


def test_bitext(tmp_path: Path):
    (tmp_path / "f.txt").write_bytes("miko-na dal-ti\n\n\xff\ntesu-na\n".encode("latin-1"))
    (tmp_path / "e.txt").write_text("A dog saw it.\nNothing\nBad\nA cat.\n")
    faults = Faults(strict=False)
    found = list(bitext(tmp_path / "f.txt", tmp_path / "e.txt", faults))
    assert [igt and (igt.words, igt.translation) for igt in found] == [
        (("miko-na", "dal-ti"), "A dog saw it."), None, None, (("tesu-na",), "A cat."),
    ]  # fmt: skip
    assert "f.txt:3: the line is not UTF-8 text; save the file as UTF-8" in str(faults.noted[0])
    (tmp_path / "e.txt").write_text("A dog saw it.\n")
    with pytest.raises(AlignmentError, match=r"4 sentences, but e\.txt has 1; the two sides must have one sentence a line"):
        list(bitext(tmp_path / "f.txt", tmp_path / "e.txt", Faults(strict=False)))


def test_both_sides_of_a_bitext_may_be_trees(tmp_path: Path):
    for name in ("f.conllu", "e.conllu"):
        (tmp_path / name).write_text(conllu([rows("a b", "X X", "2 0", "x root")]))
    [igt] = bitext(tmp_path / "f.conllu", tmp_path / "e.conllu", Faults())
    assert igt is not None
    assert (igt.words, igt.translation) == (("a", "b"), "a b")


def test_a_sentence_that_cannot_be_read_keeps_its_place(tmp_path: Path):
    (tmp_path / "f.conllu").write_text("1\ta\n\n" + conllu([rows("b", "X", "0", "root")]))
    assert [igt and igt.words for igt in instances(tmp_path / "f.conllu", "", Faults(strict=False))] == [None, ("b",)]


@pytest.fixture
def text(tmp_path: Path) -> Text:
    write(tmp_path / "t", 4)
    found = [Item(igt) for igt in instances(tmp_path / "t" / "text.txt", "", Faults()) if igt]
    write_text([Item(i.igt.__class__(**{**i.igt.__dict__, "sent_id": f"s{k}"})) for k, i in enumerate(found)], tmp_path)
    return Text.read(tmp_path)


def gold_of(text: Text, n: int, sent_id: str = "", words: str = "") -> object:
    forms = words or " ".join(text.rows[n].forms)
    heads = " ".join(["0", *["1"] * (len(forms.split()) - 1)])
    tree = DepTree(tuple(forms.split()), tuple(map(int, heads.split())))
    return as_sentence(tree, sent_id)


def test_gold_trees_are_found_by_id_or_words(text: Text):
    faults = Faults(strict=False)
    bare = " ".join(text.rows[2].forms).replace("-", "").upper()
    gold = [gold_of(text, 1, "s1"), gold_of(text, 2, "other", bare), gold_of(text, 0, "x", "not there")]
    found = golden.places(text, gold, faults)  # type: ignore[arg-type]
    assert list(found) == [1, 2]
    assert "gold tree of 'not there', which is not in the text; it was left out" in str(faults.noted[0])


def test_gold_trees_that_do_not_fit(text: Text):
    faults = Faults(strict=False)
    gold = [gold_of(text, 1, "s1"), gold_of(text, 1, "s1"), gold_of(text, 0, "s0", "quite other words")]
    assert list(golden.places(text, gold, faults)) == [1]  # type: ignore[arg-type]
    assert "which has one already; the first counts" in str(faults.noted[0])
    assert "the gold tree's words 'quite other words' are not those of the text" in str(faults.noted[1])


def test_holding_out():
    assert golden.split([*range(10)], 0.0, 1) == set()
    assert golden.split([3], 0.5, 1) == set()
    assert len(golden.split([*range(10)], 0.3, 1)) == 3
    assert len(golden.split([1, 2], 0.9, 1)) == 1
    assert len(golden.split([*range(3)], 0.01, 1)) == 1
    assert golden.split([*range(10)], 0.3, 1) == golden.split([*range(10)], 0.3, 1) != golden.split([*range(10)], 0.3, 2)


def test_pairs_are_a_corpus(text: Text, tmp_path: Path):
    found = golden.places(text, [gold_of(text, 1, "s1"), gold_of(text, 2, "s2")], Faults())  # type: ignore[list-item]
    trees = [None, TREE, None, TREE]
    links = [Links(frozenset({(1, 1)}), (len(row.forms), 2)) for row in text.rows]
    made = golden.Pairs.of(found, [1, 2], text, trees, links)
    assert len(made) == 1  # the other has no translation
    made.write(tmp_path / "gold")
    [pair] = golden.read_pairs(tmp_path / "gold")
    assert (pair.sent_id, pair.f.heads[0], pair.e.heads, sorted(pair.links.links)) == ("s1", 0, (2, 0), [(1, 1)])
    assert golden.read_pairs(tmp_path / "nothing") == []

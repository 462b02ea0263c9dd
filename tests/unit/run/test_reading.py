"""The text of a run: sentences of several files in step with their trees and links, ids, bitext."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pipelinefiles import conllu, rows, write

from divproj import AlignmentError, DepTree, Faults, Links, Pair, Where, read
from divproj.core.sentence import Sentence
from divproj.io.corpus import LINES, Corpus
from divproj.io.output import as_sentence, missing
from divproj.run import texts as golden
from divproj.run.texts import read_links, read_text, read_trees, with_own_ids, write_text

ONE = Sentence(("miko-na", "dal-ti"), glosses=("dog-NOM", "see-PST"), translation="The dog saw it.", sent_id="a")
TREE = DepTree(("The", "dog"), (2, 0), ("det", "root"), ("DET", "NOUN"))


def pair_of(igt: Sentence, tree: DepTree | None = None, links: frozenset[tuple[int, int]] | None = None) -> Pair:
    return replace(igt, e_tree=tree, links=links).pair()


def corpus(tmp_path: Path, text: str, faults: Faults, **files: str) -> Corpus:
    """Files of a text, one sentence per line, with those beside it."""
    (tmp_path / "f.txt").write_text(text)
    for name, content in files.items():
        (tmp_path / name.replace("_", ".")).write_text(content)
    beside = [[tmp_path / x] if (tmp_path / x).exists() else [] for x in ("e.conllu", "links.txt")]
    return Corpus(tmp_path / "f.txt", *beside, format=LINES, faults=faults)


def test_a_text_comes_back(tmp_path: Path):
    write_text([pair_of(ONE, TREE, frozenset({(1, 2)})), replace(pair_of(ONE), sent_id="b")], tmp_path, links=True)
    first, second = text = list(read_text(tmp_path))
    assert (first.glosses, first.translation, second.sent_id) == (ONE.glosses, ONE.translation, "b")
    trees = list(read_trees(tmp_path / "e.conllu"))
    assert trees[0] is not None
    assert (trees[0].heads, trees[0].upos, trees[1]) == ((2, 0), ("DET", "NOUN"), None)
    linked = read_links(tmp_path / "links.txt", zip(text, trees, strict=True))
    assert [sorted(x.links) for _, _, x in linked] == [[(1, 2)], []]
    first, second = read_text(tmp_path, tmp_path / "e.conllu", tmp_path / "links.txt")
    assert (first.e.heads, sorted(first.links), len(second.e)) == ((2, 0), [(1, 2)], 0)


def test_a_tree_without_words_is_missing():
    assert as_sentence(None, "a").lines == missing().lines == as_sentence(DepTree((), ()), "b").lines


def test_ids_are_made_unlike():
    same = [replace(pair_of(ONE), where=Where(f"{file}.txt")) for file in ("one", "one", "two")]
    assert [pair.sent_id for pair in with_own_ids([*same, pair_of(Sentence(("x",)))])] == ["a", "one-a", "two-a", "4"]


def test_other_files_stay_in_step(tmp_path: Path):
    trees = conllu([rows(w, "X", "0", "root") for w in ("a", "b", "c", "d")]).replace("# sent_id", "# id")
    faults = Faults(strict=False)
    given = corpus(tmp_path, "x\n\nz\n", faults, e_conllu=trees, links_txt="0-0\n1-1\n0-0\n\n0-0\n")
    found = list(given.pairs(trees=False))
    assert [(pair.e.forms, sorted(pair.links)) for pair in found] == [(("a",), [(1, 1)]), (("c",), [(1, 1)])]
    names = [tmp_path / name for name in ("f.txt", "e.conllu", "links.txt")]
    assert str(faults.noted[0]) == (
        f"different numbers of sentences: {names[0]} has 3, {names[1]} has 4, {names[2]} has 5; "
        "sentences after the shortest have no partner"
    )
    *_, pair = corpus(tmp_path, "x\n" * 6, faults).pairs()
    assert (pair.e.tree, pair.links.known) == (None, False)
    assert f"{names[0]} has 6" in str(faults.noted[-1])


def test_a_text_may_lie_in_several_files(tmp_path: Path):
    for name, words in (("one", "a b"), ("two", "c")):
        (tmp_path / f"{name}.conllu").write_text(conllu([rows(w, "X", "0", "root") for w in words.split()]))
        (tmp_path / f"{name}.e.conllu").write_text(conllu([rows(w.upper(), "X", "0", "root") for w in words.split()]))
    (tmp_path / "one.txt").write_text("0-0\n")
    (tmp_path / "two.txt").write_text("\n0-0\n")
    files = [[tmp_path / f"{name}.{ending}" for name in ("one", "two")] for ending in ("conllu", "e.conllu", "txt")]
    found = list(read(files[0], e=files[1], links=files[2]))
    assert [(pair.f.forms, pair.e.forms, len(pair.links)) for pair in found] == [
        (("a",), ("A",), 1), (("b",), ("B",), 0), (("c",), ("C",), 1),
    ]  # fmt: skip
    assert [Path(pair.where.path).name for pair in found] == ["one.conllu", "one.conllu", "two.conllu"]


def test_trees_of_other_sentences_are_not_used(tmp_path: Path):
    one = rows("a", "X", "0", "root")
    (tmp_path / "f.conllu").write_text(conllu([one, one]))
    (tmp_path / "e.conllu").write_text(conllu([one]) + conllu([one], start=7))
    faults = Faults(strict=False)
    first, second = read(tmp_path / "f.conllu", e=tmp_path / "e.conllu", faults=faults)
    assert (first.e.tree is None, second.e.tree is None) == (False, True)
    assert "F has sent_id" in str(faults.noted[0])


def test_bitext(tmp_path: Path):
    (tmp_path / "f.txt").write_bytes("miko-na dal-ti\n\n\xff\ntesu-na\n".encode("latin-1"))
    (tmp_path / "e.txt").write_text("A dog saw it.\nNothing\nBad\nA cat.\n")
    faults = Faults(strict=False)
    found = list(read(tmp_path / "f.txt", e=tmp_path / "e.txt", faults=faults))
    assert [(pair.f.forms, pair.translation) for pair in found] == [
        (("miko-na", "dal-ti"), "A dog saw it."), (("tesu-na",), "A cat."),
    ]  # fmt: skip
    assert "f.txt:3: the line is not UTF-8 text; save the file as UTF-8" in str(faults.noted[0])
    (tmp_path / "e.txt").write_text("A dog saw it.\n")
    with pytest.raises(
        AlignmentError, match=r"different numbers of sentences: .*f\.txt has 4, .*e\.txt has 1; lines after a missing one"
    ):
        list(read(tmp_path / "f.txt", e=tmp_path / "e.txt"))


def test_both_sides_of_a_bitext_may_be_trees(tmp_path: Path):
    for name in ("f.conllu", "e.conllu"):
        (tmp_path / name).write_text(conllu([rows("a b", "X X", "2 0", "x root")]))
    both = [str(tmp_path / name) for name in ("f.conllu", "e.conllu")]
    [pair] = Corpus(both[0], translations=both[1])
    assert (pair.f.forms, pair.translation, pair.e.tree) == (("a", "b"), "a b", None)


def test_a_sentence_that_cannot_be_read_keeps_its_place(tmp_path: Path):
    (tmp_path / "f.conllu").write_text("1\ta\n\n" + conllu([rows("b", "X", "0", "root")]))
    (tmp_path / "links.txt").write_text("0-7\n\n")
    [pair] = read(tmp_path / "f.conllu", links=tmp_path / "links.txt", faults=Faults(strict=False))
    assert pair.f.forms == ("b",)


@pytest.fixture
def text(tmp_path: Path) -> list[Pair]:
    write(tmp_path / "t", 4)
    found = read(tmp_path / "t" / "text.txt", faults=Faults())
    write_text([replace(pair, sent_id=f"s{k}") for k, pair in enumerate(found)], tmp_path)
    return list(read_text(tmp_path))


def gold_of(text: list[Pair], n: int, sent_id: str = "", words: str = "") -> object:
    forms = words or " ".join(text[n].f.forms)
    heads = " ".join(["0", *["1"] * (len(forms.split()) - 1)])
    tree = DepTree(tuple(forms.split()), tuple(map(int, heads.split())))
    return as_sentence(tree, sent_id)


def test_gold_trees_are_found_by_id_or_words(text: list[Pair]):
    faults = Faults(strict=False)
    bare = " ".join(text[2].f.forms).replace("-", "").upper()
    gold = [gold_of(text, 1, "s1"), gold_of(text, 2, "other", bare), gold_of(text, 0, "x", "not there")]
    found = golden.places(text, gold, faults)  # type: ignore[arg-type]
    assert list(found) == [1, 2]
    assert "gold tree of 'not there', which is not in the text; it was left out" in str(faults.noted[0])


def test_gold_trees_that_do_not_fit(text: list[Pair]):
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


def test_pairs_are_a_corpus(text: list[Pair], tmp_path: Path):
    found = golden.places(text, [gold_of(text, 1, "s1"), gold_of(text, 2, "s2")], Faults())  # type: ignore[list-item]
    trees = [None, TREE, None, TREE]
    links = [Links(frozenset({(1, 1)}), (len(pair.f), 2)) for pair in text]
    made = golden.GoldPairs.of(found, [1, 2], zip(text, trees, links, strict=True))
    assert len(made) == 1  # the other has no translation
    made.write(tmp_path / "gold")
    [pair] = golden.read_pairs(tmp_path / "gold")
    assert (pair.sent_id, pair.f.heads[0], pair.e.heads, sorted(pair.links.links)) == ("s1", 0, (2, 0), [(1, 1)])
    assert golden.read_pairs(tmp_path / "nothing") == []

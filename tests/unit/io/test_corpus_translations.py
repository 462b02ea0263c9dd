"""Trees of translations beside a text: which sentence each belongs to."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from corpusfiles import block, write

from divproj import AlignmentError, Faults, ProjError
from divproj.io.corpus import Corpus, read
from divproj.runtime.resources import folder

TEXT = "# sent_id = a1\nmiko dalti\ndog see\n‘The dog sees.’\n"
TREE = "1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n3\tsees\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize("sent_id", ["a1", "story.a1", "e-17"])
def test_a_tree_with_the_same_id_or_the_words_of_the_translation(tmp_path: Path, sent_id: str):
    [pair] = _pairs(tmp_path, f"# sent_id = {sent_id}\n{TREE}", Faults())
    assert pair.e.heads == (2, 3, 0)


def test_a_tree_of_another_sentence(tmp_path: Path):
    """Where ids are shared, one that differs is of another sentence; its tree is not used."""
    faults = Faults(strict=False)
    text = f"{TEXT}\n# sent_id = a2\ndalti miko\nsee dog\n‘See the dog.’\n"
    _, pair = _pairs(tmp_path, f"# sent_id = a1\n{TREE}# sent_id = e-17\n{TREE.replace('sees', 'barks')}", faults, text)
    assert pair.e.heads == (-1,) * 4  # words alone
    [fault] = faults.noted
    assert str(fault) == (
        f"{tmp_path / 'text.txt'}:7 (sent_id a2): F has sent_id a2 where E ({tmp_path / 'e.conllu'}:6) has e-17, "
        "the same expected; put the sentences in one order, or `ignore_ids` to pair them by order"
    )


def _pairs(folder: Path, trees: str, faults: Faults, text: str = TEXT):
    (folder / "text.txt").write_text(text, encoding="utf-8")
    (folder / "e.conllu").write_text(trees, encoding="utf-8")
    return list(Corpus(folder / "text.txt", folder / "e.conllu", faults=faults).pairs(trees=False))


ROW = "1\tmiko\t_\tNOUN\tn\t_\t{head}\t{rel}\t_\tGloss=dog\n2\tdalti\t_\tVERB\tv\t_\t{top}\t{root}\t_\tGloss=see\n\n"


@pytest.mark.parametrize(
    ("row", "tags", "labels"),
    [
        (ROW.format(head="_", rel="_", top="_", root="_"), ("NOUN", "VERB"), ("n", "v")),
        (ROW.format(head=2, rel="nsubj", top=0, root="root"), (), ()),
    ],
    ids=["user", "treebank"],
)
def test_tags_without_a_tree_are_the_users(tmp_path: Path, row: str, tags: tuple[str, ...], labels: tuple[str, ...]):
    (tmp_path / "text.conllu").write_text(f"# sent_id = 1\n# text_en = The dog sees.\n{row}", encoding="utf-8")
    [pair] = Corpus(tmp_path / "text.conllu").pairs(trees=False)
    assert (pair.f.upos, pair.f.xpos) == (tags, labels)


DEU = folder("corpora") / "deu-eng"


def test_a_text_in_memory_has_trees_and_links_from_files():
    with (DEU / "f.conllu").open("rb") as stream:
        found = list(read(stream, e=DEU / "e.conllu", links=DEU / "align.txt"))
    expected = list(read("deu-eng"))
    assert [(pair.f.heads, pair.e, pair.links) for pair in found] == [(pair.f.heads, pair.e, pair.links) for pair in expected]
    packed = io.BytesIO(gzip.compress((DEU / "igt.txt").read_bytes()))
    assert [pair.f.forms for pair in read(packed)] == [pair.f.forms for pair in read(DEU / "igt.txt")]


def test_a_text_in_memory_that_does_not_fit(tmp_path: Path):
    text = "Hunde bellen\ndog.PL bark\n'Dogs bark.'\n"
    faults = Faults(strict=False)
    [pair] = read(text, e=DEU / "e.conllu", faults=faults)
    assert str(faults.noted[0]) == (
        f"different numbers of sentences: <text> has 1, {DEU / 'e.conllu'} has 66; sentences after the shortest have no partner"
    )
    with pytest.raises(AlignmentError, match="different numbers of sentences"):
        list(read(text, e=DEU / "e.conllu", faults=Faults()))
    with pytest.raises(ProjError, match=r"e\.txt: is no CoNLL-U, which goes with a text in memory; give the text as a file"):
        list(read(text, e=tmp_path / "e.txt"))
    (tmp_path / "links.txt").write_text("0-9\n", encoding="utf-8")
    faults = Faults(strict=False)
    [pair] = read(text, links=tmp_path / "links.txt", faults=faults)
    assert not pair.links
    assert "links.txt:1" in str(faults.noted[0])
    with pytest.raises(TypeError, match="`source` is 3, a file, a folder, a name, an open file or text expected"):
        list(read(3))


def test_ids_that_never_coincide_pair_by_order(tmp_path: Path):
    """The same folder for every command: a treebank of each side that numbers its sentences in its own way."""
    f, e = ("".join(block((2, 0), f"{side}-{k}") for k in range(3)) for side in "fe")
    folder = write(tmp_path / "corpus", f, e, "0-0 1-1\n" * 3)
    faults = Faults(strict=False)
    pairs = list(read(folder, faults=faults))
    assert [pair.e.heads for pair in pairs] == [(2, 0)] * 3
    [fault] = faults.noted
    assert str(fault) == (
        f"{folder}/f.conllu:1 (sent_id f-0): F has sent_id f-0 where E ({folder}/e.conllu:1) has e-0, the same expected; "
        "put the sentences in one order, or `ignore_ids` to pair them by order"
    )
    assert faults.sentences == 0

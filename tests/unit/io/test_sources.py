"""Trees of translations beside a text: which sentence each belongs to."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from divproj import AlignmentError, Faults, ProjError
from divproj.io.sources import Sources, pairs_from, read
from divproj.runtime.resources import folder

TEXT = "# sent_id = a1\nmiko dalti\ndog see\n‘The dog sees.’\n"
TREE = "1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n3\tsees\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize("sent_id", ["a1", "story.a1", "e-17"])
def test_a_tree_with_the_same_id_or_the_words_of_the_translation(tmp_path: Path, sent_id: str):
    [pair] = _pairs(tmp_path, f"# sent_id = {sent_id}\n{TREE}", Faults())
    assert pair.e.heads == (2, 3, 0)


def test_a_tree_of_another_sentence(tmp_path: Path):
    faults = Faults(strict=False)
    [pair] = _pairs(tmp_path, f"# sent_id = e-17\n{TREE.replace('sees', 'barks')}", faults)
    assert pair.e.heads == (-1,) * 4  # words alone
    [fault] = faults.noted
    assert str(fault) == (
        f"{tmp_path / 'text.txt'}:2 (sent_id a1): F has sent_id a1 where E ({tmp_path / 'e.conllu'}:1) has e-17; "
        "put the sentences in one order"
    )


def _pairs(folder: Path, trees: str, faults: Faults):
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    (folder / "e.conllu").write_text(trees, encoding="utf-8")
    return list(pairs_from(Sources.of([folder / "text.txt"], [folder / "e.conllu"], []), faults))


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
    [pair] = pairs_from(Sources.of([tmp_path / "text.conllu"], [], []), Faults())
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
    with pytest.raises(AlignmentError, match=r"e\.conllu: 66 sentences, but the text has 1; give the same sentences"):
        list(read(text, e=DEU / "e.conllu"))
    with pytest.raises(ProjError, match=r"e\.txt: is no CoNLL-U, which goes with a text in memory; give the text as a file"):
        list(read(text, e=tmp_path / "e.txt"))
    (tmp_path / "links.txt").write_text("0-9\n", encoding="utf-8")
    faults = Faults(strict=False)
    [pair] = read(text, links=tmp_path / "links.txt", faults=faults)
    assert not pair.links
    assert "links.txt:1" in str(faults.noted[0])
    with pytest.raises(TypeError, match="`source` is 3, a file, a folder, a name, an open file or text expected"):
        list(read(3))

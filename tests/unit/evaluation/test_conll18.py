"""`proj evaluate` agrees with the CoNLL 2018 evaluation, as udapi has it, on the same trees."""

from __future__ import annotations

import pytest

from divproj import Corpus
from divproj.evaluation.trees import score_trees
from divproj.projection.direct import ProjectionInput, s1
from divproj.runtime.resources import folder

Conll18 = pytest.importorskip("udapi.block.eval.conll18").Conll18
Document = pytest.importorskip("udapi.core.document").Document


def conllu(tree, sent_id):
    rows = [
        f"{k}\t{form}\t_\t{upos}\t_\t_\t{head}\t{rel}\t_\t_"
        for k, (form, head, rel, upos) in enumerate(zip(tree.forms, tree.heads, tree.deprels, tree.upos, strict=True), 1)
    ]
    return f"# sent_id = {sent_id}\n" + "\n".join(rows) + "\n\n"


@pytest.mark.parametrize("name", ["hin-eng", "deu-eng", "spa-eng", "kor-eng"])
def test_same_uas_and_las(name, tmp_path, capsys):
    gold, system, trees = [], [], []
    for k, pair in enumerate(Corpus.at(folder("corpora") / name)):
        found = s1(ProjectionInput.of(pair)).tree
        trees.append((pair.f, found, (), ()))
        gold.append(conllu(pair.f, f"s{k}/gold"))
        system.append(conllu(found, f"s{k}/pred"))
    (tmp_path / "both.conllu").write_text("".join(g + s for g, s in zip(gold, system, strict=True)), encoding="utf-8")
    document = Document()
    document.load_conllu(str(tmp_path / "both.conllu"))
    judge = Conll18(gold_zone="gold", zones="pred")
    judge.apply_on_document(document)
    judge.process_end()
    theirs = {
        line.split("|")[0].strip(): line.split("|")[3].strip() for line in capsys.readouterr().out.splitlines() if "|" in line
    }
    ours = score_trees(trees, subtypes=False).overall
    assert f"{ours.uas:.2f}" == theirs["UAS"]
    assert f"{ours.las:.2f}" == theirs["LAS"]

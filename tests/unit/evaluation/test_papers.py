"""The papers' tables on data at hand, beside the papers' figures."""

from __future__ import annotations

import json

import pytest

from divproj import ProjError
from divproj.evaluation import papers
from divproj.evaluation.papers import PENN, TABLES, Request, paper_figures, paper_table
from divproj.runtime.resources import folder

CORPORA = folder("corpora")


def test_every_table_has_figures():
    assert set(TABLES) == set(paper_figures()) - {"papers", "columns"}
    for name in TABLES:
        assert paper_figures()[name]["title"], name
    assert {row[k] for rows in (paper_figures()["georgi-3"][c] for c in ("HIN", "GER")) for row in rows for k in (2, 3)} <= {
        *PENN,
        "",
    }


@pytest.mark.parametrize("name", ["georgi-1", "georgi-2a", "georgi-2b", "georgi-3", "georgi-4"])
def test_sample_corpora_stand_beside_the_paper(name: str):
    table = paper_table(name, [str(CORPORA / "hin-eng")])
    assert {row.keys[0] for row in table.rows} == {"HIN"}
    assert all(row.ours is not None or name == "georgi-3" for row in table.rows)
    assert any(row.difference is not None for row in table.rows) or name == "georgi-2b", "the paper has Hindi in 2a, not in 2b"
    assert any("sample corpus" in note for note in table.notes)
    record = json.loads(json.dumps(table.as_json()))
    assert record["rows"][0].keys() >= {"ours", "paper", "difference"}


def test_figures_are_those_of_the_analysis():
    import divproj as dp

    table = paper_table("georgi-2a", ["hin-eng"])
    row = dp.analyze("hin-eng").stage_counts("e_to_f")[3]
    assert table.figure("HIN", "E → F", "swap", "match") == pytest.approx(100 * row["match"] / row["edges"])
    assert table.figure("HIN", "E → F", "swap", "edges") == row["edges"]


def test_a_folder_of_corpora_and_the_name_of_a_column():
    assert [each.label for each in Request((str(CORPORA),)).corpora()] == ["GER", "HIN", "KKN", "spa-eng"]
    [named] = Request((f"MEX={CORPORA / 'spa-eng'}",)).corpora()
    assert (named.label, named.column) == ("MEX", "MEX")
    table = paper_table("georgi-2b", [f"MEX={CORPORA / 'spa-eng'}"])
    assert table.rows[0].paper == 57.4


def test_averages_and_reductions(monkeypatch: pytest.MonkeyPatch):
    uas = {"GER": 90.0, "HIN": 80.0}
    monkeypatch.setattr(
        papers,
        "attachment_scores",
        lambda data, systems, request: {x.label: dict.fromkeys(systems, uas[x.label]) for x in data},
    )
    table = paper_table("georgi-5", ["deu-eng", "hin-eng"])
    assert table.figure("average of GER, HIN", "s4-1") == 85.0
    last = next(row for row in table.rows if row.keys == ("average of GER, HIN", "s4-1"))
    assert last.paper == pytest.approx((92.93 + 81.35) / 2)
    monkeypatch.setattr(
        papers,
        "attachment_scores",
        lambda data, systems, request: {"GER": {code: 80.0 + 5 * (code == "s4-1") for code in systems}},
    )
    table = paper_table("georgi-6", ["deu-eng"])
    assert table.figure("fewer errors", "s4-1 than s3-1") == 25.0
    printed = {row.keys: row.paper for row in table.rows}
    assert (printed["average UAS", "s4-1"], printed["average UAS", "s2-1"]) == (92.93, 88.71), "over the same language"
    assert printed["fewer errors", "s2-1 than s1-r"] == pytest.approx(100 * (88.71 - 88.03) / (100 - 88.03))
    assert any("over all eight it prints s4-1 89.32" in note for note in table.notes)
    monkeypatch.setattr(papers, "attachment_scores", lambda data, systems, request: {"x": dict.fromkeys(systems, 80.0)})
    table = paper_table("georgi-6", ["spa-eng"])
    assert next(row.paper for row in table.rows if row.keys == ("average UAS", "s4-1")) == 89.32
    assert any("averages are over eight languages" in note for note in table.notes)


def test_runs_are_averaged():
    once, twice = (paper_table("georgi-4", ["kor-eng"], seed=1, runs=n).figure("KKN", "s2-1") for n in (1, 2))
    second = paper_table("georgi-4", ["kor-eng"], seed=2).figure("KKN", "s2-1")
    assert twice == pytest.approx((once + second) / 2)


def test_phrases_of_a_corpus_and_of_json_lines(tmp_path):
    """`consistent_pairs` by hand; what the aligner does on such gold; and the same of two trees with gold pairs."""
    import divproj as dp

    f = dp.DepTree(("der", "Hund", "bellt"), (2, 3, 0), upos=("DET", "NOUN", "VERB"))
    e = dp.DepTree(("the", "dog", "barks"), (2, 3, 0), upos=("DET", "NOUN", "VERB"))
    pair = dp.Pair(f, e, dp.Links(frozenset({(1, 1), (2, 2), (3, 3)}), (3, 3)))
    quads = papers.consistent_pairs(pair)
    assert {(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3), (0, 2, 0, 2), (0, 3, 0, 3)} == quads
    tree = "(S (NP (DT the) (NN dog)) (VP (VBZ barks) (ADVP (RB loudly))))"
    gold = [[0, 2, 0, 2], [2, 4, 2, 4], [0, 4, 0, 4], *([k, k + 1, k, k + 1] for k in range(4))]
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"stree": tree, "ttree": tree, "tight": gold, "loose": []}) + "\n")
    table = paper_table("arase-3", [path])
    assert table.figure("proposed", "recall") == 100
    assert {row.keys[0] for row in table.rows} == {"proposed", "monotonic", "without EM", "1-best tree"}
    assert next(row for row in table.rows if row.keys == ("monotonic", "precision")).paper == 77.97
    path.write_text('{"stree": "(S", "ttree": "(S", "tight": []}\n')
    with pytest.raises(ProjError, match="no usable pair of trees"):
        paper_table("arase-3", [path])


def test_brackets_of_both_models():
    table = paper_table("snyder-1", ["kor-eng"])
    by_language = {row.keys[0] for row in table.rows}
    assert by_language == {"EN with KR", "KR with EN"}
    for row in table.rows:
        assert row.ours is not None
        assert row.paper is not None
        bound = table.figure(*row.keys[:3], "bound F1")
        assert row.keys[3][-2:] != "F1" or row.ours <= bound


def test_examples_are_of_their_sentences():
    for example in paper_figures()["arase-examples"]["pair"]:
        for one, two in example["phrases"]:
            for phrase, sentence in ((one, example["source"]), (two, example["target"])):
                start, end = papers._place(phrase, sentence)
                assert " ".join(sentence.split()[start:end]) == phrase


def test_what_cannot_be_made_is_said(tmp_path):
    with pytest.raises(ProjError, match=r"no table 'georgi-7'.*georgi-4"):
        paper_table("georgi-7")
    with pytest.raises(ProjError, match=r"no column XYZ in the paper's tables.*GER"):
        paper_table("georgi-1", ["XYZ=deu-eng"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProjError, match="neither a corpus folder nor a folder of such folders"):
        paper_table("georgi-1", [tmp_path])
    with pytest.raises(ProjError, match="`runs=0`: a number from 1 on expected"):
        paper_table("georgi-1", ["deu-eng"], runs=0)

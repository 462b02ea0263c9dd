"""Our own JSON lines, and the one door to all formats."""

import gzip
import json
from pathlib import Path

import pytest

from divproj.core.errors import Faults, FormatError, ProjError
from divproj.forest import parses
from divproj.forest.hypergraph import Forest
from divproj.io.trees import forest as forest_io
from divproj.io.trees.forests import ForestOptions, forests_from, forests_of, guess

TREE = "(S (NP (DT A) (JJ big) (NN dog)) (VP (VBZ barks)) (. .))"
CONLLU = "# sent_id = u1\n1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
ENJU = '<sentence id="e1"><cons id="c0" cat="NP"><tok id="t0" pos="NNS" base="dog">Dogs</tok></cons></sentence>'
TIGER = '<corpus><body><s id="t1"><graph><terminals><t id="a" word="Ja" pos="ITJ"/></terminals></graph></s></body></corpus>'


def one(text: str = TREE, **options: str) -> Forest:
    (found,) = forests_of(text, options=ForestOptions(**options))
    return found.check()


def test_json_keeps_everything() -> None:
    forest = one(binarise="all")
    assert forest_io.loads(forest_io.dumps(forest)) == [forest]
    dead = forest_io.dumps(forest).replace(repr(forest.edges[-1].weight), '"-inf"', 1)
    assert any(e.weight == float("-inf") for e in forest_io.loads(dead)[0].edges)
    assert forest_io.loads(dead) == forest_io.loads(forest_io.dumps(forest_io.loads(dead)[0]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, 'no forest: "format": "divproj-forest" expected'),
        ({"version": 9}, "version 9 of the forest format, 1 expected; update divproj"),
        ({"forms": []}, "the sentence has no words"),
        ({"forms": None}, "None stands where a list of strings is expected"),
        ({"root": 1.5}, "1.5 stands where a whole number is expected"),
        ({"root": True}, "True stands where a whole number is expected"),
        ({"nodes": [[0, 1]]}, "a forest that cannot be used: not enough values to unpack"),
        ({"nodes": [[0, 1, 5, 0, 0, 0, [], []]]}, "the label of a node is 5, a string expected"),
        ({"edges": [[1, 0, 0, "x"]]}, "the weight of an edge is 'x', a number expected"),
        ({"edges": 4}, "a forest that cannot be used: 'int' object is not iterable"),
    ],
)
def test_json_that_is_no_forest(change: dict[str, object], message: str) -> None:
    good = forest_io.dumps(one())
    bad = json.dumps({**json.loads(good), **change})
    text = good + bad + "\n\n" + good
    faults = Faults(strict=False)
    assert len(forest_io.loads(text, faults)) == 2
    assert message in str(faults.noted[0])
    assert "<text>:2" in str(faults.noted[0])
    with pytest.raises(FormatError):
        forest_io.loads(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON at column 2"),
        ("[" * 100_000, "nested too deeply"),
        ('{"format": "divproj-forest", "version": 1}', "'forms' is missing"),
    ],
)
def test_lines_that_are_no_json(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        forest_io.loads(line)


def test_formats_are_guessed(tmp_path: Path) -> None:
    texts = {"brackets": TREE, "enju": ENJU, "tiger": TIGER, "conllu": CONLLU, "json": forest_io.dumps(one())}
    for name, text in texts.items():
        assert guess(text.encode()) == name
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(text.encode()))
        (found,) = forests_from(path)
        assert found is not None
        found.check()
    assert guess(b'<?xml version="1.0"?>\n<!-- a --><sentence id="x">') == "enju"
    assert guess(f"-1.5\t{TREE}".encode()) == "brackets"


def test_dependency_trees_have_lemmas_and_places() -> None:
    forest = one(CONLLU)
    assert forest.lemmas == ("dog", "bark", ".")
    assert (forest.sent_id, forest.where.line) == ("u1", 1)
    faults = Faults(strict=False)
    bad = CONLLU.replace("\t2\tnsubj", "\t9\tnsubj")
    assert len(forests_of(bad + CONLLU, faults=faults)) == 2
    assert "HEAD is 9 but the sentence has 3 words" in str(faults.noted[0]) or "9" in str(faults.noted[0])


def test_n_best_lists_are_packed() -> None:
    text = f"-1\t{TREE}\n-1\t(S (NP (DT A) (NX (JJ big) (NN dog))) (VP (VBZ barks)) (. .))\n"
    forest = one(text)
    assert parses.count_trees(forest) == 2
    every = one(text, binarise="all")
    assert parses.count_trees(every) > 2
    rho = parses.marginals(every)
    assert rho.log_sum == pytest.approx(0)
    assert sum(rho.node[k] for k, node in enumerate(every.nodes) if node.label == "NX") == pytest.approx(0.5)


def test_punctuation() -> None:
    text = "(S (NP (NN Dogs)) (, ,) (VP (VBP bark)) (. .) ('' ''))"
    assert one(text).forms == ("Dogs", ",", "bark", ".", "''")
    assert one(text, punctuation="final").forms == ("Dogs", ",", "bark")
    assert one(text, punctuation="drop").forms == ("Dogs", "bark")
    assert one("(S (. .))", punctuation="drop").forms == (".",)


@pytest.mark.parametrize(
    ("text", "format", "options", "message"),
    [
        (" \n", None, {}, "<text>: nothing in the file; is it the right one?"),
        (
            "<html/>",
            None,
            {},
            r"<text>: the XML begins with <html>, <sentence> \(Enju\) or <corpus> \(TIGER-XML\) expected; or name",
        ),
        (TREE, "pdf", {}, "unknown format 'pdf', one of brackets, enju, tiger, conllu, json expected"),
        (TREE, None, {"punctuation": "some"}, "punctuation='some', keep, final or drop expected"),
        (TREE, None, {"binarise": "up"}, "binarise='up', one of head, left, right, all expected"),
    ],
)
def test_what_is_refused(text: str, format: str | None, options: dict[str, str], message: str) -> None:  # noqa: A002
    with pytest.raises(ProjError, match=message):
        forests_of(text, format, options=ForestOptions(**options))


def test_places_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "trees"
    path.write_text(f"{TREE}\n{TREE[:-1]}\n{TREE}\n")
    found = list(forests_from(path, faults=Faults(strict=False), keep_places=True))
    assert [item is None for item in found] == [False, True, False]
    assert len(list(forests_from(path, faults=Faults(strict=False)))) == 2

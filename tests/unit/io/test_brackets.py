"""Penn brackets: forms of files, faults with their places, and everything after a fault."""

import gzip
from pathlib import Path

import pytest

from divproj.core.errors import Faults, FormatError
from divproj.forest.trees import Constituent, PhraseTree
from divproj.io.trees import brackets
from divproj.io.trees.brackets import BracketOptions

ONE = "(S (NP (DT A) (NN dog)) (VP (VBZ barks)) (. .))"
TWO = "(S (NP (NNS Cats)) (VP (VBP sleep)))"
PRETTY = """( (S
    (NP-SBJ (DT A)
            (NN dog) )
    (VP (VBZ barks)
      (NP (-NONE- *)))
    (. .) ))
"""


def lenient(text: str, **options: bool) -> tuple[list[brackets.NBest], list[str]]:
    faults = Faults(strict=False)
    found = brackets.loads(text, faults, BracketOptions(**options))
    return found, [str(error) for error in faults.noted]


def test_a_tree_a_line_and_over_several_lines() -> None:
    found = brackets.loads(f"{ONE}\n{TWO}\n{PRETTY}{TWO} {TWO}")
    assert [len(item.trees[0]) for item in found] == [4, 2, 4, 2, 2]
    assert [item.sent_id for item in found] == ["1", "2", "3", "4", "5"]
    third = found[2].trees[0]
    assert third.nodes[-1].label == "ROOT"
    assert third.where.line == 3
    assert brackets.loads("(S\n(NP (DT A)\n(NN dog))\n(VP (VBZ barks)))")[0].trees[0].forms == ("A", "dog", "barks")
    assert brackets.loads("(\nS (NN a))")[0].trees[0].nodes[-1].label == "S"


def test_empty_elements_and_function_tags() -> None:
    kept = brackets.loads(PRETTY, options=BracketOptions(empties=True, functions=False))[0].trees[0]
    assert kept.forms[3] == "*"
    assert [node.label for node in kept.nodes if len(node.children) == 2] == ["NP", "VP"]
    assert "NP-SBJ" in [node.label for node in brackets.loads(PRETTY)[0].trees[0].nodes]


def test_escapes() -> None:
    text = "(S (-LRB- -LRB-) (NN a\\/b) (-RRB- -RRB-))"
    assert brackets.loads(text)[0].trees[0].forms == ("(", "a/b", ")")
    assert brackets.loads(text, options=BracketOptions(unescape=False))[0].trees[0].forms == ("-LRB-", "a\\/b", "-RRB-")
    assert brackets.dumps(brackets.loads(text)[0].trees[0]) == "(S (-LRB- -LRB-) (NN a/b) (-RRB- -RRB-))\n"


def test_words_without_tags() -> None:
    tree = brackets.loads("(NP A dog)")[0].trees[0]
    assert tree.forms == ("A", "dog")
    assert brackets.dumps(tree) == "(NP A dog)\n"
    assert brackets.loads("(S (NP A big) dog)")[0].trees[0].forms == ("A", "big", "dog")


def test_n_best_blocks() -> None:
    text = f"# sent_id = a\n-1.5\t{TWO}\n-2\t{TWO.replace('NNS', 'NNP')}\n\n-3e1\t{ONE}\n\n{ONE}\n"
    found = brackets.loads(text)
    assert [(item.sent_id, item.scores, len(item.trees)) for item in found] == [
        ("a", (-1.5, -2.0), 2),
        ("2", (-30.0,), 1),
        ("3", (), 1),
    ]
    again = brackets.loads("".join(brackets.dumps(item) for item in found))
    assert again == found
    plain = brackets.dumps(brackets.NBest(found[0].trees))
    assert brackets.loads(plain)[0].scores == (0.0, 0.0)


def test_the_form_of_the_bllip_parser() -> None:
    text = f"2\ts7\n-10.5\n{TWO}\n-11.5\n{TWO}\n\n1 s8\n-3.0\n{ONE}\n1 s9\n-3.0\n{ONE}\n"
    assert [(item.sent_id, item.scores) for item in brackets.loads(text)] == [
        ("s7", (-10.5, -11.5)),
        ("s8", (-3.0,)),
        ("s9", (-3.0,)),
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (ONE[:-1], "<text>:2 (sent_id 2): 1 bracket of the tree not closed before line 3"),
        (ONE[:-7], "<text>:2 (sent_id 2): 1 bracket of the tree not closed before line 3"),
        ("(S (NP (DT A)", "<text>:2 (sent_id 2): 2 brackets of the tree not closed before line 3"),
        ("(FRAG (NP (DT A))", "<text>:2 (sent_id 2): 1 bracket of the tree not closed before line 3"),
        ("(S (NP) (NN x))", "<text>:2 (sent_id 2): the phrase (NP) is empty"),
        ("()", "<text>:2 (sent_id 2): the phrase (ROOT) is empty"),
        ("(S)", "<text>:2 (sent_id 2): the phrase (S) is empty"),
        ("no tree", "<text>:2 (sent_id 2): 'no tree' is not a tree, '(' expected"),
        ("n" * 90, f"<text>:2 (sent_id 2): '{'n' * 37}...' is not a tree, '(' expected"),
        (
            "(S (NP (-NONE- *)))",
            "<text>:2 (sent_id 2): no word is left in the tree; the sentence has only empty elements",
        ),
    ],
)
def test_a_bad_tree_keeps_its_place_and_costs_no_other(bad: str, message: str) -> None:
    text = f"{TWO}\n{bad}\n{TWO}\n{ONE}\n"
    found, said = lenient(text)
    assert said == [message]
    assert [len(item.trees[0]) for item in found] == [2, 2, 4]
    assert [item.sent_id for item in found] == ["1", "3", "4"]
    from io import BytesIO

    places = list(brackets.read(BytesIO(text.encode()), "", Faults(strict=False), BracketOptions(), keep_places=True))  # type: ignore[arg-type]
    assert [item is None for item in places] == [False, True, False, False]
    with pytest.raises(FormatError) as caught:
        brackets.loads(text)
    assert str(caught.value) == message


def test_a_bracket_too_many() -> None:
    found, said = lenient(f"{ONE})\n{TWO}\n{ONE} dog\n{TWO}\n")
    assert said == [
        "<text>:1 (sent_id 2): ')' closes no bracket; is one too many in this line?",
        "<text>:3 (sent_id 5): 'dog' stands outside the tree",
    ]
    assert [len(item.trees[0]) for item in found] == [4, 2, 4, 2]


def test_a_tree_that_breaks_off_at_the_end_or_at_a_blank_line() -> None:
    found, said = lenient(f"{PRETTY}\n(S (NP (DT A)\n   (NN dog))\n\n{PRETTY}(S (NP")
    assert [len(item.trees[0]) for item in found] == [4, 4]
    assert [text.partition(": ")[2] for text in said] == [
        "1 bracket of the tree not closed before line 10",
        "2 brackets of the tree not closed before the end of the file",
    ]


def test_words_that_differ_in_one_list() -> None:
    other = TWO.replace("Cats", "Dogs")
    found, said = lenient(f"-1\t{other}\n-2\t{TWO}\n-3\t{TWO}\n-4\t{ONE}\n\n{ONE}\n")
    assert said == [
        "<text>:1 (sent_id 1): word 1 is 'Dogs', 'Cats' in the other trees of the list; the tree is left out",
        "<text>:4 (sent_id 1): word 1 is 'A', 'Cats' in the other trees of the list; the tree is left out",
    ]
    assert [item.scores for item in found] == [(-2.0, -3.0), ()]
    longer = TWO.replace("(VBP sleep)", "(VBP sleep) (RB well)")
    assert lenient(f"-1\t{TWO}\n-2\t{TWO}\n-3\t{longer}")[1] == [
        "<text>:3 (sent_id 1): 3 words, 2 in the other trees of the list; the tree is left out"
    ]


def test_a_bad_tree_in_a_list() -> None:
    found, said = lenient(f"-1\t{TWO[:-1]}\n-2\t{TWO}\n\n-1\t{TWO[:-1]}\n\n{ONE}\n")
    assert [item.scores for item in found] == [(-2.0,), ()]
    assert said[0] == "<text>:1 (sent_id 1): 1 bracket of the tree not closed before line 2"
    assert said[-1] == "<text>:4 (sent_id 2): an n-best list without a tree that can be used"


def test_files_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg.gz"
    path.write_bytes(gzip.compress(f"{ONE}\n{TWO}\n".encode()))
    found = [item for item in brackets.load(path) if item]
    assert [len(item.trees[0]) for item in found] == [4, 2]
    assert found[1].where.path == str(path)
    with (tmp_path / "out").open("w") as out:
        brackets.dump([found[0].trees[0], found[1]], out)
    assert (tmp_path / "out").read_text() == f"{ONE}\n# sent_id = 2\n{TWO}\n"


def test_comments_and_encodings() -> None:
    found, said = lenient(f"# made by hand\n{ONE}\r\n")
    assert len(found) == 1
    assert not said


@pytest.mark.parametrize(
    "form", ["10 000", "a\u00a0b", "x\u2028", "(", ":(", "a)b", "\\u0020", "\\/", "\\", "a\\*", "[sic]", "\\u0020 ("]
)
def test_words_with_blanks_and_brackets_come_back(form: str):
    tree = PhraseTree((form, "b"), (Constituent("$(", 0, 1), Constituent("N", 1, 2), Constituent("S", 0, 2, (0, 1))))
    text = brackets.dumps(tree)
    assert text.count("(") == text.count(")") == 3
    assert len(text.split()) == 5
    assert brackets.loads(text)[0].trees[0].forms == (form, "b")

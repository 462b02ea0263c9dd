"""A treebank as UD publishes it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from divproj.core.errors import Faults, ProjError
from divproj.core.options import ReleaseOptions, apply_settings
from divproj.core.sentence import Rows
from divproj.io.interlinear.languages import find_language, language_table
from divproj.io.trees import conllu
from divproj.ud.grammar import check_sentence
from divproj.ud.release import (
    LARGE,
    SMALL,
    TEST_WORDS,
    TO_WRITE,
    Readme,
    count_tokens,
    divide,
    earlier_files,
    folder_name,
    load_documents,
    make_release,
)

METADATA = ("license=CC BY-SA 4.0", "genre=fiction", "contributors=Kaya, Ada; Bell, Tom", "contact=ada@kaya.org", "since=2.19")
HOW = apply_settings(ReleaseOptions(language="Turkish", treebank="Village", settings=METADATA))
ROWS = "1\tKedi\tkedi\tNOUN\tn\tCase=Nom\t2\tnsubj\t2:nsubj\tGloss=cat|Proj=guess|ProjConf=0.31\n2\tuyudu\tuyu\tVERB\tv\t_\t0\troot\t0:root\tProj=corrected|SpaceAfter=No\n3-4\tvem\t_\t_\t_\t_\t_\t_\t_\t_\n3\tve\tve\tADV\tx\t_\t2\tadvmod\t2:advmod\t_\n4\tem\tem\tADV\tx\t_\t2\tadvmod\t2:advmod\t_\n5\t.\t.\tPUNCT\tz\t_\t2\tpunct\t2:punct\tSpaceAfter=No\n\n"


def sentence(name: str, more: str = "# gold = yes\n", rows: str = ROWS) -> Rows:
    return conllu.loads(
        f"# sent_id = {name}\n# text_en = The cat slept.\n# projection = s6 links=2\n# words_en = The cat\n{more}{rows}"
    )[0]


def many(count: int = 30, document: str = "cats") -> list[tuple[str, Rows]]:
    return [(document, sentence(f"s{k}")) for k in range(count)]


def test_a_released_sentence_has_nothing_of_ours():
    treebank = make_release(many(), HOW)
    assert treebank.missing == []
    assert sorted(treebank.files) == ["CONTRIBUTING.md", "LICENSE.txt", "README.md", "not-to-release/left-out.conllu", "not-to-release/lists.tsv", "not-to-release/report.txt", "tr_village-ud-test.conllu"]  # fmt: skip
    first, second, *_ = conllu.loads(treebank.files["tr_village-ud-test.conllu"])
    assert first.comments == ("# newdoc id = cats", "# sent_id = s0", "# text = Kedi uyuduvem .", "# text_en = The cat slept.")
    assert second.comments[0] == "# sent_id = s1"
    assert "Proj" not in treebank.files["tr_village-ud-test.conllu"]
    assert first.columns[8] == ("_",) * 6
    assert first.columns[9] == ("Gloss=cat", "SpaceAfter=No", "_", "_", "_", "SpaceAfter=No")
    assert treebank.parts["test"][-1].columns[9][-1] == "_", "a document ends with a space"
    assert treebank.name == "UD_Turkish-Village"


def test_only_confirmed_and_valid_sentences_are_released():
    wrong = sentence("wrong", rows=ROWS.replace("nsubj", "aux"))
    treebank = make_release(
        [*many(), ("cats", sentence("draft", "")), ("cats", sentence("second", "# state = second\n")), ("cats", wrong)], HOW
    )
    assert [s.sent_id for s, _ in treebank.left_out] == ["draft", "second", "wrong"]
    left = treebank.files["not-to-release/left-out.conllu"]
    assert "# left_out = not confirmed (state: second)\n" in left
    assert "# left_out = level 3, word 1: 'aux' does not go with NOUN\n" in left
    assert "# projection = s6" in left, "what is left out stays as it was"
    assert "3 sentences left out" not in left
    assert any(
        "2 sentences left out, not confirmed" in line or "1 sentence left out, not confirmed" in line
        for line in treebank.remarks
    )
    asked = make_release([*many(), ("cats", sentence("second", "# state = second\n"))], replace(HOW, states="gold,second"))
    assert asked.left_out == []


def test_drafts_are_released_when_asked_and_said_to_be_automatic():
    treebank = make_release([("cats", sentence(f"s{k}", "")) for k in range(30)], replace(HOW, states="all"))
    assert treebank.sizes == {"test": (30, 150)}
    assert any("UPOS: 'automatic': nobody has checked" in line for line in treebank.missing)


def test_ids_are_unique_and_as_ud_wants_them():
    treebank = make_release([("a", sentence("t/1 b")), ("b", sentence("t/1 b")), ("b", sentence("t-1-b-2"))], HOW)
    assert [s.sent_id for s in treebank.parts["test"]] == ["t-1-b", "t-1-b-2", "t-1-b-2-2"]
    assert [c for s in treebank.parts["test"] for c in s.comments if c.startswith("# newdoc")] == [
        "# newdoc id = a",
        "# newdoc id = b",
    ]


def test_a_paragraph_begins_with_the_next_sentence_that_is_released():
    new = "# gold = yes\n# newpar id = p2\n"
    texts = [
        ("a", sentence("s1")),
        ("a", sentence("s2", "# newpar id = p2\n")),
        ("a", sentence("s3")),
        ("a", sentence("s4", new)),
    ]
    placed = make_release(texts, HOW).parts["test"]
    assert [s.comments[0] for s in placed] == ["# newdoc id = a", "# newpar id = p2", "# newpar id = p2"]
    assert [s.columns[9][-1] for s in placed] == ["_", "_", "_"]


def documents(words: list[int]) -> list[tuple[str, Rows]]:
    row = sentence("x").columns
    long = tuple(tuple(str(k + 1) if c == 0 else row[c][0] for k in range(100)) for c in range(10))
    return [(f"d{k}", Rows((f"# sent_id = d{k}-{n}",), long)) for k, count in enumerate(words) for n in range(count // 100)]


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        ([SMALL - 100], {"test": SMALL - 100}),
        ([1000] * 30, {"train": 18_000, "dev": 2_000, "test": TEST_WORDS}),
        ([30_000], {"train": 18_000, "dev": 2_000, "test": TEST_WORDS}),
        ([1000] * 200, {"train": 160_000, "dev": 20_000, "test": 20_000}),
    ],
)
def test_parts_by_size(words: list[int], sizes: dict[str, int]):
    parts, said = divide(documents(words))
    assert {part: sum(len(s.forms) for _, s in some) for part, some in parts.items() if some} == sizes
    names = [Counter(name for name, _ in some) for some in parts.values()]
    divided = len(words) == 1 and len(sizes) > 1
    assert bool(names[0] & names[2]) == divided, "documents stay whole where they can"
    assert ["divided" in line for line in said] == [True, True][: 2 * divided]


def test_a_document_is_kept_whole_when_that_makes_the_part_half_as_large_again():
    parts, _ = divide(documents([9000, 14_000]))
    assert sum(len(s.forms) for _, s in parts["test"]) == 14_000
    assert LARGE > 23_000


def test_a_sample_of_whole_documents():
    how = replace(HOW, sample=True)
    treebank = make_release(
        [
            *many(25, "a"),
            *[(d, replace(s, comments=(f"# sent_id = b{k}", *s.comments[1:]))) for k, (d, s) in enumerate(many(40, "b"))],
        ],
        how,
    )
    assert {part: count for part, (count, _) in treebank.sizes.items()} == {"train": 25, "test": 40}
    assert "a few sentences are set aside" in treebank.files["README.md"]


def test_released_again(tmp_path: Path):
    folder = tmp_path / "UD"
    make_release(many(), HOW).write(folder)
    readme = folder / "README.md"
    text = readme.read_text()
    assert text.count(TO_WRITE) == 2
    readme.write_text(
        text.replace(f"{TO_WRITE} whom to thank, and what to cite.)", "Thanks to Ali.").replace(
            "# Changelog", "# Dialect\n\nOf the hills.\n\n# Changelog"
        )
    )
    again = make_release(
        many(40), replace(ReleaseOptions(language="tr", treebank="Village"), since="2.20"), earlier_files(folder)
    )
    new = Readme.parse(again.files["README.md"])
    assert new.sections["Acknowledgments"] == "Thanks to Ali."
    assert new.sections["Dialect"] == "Of the hills."
    assert "40 sentences" in new.sections["Introduction"]
    assert new.metadata["Contributors"] == "Kaya, Ada; Bell, Tom"
    assert new.metadata["Data available since"] == "UD v2.20"
    assert again.files["LICENSE.txt"] == (folder / "LICENSE.txt").read_text()
    assert again.missing == []
    assert any("30 sentences stay in the part" in line for line in again.remarks)
    again.write(folder)
    (folder / "xx_old-ud-test.conllu").write_text("")
    with pytest.raises(ProjError, match=r"xx_old-ud-test.conllu is of another release .*; move it away"):
        again.write(folder)


def test_sentences_stay_in_their_parts():
    parts, _ = divide(documents([1000] * 30))
    before = {s.sent_id: part for part, some in parts.items() for _, s in some}
    more, said = divide(documents([1000] * 40), before)
    assert all(before.get(s.sent_id, "train") == part for part, some in more.items() for _, s in some)
    assert "new ones (100) go to train" in said[0]
    small = dict.fromkeys(before, "test")
    assert {part: len(some) for part, some in divide(documents([1000] * 30), small)[0].items()}["train"] == 180, (
        "it is now large enough"
    )


def test_what_is_missing():
    treebank = make_release(many(3), apply_settings(ReleaseOptions(language="Turkish", treebank="Village", settings=("genre=tales", "license=Mine", "contributors=Ada Kaya", "lemmas=by me", "contributing=there"))))  # fmt: skip
    said = "\n".join(treebank.missing)
    for line in (
        "3 sentences and 15 words",
        "since: ''",
        "LICENSE.txt: the text of Mine is missing",
        "genre: 'tales'",
        "contributors: 'Ada Kaya'",
        "contact: ''",
        "Lemmas: 'by me'",
        "contributing: 'there'",
    ):
        assert line in said
    bare = "\n".join(make_release(many(), ReleaseOptions(language="Turkish", treebank="Village")).missing)
    assert "license: none" in bare
    assert "genre: none" in bare
    assert "LICENSE.txt" not in make_release(many(), ReleaseOptions(language="Turkish", treebank="Village")).files


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (ReleaseOptions(language="Turkish", treebank="my bank"), "`treebank=my bank`: letters and digits expected"),
        (ReleaseOptions(treebank="Village"), "`language=`: the name or code of the language expected"),
        (ReleaseOptions(language="Brithenig", treebank="Village"), "`language=Brithenig`: not in the table of languages"),
    ],
)
def test_names_that_ud_does_not_allow(how: ReleaseOptions, message: str):
    with pytest.raises(ProjError) as error:
        make_release(many(), how)
    assert message in str(error.value)


def test_a_language_that_is_not_in_the_table():
    how = apply_settings(
        ReleaseOptions(language="Brithenig", treebank="Hill", settings=(*METADATA, "code=bzt", "glottocode=brit1244"))
    )
    treebank = make_release(many(), how)
    assert "bzt_hill-ud-test.conllu" in treebank.files
    assert "Brithenig: Glottocode brit1244." in treebank.files["README.md"]
    assert folder_name(how) == "UD_Brithenig-Hill"


def test_the_table_of_languages():
    table = language_table()
    assert len({row.code for row in table}) == len({row.name for row in table}) == len(table)
    assert all(len(row.iso639_3) == 3 and len(row.glottocode) == 8 for row in table)
    assert find_language("stan1293").name == "English"
    assert find_language("abcd1234").glottocode == "abcd1234"


def test_documents_of_files(tmp_path: Path):
    one, two = tmp_path / "one.reviewed.conllu", tmp_path / "two.conllu"
    title = "# text-title = {}\n"
    one.write_text("".join(sentence(f"a{k}", title.format(t)).to_conllu() for k, t in enumerate(["x", "x", "y"])))
    two.write_text("".join(sentence(f"b{k}", t).to_conllu() for k, t in enumerate(["", "# newdoc\n", "# newdoc id = q\n", ""])))
    assert [name for name, _ in load_documents([one, two], Faults())] == ["x", "x", "y", "two", "two-1", "q", "q"]


def test_lists_and_counts():
    treebank = make_release(many(), HOW)
    assert "feature\tCase=Nom\tNOUN\t30\tKedi (s0)" in treebank.files["not-to-release/lists.tsv"]
    assert count_tokens(s for _, s in many(2)) == (2, 8, 10, 2)
    assert "| test | 30 | 120 | 150 | 30 |" in treebank.files["README.md"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# gold = yes", "# newpar\n# newpar id = a", "# newpar is there 2 times"),
        ("kedi\tNOUN\tn", "kedi\tNOUN\tn  n", "has a blank where none may be"),
        ("Gloss=cat", "Gloss=cat|Gloss=dog", "MISC has Gloss 2 times"),
        ("SpaceAfter=No\n3", "SpaceAfter=Yes\n3", "SpaceAfter=No is the only value"),
        ("advmod\t_\t_", "advmod\t_\tSpaceAfter=No", "belongs to the multiword token"),
        ("vem\t_", "vem\tvem", "multiword token has more than FORM and MISC"),
        ("Case=Nom", "Case=Nom,Abs", "each once"),
    ],
)
def test_the_form_of_rows(old: str, new: str, message: str):
    rows = ROWS.replace("2:advmod", "_").replace(old, new, 1) if old != "# gold = yes" else ROWS
    if message:
        one = sentence("a", f"# text = Kedi uyuduvem .\n{new if old == '# gold = yes' else ''}\n".replace("\n\n", "\n"), rows)
    assert message in " ".join(map(str, check_sentence(one)))


def test_broken_words():
    rows = "1\tge\tgel\tVERB\t_\tTypo=Yes\t0\troot\t_\t_\n2\tldi\t_\tX\t_\t_\t1\tgoeswith\t_\t_\n3\tev\tev\tNOUN\t_\t_\t1\tobl\t_\t_\n\n"
    text = "# text = ge ldi ev\n"
    assert check_sentence(sentence("a", text, rows)) == []
    for old, new, message in (
        ("Typo=Yes\t0\troot\t_\t_", "Typo=Yes\t0\troot\t_\tSpaceAfter=No", "that no blank separates"),
        ("Typo=Yes", "Mood=Ind", "Typo=Yes"),
        ("_\tX", "di\tX", "belong to the first part"),
        (
            "2\tldi\t_\tX\t_\t_\t1\tgoeswith\t_\t_\n3\tev\tev\tNOUN\t_\t_\t1\tobl",
            "2\tldi\tx\tNOUN\t_\t_\t1\tobl\t_\t_\n3\tev\t_\tX\t_\t_\t1\tgoeswith",
            "words between the parts",
        ),
    ):
        assert message in " ".join(map(str, check_sentence(sentence("a", text, rows.replace(old, new)))))


def test_a_word_that_stands_for_another_part_of_speech():
    rows = "1\tev\tev\tNOUN\t_\t_\t0\troot\t_\t_\n2\tdolu\tdolu\tADJ\t_\tExtPos=ADP\t1\tcase\t_\t_\n\n"
    assert check_sentence(sentence("a", "# text = ev dolu\n", rows)) == []
    assert check_sentence(sentence("a", "# text = ev dolu\n", rows.replace("ExtPos=ADP", "Degree=Pos"))) != []

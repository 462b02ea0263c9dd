"""Whole rows of UD, and what the validator would say of them."""

from __future__ import annotations

from pathlib import Path

from divproj.core.errors import Faults
from divproj.core.links import Links
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.io.trees import conllu
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.pipeline import annotate
from divproj.ud.grammar import check_sentence, check_text
from divproj.ud.rows import lemmas_and_features, shipped_grams, with_text


def read(text: str) -> Rows:
    [found] = conllu.loads(text)
    assert found is not None
    return found


ROWS = "1\tHund-e\t_\t_\t_\t_\t_\t_\t_\tGloss=dog-PL\n2\tbellt\t_\t_\t_\t_\t_\t_\t_\tGloss=bark.3SG\n3\t.\t_\t_\t_\t_\t_\t_\t_\t_\n"


def projection(sentence: Rows) -> Projection:
    bitext = ProjectionInput(sentence.forms, DepTree((), ()), Links(frozenset(), (3, 0)), ("dog-PL", "bark.3SG", ""))
    return Projection(bitext, (2, 0, 2), ("parsed",) * 3, (0.5,) * 3, ("nsubj", "root", "punct"), ("NOUN", "VERB", "PUNCT"))


def test_rows_are_whole() -> None:
    sentence = read("# sent_id = a\n# language = de\n# text = Hund-e bellt.\n" + ROWS)
    made = annotate(sentence, projection(sentence), "s6", shipped_grams())
    assert made.column(3) == ("NOUN", "VERB", "PUNCT")
    assert made.column(5) == ("Number=Plur", "Number=Sing|Person=3", "_")
    assert made.column(2) == ("Hund", "_", ".")
    assert made.column(9)[1].endswith("SpaceAfter=No")
    assert check_sentence(made) == []


def lemmas(rows: str, tags: tuple[str, ...], language: str = "") -> tuple[str, ...]:
    """LEMMA of words that are given as form, segments and gloss."""
    cells = [row.split() for row in rows.splitlines()]
    empty = "_\t" * 7
    lines = [
        f"{k}\t{form}\t{empty}Gloss={gloss}" + f"|MSeg={seg}" * (seg != "_") for k, (form, seg, gloss) in enumerate(cells, 1)
    ]
    comment = f"# language = {language}\n" if language else ""
    return lemmas_and_features(read(comment + "\n".join(lines) + "\n"), tags, shipped_grams())[0]


def test_words_without_affixes_are_their_own_lemmas_where_others_are_segmented() -> None:
    rows = "Der _ DEF\nHunde Hund-e dog-PL\nsah _ see.PST\nlaut _ loud\nden _ DEF.ACC"
    assert lemmas(rows, ("DET", "NOUN", "VERB", "ADV", "DET")) == ("der", "Hund", "_", "laut", "_")
    assert lemmas("Der _ DEF\nlaut _ loud", ("DET", "ADV")) == ("_", "_")
    assert lemmas("Her her every", ("DET",)) == ("her",)


def test_the_first_lemma_keeps_its_capital_where_capitals_mark_names_or_nouns() -> None:
    rows = "Hunde Hund-e dog-PL\nbellen bell-en bark-3PL"
    assert lemmas(rows, ("NOUN", "VERB")) == ("hund", "bell")
    assert lemmas(rows, ("PROPN", "VERB"))[0] == lemmas(rows, ("NOUN", "VERB"), "de")[0] == "Hund"
    assert lemmas(f"{rows}\nLärm _ noise", ("NOUN", "VERB", "NOUN")) == ("Hund", "bell", "Lärm")


def test_characters_are_composed() -> None:
    sentence = read("# sent_id = a\n# text = Hu\u0301nd-e bellt.\n" + ROWS.replace("Hund", "Hu\u0301nd"))
    said = [str(x) for x in check_sentence(sentence)]
    assert any("word 1: has characters that are not composed" in x for x in said)
    assert any("comment 2 has characters" in x for x in said)
    assert "replacement character" in str(check_sentence(read("# sent_id = a\n# text = Hu\ufffdnd\n" + ROWS)))
    made = annotate(sentence, projection(sentence), "s6", shipped_grams())
    assert made.forms[0] == "H\u00fand-e"
    assert made.comment("text") == "H\u00fand-e bellt."
    assert check_sentence(made) == []


def test_function_style() -> None:
    sentence = read("# sent_id = a\n" + ROWS)
    assert annotate(sentence, projection(sentence), "s6", style="function").column(6) == ("2", "0", "2")


def test_text_that_does_not_fit() -> None:
    made = with_text(read("# text = something else\n" + ROWS))
    assert made.comment("text") == "Hund-e bellt ."
    assert made.comment("text_orig") == "something else"
    assert made.comment("sent_id")


def test_findings_are_said() -> None:
    bad = read("1\ta\t_\tNOUN\t_\tb=C\t2\taux\t_\t_\n2\tb\t_\tQ\t_\t_\t0\troot\t_\t_\n3\tc\t_\tVERB\t_\t_\t2\troot\t_\t_\n")
    said = " ".join(map(str, check_sentence(bad)))
    for piece in ("no # sent_id", "no # text", "UPOS is 'Q'", "FEATS 'b=C'", "only the root", "'aux' does not go with NOUN"):
        assert piece in said
    twice = read("# sent_id = x\n" + ROWS)
    assert "was there before" in str([*check_text([twice, twice])][1][1][0])


def test_check_ud_command(tmp_path: Path) -> None:
    from proj_cli.interlinear import check_ud

    path = tmp_path / "a.conllu"
    path.write_text(
        f"# sent_id = a\n# text = Hund-e bellt .\n{ROWS}\n".replace("\t_\t_\t_\tGloss", "\t_\t_\t_\tGloss"), "utf-8"
    )
    said: list[str] = []
    levels = check_ud(str(path), said.append, Faults(strict=False), as_json=False)
    assert levels[2] > 0
    assert "findings at level 2" in said[-1]
    check_ud(str(path), said.append, Faults(strict=False), as_json=True)
    assert '"words": 3' in said[-1]

"""What UD allows: facts, repairs of relations, punctuation, whole rows of every system, and head styles of what goes out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj import DepTree
from divproj.core.errors import ModelError, ProjError
from divproj.core.links import Links
from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.pipeline import annotate
from divproj.projection.projector import Projector
from divproj.ud.grammar import RELATIONS, breaches, check_sentence, check_text, follow, parse_conventions, repair
from divproj.ud.rows import attach_marks, descendants, fits, spanning
from divproj.ud.tagsets import UPOS

CASES = [
    ((2, 0), ("aux", "root"), ("NOUN", "VERB"), "'aux' does not go with NOUN"),
    ((2, 0), ("punct", "root"), ("NOUN", "VERB"), "'punct' does not go with NOUN"),
    ((2, 0), ("conj", "root"), ("VERB", "VERB"), "'conj' must follow its head"),
    ((2, 3, 0), ("nsubj", "aux", "root"), ("NOUN", "AUX", "VERB"), "is 'aux' and has word 1 as 'nsubj'"),
    ((2, 0, 2), ("nsubj", "root", "csubj"), ("NOUN", "VERB", "VERB"), "has 2 subjects"),
    ((2, 0, 2), ("obj", "root", "obj"), ("NOUN", "VERB", "NOUN"), "has 2 objects"),
    ((2, 3, 0), ("obl", "obj", "root"), ("NOUN", "NOUN", "VERB"), "'obl' is attached to a noun that is no predicate"),
    ((2, 3, 0), ("nsubj", "obj", "root"), ("NOUN", "NOUN", "VERB"), "'nsubj' is attached to a noun that is no predicate"),
    ((2, 0), ("case", "root"), ("PRON", "NOUN"), "'case' does not go with PRON"),
]


@pytest.mark.parametrize(("heads", "rels", "tags", "what"), CASES)
def test_facts_are_said_and_repaired(heads, rels, tags, what):
    [found] = breaches(heads, rels, tags)
    assert what in found.message
    counts: Counter[str] = Counter()
    made = repair(heads, rels, tags, (), counts)
    assert not list(breaches(heads, made, tags))
    assert counts == {found.fact: 1}


def test_what_ud_allows_is_left_alone():
    heads, rels = (2, 4, 2, 0, 6, 4), ("cop", "advcl", "nsubj", "root", "case", "obl")
    assert repair(heads, rels, ("AUX", "NOUN", "PRON", "VERB", "ADP", "NOUN")) == rels
    negated = (2, 3, 0), ("advmod", "aux", "root"), ("PART", "AUX", "VERB")
    assert not list(breaches(*negated, ("Polarity=Neg", "_", "_")))
    assert [x.fact for x in breaches(*negated)] == ["leaf"]


def test_older_relations_get_their_new_names_and_other_schemes_stay():
    counts: Counter[str] = Counter()
    assert repair((2, 0), ("dobj", "root"), ("NOUN", "VERB"), (), counts) == ("obj", "root")
    assert counts == {"older": 1}
    assert repair((2, 0), ("SBJ", "ROOT"), ("NOUN", "VERB")) == ("SBJ", "ROOT")


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[str], list[str]]:
    n = draw(st.integers(1, 8))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for k, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, k - 1))]
    rels = draw(st.lists(st.sampled_from(sorted(RELATIONS)), min_size=n, max_size=n))
    tags = draw(st.lists(st.sampled_from([tag for tag in UPOS if tag != "PUNCT"]), min_size=n, max_size=n))
    return heads, rels, tags


@given(trees())
def test_every_tree_can_be_repaired_without_touching_heads(tree):
    heads, rels, tags = tree
    made = repair(heads, rels, tags)
    assert not list(breaches(heads, made, tags))
    assert [rel == "root" for rel in made] == [head == 0 for head in heads]


def blamed(heads: list[int], mark: int) -> list[int]:
    """Words for which the official validator blames a mark: made non-projective by it, or in the gap between it and its head."""
    parent, above = heads[mark - 1], []
    up = mark
    while up := heads[up - 1]:
        above.append(up)
    inner, outer = (range(parent + 1, mark), range(mark + 1, len(heads) + 1))
    if parent > mark:
        inner, outer = range(mark + 1, parent), range(1, mark)
    crossing = []
    for k in (*inner, *outer):
        head = heads[k - 1]
        if head in above or not head or (head < mark) == (k < mark):
            continue
        if k in inner or (head > parent if parent < mark else head < parent):
            crossing.append(k)
    gap = [k for k in inner if not descendants(heads)[parent] >> k & 1]
    return crossing + gap


@given(trees(), st.data())
def test_marks_are_blamed_for_nothing_even_where_words_cross(tree, data):
    heads, _, _ = tree
    words = list(range(1, len(heads) + 1))
    marks = [k for k in words if heads[k - 1] and k not in heads and data.draw(st.booleans())]
    made = list(heads)
    attach_marks(made, marks)
    assert all(made[k - 1] == heads[k - 1] for k in words if k not in marks)
    assert not any(blamed(made, mark) for mark in marks)


@given(trees())
def test_a_mark_fits_where_the_validator_does_not_blame_it(tree):
    heads, _, _ = tree
    for mark in [k for k in range(1, len(heads) + 1) if heads[k - 1] and k not in heads]:
        assert fits(descendants(heads), mark, heads[mark - 1], spanning(heads, mark)) == (not blamed(heads, mark))


E = DepTree(("She", "sleeps", "in", "houses", "."), (2, 0, 4, 2, 2), ("nsubj", "root", "case", "obl", "punct"),
            ("PRON", "VERB", "ADP", "NOUN", "PUNCT"))  # fmt: skip
FORMS, GLOSSES = ("talo-i-ssa", "nuku-u", "hän", "."), ("house-PL-INE", "sleep-PRS.3SG", "3SG", "")
GIVEN = ProjectionInput(FORMS, E, Links.of([(1, 4), (2, 2), (3, 1), (4, 5)], (4, 5)), GLOSSES, "s1")


def row(**columns: tuple[str, ...]) -> Rows:
    made = [["_"] * 10 for _ in FORMS]
    for k, (form, gloss) in enumerate(zip(FORMS, GLOSSES, strict=True)):
        made[k][0], made[k][1], made[k][9] = str(k + 1), form, f"Gloss={gloss}" if gloss else "_"
        for name, cells in columns.items():
            made[k][["id", "form", "lemma", "upos", "xpos", "feats"].index(name)] = cells[k]
    return next(iter(conllu.loads("\n".join("\t".join(cells) for cells in made) + "\n\n")))


def test_every_system_writes_whole_rows():
    made = annotate(row(), s1(GIVEN), "s1-r")
    assert made.column(3) == ("NOUN", "VERB", "PRON", "PUNCT")
    assert made.column(2) == ("talo", "nuku", "_", ".")
    assert made.column(5)[0] == "Case=Ine|Number=Plur"
    assert made.comment("text") == " ".join(FORMS)
    assert check_sentence(made) == []


def test_tags_and_lemmas_of_the_user_are_kept():
    given = row(upos=("PROPN", "VERB", "_", "_"), lemma=("Talo", "_", "_", "_"), feats=("Case=Loc", "_", "_", "_"))
    made = annotate(given, s1(GIVEN), "s1-r")
    assert made.column(3) == ("PROPN", "VERB", "PRON", "PUNCT")
    assert made.column(2)[:2] == ("Talo", "nuku")
    assert made.column(5)[0] == "Case=Loc"
    penn = annotate(row(upos=("NNS", "VBZ", "PRP", ".")), s1(GIVEN), "s1-r")
    assert penn.column(4) == ("NNS", "VBZ", "PRP", ".")


def test_function_words_can_be_heads_of_what_goes_out():
    forms = ("in", "house", "sleep")
    e = DepTree(forms, (2, 3, 0), ("case", "obl", "root"), ("ADP", "NOUN", "VERB"))
    bitext = ProjectionInput(("a", "b", "c"), e, Links.of([(1, 1), (2, 2), (3, 3)], (3, 3)), (), "s1")
    text = "\n".join(f"{k}\t{form}" + "\t_" * 8 for k, form in enumerate("abc", 1)) + "\n\n"
    found = Projection(bitext, (2, 3, 0), ("projected", "merge", "swap"), (0.1, 0.2, 0.3))
    made = annotate(next(iter(conllu.loads(text))), found, "s1-r", style="function")
    assert made.column(6) == ("3", "1", "0")
    assert made.column(7) == ("udep", "comp:obj", "root")
    assert made.column(9) == (
        "Proj=merge|ProjConf=0.20|UDRel=obl",
        "Proj=projected|ProjConf=0.10|UDRel=comp:case",
        "Proj=swap|ProjConf=0.30|UDRel=root",
    )
    with pytest.raises(ModelError, match="no head style 'sud' to write"):
        Projector("s1-r", f_style="sud")


def test_features_of_the_users_own_grams(tmp_path: Path):
    import divproj as dp

    table = tmp_path / "mine.tsv"
    table.write_text("gram\tmeaning\tkind\tfeats\nQUX\tby hearsay\tmood\tEvident=Nfh\n", encoding="utf-8")
    text = "Hunde bell-en\ndog.PL bark-QUX\n'Dogs bark.'\n"
    [pair] = dp.projector("s1-r", grams=[table]).pipe(dp.read(text))
    assert pair.f.feats == ("Number=Plur", "Evident=Nfh")
    [plain] = dp.projector("s1-r").pipe(dp.read(text))
    assert plain.f.feats == ("Number=Plur", "_")


def test_drafts_of_our_own_texts_pass():
    import divproj as dp

    text = "\n".join(
        f"{words}\n{glosses}\n'{translation}'\n"
        for words, glosses, translation in (
            ("Sena uva ku-ti .", "sister swim river-LOC .", "The sister swims in the river."),
            ("Ne kolu mira ta uva-na", "NEG fish big DEM swim-PST", "That big fish did not swim."),
            (
                "Tamo-k e sena , e kolu tira-he ?",
                "man-ERG Q sister CONJ Q fish see-3SG.PFV",
                "Did the man see the sister or the fish?",
            ),
        )
    )
    for system in ("s1-r", "s5", "s6"):
        made = [pair.f_rows for pair in dp.projector(system).pipe(dp.read(text))]
        assert [found for _, found in check_text(s for s in made if s is not None)] == [[]] * 3


def test_conventions_change_relations_where_annotators_differ():
    heads, tags, feats = (2, 0, 2, 2, 2), ("NOUN", "NOUN", "PART", "PART", "AUX"), ("_", "_", "_", "Polarity=Neg", "_")
    deprels = ("compound", "root", "discourse", "advmod", "aux")
    bare = (False, False, False, False, True)
    chosen = parse_conventions("nmod,advmod,mark")
    assert follow(chosen, heads, deprels, tags, feats, bare)[0] == ("nmod", "root", "advmod", "advmod", "mark")
    assert follow(chosen, heads, deprels, tags, feats, bare)[1][4] == "PART"
    back = parse_conventions("compound,discourse")
    names, _ = follow(back, heads, ("nmod", "root", "advmod", "advmod", "aux"), tags, feats, bare)
    assert names == ("compound", "root", "discourse", "advmod", "aux")


def test_conventions_that_are_not_known_or_exclude_each_other():
    with pytest.raises(ProjError, match=r"`conventions=nmodd`: one of nmod, compound, mark, advmod, discourse expected"):
        parse_conventions("nmodd")
    with pytest.raises(ProjError, match="nmod and compound exclude each other; choose one of them"):
        parse_conventions("nmod,compound")

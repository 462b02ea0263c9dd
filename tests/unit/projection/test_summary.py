"""What commands say at their end: nothing is called projected that is a guess; expected accuracy and its source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from divproj import DepTree, Faults
from divproj.core.errors import Where
from divproj.core.links import Links
from divproj.io.trees import conllu
from divproj.parsing.translations import note_foreign, report_foreign
from divproj.projection import confidence
from divproj.projection.confidence import (
    NAMES,
    Calibration,
    Expected,
    combine,
    expected_accuracy,
    expected_from_counts,
    recalibrate,
)
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.pipeline import Summary, annotate
from divproj.projection.systems import describe_system
from divproj.ud.tagsets import class_of, relation_of

E = DepTree(("dogs", "bark"), (2, 0), ("nsubj", "root"), ("NOUN", "VERB"))
LINKED = ProjectionInput(("Hunde", "bellen"), E, Links.of([(1, 1), (2, 2)], (2, 2)), ("dog.PL", "bark"), "s1")
UNLINKED = ProjectionInput(("Hunde", "bellen"), E, Links.of([], (2, 2)), (), "s2")
UNTRANSLATED = ProjectionInput(("Hunde", "bellen"), DepTree((), ()), Links.of([], (2, 0)), (), "s3")


def test_guesses_are_not_called_projected():
    summary = Summary("s1-r")
    for bitext in (LINKED, UNLINKED, UNTRANSLATED):
        assert summary.add(s1(bitext))
    assert (summary.projected, summary.unlinked, summary.untranslated) == (1, 1, 1)
    assert summary.lines()[:3] == [
        "1 sentence projected by the direct projection (s1-r)",
        "1 sentence without a translation: the tree is a guess",
        "1 sentence without links to the translation: the tree is a guess (without glosses `proj words` finds links)",
    ]
    assert summary.exit_code == 0
    assert summary.as_json()["without_translation"] == 1


def test_all_guesses_are_another_exit_code():
    summary = Summary("s1-r")
    for _ in range(1276):
        summary.add(s1(UNTRANSLATED))
    assert summary.lines()[0] == "0 sentences projected by the direct projection (s1-r)"
    assert "1,276 sentences without a translation" in summary.lines()[1]
    assert summary.exit_code == summary.as_json()["exit_code"] == 3


def test_languages_of_translations_are_named_where_one_is_not_english():
    summary, other = Summary("s1-r"), Summary("s1-r")
    summary.add(s1(LINKED))
    assert not any("parsed as" in line for line in summary.lines())
    for language in ("en", "es", "es"):
        other.add(s1(replace(LINKED, e_language=language)))
    summary.merge(other)
    assert "translations parsed as Spanish (2), English (1)" in summary.lines()
    assert summary.as_json()["languages"] == {"en": 1, "es": 2}
    assert Summary.from_json(summary.as_json()).lines()[:2] == summary.lines()[:2]


def test_s5_finds_links_by_itself_and_does_not_send_people_to_another_command():
    summary = Summary("s5")
    summary.add(s1(UNLINKED))
    assert summary.lines()[1] == "1 sentence without links to the translation: the tree is a guess"


def test_trees_of_low_coverage_are_left_out():
    summary = Summary("s1-r", least=0.5)
    assert summary.add(s1(LINKED))
    assert not summary.add(s1(UNLINKED))
    assert summary.as_json()["left_out"] == {"faults": 0, "coverage": 1}
    assert "1 sentence left out: fewer than 50 % of the words are linked" in summary.lines()


def test_the_least_sure_are_named_and_counts_add_up(monkeypatch: pytest.MonkeyPatch):
    own = Calibration((0.0,) * len(NAMES), 0.05, "a map of the test")
    monkeypatch.setattr(confidence, "shipped_calibrations", lambda: {"mine": own})
    parts = []
    for sure in ((0.4, 0.3), (0.9, 0.95)):
        summary = Summary("mine")
        found = Projection(LINKED, (2, 0), ("projected", "projected"), sure, calibrated="mine")
        summary.add(found, f"s{sure[0]}")
        parts.append(summary)
    parts[0].merge(parts[1])
    assert parts[0].as_json()["doubtful"] == ["s0.4", "s0.9"]
    assert "check these first (least confident): 1 sentence below 50 % confidence; s0.4, s0.9" in parts[0].lines()
    assert str(parts[0].accuracy) == "about 64 % of the heads should be right (± 40 points; a map of the test)"
    assert expected_accuracy([(0.4, 0.3), (0.9, 0.95)], "mine") == parts[0].accuracy
    assert expected_accuracy([(0.4, 0.3)], "yours") is None
    parts[0].expected = Expected(0.7, 0.02, "gold")
    assert parts[0].as_json()["expected"] == {"uas": 70.0, "standard_error": 2.0, "source": "gold"}


def test_expected_from_gold():
    assert expected_from_counts([], "none") is None
    assert expected_from_counts([(2, 3)], "one") == Expected(2 / 3, 0.15, "one")
    one, other = Expected(0.6, 0.1, "a"), Expected(0.8, 0.1, "b")
    both = combine(one, other)
    assert both is not None
    assert both.share == pytest.approx(0.7)
    assert both.error < 0.1
    assert both.source == "a, and checked on b"
    assert combine(None, other) == combine(other, None) == other
    assert Expected.from_json(other.as_json()) == other
    assert Expected.from_json(None) is None


def test_overconfidence_is_put_right_by_checked_sentences():
    checked = [[(0.95, k % 2 == 0), (0.95, True), (0.5, False)] for k in range(20)]
    known = recalibrate(checked, [0.95] * 50, "20")
    assert known is not None
    assert 0.6 < known.share < 0.85
    assert 0 < known.error < 0.15
    assert recalibrate([], [0.9], "none") is None


def test_unlinked_words_are_called_after_their_class():
    e = DepTree(("house",), (0,), ("root",), ("NOUN",))
    bitext = ProjectionInput(("la", "maison"), e, Links.of([(2, 1)], (2, 1)), ("DEF.F", "house"))
    found = Projection(bitext, (2, 0), ("spontaneous", "projected"))
    assert found.tree.deprels == ("det", "root")
    plain = Projection(ProjectionInput(("la", "maison"), e, Links.of([(2, 1)], (2, 1))), (2, 0), ("spontaneous", "projected"))
    assert plain.tree.deprels == ("dep", "root")
    rows = conllu.loads("1\tla\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tmaison\t_\tNOUN\t_\t_\t_\t_\t_\t_\n")
    assert annotate(next(iter(rows)), plain, "s1-r").column(7) == ("det", "root")
    assert class_of("hi", "1SG.NOM") == "PRON"
    assert relation_of("NOUN", "VERB", False) == "obl"


def test_a_determiner_does_not_head_a_noun():
    """“kein hartes Stück Holz” as “no hard piece of wood”: the translation's head has no link."""
    e = DepTree(("no", "hard", "piece", "of", "wood"), (3, 3, 0, 5, 3), ("det", "amod", "root", "case", "nmod"),
                ("DET", "ADJ", "NOUN", "ADP", "NOUN"))  # fmt: skip
    bitext = ProjectionInput(("kein", "Holz"), e, Links.of([(1, 1), (2, 5)], (2, 5)), ("no", "wood"))
    assert s1(bitext).heads == (2, 0)
    alone = ProjectionInput(("kein",), e, Links.of([(1, 1)], (1, 5)))
    assert s1(alone).heads == (0,)


def test_systems_in_a_line():
    assert describe_system("s4-2") == "a parser that sees the projection of s1-r"
    assert describe_system("nothing") == ""


def test_a_word_for_a_preposition_and_its_determiner_may_head_the_sentence():
    """`san` is `in the`, and E hangs its sentence on the preposition."""
    e = DepTree(("mother", "is", "in", "the", "hospital"), (3, 3, 0, 5, 3), ("_",) * 5, xpos=("NN", "VBZ", "IN", "DT", "NN"))
    links = Links(frozenset({(1, 2), (2, 1), (3, 3), (3, 4), (4, 5)}), (4, 5))
    found = s1(ProjectionInput(("Tá", "máthair", "san", "otharlann"), e, links))
    assert found.heads == (3, 3, 0, 3)


def test_of_translations_in_another_language_than_the_parsers_no_accuracy_is_expected(monkeypatch: pytest.MonkeyPatch):
    own = Calibration((1.0, *([0.0] * (len(NAMES) - 1))), 0.1, "calibrated on something")
    monkeypatch.setattr(confidence, "calibration_of", lambda _: own)
    monkeypatch.setattr("divproj.projection.confidence.calibration_of", lambda _: own)
    faults = Faults(strict=False)
    for code, known in (("en", True), ("pt", False)):
        if code != "en":
            note_foreign(faults, code, "en", Where("text.txt", 3))
        report_foreign(faults, Where("text.txt"))
        summary = Summary()
        assert summary.add(confidence.calibrate(s1(LINKED), "s1-r"))
        summary.close("s1-r", "asked for", faults)
        assert (summary.accuracy is not None) == known
        assert ("not known, since the translations are Portuguese" in "\n".join(summary.lines())) != known
        again = Summary.from_json(summary.as_json())
        assert (again.foreign, again.lines()) == (summary.foreign, summary.lines())

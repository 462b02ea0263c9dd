"""The page of a run: all of it is text, whatever the text says."""

from __future__ import annotations

import io
from typing import Any

from divproj import DepTree, Links
from divproj.drawing.run import RunReport, write_run
from divproj.projection.direct import ProjectionInput, s1

BAD = "<img src=x onerror=alert(1)>"


def facts(word: str) -> dict[str, dict[str, Any]]:
    row = {"stage": "initial", "edges": 0, "match": 0, "unaligned": 0, "merge": 0, "swap": 0, "other": 0}
    return {
        "read": {"sentences": 1, "words": 0, "glossed": 0},
        "parse": {"parser": word},
        "align": {"method": word, "linked_words": 0},
        "project": {"system": word, "confidence": None, "reasons": {"projected": 1}},
        "analyze": {
            "trees": "projected",
            "sentences": 1,
            "stages": {"e_to_f": [row], "f_to_e": [row]},
            "dorr": {"thematic": 1},
        },
    }


def page(**changes: Any) -> str:
    tree = DepTree((BAD,), (0,), (BAD,), (BAD,))
    shown = s1(ProjectionInput((BAD,), tree, Links(frozenset({(1, 1)}), (1, 1)), (BAD,), BAD))
    given: dict[str, Any] = {
        "title": BAD, "signature": BAD, "facts": facts(BAD), "scores": {}, "rules": [BAD], "least": [shown],
        "settings": {"": {"language": BAD, "flag": True}, "input": {"text": [BAD, "b"], "e": ""}}, "inputs": {BAD: BAD},
        "versions": {"divproj": BAD}, "warnings": {"read": [BAD]}, "more": {"read": 3}, "files": [f"{BAD}.txt", "model/"],
    }  # fmt: skip
    out = io.StringIO()
    write_run(RunReport(**{**given, **changes}), out)
    return out.getvalue()


def test_everything_is_escaped():
    found = page()
    assert "<img" not in found
    assert found.count("&lt;img") > 15
    assert "default-src 'none'" in found
    assert "and 3 more" in found
    assert "There are no gold trees to compare with" in found
    assert "only that says how the languages diverge" in found


def test_scores_are_shown():
    score = {"uas": 87.654, "las": 70.0, "total": 1234}
    held = {**score, "sentences": 7, "by_pos": {BAD: score}}
    links = {"precision": 99.0, "recall": 88.0, "f1": 93.2, "aer": 0.068}
    folds = {"folds": 5, "pairs": 20, "systems": {"s1-r": score}, "p": 0.01, "compared": ["s1-r", "s2+"]}
    found = page(scores={"cross_validation": folds, "held_out": held, "links": links}, rules=[], warnings={})
    for part in ("87.65", "1\u202f234", "7 held-out sentences", "p = 0.0100", "6.80", "tag &lt;img"):
        assert part in found
    assert 'id="rules"' not in found
    assert 'id="warnings"' not in found

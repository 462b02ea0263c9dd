"""Estimators behave as scikit-learn expects: parameters by name, `clone` without what was learned."""

from __future__ import annotations

from typing import Any

import pytest

from divproj import DepTree, Inducer, PhraseAligner, WordAligner
from divproj.core.errors import ModelError
from divproj.induction.ccm import CCM
from divproj.parsing.parser import MstParser
from divproj.parsing.tagger import Lemmatizer, Tagger

ESTIMATORS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (WordAligner, {"threshold": 0.4}),
    (PhraseAligner, {"null_cost": 2.5}),
    (Inducer, {"sweeps": 3}),
    (CCM, {"sweeps": 4}),
    (MstParser, {"order": 1}),
    (Tagger, {"likely": 3}),
    (Lemmatizer, {"seen_at_least": 5}),
)


@pytest.mark.parametrize(("kind", "params"), ESTIMATORS, ids=lambda x: getattr(x, "__name__", ""))
def test_clone(kind: Any, params: dict[str, Any]):
    from sklearn.base import clone

    one = kind(**params)
    twin = clone(one)
    assert type(twin) is kind
    assert twin is not one
    assert twin.get_params() == one.get_params()
    assert one.get_params() | params == one.get_params()
    assert not [name for name in one.get_params() if name.endswith("_")]
    assert twin.set_params(**params) is twin
    with pytest.raises(ModelError, match=f"{type(twin).__name__} has no parameter 'depth'; it has"):
        twin.set_params(depth=1)


def test_what_was_learned_is_not_cloned():
    from sklearn.base import clone

    aligner = WordAligner().fit([(["a"], ["b"])] * 3)
    assert aligner.counts_
    assert not clone(aligner).counts_


CHECKS = (
    "check_parameters_default_constructible", "check_no_attributes_set_in_init", "check_get_params_invariance", "check_set_params",
    "check_estimator_cloneable", "check_estimator_repr", "check_valid_tag_types", "check_estimator_tags_renamed", "check_mixin_order",
)  # fmt: skip
"""Checks of scikit-learn about parameters and tags; all its others fit arrays of numbers, where ours take sentences."""
DATACLASSES = ("WordAligner", "PhraseAligner", "Lemmatizer")
MEANT = {("PhraseAligner", "check_set_params"), *((name, "check_parameters_default_constructible") for name in DATACLASSES)}
"""PhraseAligner refuses wrong values when they are set; in dataclasses what is learned has a place in `__init__` too."""


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", [kind for kind, _ in ESTIMATORS], ids=lambda kind: kind.__name__)
def test_checks_of_scikit_learn(kind: Any, check: str):
    from sklearn.utils import estimator_checks

    if not hasattr(estimator_checks, check) or (kind.__name__, check) in MEANT:
        pytest.skip("not in this scikit-learn, or not meant to hold")
    getattr(estimator_checks, check)(kind.__name__, kind())


TREES = [
    DepTree(("der", "Hund", "bellt"), (2, 3, 0), upos=("DET", "NOUN", "VERB")),
    DepTree(("die", "Katze", "schläft"), (2, 3, 0), upos=("DET", "NOUN", "VERB")),
    DepTree(("Hunde", "bellen"), (2, 0), upos=("NOUN", "VERB")),
] * 4


def test_cross_validation_of_scikit_learn():
    """By folds of groups, on trees, tags and brackets as they are."""
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    texts = [k // 3 for k in range(len(TREES))]
    forms, tags = [tree.forms for tree in TREES], [tree.upos for tree in TREES]
    scores = cross_val_score(MstParser(order=1, epochs=2, bits=12), TREES, TREES, groups=texts, cv=GroupKFold(2))
    assert scores.tolist() == [1.0, 1.0]
    assert cross_val_score(Tagger(), forms, tags, cv=3).min() > 0.5
    brackets = [[(0, 2)] if len(tree) == 3 else [] for tree in TREES]
    grid = GridSearchCV(CCM(sweeps=2, restarts=1), {"distituent": [8.0, 20.0]}, cv=GroupKFold(2)).fit(
        tags, brackets, groups=texts
    )
    assert grid.best_params_["distituent"] in (8.0, 20.0)
    assert grid.best_score_ > 50

"""Estimators behave as scikit-learn expects: parameters by name, `clone` without what was learned."""

from __future__ import annotations

from typing import Any

import pytest

from divproj import Inducer, PhraseAligner, WordAligner
from divproj.core.errors import ModelError
from divproj.induction.ccm import CCM
from divproj.parsing.lemmas import Lemmatizer
from divproj.parsing.parser import MstParser
from divproj.parsing.tagger import Tagger

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

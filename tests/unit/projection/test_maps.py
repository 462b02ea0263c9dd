"""Maps of confidences in the pack."""

from __future__ import annotations

import pytest

from divproj.projection.confidence import calibration_of
from divproj.projection.systems import SYSTEMS


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_a_map(system: str) -> None:
    own = calibration_of(system)
    assert own is not None
    assert 0 < own.error < 0.5

"""Settings of the whole suite: property tests are repeatable and know no deadline.

`HYPOTHESIS_PROFILE=explore pytest tests/property` looks further, at other examples every time.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

CALM = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile(
    "repeatable", deadline=None, max_examples=40, derandomize=True, database=None, suppress_health_check=CALM
)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

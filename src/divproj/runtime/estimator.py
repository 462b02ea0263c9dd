"""Parameters by name, as scikit-learn's `clone`, grid searches and pipelines expect them."""

from __future__ import annotations

import inspect
from typing import Any, Self

from divproj.data.errors import ModelError


class Estimator:
    """An object whose parameters are the arguments of `__init__`, kept under their names.

    Behaves as scikit-learn's `BaseEstimator` where that matters (`clone`, `get_params`, `set_params`), without importing it:
    commands that learn nothing do not wait for it.
    """

    @classmethod
    def _parameters(cls) -> list[str]:
        names = list(inspect.signature(cls).parameters)
        return [name for name in names if not name.endswith("_")]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; ModelError names those there are."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                kind = type(self).__name__
                raise ModelError(f"{kind} has no parameter '{name}'", remedy=f"it has {', '.join(sorted(known))}")
            setattr(self, name, value)
        return self

"""Attributes that are computed when they are first read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["lazy"]

if TYPE_CHECKING:
    from functools import cached_property as lazy
else:

    class lazy:  # noqa: N801
        """`functools.cached_property` without the lock that it takes before Python 3.12: for types of which a text makes thousands.

        >>> class Text:
        ...     @lazy
        ...     def words(self) -> int:
        ...         print("counted")
        ...         return 3
        >>> text = Text()
        >>> text.words + text.words
        counted
        6
        """

        def __init__(self, work: Any) -> None:
            self.work, self.__doc__ = work, work.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            computed = instance.__dict__[self.name] = self.work(instance)
            return computed

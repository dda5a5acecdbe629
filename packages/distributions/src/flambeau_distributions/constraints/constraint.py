"""The base of all constraints, and those that only an instance can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flambeau_core import Tensor


class Constraint:
    """A region in which a tensor may lie.

    Attributes:
        is_discrete: whether its points can be counted.
        event_dim: how many rightmost dimensions together make one point.
    """

    is_discrete: bool = False
    event_dim: int = 0

    def check(self, value: Any) -> Tensor:
        """Which points lie inside: bool, of ``value``'s shape without the event dimensions."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.removeprefix("_") + "()"


class _Dependent(Constraint):
    """A support that depends on parameters: nothing can be checked without an instance."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented):
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        if self._is_discrete is NotImplemented:
            raise NotImplementedError("is_discrete is known only of an instance")
        return self._is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        if self._event_dim is NotImplemented:
            raise NotImplementedError("event_dim is known only of an instance")
        return self._event_dim

    def __call__(
        self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> _Dependent:
        """The same with attributes that are known of every instance."""
        if is_discrete is NotImplemented:
            is_discrete = self._is_discrete
        if event_dim is NotImplemented:
            event_dim = self._event_dim
        return _Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Any) -> Tensor:
        raise ValueError("a dependent constraint cannot be checked without an instance")


class dependent_property(property, _Dependent):
    """A property whose value is a constraint, and which on the class is a dependent one.

    Used as a decorator, bare or with the attributes that are known of every instance::

        @constraints.dependent_property(is_discrete=False, event_dim=0)
        def support(self):
            return constraints.interval(self.low, self.high)
    """

    def __init__(
        self,
        fn: Callable[[Any], Constraint | None] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn: Callable[[Any], Constraint | None]) -> dependent_property:  # type: ignore[override]
        return dependent_property(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Constraint) -> bool:
    """Whether the constraint can be checked only through an instance."""
    return isinstance(constraint, _Dependent)


dependent = _Dependent()

"""The tables in which a module keeps its parameters, buffers and submodules."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["Registry"]

_ABSENT = object()


class Registry(dict[str, Any]):
    """Members of a module by name; each is an attribute in the module's own `__dict__` too.

    Keeping both in step costs a little when a member is set and makes reading `self.weight` an
    ordinary attribute access. The owner is held weakly, so that a module is freed as soon as
    nobody uses it. Copies and pickles are plain dicts.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: Any, members: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._owner = weakref.ref(owner)
        if members:
            self.update(members)

    def _attributes(self) -> dict[str, Any]:
        owner = self._owner()
        return {} if owner is None else owner.__dict__

    def __setitem__(self, name: str, member: Any) -> None:
        super().__setitem__(name, member)
        self._attributes()[name] = member

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._attributes().pop(name, None)

    def pop(self, name: str, default: Any = _ABSENT) -> Any:
        if name not in self and default is not _ABSENT:
            return default
        member = self[name]
        del self[name]
        return member

    def popitem(self) -> tuple[str, Any]:
        name = next(reversed(self), _ABSENT)
        if name is _ABSENT:
            raise KeyError("popitem(): the registry is empty")
        return name, self.pop(name)  # type: ignore[return-value, arg-type]

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def update(  # type: ignore[override]
        self, members: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), **named: Any
    ) -> None:
        for name, member in dict(members, **named).items():
            self[name] = member

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def __ior__(self, members: Any) -> Registry:  # type: ignore[override, misc]
        self.update(members)
        return self

    def copy(self) -> dict[str, Any]:
        return dict(self)

    def __reduce__(self) -> Any:
        return dict, (), None, None, iter(self.items())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

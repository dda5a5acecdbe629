"""Tensors with tangents: which they are, and which transform an op's arguments belong to."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from .. import _C
from .levels import Level, active, below
from .tensors import BatchedTensor
from .views import window

__all__ = [
    "drop_tangent",
    "innermost",
    "set_tangent",
    "share_tangents",
    "tangent_of",
    "tensors_in",
]

Tensor = _C.Tensor


def _own(x: Any) -> dict[Level, Any]:
    return x.__dict__.get("_tangents") or {}


def _tangents(x: Any) -> dict[Level, Any]:
    """The tangents of a tensor by level: its own, or else those that its base got since."""
    base = x._base
    if base is not None and (of_base := _own(base)):
        return {**of_base, **_own(x)}
    return _own(x)


def tangent_of(x: Any, level: Level) -> Any:
    """The tangent of a tensor at a level of forward mode, or None."""
    if not isinstance(x, Tensor):
        return None
    if level in (own := _own(x)):
        return own[level]
    whole = _tangents(x).get(level)
    if whole is None:
        return None
    with below(level):
        tangent = window(whole, x, x._base)
    set_tangent(x, tangent, level)
    return tangent


def set_tangent(x: Any, tangent: Any, level: Level) -> None:
    """Gives a tensor a tangent, until the level ends; None: it has none, though its base has."""
    x.__dict__.setdefault("_tangents", {})[level] = tangent
    _C.set_dual(x, True)
    level.duals.append(weakref.ref(x))


def share_tangents(x: Any, y: Any) -> None:
    """Gives ``y``, which shows the same memory, the tangents of ``x``."""
    for level in _tangents(x):
        if active(level):
            set_tangent(y, tangent_of(x, level), level)


def drop_tangent(x: Any, level: Level) -> None:
    """Takes a tensor's tangent at a level away."""
    tangents = _own(x)
    if tangents:
        tangents.pop(level, None)
        if not tangents:
            del x.__dict__["_tangents"]
            _C.set_dual(x, False)


def tensors_in(args: Any) -> Iterator[Any]:
    """The tensors among an op's arguments, those in lists included."""
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif isinstance(a, (tuple, list)):
            yield from tensors_in(a)


def _levels_of(x: Any) -> Iterator[Level]:
    if isinstance(x, BatchedTensor):
        if x.level.ended:
            raise RuntimeError(
                "vmap: a tensor was kept from a function under vmap that has ended; return it to "
                "have its values"
            )
        yield x.level
    for level, tangent in _tangents(x).items():
        if tangent is not None:
            yield level


def innermost(args: Any) -> Level | None:
    """The highest active level among the tensors of a call."""
    found: Level | None = None
    for x in tensors_in(args):
        for level in _levels_of(x):
            if active(level) and (found is None or level.number > found.number):
                found = level
    return found

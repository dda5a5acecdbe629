"""Dual numbers as users make them: a tensor and its tangent, within a level of forward mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import _C
from .duals import drop_tangent, set_tangent, tangent_of
from .levels import Level, active, below, entered, levels
from .reverse import spread, vmaps_of

__all__ = ["UnpackedDualTensor", "dual_level", "innermost_forward", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A dual number's two parts; the tangent is None where it has none."""

    primal: Any
    tangent: Any


@contextmanager
def dual_level() -> Iterator[Level]:
    """A level of forward mode; when it ends, its tangents are gone."""
    with entered(Level("forward")) as level:
        try:
            yield level
        finally:
            for weak in level.duals:
                if (x := weak()) is not None:
                    drop_tangent(x, level)
            level.duals.clear()
            level.written.clear()


def innermost_forward() -> Level:
    """The level that dual numbers are made at; RuntimeError outside of all."""
    running = [level for level in levels("forward") if active(level)]
    if not running:
        raise RuntimeError(
            "forward mode: there is no dual level; use `with forward_ad.dual_level():` or "
            "flambeau.func.jvp"
        )
    return running[-1]


def make_dual(tensor: Any, tangent: Any, level: Level | None = None) -> Any:
    """A view of a tensor with a tangent of the same shape and dtype.

    Raises:
        RuntimeError: the shapes or dtypes differ.
        ValueError: the tensor is neither floating-point nor complex.
    """
    level = level or innermost_forward()
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(
            f"make_dual: expected a floating-point or complex tensor, got {tensor.dtype}"
        )
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            f"make_dual: the tangent must have the shape of the tensor, {list(tensor.shape)}, but "
            f"has {list(tangent.shape)}"
        )
    if tensor.dtype != tangent.dtype:
        raise RuntimeError(
            f"make_dual: the tangent must have the dtype of the tensor, {tensor.dtype}, but has "
            f"{tangent.dtype}"
        )
    with below(level):
        dual = tensor.view_as(tensor)
        # In-place ops write into tangents: this one's memory must be its own, laid out alike.
        own = _C.empty_like(tensor)
        if missing := [v for v in vmaps_of((tangent,)) if v not in vmaps_of((own,))]:
            own = spread(own, missing).clone()
        own.copy_(tangent)
    set_tangent(dual, own, level)
    return dual


def unpack_dual(tensor: Any, level: Level | None = None) -> UnpackedDualTensor:
    """A dual number's primal (a view) and tangent."""
    running = levels("forward")
    level = level or (running[-1] if running else None)
    tangent = None if level is None else tangent_of(tensor, level)
    if level is None or tangent is None:
        return UnpackedDualTensor(tensor, None)
    with below(level):
        primal = tensor.view_as(tensor)
    set_tangent(primal, None, level)
    return UnpackedDualTensor(primal, tangent)

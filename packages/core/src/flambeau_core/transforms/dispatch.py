"""Ops on tensors of transforms: each goes to the innermost level that its arguments belong to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from .duals import innermost
from .levels import Level, levels

__all__ = ["HANDLERS", "call", "decompose", "write_each"]

# What a kind of transform does with an op, entered by the module that holds its rules:
# (op, overload, args, level) -> result.
HANDLERS: dict[str, Callable[..., Any]] = {}


def call(op: Any, overload: int, args: tuple[Any, ...], out: Any = None) -> Any:
    """Runs an op, its arguments in the order of its schema, at whatever level they belong to."""
    level = innermost(args if out is None else (*args, out))
    if level is None and op.asks_transforms:
        level = _asking()
    if level is None:
        return op._run(overload, args, out)
    if out is not None:
        raise RuntimeError(f"{op.__name__}: out= cannot be used inside vmap or forward mode")
    return HANDLERS[level.kind](op, overload, args, level)


def _asking() -> Level | None:
    """The level that random ops without arguments go to."""
    from .levels import active

    running = [level for level in levels("vmap") if active(level)]
    return running[-1] if running else None


def write_each(op: Any, overload: int, args: tuple[Any, ...]) -> Any:
    """An op that writes into a list of tensors: new ones first, which are then copied."""
    functional = getattr(_C, op.__name__.removesuffix("_"))
    results = call(functional, overload, args)
    for x, result in zip(args[0], results):
        x.copy_(result)
    return args[0]


def decompose(op: Any, overload: int, args: tuple[Any, ...]) -> Any:
    """A composed op: its definition runs, and its ops come back here one by one."""
    if not op.inplace:
        return op._run(overload, args, None)
    result = op.functional._run(overload, args, None)
    if result.shape != args[0].shape:
        raise RuntimeError(
            f"{op.__name__}: output with shape {list(args[0].shape)} doesn't match the broadcast "
            f"shape {list(result.shape)}"
        )
    return args[0].copy_(result)

"""Ops on tensors of transforms: each goes to the innermost level that its arguments belong to."""

from __future__ import annotations

from typing import Any

from .duals import innermost
from .levels import Level, levels

__all__ = ["call", "decompose"]


def call(op: Any, overload: int, args: tuple[Any, ...], out: Any = None) -> Any:
    """Runs an op, its arguments in the order of its schema, at whatever level they belong to."""
    level = innermost(args)
    if level is None and op.asks_transforms:
        level = _asking()
    if level is None:
        return op._run(overload, args, out)
    if out is not None:
        raise RuntimeError(f"{op.__name__}: out= cannot be used inside vmap or forward mode")
    if level.kind == "vmap":
        from .batching import run_batched

        return run_batched(op, overload, args, level)
    from .tangents import run_dual

    return run_dual(op, overload, args, level)


def _asking() -> Level | None:
    """The level that random ops without arguments go to."""
    from .levels import active

    running = [level for level in levels("vmap") if active(level)]
    return running[-1] if running else None


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

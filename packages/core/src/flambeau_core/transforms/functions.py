"""``autograd.Function`` on tensors of transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from ..autograd import transform_hooks
from ..autograd.function import Function
from .batching import example, stacked
from .batching.custom import run_rule
from .duals import innermost, tangent_of, tensors_in
from .levels import Level, below
from .tangents import attach_tangents, by_double_vjp

__all__ = ["apply_function"]

Tensor = _C.Tensor


def apply_function(cls: Any, args: tuple[Any, ...], run: Callable[..., Any]) -> Any:
    """Applies a custom function to arguments of which some belong to a transform.

    Args:
        cls: the function; its ``vmap``, ``generate_vmap_rule`` and ``jvp`` say what it can do.
        run: applies it beneath all transforms: ``run(args) -> (result, ctx)``.

    Raises:
        RuntimeError: under vmap, of a function with neither ``vmap`` nor ``generate_vmap_rule``.
    """
    level = innermost(args)
    if level is None:
        return run(args)[0]
    if level.kind == "vmap":
        return _batched(cls, args, run, level)
    return _dual(cls, args, run, level)


def _batched(cls: Any, args: tuple[Any, ...], run: Callable[..., Any], level: Level) -> Any:
    if cls.vmap is not Function.vmap:
        if cls.generate_vmap_rule:
            raise RuntimeError(
                f"{cls.__name__}: define vmap or set generate_vmap_rule=True, not both"
            )
        return run_rule(cls.vmap, args, level)
    if not cls.generate_vmap_rule:
        raise RuntimeError(
            f"{cls.__name__} has no rule for vmap: override its static method vmap, or set "
            "generate_vmap_rule=True"
        )
    results = [apply_function(cls, example(args, i, level), run) for i in range(level.batch_size)]
    return stacked(results, level)


def _dual(cls: Any, args: tuple[Any, ...], run: Callable[..., Any], level: Level) -> Any:
    tangents = {id(x): tangent_of(x, level) for x in tensors_in(args)}
    own = cls.jvp is not Function.jvp
    with below(level):
        if own and innermost(args) is None:
            result, ctx = run(args)
            found = cls.jvp(ctx, *(tangents.get(id(x)) for x in args))
        else:
            result, found = by_double_vjp(
                lambda given: apply_function(cls, given, run), args, lambda x: tangents.get(id(x))
            )
    attach_tangents(result, found, level)
    return result


transform_hooks.apply_function = apply_function

"""Batching rules that users write: for custom ops and for ``autograd.Function``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...transforms.vmap import spread_prefix
from ..levels import Level
from ..pytree import tree_flatten, tree_map, tree_unflatten
from ..tensors import batch, is_batched
from .rule import RULES, BatchedCall

__all__ = ["VmapInfo", "enter_rule", "run_rule"]


class VmapInfo(NamedTuple):
    """What a rule is told about the vmap."""

    batch_size: int
    randomness: str


def run_rule(rule: Callable[..., Any], args: tuple[Any, ...], level: Level) -> Any:
    """Calls ``rule(info, in_dims, *values) -> (outputs, out_dims)``; outputs as seen under vmap."""
    in_dims = tuple(tree_map(lambda x: 0 if is_batched(x, level) else None, a) for a in args)
    values = tree_map(lambda x: x.value if is_batched(x, level) else x, args)
    outputs, out_dims = rule(VmapInfo(level.batch_size, level.randomness), in_dims, *values)
    leaves, spec = tree_flatten(outputs)
    dims = spread_prefix("out_dims", out_dims, outputs)
    return tree_unflatten(
        [y if d is None else batch(y.movedim(d, 0), level) for y, d in zip(leaves, dims)], spec
    )


def enter_rule(name: str, rule: Callable[..., Any]) -> None:
    """Makes a user's function the rule of an op."""

    def run(call: BatchedCall) -> Any:
        return run_rule(rule, call.args, call.level)

    RULES[name] = run

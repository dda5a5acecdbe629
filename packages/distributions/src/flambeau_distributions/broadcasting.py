"""Parameters given as numbers and tensors, brought to one shape and dtype."""

from __future__ import annotations

from typing import TypeAlias

import flambeau_core as fb
from flambeau_core import Tensor

Parameter: TypeAlias = Tensor | float


def broadcast_all(*values: Parameter) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of their common shape.

    A number takes the dtype and device of the first tensor; if all are numbers, they become
    tensors of the default dtype without dimensions.

    Raises:
        ValueError: a value is neither a number nor a tensor.
        RuntimeError: the shapes do not broadcast.
    """
    for value in values:
        if not isinstance(value, (Tensor, int, float)):
            raise ValueError(
                f"parameters must be numbers or tensors, but got {type(value).__name__}"
            )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    dtype = fb.get_default_dtype() if first is None else first.dtype
    device = None if first is None else first.device
    tensors = [
        value if isinstance(value, Tensor) else fb.tensor(value, dtype=dtype, device=device)
        for value in values
    ]
    return tuple(fb.broadcast_tensors(*tensors))


def sum_rightmost(value: Tensor, count: int) -> Tensor:
    """The sum over the last ``count`` dimensions."""
    return value if count == 0 else value.sum(tuple(range(-count, 0)))

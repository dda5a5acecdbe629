"""Normalisation over batches, layers, groups, instances and vectors."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import (
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]

_batch_norm = nn_ops.batch_norm


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises each channel of (N, C, *) over all else; Ioffe and Szegedy, 2015.

    In training by the batch's mean and variance, which also update the running ones; else by the
    running ones. Raises ValueError for a training batch with one value a channel, or with an `eps`
    that is not positive.
    """
    if training:
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
        shape = input.shape
        if len(shape) > 1 and input.numel() == shape[1]:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {shape}"
            )
    return _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """x / max(|x|_p, eps) along `dim`."""
    norm = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / norm if out is None else fb.div(input, norm, out=out)

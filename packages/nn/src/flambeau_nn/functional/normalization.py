"""Normalisation over batches, layers, groups, instances and vectors."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import group_norm, layer_norm

from .pooling import avg_pool3d

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
    running ones. Raises ValueError for a training batch with one value a channel.
    """
    if training:
        shape = input.shape
        if len(shape) > 1 and input.numel() == shape[1]:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {shape}"
            )
    return _batch_norm(  # type: ignore[no-any-return]
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises each channel of each example of (N, C, *); Ulyanov et al., 2016.

    With `use_input_stats` by its own mean and variance, which also update the running ones; else
    by the running ones.
    """
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                "Expected running_mean and running_var to be defined when use_input_stats is false"
            )
        return _batch_norm(  # type: ignore[no-any-return]
            input, running_mean, running_var, weight, bias, False, momentum, eps
        )
    batch, channels, *spatial = input.shape
    count = 1
    for size in spatial:
        count *= size
    if count == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.shape}"
        )
    means = None if running_mean is None else running_mean.repeat(batch)
    variances = None if running_var is None else running_var.repeat(batch)
    scale = None if weight is None else weight.repeat(batch)
    shift = None if bias is None else bias.repeat(batch)
    folded = input.reshape(1, batch * channels, *spatial)
    result = _batch_norm(folded, means, variances, scale, shift, True, momentum, eps)
    with fb.no_grad():
        if running_mean is not None and means is not None:
            running_mean.copy_(means.reshape(batch, channels).mean(0))
        if running_var is not None and variances is not None:
            running_var.copy_(variances.reshape(batch, channels).mean(0))
    return result.reshape(input.shape)  # type: ignore[no-any-return]


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * weight over the last dimensions; Zhang and Sennrich, 2019.

    `eps` is the machine epsilon of the dtype by default. Half precision computes in float32.
    """
    shape = tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, "
            f"{', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
        )
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {list(shape)}"
        )
    wide = input.float() if input.dtype in (fb.float16, fb.bfloat16) else input
    if eps is None:
        eps = fb.finfo(wide.dtype).eps
    dims = tuple(range(-len(shape), 0))
    result = wide * (wide.square().mean(dims, keepdim=True) + eps).rsqrt()
    if weight is not None:
        result = result * weight
    return result.to(input.dtype)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta.

    Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks", 2012.
    """
    dim = input.dim()
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    batch, channels = input.shape[:2]
    squares = input.square().reshape(batch, 1, channels, -1)
    before, after = size // 2, (size - 1) // 2
    edges = [squares.new_zeros((batch, 1, width, squares.size(-1))) for width in (before, after)]
    padded = fb.cat([edges[0], squares, edges[1]], 2).unsqueeze(-1)
    means = avg_pool3d(padded, (size, 1, 1), stride=1).reshape(input.shape)
    return input / (means * alpha + k).pow(beta)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """x / max(|x|_p, eps) along `dim`."""
    norm = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / norm if out is None else fb.div(input, norm, out=out)

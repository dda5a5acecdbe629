"""Dropout, of elements and of whole channels.

Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", 2014.
"""

from __future__ import annotations

import warnings

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and scales the others by 1 / (1 - p), in training."""
    _check_probability(p)
    return (nn_ops.dropout_ if inplace else nn_ops.dropout)(input, p, training)


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    _check_probability(p)
    drop = fb.feature_dropout_ if inplace else fb.feature_dropout
    if batched:
        return drop(input, p, training)
    # Through the view an in-place write reaches the input itself.
    return drop(input.unsqueeze(0), p, training).squeeze(0)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of (N, C, L) or (C, L)."""
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, batched=input.dim() == 3)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of (N, C, H, W); (N, C, L) is taken as a batch, as PyTorch does."""
    if input.dim() not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and "
            "will result in an error in a future release.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, batched=True)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    if input.dim() not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and "
            "will result in an error in a future release.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, batched=input.dim() != 4)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean 0 and variance 1 of SELU's outputs."""
    _check_probability(p)
    return (fb.alpha_dropout_ if inplace else fb.alpha_dropout)(input, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels of (N, C, *)."""
    _check_probability(p)
    drop = fb.feature_alpha_dropout_ if inplace else fb.feature_alpha_dropout
    return drop(input, p, training)

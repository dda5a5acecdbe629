"""Convolutions, and their matrix forms `unfold` and `fold`, straight from core."""

from flambeau_core.nn_ops import col2im as fold
from flambeau_core.nn_ops import (
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from flambeau_core.nn_ops import im2col as unfold

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "unfold",
]

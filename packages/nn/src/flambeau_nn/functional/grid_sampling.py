"""Sampling an image at given positions, and the positions of an affine map."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = ["affine_grid", "grid_sample"]

_MODES = ("bilinear", "nearest", "bicubic")
_PADDING_MODES = ("zeros", "border", "reflection")


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The positions (N, H, W, 2) or (N, D, H, W, 3) of an output of `size` under affine maps.

    `theta` is (N, 2, 3) or (N, 3, 4).
    """
    spatial = len(size) - 2
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if spatial not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {tuple(size)}"
        )
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x{spatial + 1} "
            f"for size {tuple(size)}. Got {tuple(theta.shape)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    if align_corners is None:
        align_corners = _default_corners("affine_grid")
    return fb.affine_grid_generator(theta, size, align_corners)


def _default_corners(op: str) -> bool:
    warnings.warn(
        f"Default {op} and affine_grid behavior has changed to align_corners=False since 1.3.0. "
        "Please specify align_corners=True if the old behavior is desired.",
        stacklevel=3,
    )
    return False


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Values of (N, C, H, W) at the positions (N, h, w, 2): (N, C, h, w); likewise in 3-D.

    `mode` is "bilinear", "nearest" or (2-D only) "bicubic"; `padding_mode`, for positions outside,
    "zeros", "border" or "reflection".
    """
    if mode not in _MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in _PADDING_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if align_corners is None:
        align_corners = _default_corners("grid_sample")
    return fb.grid_sampler(
        input, grid, _MODES.index(mode), _PADDING_MODES.index(padding_mode), align_corners
    )

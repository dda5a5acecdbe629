"""Fractional max pooling layers; Graham, "Fractional Max-Pooling", 2014."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flambeau_core import Tensor

from .. import functional as F
from .module import Module

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Module):
    """Settings: either the output's size or its ratio to the input's."""

    spatial_dims: int

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        output_size: int | Sequence[int] | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = self._each(kernel_size)
        self.output_size = None if output_size is None else self._each(output_size)
        self.output_ratio = None if output_ratio is None else self._each(output_ratio)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{type(self).__name__} requires specifying either an output size, or a pooling "
                "ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _each(self, value: Any) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, Sequence) else (value,) * self.spatial_dims


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maxima of randomly placed windows of (N, C, H, W) or (C, H, W).

    Raises ValueError unless exactly one of `output_size` and `output_ratio`, in (0, 1), is given.
    """

    spatial_dims = 2

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """Maxima of randomly placed windows of (N, C, D, H, W), as `FractionalMaxPool2d`."""

    spatial_dims = 3

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )

"""Layers that take the number of their inputs from their first input.

Each becomes the class without `Lazy` in the first call.
"""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from ..parameter import UninitializedBuffer, UninitializedParameter
from .batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from .conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    Size,
)
from .lazy import LazyModuleMixin
from .linear import Linear

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


class LazyLinear(LazyModuleMixin, Linear):
    """`Linear` without `in_features`."""

    cls_to_become = Linear
    weight: Any
    bias: Any

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False)
        made = {"device": device, "dtype": dtype}
        self.weight = UninitializedParameter(**made)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(**made)

    def reset_parameters(self) -> None:
        """Draws new initial values, once there are shapes."""
        if self.in_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Takes `in_features` from the last dimension of `input`."""
        if self.has_uninitialized_params():
            with fb.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        elif self.in_features == 0:
            self.in_features = self.weight.shape[-1]


class _LazyConv(LazyModuleMixin):
    """What the lazy convolutions share: `in_channels` comes from the channels of the input."""

    def _make_uninitialized(self: Any, out_channels: int, bias: bool, made: Any) -> None:
        self.weight = UninitializedParameter(**made)
        self.out_channels = out_channels
        self._check_settings()
        if bias:
            self.bias = UninitializedParameter(**made)

    def reset_parameters(self: Any) -> None:
        """Draws new initial values, once there are shapes."""
        if self.in_channels != 0 and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Takes `in_channels` from `input`, batched or not."""
        if self.has_uninitialized_params():
            self.in_channels = self._channels_of(input)
            self._check_settings()
            first, second = (
                (self.in_channels, self.out_channels)
                if self.transposed
                else (self.out_channels, self.in_channels)
            )
            with fb.no_grad():
                self.weight.materialize((first, second // self.groups, *self.kernel_size))
                if self.bias is not None:
                    self.bias.materialize((self.out_channels,))
                self.reset_parameters()
        elif self.in_channels == 0:
            self.in_channels = self._channels_of(input)

    def _channels_of(self: Any, input: Tensor) -> int:
        n = self.spatial_dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        return input.shape[-n - 1]


class _LazyForwardConv(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._make_uninitialized(out_channels, bias, {"device": device, "dtype": dtype})


class LazyConv1d(_LazyForwardConv, Conv1d):  # type: ignore[misc]
    """`Conv1d` without `in_channels`."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyForwardConv, Conv2d):  # type: ignore[misc]
    """`Conv2d` without `in_channels`."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyForwardConv, Conv3d):  # type: ignore[misc]
    """`Conv3d` without `in_channels`."""

    cls_to_become = Conv3d


class _LazyTransposedConv(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0,
            0,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            False,
            dilation,
            padding_mode,
        )
        self._make_uninitialized(out_channels, bias, {"device": device, "dtype": dtype})


class LazyConvTranspose1d(_LazyTransposedConv, ConvTranspose1d):  # type: ignore[misc]
    """`ConvTranspose1d` without `in_channels`."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposedConv, ConvTranspose2d):  # type: ignore[misc]
    """`ConvTranspose2d` without `in_channels`."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposedConv, ConvTranspose3d):  # type: ignore[misc]
    """`ConvTranspose3d` without `in_channels`."""

    cls_to_become = ConvTranspose3d


class _LazyNorm(LazyModuleMixin):
    """What the lazy normalisations share: `num_features` is the number of channels."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False)
        module: Any = self
        made = {"device": device, "dtype": dtype}
        module.affine = affine
        module.track_running_stats = track_running_stats
        if affine:
            module.weight = UninitializedParameter(**made)
            if bias:
                module.bias = UninitializedParameter(**made)
        if track_running_stats:
            module.running_mean = UninitializedBuffer(**made)
            module.running_var = UninitializedBuffer(**made)
            module.num_batches_tracked = fb.tensor(0, dtype=fb.int64, device=device)

    def reset_parameters(self: Any) -> None:
        """Scale 1, shift 0 and no running statistics, once there are shapes."""
        if self.num_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Tensor) -> None:
        """Takes `num_features` from the channels of `input`."""
        if self.has_uninitialized_params():
            self.num_features = self._channels_of(input)
            members = [self.weight, self.bias, self.running_mean, self.running_var]
            for member in members:
                if member is not None:
                    member.materialize((self.num_features,))
            self.reset_parameters()
        elif self.num_features == 0:
            self.num_features = self._channels_of(input)

    def _channels_of(self: Any, input: Tensor) -> int:
        self._check_input_dim(input)
        unbatched = input.dim() == getattr(self, "spatial_dims", -1) + 1
        return input.shape[0 if unbatched else 1]


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """`BatchNorm1d` without `num_features`."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """`BatchNorm2d` without `num_features`."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """`BatchNorm3d` without `num_features`."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """`InstanceNorm1d` without `num_features`, with scale, shift and statistics by default."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """`InstanceNorm2d` without `num_features`, with scale, shift and statistics by default."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """`InstanceNorm3d` without `num_features`, with scale, shift and statistics by default."""

    cls_to_become = InstanceNorm3d

"""Convolutions and transposed convolutions in one to three dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)

from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

# Names with an underscore are here because programs import them from PyTorch.
__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "_ConvNd",
]

Size = int | Sequence[int]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def _sizes(value: Any, n: int) -> tuple[int, ...]:
    """One number for each dimension."""
    return tuple(value) if isinstance(value, Sequence) else (value,) * n


class _ConvNd(Module):
    """What convolutions and transposed convolutions share: settings, weights and text."""

    transposed = False
    spatial_dims: int

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size,
        padding: Size | str,
        dilation: Size,
        output_padding: Size,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        n = self.spatial_dims
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _sizes(kernel_size, n)
        self.stride = _sizes(stride, n)
        self.padding: str | tuple[int, ...] = (
            padding if isinstance(padding, str) else _sizes(padding, n)
        )
        self.dilation = _sizes(dilation, n)
        self.output_padding = _sizes(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_settings()
        first, second = (
            (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        )
        made = {"device": device, "dtype": dtype}
        self.weight = Parameter(fb.empty((first, second // groups, *self.kernel_size), **made))
        if bias:
            self.bias = Parameter(fb.empty(out_channels, **made))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check_settings(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {self.padding!r}, should be one of {{'valid', 'same'}}"
                )
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {set(_PADDING_MODES)}, but got "
                f"padding_mode='{self.padding_mode}'"
            )

    def reset_parameters(self) -> None:
        """Draws new initial values from U(-l, l) with l = 1 / sqrt(inputs of an output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                limit = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -limit, limit)

    def _border(self) -> list[int]:
        """The padding as `F.pad` wants it, for the modes that convolutions do not know."""
        if self.padding == "valid":
            return [0, 0] * self.spatial_dims
        border: list[int] = []
        for place in reversed(range(self.spatial_dims)):
            if self.padding == "same":
                total = self.dilation[place] * (self.kernel_size[place] - 1)
                border += [total // 2, total - total // 2]
            else:
                border += [self.padding[place]] * 2  # type: ignore[list-item]
        return border

    def extra_repr(self) -> str:
        n = self.spatial_dims
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != (0,) * n:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    """The constructor of the plain convolutions."""

    _convolve: Any

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._border(), mode=self.padding_mode)
            padding = 0
        return self._convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution (cross-correlation) of (N, C, L) or (C, L).

    `padding` is a number, one for each dimension, "same" or "valid"; `padding_mode` is "zeros",
    "reflect", "replicate" or "circular". The weight is (out, in / groups, k).
    """

    spatial_dims = 1
    _convolve = staticmethod(conv1d)


class Conv2d(_Conv):
    """Convolution (cross-correlation) of (N, C, H, W) or (C, H, W).

    `padding` is a number, one for each dimension, "same" or "valid"; `padding_mode` is "zeros",
    "reflect", "replicate" or "circular". The weight is (out, in / groups, kh, kw).
    """

    spatial_dims = 2
    _convolve = staticmethod(conv2d)


class Conv3d(_Conv):
    """Convolution (cross-correlation) of (N, C, D, H, W) or (C, D, H, W).

    `padding` is a number, one for each dimension, "same" or "valid"; `padding_mode` is "zeros",
    "reflect", "replicate" or "circular". The weight is (out, in / groups, kd, kh, kw).
    """

    spatial_dims = 3
    _convolve = staticmethod(conv3d)


class _ConvTranspose(_ConvNd):
    """The constructor and call of the transposed convolutions."""

    transposed = True
    _convolve: Any

    def __init__(
        self,
        in_channels: int,
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
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        extra = self.output_padding
        if output_size is not None:
            extra = self._output_padding_for(input, output_size)
        return self._convolve(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )

    def _output_padding_for(self, input: Tensor, output_size: Sequence[int]) -> tuple[int, ...]:
        """The output padding that gives the wanted size; ValueError when none does."""
        n = self.spatial_dims
        lead = input.dim() - n
        wanted = list(output_size)[lead:] if len(output_size) == input.dim() else list(output_size)
        if len(wanted) != n:
            raise ValueError(
                f"{type(self).__name__}: for {input.dim()}D input, output_size must have {n} or "
                f"{input.dim()} elements (got {len(output_size)})"
            )
        smallest = [
            (input.size(lead + d) - 1) * self.stride[d]
            - 2 * int(self.padding[d])
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(n)
        ]
        largest = [smallest[d] + self.stride[d] - 1 for d in range(n)]
        if any(not low <= size <= high for low, size, high in zip(smallest, wanted, largest)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {smallest} to "
                f"{largest} (for an input of {list(input.size()[2:])})"
            )
        return tuple(size - low for size, low in zip(wanted, smallest))


class ConvTranspose1d(_ConvTranspose):
    """The adjoint of `Conv1d`: (N, C, L) to larger. The weight is (in, out / groups, k)."""

    spatial_dims = 1
    _convolve = staticmethod(conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """The adjoint of `Conv2d`: (N, C, H, W) to larger. The weight is (in, out / groups, kh, kw)."""

    spatial_dims = 2
    _convolve = staticmethod(conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """The adjoint of `Conv3d`. The weight is (in, out / groups, kd, kh, kw)."""

    spatial_dims = 3
    _convolve = staticmethod(conv_transpose3d)

"""Exchanging channels with spatial extent and with classes."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.declare import op


def rearranged(x: fb.Tensor, order: list[int]) -> fb.Tensor:
    """Always a new tensor, which a reshape of few elements is not."""
    return x.permute(order).clone(memory_format=fb.contiguous_format)


@op("pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", namespace="both", method=False)
def pixel_shuffle(self: fb.Tensor, upscale_factor: int) -> fb.Tensor:
    """``(..., C r^2, H, W)`` as ``(..., C, H r, W r)`` (Shi et al., 2016)."""
    factor = upscale_factor
    if self.dim() < 3:
        raise RuntimeError(
            f"pixel_shuffle: expects input to have at least 3 dimensions, got {tuple(self.shape)}"
        )
    if factor <= 0:
        raise RuntimeError(f"pixel_shuffle: expects a positive upscale_factor, but got {factor}")
    channels, height, width = self.shape[-3:]
    if channels % (factor * factor):
        raise RuntimeError(
            f"pixel_shuffle: expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor {factor}, but got shape {tuple(self.shape)}"
        )
    lead = list(self.shape[:-3])
    depth = channels // (factor * factor)
    x = self.reshape([*lead, depth, factor, factor, height, width])
    n = len(lead)
    x = rearranged(x, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return x.reshape([*lead, depth, height * factor, width * factor])


@op("pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", namespace="both", method=False)
def pixel_unshuffle(self: fb.Tensor, downscale_factor: int) -> fb.Tensor:
    """``(..., C, H r, W r)`` as ``(..., C r^2, H, W)``, the inverse of ``pixel_shuffle``."""
    factor = downscale_factor
    if self.dim() < 3:
        raise RuntimeError(
            f"pixel_unshuffle: expects input to have at least 3 dimensions, got {tuple(self.shape)}"
        )
    if factor <= 0:
        raise RuntimeError(
            f"pixel_unshuffle: expects a positive downscale_factor, but got {factor}"
        )
    channels, height, width = self.shape[-3:]
    if height % factor or width % factor:
        raise RuntimeError(
            f"pixel_unshuffle: expects height and width to be divisible by downscale_factor "
            f"{factor}, but got shape {tuple(self.shape)}"
        )
    lead = list(self.shape[:-3])
    height, width = height // factor, width // factor
    x = self.reshape([*lead, channels, height, factor, width, factor])
    n = len(lead)
    x = rearranged(x, [*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return x.reshape([*lead, channels * factor * factor, height, width])


@op("channel_shuffle(Tensor self, int groups) -> Tensor", namespace="both", method=False)
def channel_shuffle(self: fb.Tensor, groups: int) -> fb.Tensor:
    """Interleaves the groups of channels of ``(N, C, ...)`` (Zhang et al., 2018)."""
    if self.dim() < 3:
        raise RuntimeError(
            f"channel_shuffle: expects input with > 2 dims, but got shape {tuple(self.shape)}"
        )
    channels = self.shape[1]
    if groups <= 0 or channels % groups:
        raise RuntimeError(
            f"channel_shuffle: number of channels must be divisible by groups, "
            f"got {channels} channels and {groups} groups"
        )
    apart = self.reshape([self.shape[0], groups, channels // groups, *self.shape[2:]])
    return rearranged(apart, [0, 2, 1, *range(3, apart.dim())]).reshape(self.shape)


@op("one_hot(Tensor self, int num_classes=-1) -> Tensor", namespace="nn")
def one_hot(self: fb.Tensor, num_classes: int) -> fb.Tensor:
    """int64 ``(*, classes)`` with a one at each element's class, zeros elsewhere.

    ``num_classes`` is the largest class plus one if not given.
    """
    if self.dtype != fb.int64:
        raise RuntimeError(
            f"one_hot: is only applicable to index tensor of type int64, got {self.dtype}"
        )
    if self.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError(
                "one_hot: can not infer total number of classes from empty tensor of shape "
                f"{tuple(self.shape)}"
            )
        return fb.zeros([*self.shape, num_classes], dtype=fb.int64, device=self.device)
    smallest, largest = int(self.min().item()), int(self.max().item())
    if smallest < 0:
        raise RuntimeError(f"one_hot: class values must be non-negative, got {smallest}")
    if num_classes == -1:
        num_classes = largest + 1
    elif num_classes < 1:
        raise RuntimeError(f"one_hot: num_classes should be positive, got {num_classes}")
    elif largest >= num_classes:
        raise RuntimeError(
            f"one_hot: class values must be smaller than num_classes, got {largest} and "
            f"num_classes={num_classes}"
        )
    classes = fb.arange(num_classes, device=self.device)
    return (self.unsqueeze(-1) == classes).to(fb.int64)

"""Fractional max pooling: windows of one size at random, evenly spread places.

Graham, "Fractional Max-Pooling", 2014.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.declare import op


def _starts(samples: fb.Tensor, length: int, count: int, kernel: int) -> fb.Tensor:
    """Where ``count`` windows begin, ``(N, C, count)``; the last one ends with the input.

    The others stand at ``floor((i + u) a) - floor(u a)``, ``a`` being their mean distance.
    """
    last = fb.full((*samples.shape, 1), length - kernel, dtype=fb.int64, device=samples.device)
    if count == 1:
        return last
    distance = (length - kernel) / (count - 1)
    shift = samples.unsqueeze(-1)
    steps = fb.arange(count - 1, device=samples.device)
    inner = ((steps + shift) * distance).floor() - (shift * distance).floor()
    return fb.cat([inner.to(fb.int64), last], -1)


def _places(starts: fb.Tensor, kernel: int, dim: int, spatial: int) -> fb.Tensor:
    """What the windows cover along one dimension, to be broadcast to ``(N, C, *out, *kernel)``."""
    taps = starts.unsqueeze(-1) + fb.arange(kernel, device=starts.device)
    shape = [*starts.shape[:2], *[1] * (2 * spatial)]
    shape[2 + dim], shape[2 + spatial + dim] = starts.shape[2], kernel
    return taps.reshape(shape)


def _require(
    name: str, x: fb.Tensor, kernel: Sequence[int], size: Sequence[int], samples: fb.Tensor
) -> None:
    spatial = len(kernel)
    if x.dim() != spatial + 2 or 0 in x.shape[1:]:
        raise RuntimeError(
            f"{name}: expected non-empty {spatial + 1}D or {spatial + 2}D (batch mode) input, but "
            f"got a batch of shape {tuple(x.shape)}"
        )
    for length, window, count in zip(x.shape[2:], kernel, size):
        if window < 1 or count < 1 or count + window - 1 > length:
            raise RuntimeError(
                f"{name}: {count} windows of length {window} do not fit an input of shape "
                f"{tuple(x.shape)}"
            )
    if tuple(samples.shape) != (*x.shape[:2], spatial):
        raise RuntimeError(
            f"{name}: expected random_samples of shape {(*x.shape[:2], spatial)}, but got "
            f"{tuple(samples.shape)}"
        )


def _pool(
    name: str,
    x: fb.Tensor,
    kernel_size: Sequence[int],
    output_size: Sequence[int],
    samples: fb.Tensor,
    order: Sequence[int],
) -> tuple[fb.Tensor, fb.Tensor]:
    """Pools the last dimensions; ``order`` names the sample that each of them uses."""
    spatial = len(order)
    kernel, size = (
        list(numbers) * spatial if len(numbers) == 1 else list(numbers)
        for numbers in (kernel_size, output_size)
    )
    if len(kernel) != spatial or len(size) != spatial:
        raise RuntimeError(
            f"{name}: kernel_size and output_size must be one int or {spatial}, got {kernel} and "
            f"{size}"
        )
    batch = x
    if x.dim() == spatial + 1:
        batch, samples = x.unsqueeze(0), samples[:1]
    _require(name, batch, kernel, size, samples)
    lengths = batch.shape[2:]
    places = fb.zeros((), dtype=fb.int64, device=x.device)
    for dim in range(spatial):
        starts = _starts(samples[..., order[dim]], lengths[dim], size[dim], kernel[dim])
        places = places * lengths[dim] + _places(starts, kernel[dim], dim, spatial)
    lead = list(batch.shape[:2])
    count = math.prod(size)
    places = places.reshape([*lead, count, math.prod(kernel)])
    plane = batch.reshape([*lead, math.prod(lengths)])
    windows = plane.detach().gather(2, places.flatten(2)).reshape(places.shape)
    index = places.gather(3, windows.argmax(3, True)).squeeze(3)
    shape = [*x.shape[:-spatial], *size]
    return plane.gather(2, index).reshape(shape), index.reshape(shape)


_ARGUMENTS = "(Tensor self, int[] kernel_size, int[] output_size, Tensor random_samples)"


@op(f"fractional_max_pool2d{_ARGUMENTS} -> Tensor[]", namespace="nn")
def fractional_max_pool2d(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    output_size: Sequence[int],
    random_samples: fb.Tensor,
) -> tuple[fb.Tensor, fb.Tensor]:
    """Largest values of ``(N, C, H, W)`` or ``(C, H, W)``, and their places in the plane.

    ``random_samples`` ``(N, C, 2)`` from [0, 1) shift the windows, the columns' first.
    """
    name = "fractional_max_pool2d"
    return _pool(name, self, kernel_size, output_size, random_samples, (1, 0))


@op(f"fractional_max_pool3d{_ARGUMENTS} -> Tensor[]", namespace="nn")
def fractional_max_pool3d(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    output_size: Sequence[int],
    random_samples: fb.Tensor,
) -> tuple[fb.Tensor, fb.Tensor]:
    """The same of ``(N, C, D, H, W)`` or ``(C, D, H, W)``; the samples ``(N, C, 3)`` in order."""
    name = "fractional_max_pool3d"
    return _pool(name, self, kernel_size, output_size, random_samples, (0, 1, 2))

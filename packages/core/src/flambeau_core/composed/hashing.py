"""A number that tells tensors apart by their bits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dims
from flambeau_core.declare import op


@op("hash_tensor(Tensor self, int[] dim=[], *, bool keepdim=False, int mode=0) -> Tensor")
def hash_tensor(self: fb.Tensor, dim: Sequence[int], keepdim: bool, mode: int) -> fb.Tensor:
    """The exclusive or of the bits of all elements, or of those along ``dim``, as uint64.

    Floating-point numbers count as float64, whole ones as int64. ``mode`` must be 0. Raises
    IndexError for an empty dimension, NotImplementedError for complex numbers.
    """
    if mode != 0:
        raise RuntimeError(f"hash_tensor: unknown mode {mode}")
    if self.is_complex():
        raise NotImplementedError(f"hash_tensor: not implemented for {self.dtype}")
    dims = sorted(wrap_dims("hash_tensor", dim, self.shape)) or list(range(self.dim()))
    if self.numel() == 0:
        if not dim:
            raise RuntimeError(
                f"hash_tensor: dim must be given for input without elements, of shape "
                f"{tuple(self.shape)}"
            )
        if not all(self.shape[d] for d in dims):
            raise IndexError(
                f"hash_tensor: dim={tuple(dim)} of input of shape {tuple(self.shape)} is empty"
            )
    bits = self.detach().to(fb.float64) if self.is_floating_point() else self.detach()
    bits = bits.contiguous().view(fb.int64) if self.is_floating_point() else bits.to(fb.int64)
    if self.dim():
        kept = [d for d in range(self.dim()) if d not in dims]
        count = math.prod(self.shape[d] for d in dims)
        bits = bits.permute([*kept, *dims]).reshape([*(self.shape[d] for d in kept), count])
        while bits.shape[-1] > 1:
            half = bits.shape[-1] // 2
            rest = bits[..., 2 * half :]
            bits = fb.cat([bits[..., :half] ^ bits[..., half : 2 * half], rest], -1)
    shape = [1 if d in dims else n for d, n in enumerate(self.shape)]
    if not keepdim:
        shape = [n for d, n in enumerate(self.shape) if d not in dims]
    return bits.reshape(shape).view(fb.uint64)

"""Updates with the coordinates of a sparse gradient."""

from __future__ import annotations

import flambeau_core as fb

__all__ = ["with_values"]


def with_values(grad: fb.Tensor, values: fb.Tensor) -> fb.Tensor:
    """A sparse tensor with the coordinates of a coalesced gradient and other values."""
    return fb.sparse_coo_tensor(grad.indices(), values, grad.shape, is_coalesced=True)

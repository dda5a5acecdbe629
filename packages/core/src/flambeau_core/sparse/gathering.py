"""Elements of dense tensors at the coordinates of sparse ones."""

from __future__ import annotations

from typing import Any

__all__ = ["gathered"]


def gathered(dense: Any, pattern: Any) -> Any:
    """The elements of a dense tensor at a sparse one's coordinates, [nnz, *dense sizes]."""
    if not pattern.sparse_dim():
        return dense.unsqueeze(0).expand(pattern._nnz(), *dense.shape)
    return dense[tuple(pattern._stored_indices.unbind(0))]

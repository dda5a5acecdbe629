"""The gradient of a table of which some rows were looked up."""

from __future__ import annotations

from typing import Any

from flambeau_core.sparse.tensor import make

__all__ = ["row_gradient"]


def row_gradient(index: Any, grad: Any, shape: tuple[int, int], padding: int) -> Any:
    """Sparse, of the shape [V, D]: a row of ``grad`` [*, D] for each of ``index`` [n].

    Rows that were looked up several times stay apart; those of the index ``padding`` are left out.
    """
    rows = grad.reshape(index.shape[0], shape[1])
    if padding >= 0:
        kept = (index != padding).nonzero()[:, 0]
        index, rows = index.index_select(0, kept), rows.index_select(0, kept)
    return make(index.unsqueeze(0), rows, shape)

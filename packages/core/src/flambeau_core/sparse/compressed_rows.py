"""Sparse matrices whose elements are sorted by rows: ``sparse_csr``.

They are kept as sorted coordinates, so every op on coordinates serves them; what PyTorch stores,
where each row starts, is computed when it is asked for.
"""

from __future__ import annotations

from typing import Any, NoReturn

import flambeau_core as fb
from flambeau_core.layout import sparse_csr
from flambeau_core.overrides import OVERRIDES, SPARSE
from flambeau_core.sparse.coalescing import coalesce
from flambeau_core.sparse.construction import sparse_coo_tensor
from flambeau_core.sparse.conversion import dense_to_sparse
from flambeau_core.sparse.dispatch import implements
from flambeau_core.sparse.tensor import SparseTensor, make

__all__ = [
    "CompressedRows",
    "dense_to_compressed",
    "sparse_compressed_tensor",
    "sparse_csr_tensor",
]


class CompressedRows(SparseTensor):
    """A matrix of which only some elements are stored, row by row."""

    _interception = OVERRIDES | SPARSE
    is_sparse = False
    is_sparse_csr = True
    layout = sparse_csr

    def crow_indices(self) -> Any:
        """Where each row starts among the elements, and their count at the end, [rows + 1]."""
        counts = fb.bincount(self._stored_indices[0], minlength=self.shape[0])
        return fb.cat([counts.new_zeros(1), counts.cumsum(0)])

    def col_indices(self) -> Any:
        """The column of each element, [nnz]."""
        return self._stored_indices[1]

    def _refuse(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got SparseCsr")

    def indices(self) -> Any:
        self._refuse("indices")

    def coalesce(self) -> Any:
        self._refuse("coalesce")

    def is_coalesced(self) -> bool:
        self._refuse("is_coalesced")

    def _in_layout(self, other: Any) -> Any:
        return compressed(other)

    def _coordinates(self) -> Any:
        return make(self._stored_indices, self._stored_values, self.shape, True)


def compressed(x: Any) -> Any:
    """A sparse matrix in rows."""
    if x.ndim != 2 or x.dense_dim():
        raise NotImplementedError(f"only matrices of numbers can have the layout {sparse_csr}")
    x = coalesce(x)
    return make(x._stored_indices, x._stored_values, x.shape, True, CompressedRows)


@implements("to_sparse_csr")
def to_sparse_csr(self: Any, dense_dim: Any = None) -> Any:
    return compressed(self)


@implements("to_sparse", "to_sparse_coo")
def to_sparse(
    self: Any,
    sparse_dim: int | None = None,
    *,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:
    if layout not in (None, fb.sparse_coo, sparse_csr) or blocksize is not None:
        raise NotImplementedError(f"to_sparse: there are no tensors of the layout {layout}")
    if sparse_dim not in (None, self.sparse_dim()):
        raise RuntimeError(
            f"to_sparse: a tensor of sparse_dim {self.sparse_dim()} cannot become one of "
            f"{sparse_dim}"
        )
    if layout is sparse_csr:
        return compressed(self)
    return self._coordinates() if isinstance(self, CompressedRows) else self


def dense_to_compressed(self: Any, dense_dim: int | None = None) -> Any:
    """The elements of a dense matrix that are not zero, row by row.

    Raises:
        NotImplementedError: it is no matrix, or ``dense_dim`` is given.
    """
    if dense_dim:
        raise NotImplementedError(f"only matrices of numbers can have the layout {sparse_csr}")
    return compressed(dense_to_sparse(self))


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """A matrix of elements sorted by rows.

    Args:
        crow_indices: where each row starts among the elements, and their count, [rows + 1].
        col_indices: the column of each element, ascending in each row, [nnz].
        values: [nnz]; gradients flow to them.
        size: the shape; by default the smallest that holds all columns.

    Raises:
        RuntimeError: the parts do not fit together.
    """
    starts, columns = (_whole_numbers(x, device) for x in (crow_indices, col_indices))
    lengths = starts.diff() if starts.ndim == 1 else starts
    total = columns.shape[0] if columns.ndim == 1 else -1
    if starts.ndim != 1 or not len(starts) or int(starts[0]) or int(starts[-1]) != total:
        raise RuntimeError("crow_indices must be a vector from 0 to the number of col_indices")
    if bool((lengths < 0).any()):
        raise RuntimeError("crow_indices must not descend")
    rows = fb.arange(len(lengths), device=starts.device).repeat_interleave(lengths)
    if size is None:
        size = (len(lengths), int(columns.max()) + 1 if total else 0)
    if len(size) != 2 or size[0] != len(lengths):
        raise RuntimeError(
            f"crow_indices of shape {list(starts.shape)} do not fit the size {list(size)}"
        )
    made = sparse_coo_tensor(
        fb.stack([rows, columns]),
        values,
        size,
        dtype=dtype,
        device=device,
        is_coalesced=True,
        check_invariants=True,
    )
    made = compressed(made)
    return made.requires_grad_() if requires_grad else made


def _whole_numbers(indices: Any, device: Any) -> Any:
    indices = indices if isinstance(indices, fb.Tensor) else fb.tensor(indices)
    return indices.to(device=indices.device if device is None else device, dtype=fb.int64)


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    layout: Any = None,
    **options: Any,
) -> Any:
    """:func:`sparse_csr_tensor` for the layout ``sparse_csr``; there are no other such layouts.

    Raises:
        RuntimeError: the parts do not fit together.
        NotImplementedError: another layout.
    """
    if layout is not sparse_csr:
        raise NotImplementedError(f"there are no tensors of the layout {layout}")
    return sparse_csr_tensor(compressed_indices, plain_indices, values, size, **options)

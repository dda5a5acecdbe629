"""Making sparse tensors of coordinates and values."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.tensor import make

__all__ = ["sparse_coo_tensor"]


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Any:
    """A tensor that is zero but for the values at some coordinates.

    Args:
        indices: coordinates, [sparse_dim, nnz]; a tensor or nested lists. Given alone, it is the
            size of a tensor without values.
        values: [nnz, *dense sizes]; gradients flow to them. Those of equal coordinates add up.
        size: the shape, sparse sizes first; by default the smallest that holds all coordinates.
        dtype: of the values; by default their own.
        check_invariants: whether to check also that coordinates are sorted and do not repeat
            where ``is_coalesced``; shapes and ranges are always checked.
        is_coalesced: promises that coordinates are sorted and do not repeat.

    Raises:
        RuntimeError: shapes do not fit together, or a coordinate lies outside of ``size``.

    Example:

        >>> import flambeau as torch
        >>> indices, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([3.0, 4.0])
        >>> x = torch.sparse_coo_tensor(indices, values, (2, 2))
        >>> x.to_dense()
        tensor([[0., 3.],
                [4., 0.]])
    """
    if values is None:
        return _without_values(indices if size is None else size, dtype, device, requires_grad)
    values = _values(values, dtype, device)
    indices = indices if isinstance(indices, fb.Tensor) else fb.tensor(indices)
    indices = indices.detach().to(device=values.device, dtype=fb.int64)
    _check_counts(indices, values)
    if size is None:
        largest = indices.amax(1) + 1 if indices.numel() else indices.new_zeros(indices.shape[0])
        size = (*largest.tolist(), *values.shape[1:])
    size = tuple(int(n) for n in size)
    _check_size(indices, values, size)
    coalesced = bool(is_coalesced)
    if coalesced and check_invariants:
        _check_order(indices, size)
    made = make(indices, values, size, coalesced)
    return made.requires_grad_() if requires_grad else made


def _without_values(size: Any, dtype: Any, device: Any, requires_grad: bool) -> Any:
    if size is None:
        raise TypeError("sparse_coo_tensor() needs indices and values, or a size")
    size = tuple(int(n) for n in (size.tolist() if isinstance(size, fb.Tensor) else size))
    if any(n < 0 for n in size):
        raise RuntimeError(f"sparse_coo_tensor: the size {list(size)} has a negative entry")
    values = fb.empty(0, dtype=dtype, device=device)
    made = make(fb.empty((len(size), 0), dtype=fb.int64, device=device), values, size, True)
    return made.requires_grad_() if requires_grad else made


def _values(values: Any, dtype: Any, device: Any) -> Any:
    """As a tensor with a first dimension; one that may become a leaf of its own."""
    if not isinstance(values, fb.Tensor):
        values = fb.tensor(values, dtype=dtype, device=device)
    if values.is_sparse:
        raise TypeError("sparse_coo_tensor: values must be dense, but they are sparse")
    values = values.to(device=values.device if device is None else device, dtype=dtype)
    values = values.reshape(1) if values.ndim == 0 else values
    return values.view(values.shape)


def _check_counts(indices: Any, values: Any) -> None:
    if indices.ndim != 2:
        raise RuntimeError(
            f"indices must be sparse_dim x nnz, but got the shape {list(indices.shape)}"
        )
    if indices.shape[1] != values.shape[0]:
        raise RuntimeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{indices.shape[1]}, nnz from values: {values.shape[0]}"
        )


def _check_size(indices: Any, values: Any, size: tuple[int, ...]) -> None:
    sparse = indices.shape[0]
    if len(size) != sparse + values.ndim - 1 or any(n < 0 for n in size):
        raise RuntimeError(
            f"sparse_coo_tensor: the size {list(size)} needs {sparse} sparse and "
            f"{values.ndim - 1} dense dimensions, none of them negative"
        )
    if tuple(values.shape[1:]) != size[sparse:]:
        raise RuntimeError(
            f"values has incorrect size, expected {[values.shape[0], *size[sparse:]]}, "
            f"got {list(values.shape)}"
        )
    if not indices.numel():
        return
    for dim, (low, high) in enumerate(zip(indices.amin(1).tolist(), indices.amax(1).tolist())):
        if low < 0:
            raise RuntimeError(f"found negative index {low} for dim {dim}")
        if high >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found "
                f"index {high}"
            )


def _check_order(indices: Any, size: tuple[int, ...]) -> None:
    from flambeau_core.sparse.coalescing import linear_index

    flat = linear_index(indices, size[: indices.shape[0]])
    if not bool((flat[1:] > flat[:-1]).all()):
        raise RuntimeError("sparse_coo_tensor: is_coalesced, but indices repeat or are not sorted")

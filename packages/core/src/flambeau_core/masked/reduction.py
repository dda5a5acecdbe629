"""Sums, products, extrema, medians and norms of the elements that a mask leaves."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.masked.filling import (
    Dims,
    cast,
    checked_mask,
    dimensions,
    filled,
    highest,
    lowest,
)

__all__ = ["amax", "amin", "argmax", "argmin", "median", "norm", "prod", "sum"]


def sum(
    input: fb.Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Sum over ``dim`` (all if None); of whole numbers in int64 unless ``dtype`` is given.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.sum(x, mask=mask)
        tensor(4.)
    """
    x = filled("masked.sum", input, mask, 0)
    return x.sum(dimensions(x, dim), keepdim, dtype=dtype)


def prod(
    input: fb.Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Product over ``dim`` (all if None); of whole numbers in int64 unless ``dtype`` is given.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.prod(x, mask=mask)
        tensor(3.)
    """
    x = filled("masked.prod", input, mask, 1)
    dims = dimensions(x, dim)
    if not dims:
        return x.prod(dtype=dtype)
    # Summing first tells of dimensions that do not exist or come twice.
    shape = x.detach().sum(dims, keepdim).shape
    for d in dims:
        x = x.prod(d, True, dtype=dtype)
    return x.reshape(shape)


def amax(
    input: fb.Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Largest element over ``dim`` (all if None).

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.amax(x, mask=~mask)
        tensor(2.)
    """
    x = cast(input, dtype)
    x = filled("masked.amax", x, mask, lowest)
    return x.amax(dimensions(x, dim), keepdim)


def amin(
    input: fb.Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Smallest element over ``dim`` (all if None).

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.amin(x, mask=~mask)
        tensor(2.)
    """
    x = cast(input, dtype)
    x = filled("masked.amin", x, mask, highest)
    return x.amin(dimensions(x, dim), keepdim)


def argmax(
    input: fb.Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Index of the largest element along ``dim`` (of all, flattened, if None).

    Indices have the input's dtype unless ``dtype`` is given, as in PyTorch.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.argmax(x, mask=~mask)
        tensor(1.)
    """
    x = filled("masked.argmax", input, mask, lowest)
    return x.argmax(dim, keepdim).to(dtype or input.dtype)


def argmin(
    input: fb.Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Index of the smallest element along ``dim`` (of all, flattened, if None).

    Indices have the input's dtype unless ``dtype`` is given, as in PyTorch.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.argmin(x, mask=~mask)
        tensor(1.)
    """
    x = filled("masked.argmin", input, mask, highest)
    return x.argmin(dim, keepdim).to(dtype or input.dtype)


def median(
    input: fb.Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Median along ``dim``, the lower of the middle two; NaN where everything is left out.

    ValueError for whole numbers of which a row is left out altogether, for complex ones too.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([[1.0, 2.0, 3.0]])
        >>> mask = torch.tensor([[True, False, True]])
        >>> torch.masked.median(x, 1, mask=mask)
        tensor([1.])
    """
    x = cast(input, dtype)
    if x.is_complex():
        raise ValueError(f"masked.median: complex numbers have no order, got {x.dtype}")
    mask = checked_mask("masked.median", x, mask)
    if x.is_floating_point():
        return filled("masked.median", x, mask, fb.nan).nanmedian(dim, keepdim).values
    if mask is not None and not bool(mask.expand(x.shape).any(dim).all()):
        raise ValueError(f"masked.median: a row of {x.dtype} is left out altogether")
    # float64 has a value to mark elements with, and holds every whole number up to 2^53.
    wide = filled("masked.median", x.to(fb.float64), mask, fb.nan)
    return wide.nanmedian(dim, keepdim).values.to(x.dtype)


def norm(
    input: fb.Tensor,
    ord: float = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Vector norm of order ``ord`` over ``dim`` (all if None).

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.norm(x, 2.0, mask=mask)
        tensor(3.1623)
    """
    # With a negative order small elements weigh most, and infinite ones nothing.
    x = filled("masked.norm", input, mask, fb.inf if ord < 0 else 0)
    return fb.linalg.vector_norm(x, ord, dimensions(x, dim), keepdim, dtype=dtype)

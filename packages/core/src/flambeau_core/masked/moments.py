"""Mean, variance and standard deviation of the elements that a mask leaves."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.masked.filling import Dims, cast, checked_mask, dimensions, filled

__all__ = ["mean", "std", "var"]


def mean(
    input: fb.Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Mean over ``dim`` (all if None); ValueError for whole numbers without ``dtype``.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.mean(x, mask=mask)
        tensor(2.)
    """
    x = cast(input, dtype)
    if not (x.is_floating_point() or x.is_complex()):
        raise ValueError(f"masked.mean: expected floating point or complex numbers, got {x.dtype}")
    dims = dimensions(x, dim)
    total = filled("masked.mean", x, mask, 0).sum(dims, keepdim)
    return total / _count(x, mask, dims, keepdim)


def _count(x: fb.Tensor, mask: fb.Tensor | None, dims: list[int], keepdim: bool) -> Any:
    """How many elements count, at every place of the result."""
    if mask is None:
        mask = fb.ones((), dtype=fb.bool, device=x.device)
    return mask.to(fb.bool).expand(x.shape).sum(dims, keepdim)


def var(
    input: fb.Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Variance over ``dim`` (all if None): squares divided by the count less ``correction``.

    ``unbiased`` says 1 (True, the default) or 0. AssertionError where both are given. Of complex
    numbers the variance is complex with imaginary part 0.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.var(x, mask=mask)
        tensor(2.)
    """
    if unbiased is not None and correction is not None:
        raise AssertionError("masked.var: only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    if input.dtype == fb.bool and dtype is None:
        raise RuntimeError(f"masked.var: expected numbers, got {input.dtype}")
    x = cast(input, dtype)
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(fb.get_default_dtype())
    mask = checked_mask("masked.var", x, mask)
    dims = dimensions(x, dim)
    count = _count(x, mask, dims, True)
    centre = filled("masked.var", x, mask, 0).sum(dims, True) / count
    distance = x - centre
    squares = filled("masked.var", distance * distance.conj(), mask, 0).sum(dims, keepdim)
    divisor = (count.reshape(squares.shape) - correction).clamp(min=0)
    return (squares / divisor).to(squares.dtype)  # a fractional correction makes it float32


def std(
    input: fb.Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Standard deviation over ``dim`` (all if None): the square root of ``var``.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.std(x, mask=mask)
        tensor(1.4142)
    """
    return var(
        input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask
    ).sqrt()

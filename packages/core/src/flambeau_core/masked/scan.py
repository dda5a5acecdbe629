"""Running sums and products that pass over the elements that a mask leaves out."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.masked.filling import filled

__all__ = ["cumprod", "cumsum"]


def cumsum(
    input: fb.Tensor,
    dim: int,
    *,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Running sum along ``dim``, in the input's dtype unless ``dtype`` is given.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.cumsum(x, 0, mask=mask)
        tensor([1., 1., 4.])
    """
    x = filled("masked.cumsum", input, mask, 0)
    return x.cumsum(dim, dtype=dtype or _number(x.dtype))


def cumprod(
    input: fb.Tensor,
    dim: int,
    *,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Running product along ``dim``, in the input's dtype unless ``dtype`` is given.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.cumprod(x, 0, mask=mask)
        tensor([1., 1., 3.])
    """
    x = filled("masked.cumprod", input, mask, 1)
    return x.cumprod(dim, dtype=dtype or _number(x.dtype))


def _number(dtype: fb.dtype) -> fb.dtype:
    if dtype == fb.bool:
        raise NotImplementedError(f"a running sum or product has no dtype {dtype}")
    return dtype

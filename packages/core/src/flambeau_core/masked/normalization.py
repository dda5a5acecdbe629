"""Scaling along a dimension by the elements that a mask leaves."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.masked.filling import Dims, cast, filled, highest, lowest
from flambeau_core.masked.reduction import norm

__all__ = ["log_softmax", "normalize", "softmax", "softmin"]


def softmax(
    input: fb.Tensor,
    dim: int,
    *,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Exponentials along ``dim`` divided by their sum; 0 where the mask is False.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.softmax(x, 0, mask=mask)
        tensor([0.1192, 0.0000, 0.8808])
    """
    return filled("masked.softmax", input, mask, lowest).softmax(dim, dtype)


def log_softmax(
    input: fb.Tensor,
    dim: int,
    *,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Logarithm of ``softmax``; ``-inf`` where the mask is False.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.log_softmax(x, 0, mask=mask)
        tensor([-2.1269,    -inf, -0.1269])
    """
    return filled("masked.log_softmax", input, mask, lowest).log_softmax(dim, dtype)


def softmin(
    input: fb.Tensor,
    dim: int,
    *,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """``softmax`` of the negated input; 0 where the mask is False.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.softmin(x, 0, mask=mask)
        tensor([0.8808, 0.0000, 0.1192])
    """
    return (-cast(filled("masked.softmin", input, mask, highest), dtype)).softmax(dim)


def normalize(
    input: fb.Tensor,
    ord: float,
    dim: Dims,
    *,
    eps: float = 1e-12,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """The input over its norm of order ``ord`` along ``dim``, which counts as at least ``eps``.

    The result is 0 where the mask is False.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.normalize(x, 1.0, 0, mask=mask)
        tensor([0.2500, 0.0000, 0.7500])
    """
    x = cast(input, dtype)
    length = norm(x, ord, dim, keepdim=True, mask=mask)
    return filled("masked.normalize", x, mask, 0) / length.clamp(min=eps)

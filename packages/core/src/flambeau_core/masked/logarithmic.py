"""Sums of numbers given by their logarithms, where a mask leaves some out."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.masked.filling import Dims, cast, dimensions, filled, lowest

__all__ = ["logaddexp", "logsumexp"]


def logsumexp(
    input: fb.Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: fb.dtype | None = None,
    mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """Logarithm of the sum of exponentials over ``dim`` (all if None), in the input's dtype.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.logsumexp(x, 0, mask=mask)
        tensor(3.1269)
    """
    x = filled("masked.logsumexp", input, mask, -fb.inf if input.is_complex() else lowest)
    return x.logsumexp(dimensions(x, dim), keepdim).to(dtype or input.dtype)


def logaddexp(
    input: fb.Tensor,
    other: fb.Tensor,
    *,
    dtype: fb.dtype | None = None,
    input_mask: fb.Tensor | None = None,
    other_mask: fb.Tensor | None = None,
) -> fb.Tensor:
    """``log(exp(input) + exp(other))``; where a mask is False the other term alone counts.

    Each mask broadcasts to its own tensor; ``-inf`` where both are False.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.logaddexp(x, x, input_mask=mask, other_mask=mask)
        tensor([1.6931,   -inf, 3.6931])
    """
    x, y = cast(input, dtype), cast(other, dtype)
    x = filled("masked.logaddexp", x, input_mask, lowest)
    y = filled("masked.logaddexp", y, other_mask, lowest)
    return fb.logaddexp(x, y)

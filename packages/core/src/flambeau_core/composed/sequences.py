"""Regular sequences and the matrices made from them."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op(
    "logspace(Operand start, Operand end, int steps, float base=10.0, *, dtype? dtype=None,"
    " device? device=None, bool requires_grad=False)"
    " -> Tensor",
    method=False,
    exact_out=True,
)
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float,
    dtype: Any,
    device: Any,
    grad: bool,
) -> fb.Tensor:
    """``base`` to the powers from ``start`` to ``end`` in equal steps, 1-D."""
    if steps < 0:
        raise RuntimeError(f"logspace: number of steps must be non-negative, got {steps}")
    result_dtype = fb.get_default_dtype() if dtype is None else dtype
    whole = not (result_dtype.is_floating_point or result_dtype.is_complex)
    low, high = (x.item() if isinstance(x, fb.Tensor) else x for x in (start, end))
    if whole:
        low, high = int(low), int(high)
    work = fb.complex128 if result_dtype.is_complex else fb.float64
    exponents = fb.linspace(low, high, steps, dtype=work, device=device)
    return fb.pow(float(base), exponents).to(result_dtype).requires_grad_(grad)


@op("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", method=False)
def vander(x: fb.Tensor, N: int | None, increasing: bool) -> fb.Tensor:
    """Powers ``N - 1`` to 0 (or 0 to ``N - 1``) of each element of a vector, as rows."""
    if x.dim() != 1:
        raise RuntimeError(f"vander: x must be a one-dimensional tensor, got {tuple(x.shape)}")
    columns = x.shape[0] if N is None else N
    if columns < 0:
        raise RuntimeError(f"vander: N must be non-negative, got {columns}")
    if x.dtype in (fb.bool, fb.uint8, fb.int8, fb.int16, fb.int32):
        x = x.to(fb.int64)
    first = x.new_ones((x.shape[0], min(columns, 1)))
    others = x.unsqueeze(1).expand(-1, max(columns - 1, 0)).cumprod(1)
    rising = fb.cat([first, others], 1)
    return rising if increasing else rising.flip(1)

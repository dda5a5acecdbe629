"""Orthogonal polynomials ``p_n(x)``; ``x`` and the degree ``n`` broadcast, and may be numbers.

Degrees count by their whole part; negative ones give 0, those above a million NaN. Like
PyTorch's, these have no gradients.
"""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]

chebyshev_polynomial_t = _C.find_op("special_chebyshev_polynomial_t")
chebyshev_polynomial_u = _C.find_op("special_chebyshev_polynomial_u")
chebyshev_polynomial_v = _C.find_op("special_chebyshev_polynomial_v")
chebyshev_polynomial_w = _C.find_op("special_chebyshev_polynomial_w")
hermite_polynomial_h = _C.find_op("special_hermite_polynomial_h")
hermite_polynomial_he = _C.find_op("special_hermite_polynomial_he")
laguerre_polynomial_l = _C.find_op("special_laguerre_polynomial_l")
legendre_polynomial_p = _C.find_op("special_legendre_polynomial_p")


def _shifted(x: Any) -> Any:
    """The interval from 0 to 1 moved to that from -1 to 1."""
    return (x.detach() if isinstance(x, fb.Tensor) else x) * 2.0 - 1.0


@op("shifted_chebyshev_polynomial_t(Operand x, Operand n) -> Tensor", namespace="special")
def shifted_chebyshev_polynomial_t(x: Any, n: Any) -> fb.Tensor:
    """The polynomial of the first kind in ``2 x - 1``."""
    return chebyshev_polynomial_t(_shifted(x), n)


@op("shifted_chebyshev_polynomial_u(Operand x, Operand n) -> Tensor", namespace="special")
def shifted_chebyshev_polynomial_u(x: Any, n: Any) -> fb.Tensor:
    """The polynomial of the second kind in ``2 x - 1``."""
    return chebyshev_polynomial_u(_shifted(x), n)


@op("shifted_chebyshev_polynomial_v(Operand x, Operand n) -> Tensor", namespace="special")
def shifted_chebyshev_polynomial_v(x: Any, n: Any) -> fb.Tensor:
    """The polynomial of the third kind in ``2 x - 1``."""
    return chebyshev_polynomial_v(_shifted(x), n)


@op("shifted_chebyshev_polynomial_w(Operand x, Operand n) -> Tensor", namespace="special")
def shifted_chebyshev_polynomial_w(x: Any, n: Any) -> fb.Tensor:
    """The polynomial of the fourth kind in ``2 x - 1``."""
    return chebyshev_polynomial_w(_shifted(x), n)

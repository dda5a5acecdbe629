"""The largest singular values and vectors, from products with random vectors.

Halko, Martinsson and Tropp, Finding structure with randomness: probabilistic algorithms for
constructing approximate matrix decompositions, SIAM Review 53 (2011), algorithms 4.4 and 5.1.
"""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.linalg.qr import factored
from flambeau_core.linalg.svd import decomposed

__all__ = ["pca_lowrank", "svd_lowrank"]

Tensor = fb.Tensor


def _range_finder(A: Tensor, q: int, niter: int) -> Tensor:
    """Orthonormal columns ``(..., m, q)`` that nearly span those of ``A``."""
    start = fb.randn([A.shape[-1], q], dtype=A.dtype, device=A.device)
    Q: Tensor = factored(A @ start, "reduced")[0]
    for _ in range(niter):
        Q = factored(A.mH @ Q, "reduced")[0]
        Q = factored(A @ Q, "reduced")[0]
    return Q


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """``(U, S, V)`` with ``A - M`` close to ``U diag(S) V^H`` and ``q`` singular values.

    ``A`` is ``(..., m, n)``; each of the ``niter`` iterations brings it closer.

    Example:

        >>> import flambeau as torch
        >>> U, S, V = torch.svd_lowrank(torch.eye(4), q=2)
        >>> U.shape, S.shape
        (flambeau.Size([4, 2]), flambeau.Size([2]))
    """
    q = 6 if q is None else q
    if M is not None:
        A = A - M.expand(A.shape)
    wide = A.shape[-2] < A.shape[-1]
    matrix = A.mH if wide else A
    Q = _range_finder(matrix, q, 2 if niter is None else niter)
    U, S, Vh = decomposed(Q.mH @ matrix, False, "svd_lowrank")
    U, V = Q @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """The ``q`` principal components (6, or as many as there are) of rows ``(..., m, n)``.

    ``A`` is centred unless its columns have mean 0 already. The columns of V are the directions,
    ``S ** 2 / (m - 1)`` the variances along them.

    Raises:
        ValueError: ``q`` exceeds a dimension, or it or ``niter`` is negative.

    Example:

        >>> import flambeau as torch
        >>> U, S, V = torch.pca_lowrank(torch.eye(4), q=2)
        >>> V.shape
        flambeau.Size([4, 2])
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not (A.is_floating_point() or A.is_complex()):
        raise ValueError(f"pca_lowrank: expected a floating point or complex tensor, got {A.dtype}")
    if center:
        A = A - A.mean(-2, True)
    return svd_lowrank(A, q, niter)

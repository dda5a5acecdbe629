"""Linear algebra that the array module has itself, over LAPACK.

It stops at the first matrix of a batch that fails; here every matrix has its own ``info``, and
only where one fails are they taken one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flambeau_core.reference.lu import first_zero_pivot
from flambeau_core.reference.precision import Array
from flambeau_core.reference.table import Kernel


def by_matrix(
    xp: Any,
    compute: Callable[..., tuple[Array, ...]],
    outs: tuple[Array | None, ...],
    info: Array,
    ins: tuple[Array, ...],
    reason: Callable[[Any, Array], int] = lambda xp, a: 1,
) -> None:
    """Writes ``compute(*ins)`` into ``outs``; failed matrices become NaN and get a reason."""
    info[...] = 0
    try:
        write(outs, compute(*ins))
        return
    except xp.linalg.LinAlgError:
        pass
    for index in xp.ndindex(info.shape):
        one = tuple(None if out is None else out[index] for out in outs)
        try:
            write(one, compute(*(x[index] for x in ins)))
        except xp.linalg.LinAlgError:
            write(one, (xp.nan,) * len(one))
            info[index] = reason(xp, ins[0][index])


def write(outs: tuple[Array | None, ...], values: tuple[Array, ...]) -> None:
    for out, value in zip(outs, values):
        if out is not None:
            out[...] = value


def first_bad_minor(xp: Any, a: Array) -> int:
    """The order of the first leading minor that is not positive definite."""
    work = a.copy()
    for j in range(len(a)):
        pivot = work[j, j].real
        if not pivot > 0:
            return j + 1
        column = work[j + 1 :, j].copy()
        work[j + 1 :, j + 1 :] -= xp.outer(column, column.conj()) / pivot
    return len(a)


def cholesky(xp: Any, out: Array, info: Array, a: Array) -> None:
    by_matrix(xp, lambda a: (xp.linalg.cholesky(a),), (out,), info, (a,), first_bad_minor)
    # NaN passes LAPACK unseen
    diagonal = xp.diagonal(out, axis1=-2, axis2=-1).real
    for index in xp.argwhere((info == 0) & ~(diagonal > 0).all(-1)):
        info[tuple(index)] = first_bad_minor(xp, a[tuple(index)])


def solve(xp: Any, out: Array, info: Array, a: Array, b: Array) -> None:
    by_matrix(xp, lambda a, b: (xp.linalg.solve(a, b),), (out,), info, (a, b), first_zero_pivot)


def slogdet(xp: Any, sign: Array, logabsdet: Array, a: Array) -> None:
    sign[...], logabsdet[...] = xp.linalg.slogdet(a)


def eigh(xp: Any, w: Array, v: Array | None, info: Array, a: Array, *, upper: int) -> None:
    triangle = "U" if upper else "L"

    def compute(a: Array) -> tuple[Array, ...]:
        if v is None:
            return (xp.linalg.eigvalsh(a, triangle),)
        return tuple(xp.linalg.eigh(a, triangle))

    by_matrix(xp, compute, (w, v), info, (a,))


def eig(xp: Any, w: Array, v: Array | None, info: Array, a: Array) -> None:
    def compute(a: Array) -> tuple[Array, ...]:
        return (xp.linalg.eigvals(a),) if v is None else tuple(xp.linalg.eig(a))

    by_matrix(xp, compute, (w, v), info, (a,))


def svd(
    xp: Any,
    u: Array | None,
    s: Array,
    vh: Array | None,
    info: Array,
    a: Array,
    *,
    full_matrices: int,
) -> None:
    if 0 in a.shape[-2:]:
        # what is left of the unitary factors is arbitrary
        for factor in (u, vh):
            if factor is not None:
                factor[...] = xp.eye(*factor.shape[-2:])
        info[...] = 0
        return

    def compute(a: Array) -> tuple[Array | None, ...]:
        if not xp.isfinite(a).all():
            raise xp.linalg.LinAlgError  # LAPACK looks for an end of infinite ones for ever
        if u is None and vh is None:
            return None, xp.linalg.svd(a, compute_uv=False), None
        return tuple(xp.linalg.svd(a, full_matrices=bool(full_matrices)))

    by_matrix(xp, compute, (u, s, vh), info, (a,))
    # without vectors LAPACK may hand NaN through
    info[(info == 0) & ~xp.isfinite(s).all(-1)] = 1


def qr(xp: Any, q: Array | None, r: Array, a: Array, *, complete: int) -> None:
    if q is None:
        r[...] = xp.linalg.qr(a, mode="r")
    elif 0 in a.shape[-2:]:
        q[...] = xp.eye(*q.shape[-2:])
    else:
        q[...], r[...] = xp.linalg.qr(a, mode="complete" if complete else "reduced")


def geqrf(xp: Any, out: Array, tau: Array, a: Array) -> None:
    if 0 not in a.shape[-2:]:
        packed, tau[...] = xp.linalg.qr(a, mode="raw")
        out[...] = xp.swapaxes(packed, -2, -1)


def lstsq(
    xp: Any, out: Array, rank: Array, singular: Array, a: Array, b: Array, *, rcond: float
) -> None:
    if 0 in a.shape[-2:]:
        out[...] = 0
        rank[...] = 0
        return
    if not xp.isfinite(a).all():  # LAPACK looks for an end of infinite ones for ever
        raise RuntimeError(
            f"lstsq: the singular values of a matrix of shape {a.shape[-2:]} did not converge, "
            "or it has infinite or NaN elements"
        )
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    singular[...] = s
    kept = s > rcond * s[..., :1]
    rank[...] = kept.sum(-1)
    inverse = xp.where(kept, 1 / xp.where(kept, s, 1), 0)
    projected = inverse[..., None] * xp.matmul(xp.swapaxes(u, -2, -1).conj(), b)
    out[...] = xp.matmul(xp.swapaxes(vh, -2, -1).conj(), projected)


KERNELS = {
    "cholesky": Kernel(cholesky, "fc"),
    "solve": Kernel(solve, "fc"),
    "slogdet": Kernel(slogdet, "fc"),
    "eigh": Kernel(eigh, "fc"),
    "eig": Kernel(eig, "fc"),
    "svd": Kernel(svd, "fc"),
    "qr": Kernel(qr, "fc"),
    "geqrf": Kernel(geqrf, "fc"),
    "lstsq": Kernel(lstsq, "fc"),
}

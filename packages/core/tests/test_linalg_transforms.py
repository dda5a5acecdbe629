"""Linear algebra inside function transforms, held to loops and to double backward."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flambeau_core as fb
from flambeau_core import func

Scalar = Callable[[fb.Tensor], fb.Tensor]


def total(function: Scalar) -> Scalar:
    """A nonlinear sum, so that second derivatives depend on everything."""

    def scalar(a: fb.Tensor) -> fb.Tensor:
        y = function(a * phases(a))
        return (y.real if y.is_complex() else y).sin().sum()

    return scalar


def phases(a: fb.Tensor) -> fb.Tensor:
    """Fixed complex numbers, which make every matrix complex."""
    angles = fb.arange(a.shape[-1] ** 2, dtype=fb.float64).reshape(a.shape[-2:])
    return fb.polar(fb.ones_like(angles), angles)


def with_eigenvectors(a: fb.Tensor) -> fb.Tensor:
    w, V = fb.linalg.eig(a)
    return (V * w.exp()) @ fb.linalg.inv(V)


def with_hermitian_eigenvectors(a: fb.Tensor) -> fb.Tensor:
    w, V = fb.linalg.eigh(a + a.mH)
    return (V * w.exp()) @ V.mH


def with_singular_vectors(a: fb.Tensor) -> fb.Tensor:
    U, S, Vh = fb.linalg.svd(a)
    return U @ Vh


FUNCTIONS: dict[str, Scalar] = {
    "det": fb.linalg.det,
    "slogdet": lambda a: fb.linalg.slogdet(a)[1],
    "inv": fb.linalg.inv,
    "solve": lambda a: fb.linalg.solve(a, a.mH),
    "cholesky": lambda a: fb.linalg.cholesky(a @ a.mH + fb.eye(3)),
    "lu_solve": lambda a: fb.linalg.lu_solve(*fb.linalg.lu_factor(a), a.mH),
    "qr": lambda a: fb.linalg.qr(a)[1],
    "eig": with_eigenvectors,
    "eigh": with_hermitian_eigenvectors,
    "svd": with_singular_vectors,
    "svdvals": fb.linalg.svdvals,
    "pinv": fb.linalg.pinv,
    "lstsq": lambda a: fb.linalg.lstsq(a, a.mH)[0],
    "matrix_exp": fb.linalg.matrix_exp,
    "matrix_norm": lambda a: fb.linalg.matrix_norm(a, "nuc"),
}


def regular(*batch: int) -> fb.Tensor:
    return fb.randn(*batch, 3, 3, dtype=fb.float64) / 3 + fb.eye(3, dtype=fb.float64)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vmap_of_grad(name: str) -> None:
    gradient = func.grad(total(FUNCTIONS[name]))
    A = regular(4)
    assert fb.allclose(func.vmap(gradient)(A), fb.stack([gradient(a) for a in A]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hessian(name: str) -> None:
    function = total(FUNCTIONS[name])
    A = regular()
    x = A.clone().requires_grad_()
    (gradient,) = fb.autograd.grad(function(x), x, create_graph=True)
    rows = [fb.autograd.grad(g, x, retain_graph=True)[0] for g in gradient.reshape(-1)]
    expected = fb.stack(rows).reshape(3, 3, 3, 3)
    assert fb.allclose(func.hessian(function)(A), expected)

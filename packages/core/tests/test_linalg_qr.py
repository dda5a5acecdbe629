"""QR and Householder reflections."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3), (0, 2), (2, 0), (0, 3, 2)])
def test_factors_multiply_back(shape: tuple[int, ...], mode: str) -> None:
    A = fb.randn(shape, dtype=fb.complex128)
    Q, R = fb.linalg.qr(A, mode)
    assert fb.allclose(Q @ R, A)
    assert fb.allclose(R, R.triu())
    columns = shape[-2] if mode == "complete" else min(shape[-2:])
    assert Q.shape[-1] == columns
    assert fb.allclose(Q.mH @ Q, fb.eye(columns, dtype=A.dtype).expand(*shape[:-2], -1, -1))
    assert fb.allclose(fb.linalg.qr(A, "r").R.abs(), fb.linalg.qr(A).R.abs())


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
def test_gradients_of_complex_matrices(shape: tuple[int, ...]) -> None:
    x = fb.randn(shape, dtype=fb.complex128, requires_grad=True)
    assert gradcheck(fb.linalg.qr, [x])
    assert gradgradcheck(fb.linalg.qr, [x])


def test_what_has_no_gradient() -> None:
    x = fb.randn(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete'"):
        fb.linalg.qr(x, "complete").R.sum().backward()
    with pytest.raises(RuntimeError, match="not computed when mode='r'"):
        fb.linalg.qr(x, "r").R.sum().backward()
    with pytest.raises(NotImplementedError, match="derivative"):
        fb.geqrf(x).a.sum().backward()


def test_reflections_of_geqrf_make_q() -> None:
    A = fb.randn(2, 4, 3, dtype=fb.complex128)
    a, tau = fb.geqrf(A)
    Q, R = fb.linalg.qr(A)
    assert fb.allclose(fb.linalg.householder_product(a, tau), Q)
    assert fb.allclose(fb.orgqr(a, tau), Q)
    assert fb.allclose(a[..., :3, :].triu(), R)
    C = fb.randn(2, 4, 5, dtype=A.dtype)
    whole = fb.linalg.qr(A, "complete").Q
    assert fb.allclose(fb.ormqr(a, tau, C), whole @ C)
    assert fb.allclose(fb.ormqr(a, tau, C, transpose=True), whole.mH @ C)
    assert fb.allclose(fb.ormqr(a, tau, C.mH, left=False), C.mH @ whole)
    assert fb.allclose(fb.ormqr(a, tau, C.mH, False, True), C.mH @ whole.mH)


def test_arguments_are_refused() -> None:
    with pytest.raises(RuntimeError, match="unrecognized mode 'full'"):
        fb.linalg.qr(fb.ones(2, 2), "full")
    with pytest.raises(RuntimeError, match=r"shapes \(3, 2\) and \(3,\)"):
        fb.linalg.householder_product(fb.ones(3, 2), fb.ones(3))
    with pytest.raises(RuntimeError, match=r"householder_product: .*\(2, 3\)"):
        fb.linalg.householder_product(fb.ones(2, 3), fb.ones(2))
    with pytest.raises(RuntimeError, match="ormqr: "):
        fb.ormqr(fb.ones(3, 2), fb.ones(2), fb.ones(2, 2))


def test_a_product_of_no_reflections_stays_in_the_graph() -> None:
    A = fb.ones(3, 2, requires_grad=True)
    Q = fb.linalg.householder_product(A, fb.ones(0))
    assert Q.tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    assert fb.autograd.grad(Q.sum(), A)[0].count_nonzero() == 0

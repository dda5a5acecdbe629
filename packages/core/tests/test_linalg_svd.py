"""Singular values: published values, conventions, gradients of degenerate and complex kinds."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck


def test_lauchli_matrix() -> None:
    """Columns (1, e, 0) and (1, 0, e) have singular values sqrt(2 + e^2) and e."""
    e = 1e-5
    A = fb.tensor([[1.0, 1], [e, 0], [0, e]], dtype=fb.float64)
    assert fb.linalg.svdvals(A).tolist() == pytest.approx([math.sqrt(2 + e * e), e], rel=1e-9)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
@pytest.mark.parametrize("dtype", [fb.float32, fb.complex128])
def test_factors_multiply_back(shape: tuple[int, ...], dtype: fb.dtype) -> None:
    A = fb.randn(shape, dtype=dtype)
    U, S, Vh = fb.linalg.svd(A, full_matrices=False)
    assert fb.allclose((U * S.unsqueeze(-2)) @ Vh, A, atol=1e-5)
    whole = fb.linalg.svd(A)
    assert whole.U.shape[-1] == shape[-2] and whole.Vh.shape[-2] == shape[-1]
    eye = fb.eye(shape[-1], dtype=dtype).expand(*shape[:-2], shape[-1], shape[-1])
    assert fb.allclose(whole.Vh @ whole.Vh.mH, eye, atol=1e-5)
    old = fb.svd(A)
    assert fb.allclose((old.U * old.S.unsqueeze(-2)) @ old.V.mH, A, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
def test_gradients_of_complex_matrices(shape: tuple[int, ...]) -> None:
    x = fb.randn(shape, dtype=fb.complex128, requires_grad=True)

    def polar_factor(x: fb.Tensor) -> fb.Tensor:
        U, S, Vh = fb.linalg.svd(x, full_matrices=False)
        return U @ Vh

    def projector(x: fb.Tensor) -> fb.Tensor:
        U, S, Vh = fb.linalg.svd(x, full_matrices=False)
        return U[..., :1] @ U[..., :1].mH

    for function in (polar_factor, projector, fb.linalg.svdvals):
        assert gradcheck(function, [x])
        assert gradgradcheck(function, [x])


def test_the_phase_of_singular_vectors_has_no_gradient() -> None:
    x = fb.randn(3, 3, dtype=fb.complex128, requires_grad=True)
    U = fb.linalg.svd(x).U
    with pytest.raises(RuntimeError, match="singular vectors .* specified up to multiplication"):
        (U * fb.randn(3, 3, dtype=x.dtype)).sum().real.backward()


def test_errors() -> None:
    with pytest.raises(fb.linalg.LinAlgError, match="linalg.svd: .*contained non-finite values"):
        fb.linalg.svd(fb.full((2, 2), fb.nan))
    with pytest.raises(fb.linalg.LinAlgError, match=r"linalg.svdvals: \(Batch element 1\): "):
        fb.linalg.svdvals(fb.stack([fb.eye(2), fb.full((2, 2), fb.inf)]))
    with pytest.raises(RuntimeError, match="driver=` is only supported on CUDA"):
        fb.linalg.svdvals(fb.ones(2, 2), driver="gesvd")
    with pytest.raises(RuntimeError, match="linalg.svd: .* at least 2 dimensions"):
        fb.linalg.svd(fb.ones(3))


def test_nothing_to_decompose() -> None:
    U, S, Vh = fb.linalg.svd(fb.ones(0, 3))
    assert U.shape == (0, 0) and S.shape == (0,) and Vh.tolist() == fb.eye(3).tolist()
    U, S, Vh = fb.linalg.svd(fb.ones(2, 3, 0), full_matrices=False)
    assert U.shape == (2, 3, 0) and S.shape == (2, 0) and Vh.shape == (2, 0, 0)
    assert fb.linalg.svdvals(fb.ones(0, 2, 3)).shape == (0, 2)


def test_without_vectors() -> None:
    U, S, V = fb.svd(fb.ones(3, 2), compute_uv=False)
    assert U.shape == (3, 3) and V.shape == (2, 2) and not U.any() and not V.any()


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_matrices_that_are_not_finite_come_to_an_end(value: float) -> None:
    x = fb.eye(5).repeat(2, 1, 1)
    x[0, 0, 0] = value
    with pytest.raises(fb.linalg.LinAlgError, match="non-finite"):
        fb.linalg.svd(x)
    with pytest.raises(RuntimeError, match="did not converge"):
        fb.linalg.lstsq(x, x, driver="gelsd")

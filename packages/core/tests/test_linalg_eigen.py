"""Eigenvalues: published values, complex conventions, what is ill-defined."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

# Rosser, Lanczos, Hestenes and Karush, Journal of Research of the National Bureau of Standards 47
# (1951), who also give the eigenvalues: two equal, two close, one zero, two opposite.
ROSSER = [
    [611.0, 196, -192, 407, -8, -52, -49, 29],
    [196, 899, 113, -192, -71, -43, -8, -44],
    [-192, 113, 899, 196, 61, 49, 8, 52],
    [407, -192, 196, 611, 8, 44, 59, -23],
    [-8, -71, 61, 8, 411, -599, 208, 208],
    [-52, -43, 49, 44, -599, 411, 208, 208],
    [-49, -8, 8, 59, 208, 208, 99, -911],
    [29, -44, 52, -23, 208, 208, -911, 99],
]
ROSSER_VALUES = [
    -10 * math.sqrt(10405),
    0.0,
    510 - 100 * math.sqrt(26),
    1000.0,
    1000.0,
    510 + 100 * math.sqrt(26),
    1020.0,
    10 * math.sqrt(10405),
]


def test_rosser_matrix() -> None:
    A = fb.tensor(ROSSER, dtype=fb.float64)
    w, V = fb.linalg.eigh(A)
    assert w.tolist() == pytest.approx(ROSSER_VALUES, abs=1e-9)
    assert fb.allclose(A @ V, V * w, atol=1e-9)
    assert fb.linalg.eigvalsh(A).tolist() == pytest.approx(ROSSER_VALUES, abs=1e-9)
    found = fb.linalg.eigvals(A)
    assert found.dtype == fb.complex128
    assert sorted(found.real.tolist()) == pytest.approx(ROSSER_VALUES, abs=1e-6)


def test_one_triangle_is_read() -> None:
    A = fb.tensor([[2.0, 99.0], [1.0, 2.0]])
    assert fb.linalg.eigvalsh(A).tolist() == pytest.approx([1.0, 3.0])
    assert fb.linalg.eigvalsh(A.T, UPLO="U").tolist() == pytest.approx([1.0, 3.0])
    with pytest.raises(RuntimeError, match="Expected UPLO argument to be 'L' or 'U', but got X"):
        fb.linalg.eigh(A, UPLO="X")


def test_rotation_has_complex_eigenvalues() -> None:
    w, V = fb.linalg.eig(fb.tensor([[0.0, -1.0], [1.0, 0.0]]))
    assert w.dtype == V.dtype == fb.complex64
    assert sorted(w.imag.tolist()) == pytest.approx([-1.0, 1.0])
    assert fb.allclose(fb.linalg.vector_norm(V, dim=0), fb.ones(2))


@pytest.mark.parametrize("dtype", [fb.float64, fb.complex128])
def test_gradients_of_general_matrices(dtype: fb.dtype) -> None:
    x = fb.randn(3, 3, dtype=dtype, requires_grad=True)

    def square_root_of_exponential(x: fb.Tensor) -> fb.Tensor:
        w, V = fb.linalg.eig(x)
        return (V * fb.exp(w / 2)) @ fb.linalg.inv(V)

    assert gradcheck(square_root_of_exponential, [x])
    assert gradgradcheck(square_root_of_exponential, [x])
    assert gradcheck(lambda x: (fb.linalg.eigvals(x) ** 2).sum(), [x])


def test_gradients_of_complex_hermitian_matrices() -> None:
    x = fb.randn(3, 3, dtype=fb.complex128, requires_grad=True)

    def function(x: fb.Tensor) -> fb.Tensor:
        w, V = fb.linalg.eigh(x + x.mH)
        return (V * w.tanh()) @ V.mH

    assert gradcheck(function, [x])
    assert gradgradcheck(function, [x])


def test_the_phase_of_eigenvectors_has_no_gradient() -> None:
    x = fb.randn(3, 3, dtype=fb.complex128, requires_grad=True)
    for V in (fb.linalg.eig(x)[1], fb.linalg.eigh(x + x.mH)[1]):
        with pytest.raises(RuntimeError, match="specified up to multiplication by e"):
            (V * fb.randn(3, 3, dtype=x.dtype)).sum().real.backward()


def test_infinities_and_nan_are_refused() -> None:
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        fb.linalg.eig(fb.full((2, 2), fb.inf))
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        fb.linalg.eigvals(fb.full((2, 2), fb.nan))


def test_nothing_to_decompose() -> None:
    w, V = fb.linalg.eigh(fb.ones(2, 0, 0))
    assert w.shape == (2, 0) and V.shape == (2, 0, 0)
    assert fb.linalg.eigvals(fb.ones(0, 3, 3)).shape == (0, 3)

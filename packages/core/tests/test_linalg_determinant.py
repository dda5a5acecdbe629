"""Determinants: published values, singular matrices, complex conventions."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

SINGULAR = [[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]
# The cofactors of SINGULAR, which are its determinant's derivatives.
COFACTORS = [[4.0, 4, -4], [-2, -2, 2], [0, 0, 0]]


def hilbert(n: int) -> fb.Tensor:
    return fb.tensor([[1 / (i + j + 1) for j in range(n)] for i in range(n)], dtype=fb.float64)


def test_hilbert_matrix() -> None:
    assert fb.linalg.det(hilbert(3)).item() == pytest.approx(1 / 2160, rel=1e-10)
    sign, logarithm = fb.linalg.slogdet(hilbert(4))
    assert (sign.item(), logarithm.item()) == (1.0, pytest.approx(-math.log(6048000)))


def test_singular_matrix() -> None:
    A = fb.tensor(SINGULAR, dtype=fb.float64, requires_grad=True)
    (gradient,) = fb.autograd.grad(fb.linalg.det(A), A)
    assert fb.allclose(gradient, fb.tensor(COFACTORS, dtype=fb.float64), atol=1e-12)
    assert gradcheck(fb.linalg.det, [A])
    assert gradgradcheck(fb.linalg.det, [A])
    sign, logarithm = A.slogdet()
    assert (sign.item(), logarithm.item()) == (0.0, -math.inf)
    assert A.logdet().item() == -math.inf


def test_logdet_of_a_negative_determinant_is_nan() -> None:
    assert math.isnan(fb.logdet(-fb.eye(3)).item())


def test_complex_matrices() -> None:
    A = fb.tensor([[1j, 2], [0, 3]], dtype=fb.complex128)
    sign, logarithm = fb.linalg.slogdet(A)
    assert fb.allclose(sign, fb.tensor(1j, dtype=fb.complex128))
    assert logarithm.dtype == fb.float64 and logarithm.item() == pytest.approx(math.log(3))
    assert fb.logdet(A).item() == pytest.approx(complex(math.log(3), math.pi / 2))
    x = fb.randn(2, 3, 3, dtype=fb.complex128, requires_grad=True)
    for function in (fb.linalg.det, fb.linalg.slogdet, fb.logdet):
        assert gradcheck(function, [x])
        assert gradgradcheck(function, [x])


def test_no_rows_make_a_product_of_nothing() -> None:
    assert fb.linalg.det(fb.ones(0, 0)).item() == 1.0
    assert fb.linalg.slogdet(fb.ones(2, 0, 0)).logabsdet.tolist() == [0.0, 0.0]


def test_shapes_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"linalg.det: A must be batches of square .* 2 by 3"):
        fb.ones(2, 3).det()

"""Symmetric indefinite matrices."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", [fb.float64, fb.complex128])
def test_solving(n: int, hermitian: bool, dtype: fb.dtype) -> None:
    x = fb.randn(3, n, n, dtype=dtype)
    x.diagonal(0, -2, -1).zero_()  # makes pivots of two rows
    A = x + (x.mH if hermitian else x.mT) + fb.eye(n, dtype=dtype) * (0 if n > 1 else 1)
    B = fb.randn(3, n, 2, dtype=dtype)
    LD, pivots = fb.linalg.ldl_factor(A, hermitian=hermitian)
    assert n == 1 or (pivots < 0).any()
    X = fb.linalg.ldl_solve(LD, pivots, B, hermitian=hermitian)
    assert fb.allclose(A @ X, B, atol=1e-7)


def test_two_rows_by_hand() -> None:
    """A zero diagonal needs a pivot of both rows, which is the matrix itself."""
    LD, pivots = fb.linalg.ldl_factor(fb.tensor([[0.0, 3.0], [3.0, 0.0]]))
    assert LD.tolist() == [[0.0, 0.0], [3.0, 0.0]] and pivots.tolist() == [-2, -2]


def test_zero_matrix() -> None:
    with pytest.raises(fb.linalg.LinAlgError, match=r"D\[1,1\] is zero"):
        fb.linalg.ldl_factor(fb.zeros(2, 2))
    assert fb.linalg.ldl_factor_ex(fb.zeros(2, 2)).info.item() == 1


@pytest.mark.parametrize("hermitian", [False, True])
def test_gradient_of_the_right_hand_side(hermitian: bool) -> None:
    x = fb.randn(3, 3, dtype=fb.complex128)
    LD, pivots = fb.linalg.ldl_factor(x + (x.mH if hermitian else x.mT), hermitian=hermitian)
    B = fb.randn(3, 2, dtype=fb.complex128, requires_grad=True)
    assert gradcheck(lambda B: fb.linalg.ldl_solve(LD, pivots, B, hermitian=hermitian), [B])
    LD.requires_grad_()
    with pytest.raises(NotImplementedError, match="derivative for LD"):
        fb.linalg.ldl_solve(LD, pivots, B, hermitian=hermitian).sum().real.backward()

"""LU: pivots, shapes, solving, gradients of all shapes."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck


def test_pivots_follow_the_largest_element() -> None:
    """By hand: rows exchanged for 7, then for 6 / 7."""
    A = fb.tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]], dtype=fb.float64)
    LU, pivots = fb.linalg.lu_factor(A)
    assert pivots.dtype == fb.int32 and pivots.tolist() == [3, 3, 3]
    expected = [[7, 8, 10], [1 / 7, 6 / 7, 11 / 7], [4 / 7, 0.5, -0.5]]
    assert fb.allclose(LU, fb.tensor(expected, dtype=fb.float64))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 3), (40, 70), (70, 40), (0, 2)])
@pytest.mark.parametrize("dtype", [fb.float64, fb.complex128])
def test_factors_multiply_back(shape: tuple[int, ...], dtype: fb.dtype) -> None:
    A = fb.randn(shape, dtype=dtype)
    P, L, U = fb.linalg.lu(A)
    assert fb.allclose(P @ L @ U, A)
    assert fb.allclose(L, L.tril()) and fb.allclose(U, U.triu())
    assert all(fb.equal(a, b) for a, b in zip((P, L, U), fb.lu_unpack(*A.lu())))
    assert (L.abs() <= 1.5).all()  # |re| + |im| decides: up to sqrt 2 for complex numbers


def test_without_pivoting() -> None:
    A = fb.tensor([[2.0, 1.0], [4.0, 5.0]])
    P, L, U = fb.linalg.lu(A, pivot=False)
    assert P.shape == (0,)
    assert L.tolist() == [[1.0, 0.0], [2.0, 1.0]] and U.tolist() == [[2.0, 1.0], [0.0, 3.0]]


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 2, 2)])
@pytest.mark.parametrize("dtype", [fb.float64, fb.complex128])
def test_gradients(shape: tuple[int, ...], dtype: fb.dtype) -> None:
    x = fb.randn(shape, dtype=dtype, requires_grad=True)
    for function in (lambda x: fb.linalg.lu(x)[1:], lambda x: fb.linalg.lu_factor(x).LU):
        assert gradcheck(function, [x])
        assert gradgradcheck(function, [x])


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("left", [False, True])
def test_solving(left: bool, adjoint: bool) -> None:
    A = fb.randn(2, 3, 3, dtype=fb.complex128)
    B = fb.randn(3, 3, dtype=fb.complex128)
    X = fb.linalg.lu_solve(*fb.linalg.lu_factor(A), B, left=left, adjoint=adjoint)
    matrix = A.mH if adjoint else A
    assert fb.allclose(matrix @ X if left else X @ matrix, B.expand(2, 3, 3))
    if left and not adjoint:
        assert fb.equal(B.lu_solve(*fb.linalg.lu_factor(A)), X)


def test_zero_pivots() -> None:
    A = fb.stack([fb.eye(2), fb.tensor([[1.0, 1.0], [1.0, 1.0]])])
    with pytest.raises(RuntimeError, match=r"lu_factor: \(Batch element 1\): U\[2,2\] is zero"):
        fb.linalg.lu_factor(A)
    assert fb.linalg.lu_factor_ex(A).info.tolist() == [0, 2]
    assert fb.lu(A, get_infos=True)[2].tolist() == [0, 2]


def test_arguments_are_refused() -> None:
    LU, pivots = fb.linalg.lu_factor(fb.eye(3))
    with pytest.raises(
        RuntimeError, match=r"lu_solve: Incompatible shapes .*\(3, 3\) and \(2, 2\)"
    ):
        fb.linalg.lu_solve(LU, pivots, fb.ones(2, 2))
    with pytest.raises(RuntimeError, match="int32"):
        fb.linalg.lu_solve(LU, pivots.long(), fb.ones(3, 2))
    with pytest.raises(RuntimeError, match=r"\(3, 3\) and \(2,\)"):
        fb.linalg.lu_solve(LU, pivots[:2], fb.ones(3, 2))

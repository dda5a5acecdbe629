"""Triangular systems."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck


@pytest.mark.parametrize("unitriangular", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [4, 70])
def test_solution(n: int, upper: bool, left: bool, unitriangular: bool) -> None:
    """The rest of the matrix is not read: NaN there changes nothing."""
    A = fb.randn(n, n, dtype=fb.complex128) / n + fb.eye(n, dtype=fb.complex128)
    part = A.triu() if upper else A.tril()
    if unitriangular:
        part = part - fb.diag(part.diagonal()) + fb.eye(n, dtype=A.dtype)
    keep = fb.ones(n, n).triu() if upper else fb.ones(n, n).tril()
    unread = fb.eye(n) > 0 if unitriangular else fb.zeros(n, n) > 0
    A = fb.where((keep == 0) | unread, fb.tensor(fb.nan, dtype=A.dtype), A)
    B = fb.randn(n, 2, dtype=A.dtype) if left else fb.randn(2, n, dtype=A.dtype)
    X = fb.linalg.solve_triangular(A, B, upper=upper, left=left, unitriangular=unitriangular)
    assert fb.allclose(part @ X if left else X @ part, B)


def test_zero_on_the_diagonal_is_no_error() -> None:
    X = fb.linalg.solve_triangular(fb.zeros(1, 1), fb.ones(1, 1), upper=True)
    assert X.item() == fb.inf


def test_triangular_solve() -> None:
    A = fb.randn(3, 3, dtype=fb.float64)
    b = fb.randn(2, 3, 1, dtype=fb.float64)
    X, copy = fb.triangular_solve(b, A, transpose=True)
    assert fb.allclose(A.triu().T @ X, b) and fb.equal(copy, A.expand(2, 3, 3))


@pytest.mark.parametrize("unitriangular", [False, True])
@pytest.mark.parametrize("upper", [False, True])
def test_gradients(upper: bool, unitriangular: bool) -> None:
    A = fb.randn(2, 3, 3, dtype=fb.complex128) + 3 * fb.eye(3)
    A.requires_grad_()
    B = fb.randn(3, 2, dtype=fb.complex128, requires_grad=True)

    def function(A: fb.Tensor, B: fb.Tensor) -> fb.Tensor:
        return fb.linalg.solve_triangular(A, B, upper=upper, unitriangular=unitriangular)

    assert gradcheck(function, [A, B])
    assert gradgradcheck(function, [A, B])

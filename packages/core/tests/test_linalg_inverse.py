"""Solving and inverting: published values, errors of single matrices, vectors and sides."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

HILBERT_INVERSE = [[9.0, -36, 30], [-36, 192, -180], [30, -180, 180]]


def hilbert(n: int) -> fb.Tensor:
    return fb.tensor([[1 / (i + j + 1) for j in range(n)] for i in range(n)], dtype=fb.float64)


def test_hilbert_matrix() -> None:
    expected = fb.tensor(HILBERT_INVERSE, dtype=fb.float64)
    assert fb.allclose(fb.linalg.inv(hilbert(3)), expected)
    assert fb.allclose(hilbert(3).inverse(), expected)
    assert fb.allclose(fb.linalg.solve(hilbert(3), fb.eye(3, dtype=fb.float64)), expected)


def test_errors_name_the_matrix() -> None:
    A = fb.stack([fb.eye(2), fb.ones(2, 2)])
    text = r"linalg.inv: \(Batch element 1\): The diagonal element 2 is zero"
    with pytest.raises(fb.linalg.LinAlgError, match=text):
        fb.linalg.inv(A)
    with pytest.raises(
        fb.linalg.LinAlgError, match=r"solve: \(Batch element 1\): The solver failed"
    ):
        fb.linalg.solve(A, fb.ones(2, 2))
    with pytest.raises(fb.linalg.LinAlgError, match="linalg.inv: The diagonal element 2"):
        A[1].inverse()
    assert fb.linalg.inv_ex(A).info.tolist() == [0, 2]
    assert fb.linalg.solve_ex(A, fb.ones(2, 2)).info.tolist() == [0, 2]
    assert fb.linalg.inv_ex(A).inverse[0].tolist() == fb.eye(2).tolist()
    assert issubclass(fb.linalg.LinAlgError, RuntimeError)


def test_vectors_and_sides() -> None:
    A = fb.randn(2, 3, 3, dtype=fb.float64)
    b, batch = fb.randn(3, dtype=fb.float64), fb.randn(2, 3, dtype=fb.float64)
    assert fb.allclose((A @ fb.linalg.solve(A[0], b))[0], b)
    X = fb.linalg.solve(A, batch)
    assert X.shape == (2, 3) and fb.allclose((A @ X.unsqueeze(-1)).squeeze(-1), batch)
    B = fb.randn(4, 3, dtype=fb.float64)
    assert fb.allclose(fb.linalg.solve(A, B, left=False) @ A, B.expand(2, 4, 3))
    with pytest.raises(RuntimeError, match="not supported for left=False"):
        fb.linalg.solve(A[0], b, left=False)


def test_shapes_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"AX = B \(3x3 and 2x4; shapes \(3, 3\) and \(2, 4\)\)"):
        fb.linalg.solve(fb.eye(3), fb.ones(2, 4))
    with pytest.raises(
        RuntimeError, match=r"broadcastable, got shapes \(2, 3, 3\) and \(4, 3, 1\)"
    ):
        fb.linalg.solve(fb.eye(3).expand(2, 3, 3), fb.ones(4, 3, 1))
    with pytest.raises(RuntimeError, match="same dtype"):
        fb.linalg.solve(fb.eye(3), fb.eye(3, dtype=fb.float64))


def test_gradients_of_complex_matrices() -> None:
    A = fb.randn(2, 3, 3, dtype=fb.complex128, requires_grad=True)
    B = fb.randn(3, 1, dtype=fb.complex128, requires_grad=True)
    for function, inputs in ((fb.linalg.solve, [A, B]), (fb.linalg.inv, [A])):
        assert gradcheck(function, inputs)
        assert gradgradcheck(function, inputs)


def test_out() -> None:
    out = fb.empty(3, 3, dtype=fb.float64)
    assert fb.linalg.inv(hilbert(3), out=out) is out
    assert fb.allclose(out, fb.tensor(HILBERT_INVERSE, dtype=fb.float64))
    with pytest.raises(RuntimeError, match="can't be cast"):
        fb.linalg.inv(hilbert(3), out=fb.empty(3, 3, dtype=fb.int64))

"""Matrices without full rank."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck


def of_rank_two() -> fb.Tensor:
    return fb.tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]], dtype=fb.float64)


def test_penrose_conditions() -> None:
    A = of_rank_two()
    P = fb.linalg.pinv(A)
    assert fb.allclose(A @ P @ A, A) and fb.allclose(P @ A @ P, P)
    assert fb.allclose((A @ P).T, A @ P) and fb.allclose((P @ A).T, P @ A)
    assert fb.allclose(A.pinverse(rcond=1e-12), P)


def test_tolerances() -> None:
    A = fb.diag(fb.tensor([10.0, 1.0, 0.1], dtype=fb.float64))
    ranks = {
        (): 3,
        (("atol", 0.5),): 2,
        (("rtol", 0.2),): 1,
        (("atol", 0.5), ("rtol", 0.2)): 1,
        (("tol", 2.0),): 1,
    }
    for named, rank in ranks.items():
        assert fb.linalg.matrix_rank(A, **dict(named)).item() == rank
    assert fb.linalg.pinv(A, atol=0.5).diagonal().tolist() == pytest.approx([0.1, 1.0, 0.0])
    per_matrix = fb.tensor([0.5, 2.0], dtype=fb.float64)
    assert fb.linalg.matrix_rank(A.expand(2, 3, 3), atol=per_matrix).tolist() == [2, 1]
    with pytest.raises(RuntimeError, match="atol tensor of complex type"):
        fb.linalg.pinv(A, atol=fb.tensor(1j))


def test_hermitian() -> None:
    x = fb.randn(3, 2, dtype=fb.complex128)
    A = x @ x.mH
    assert fb.linalg.matrix_rank(A, hermitian=True).item() == 2
    assert fb.allclose(fb.linalg.pinv(A, hermitian=True), fb.linalg.pinv(A))


def test_gradients() -> None:
    """Of constant rank, full or not: products of two factors."""
    a = fb.randn(4, 2, dtype=fb.complex128, requires_grad=True)
    b = fb.randn(2, 3, dtype=fb.complex128, requires_grad=True)
    for function in (lambda a, b: fb.linalg.pinv(a @ b), lambda a, b: b @ fb.linalg.pinv(b)):
        assert gradcheck(function, [a, b])
        assert gradgradcheck(function, [a, b])


def test_least_squares_of_least_norm() -> None:
    """Ones in every column: the solution spreads the mean of b evenly."""
    A, b = fb.ones(4, 3, dtype=fb.float64), fb.tensor([1.0, 2, 3, 6], dtype=fb.float64)
    X, residuals, rank, singular = fb.linalg.lstsq(A, b, driver="gelsd")
    assert X.tolist() == pytest.approx([1.0, 1.0, 1.0])
    assert rank.item() == 1 and residuals.shape == (0,)
    assert singular.tolist() == pytest.approx([12**0.5, 0.0, 0.0], abs=1e-12)


def test_least_squares_line() -> None:
    """Points (0, 6), (1, 0), (2, 0): the line 5 - 3 x, which leaves 1 + 4 + 1."""
    A = fb.tensor([[1.0, 0], [1, 1], [1, 2]], dtype=fb.float64)
    b = fb.tensor([[6.0], [0], [0]], dtype=fb.float64)
    for driver, parts in {"gels": (1, 0, 0), "gelsy": (0, 1, 0), "gelsd": (1, 1, 2)}.items():
        X, residuals, rank, singular = fb.linalg.lstsq(A, b, driver=driver)
        assert X.flatten().tolist() == pytest.approx([5.0, -3.0])
        assert (residuals.numel(), rank.numel(), singular.numel()) == parts
        if parts[0]:
            assert residuals.tolist() == pytest.approx([6.0])


@pytest.mark.parametrize("driver", ["gels", "gelsd"])
@pytest.mark.parametrize("shape", [(2, 4, 3), (3, 4)])
def test_least_squares_gradients(shape: tuple[int, ...], driver: str) -> None:
    A = fb.randn(shape, dtype=fb.complex128, requires_grad=True)
    B = fb.randn(*shape[:-1], 2, dtype=fb.complex128, requires_grad=True)

    def function(A: fb.Tensor, B: fb.Tensor) -> tuple[fb.Tensor, ...]:
        return fb.linalg.lstsq(A, B, driver=driver)[:2]

    assert gradcheck(function, [A, B])
    assert gradgradcheck(function, [A, B])


def test_arguments_are_refused() -> None:
    with pytest.raises(RuntimeError, match="one of .gels, gelsy, gelsd, gelss"):
        fb.linalg.lstsq(fb.eye(2), fb.eye(2), driver="qr")
    with pytest.raises(RuntimeError, match=r"\(3, 2\) and \(2, 2\)"):
        fb.linalg.lstsq(fb.ones(3, 2), fb.ones(2, 2))


def test_nothing_to_invert() -> None:
    assert fb.linalg.pinv(fb.ones(2, 0, 3)).shape == (2, 3, 0)
    assert fb.linalg.matrix_rank(fb.ones(2, 3, 0)).tolist() == [0, 0]
    assert fb.linalg.lstsq(fb.ones(0, 3), fb.ones(0, 2)).solution.tolist() == [[0.0] * 2] * 3

"""Cholesky factors: published values, errors of single matrices, complex gradients."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

# Symmetric Pascal matrix: its factor holds the binomial coefficients.
PASCAL = [[1.0, 1, 1, 1], [1, 2, 3, 4], [1, 3, 6, 10], [1, 4, 10, 20]]
BINOMIALS = [[1.0, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]]


def test_pascal_matrix() -> None:
    A = fb.tensor(PASCAL, dtype=fb.float64)
    assert fb.allclose(fb.linalg.cholesky(A), fb.tensor(BINOMIALS, dtype=fb.float64))
    assert fb.allclose(A.cholesky(upper=True), fb.tensor(BINOMIALS, dtype=fb.float64).T)


def test_only_one_triangle_is_read() -> None:
    A = fb.tensor([[4.0, 100.0], [2.0, 5.0]])
    assert fb.linalg.cholesky(A).tolist() == [[2.0, 0.0], [1.0, 2.0]]
    assert fb.linalg.cholesky(A.T, upper=True).tolist() == [[2.0, 1.0], [0.0, 2.0]]


def test_error_names_the_matrix_and_the_minor() -> None:
    good, bad = fb.eye(3), fb.tensor([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]])
    text = r"linalg.cholesky: The factorization could not .* minor of order 2 is not positive"
    with pytest.raises(fb.linalg.LinAlgError, match=text):
        fb.linalg.cholesky(bad)
    with pytest.raises(fb.linalg.LinAlgError, match=r"linalg.cholesky: \(Batch element 1\): "):
        fb.linalg.cholesky(fb.stack([good, bad]))
    with pytest.raises(RuntimeError, match="cholesky: "):
        bad.cholesky()
    assert fb.linalg.cholesky_ex(fb.stack([good, bad])).info.tolist() == [0, 2]
    with pytest.raises(fb.linalg.LinAlgError, match="linalg.cholesky_ex"):
        fb.linalg.cholesky_ex(bad, check_errors=True)


def test_nan_is_not_positive_definite() -> None:
    A = fb.eye(2)
    A[1, 1] = fb.nan
    assert fb.linalg.cholesky_ex(A).info.item() == 2


@pytest.mark.parametrize(
    ("shape", "text"),
    [((2, 3), "they are 2 by 3 matrices"), ((3,), "at least 2 dimensions")],
)
def test_shapes_are_refused(shape: tuple[int, ...], text: str) -> None:
    with pytest.raises(RuntimeError, match=f"linalg.cholesky: .*{text}"):
        fb.linalg.cholesky(fb.ones(shape))


def test_dtypes_are_refused() -> None:
    with pytest.raises(RuntimeError, match="floating point or complex"):
        fb.linalg.cholesky(fb.eye(2, dtype=fb.int64))
    with pytest.raises(NotImplementedError, match="Low precision"):
        fb.linalg.cholesky(fb.eye(2, dtype=fb.float16))


def test_gradient_of_complex_matrices() -> None:
    x = fb.randn(2, 3, 3, dtype=fb.complex128, requires_grad=True)

    def factor(x: fb.Tensor) -> fb.Tensor:
        return fb.linalg.cholesky(x @ x.mH + fb.eye(3, dtype=x.dtype))

    assert gradcheck(factor, [x])
    assert gradgradcheck(factor, [x])


def test_gradients_of_the_factor_belong_to_the_whole_matrix() -> None:
    """A gradient for a triangular factor agrees where it counts, in its triangle."""
    L = fb.tensor([[2.0, 0.0], [0.5, 1.5]], dtype=fb.float64, requires_grad=True)
    assert gradcheck(lambda L: fb.cholesky_inverse(L.tril()), [L])
    assert gradcheck(lambda L: fb.cholesky_inverse(L.tril().T, upper=True), [L])
    B = fb.ones(2, 1, dtype=fb.float64, requires_grad=True)
    assert gradcheck(lambda B, L: fb.cholesky_solve(B, L.tril()), [B, L])


def test_batches_without_matrices_and_matrices_without_rows() -> None:
    assert fb.linalg.cholesky(fb.ones(0, 3, 3)).shape == (0, 3, 3)
    assert fb.linalg.cholesky(fb.ones(2, 0, 0)).shape == (2, 0, 0)
    assert fb.cholesky_solve(fb.ones(3, 0), fb.eye(3)).shape == (3, 0)

"""Powers and exponentials."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck


def test_exponential_of_a_rotation() -> None:
    """exp of the generator times pi turns around."""
    A = fb.tensor([[0.0, -math.pi], [math.pi, 0.0]], dtype=fb.float64)
    assert fb.allclose(fb.linalg.matrix_exp(A), -fb.eye(2, dtype=fb.float64))


def test_exponential_of_nilpotent_and_large_matrices() -> None:
    N = fb.tensor([[0.0, 1, 2], [0, 0, 3], [0, 0, 0]], dtype=fb.float64)
    expected = fb.tensor([[1.0, 1, 3.5], [0, 1, 3], [0, 0, 1]], dtype=fb.float64)
    assert fb.allclose(N.matrix_exp(), expected)
    # Moler and Van Loan, Nineteen dubious ways to compute the exponential of a matrix, SIAM Review
    # 20 (1978), method 1
    A = fb.tensor([[-49.0, 24], [-64, 31]], dtype=fb.float64)
    expected = fb.tensor([[-0.735759, 0.551819], [-1.471518, 1.103638]], dtype=fb.float64)
    assert fb.allclose(A.matrix_exp(), expected, atol=1e-6)


def test_each_matrix_is_scaled_for_itself() -> None:
    scales = fb.tensor([1e-3, 20.0], dtype=fb.float64)
    A = fb.eye(2, dtype=fb.float64) * scales[:, None, None]
    found = fb.linalg.matrix_exp(A)
    assert found[0, 0, 0].item() == pytest.approx(math.exp(1e-3), rel=1e-14)
    assert found[1, 1, 1].item() == pytest.approx(math.exp(20), rel=1e-12)


@pytest.mark.parametrize("dtype", [fb.float16, fb.bfloat16, fb.float32, fb.complex64])
def test_exponential_keeps_the_dtype(dtype: fb.dtype) -> None:
    result = fb.linalg.matrix_exp(fb.zeros(2, 3, 3, dtype=dtype))
    assert result.dtype == dtype and fb.equal(result[1], fb.eye(3, dtype=dtype))


def test_exponential_of_nothing_and_of_the_infinite() -> None:
    assert fb.linalg.matrix_exp(fb.ones(2, 0, 0)).shape == (2, 0, 0)
    assert not fb.linalg.matrix_exp(fb.full((2, 2), fb.inf)).isfinite().any()
    with pytest.raises(RuntimeError, match="floating point or complex"):
        fb.linalg.matrix_exp(fb.eye(2, dtype=fb.int64))


def test_exponential_has_gradients() -> None:
    x = fb.randn(2, 3, 3, dtype=fb.complex128, requires_grad=True)
    assert gradcheck(fb.linalg.matrix_exp, [x])
    assert gradgradcheck(fb.linalg.matrix_exp, [x])


def test_powers() -> None:
    fibonacci = fb.tensor([[1, 1], [1, 0]])
    assert fb.linalg.matrix_power(fibonacci, 10).tolist() == [[89, 55], [55, 34]]
    assert fibonacci.matrix_power(0).tolist() == [[1, 0], [0, 1]]
    A = fb.tensor([[2.0, 0.0], [0.0, 4.0]])
    assert A.matrix_power(-2).diagonal().tolist() == [0.25, 0.0625]
    one = A.matrix_power(1)
    assert one is not A and fb.equal(one, A)
    with pytest.raises(fb.linalg.LinAlgError, match="linalg.inv"):
        fb.linalg.matrix_power(fb.zeros(2, 2), -1)
    with pytest.raises(RuntimeError, match=r"matrix_power: .*\(2, 3\)"):
        fb.linalg.matrix_power(fb.ones(2, 3), 2)


def test_power_zero_has_a_zero_gradient() -> None:
    x = fb.ones(2, 2, requires_grad=True)
    fb.linalg.matrix_power(x, 0).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]

"""Norms of vectors and matrices: values by hand, dimensions, dtypes, what has no norm."""

from __future__ import annotations

import math
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

A = [[3.0, -4.0], [0.0, 5.0]]
# singular values of A: sqrt(25 +- 10 sqrt 4), that is 3 sqrt 5 and sqrt 5
NORMS = {
    "fro": math.sqrt(50),
    "nuc": 4 * math.sqrt(5),
    2: 3 * math.sqrt(5),
    -2: math.sqrt(5),
    1: 9.0,
    -1: 3.0,
    math.inf: 7.0,
    -math.inf: 5.0,
}


@pytest.mark.parametrize(("order", "value"), NORMS.items())
def test_matrix_norms(order: Any, value: float) -> None:
    matrix = fb.tensor(A, dtype=fb.float64)
    assert fb.linalg.matrix_norm(matrix, order).item() == pytest.approx(value)
    assert fb.linalg.norm(matrix, order).item() == pytest.approx(value)
    batch = fb.stack([matrix, 2 * matrix], -1)  # the matrices lie in the first two dimensions
    found = fb.linalg.matrix_norm(batch, order, dim=(0, 1), keepdim=True)
    assert found.shape == (1, 1, 2)
    assert found.flatten().tolist() == pytest.approx([value, 2 * value])
    turned = fb.linalg.matrix_norm(batch, order, dim=(1, 0))
    assert turned.tolist() == fb.linalg.matrix_norm(batch.movedim(-1, 0).mT, order).tolist()


@pytest.mark.parametrize(
    ("order", "value"), [(0, 2.0), (1, 7.0), (2, 5.0), (3, 91 ** (1 / 3)), (math.inf, 4.0), (-1, 0)]
)
def test_vector_norms(order: float, value: float) -> None:
    x = fb.tensor([3.0, 0.0, -4.0], dtype=fb.float64)
    assert fb.linalg.vector_norm(x, order).item() == pytest.approx(value)
    assert fb.linalg.vector_norm(x * 1j, order).dtype == fb.float64


def test_norm_of_all_elements_and_of_dimensions() -> None:
    x = fb.ones(2, 3, 4)
    assert fb.linalg.norm(x).item() == pytest.approx(math.sqrt(24))
    assert fb.linalg.norm(x, dim=(0, 2), keepdim=True).shape == (1, 3, 1)
    assert fb.linalg.norm(x, 1, dim=1).tolist() == [[3.0] * 4] * 2
    with pytest.raises(RuntimeError, match="must be 1D or 2D. Got 3D"):
        fb.linalg.norm(x, 1)


def test_dtype() -> None:
    x = fb.ones(3, dtype=fb.float16)
    assert fb.linalg.vector_norm(x, dtype=fb.float64).dtype == fb.float64
    refused = {
        (fb.float32, fb.float16): "without narrowing",
        (fb.float32, fb.int32): "floating point or complex",
        (fb.float32, fb.complex64): "should be real for real",
        (fb.complex64, fb.float32): "should be complex for complex",
    }
    for (own, wanted), text in refused.items():
        with pytest.raises(RuntimeError, match=text):
            fb.linalg.vector_norm(fb.ones(3, dtype=own), dtype=wanted)
    with pytest.raises(RuntimeError, match="Expected a floating point or complex"):
        fb.linalg.vector_norm(fb.ones(3, dtype=fb.int64))


def test_nothing_has_no_largest_element() -> None:
    assert fb.linalg.vector_norm(fb.ones(0)).item() == 0.0
    with pytest.raises(RuntimeError, match="does not have an identity"):
        fb.linalg.vector_norm(fb.ones(0), math.inf)
    with pytest.raises(RuntimeError, match="dimension 1 because this dimension is empty"):
        fb.linalg.vector_norm(fb.ones(2, 0), -1, dim=1)
    assert fb.linalg.matrix_norm(fb.ones(2, 0, 3), "nuc").tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("shape", "named", "text"),
    [
        ((3,), {}, "at least 2 dimensions"),
        ((3, 3), {"dim": (0, 0)}, "dims must be different"),
        ((3, 3), {"dim": (0,)}, "must be a 2-tuple"),
        ((3, 3), {"ord": 3}, "Order 3 not supported"),
        ((3, 3), {"ord": "max"}, "Order max not supported"),
    ],
)
def test_arguments_are_refused(shape: tuple[int, ...], named: dict[str, Any], text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        fb.linalg.matrix_norm(fb.ones(shape), **named)


def test_condition_numbers() -> None:
    matrix = fb.tensor(A, dtype=fb.float64)
    assert fb.linalg.cond(matrix).item() == pytest.approx(3.0)
    assert fb.linalg.cond(matrix, -2).item() == pytest.approx(1 / 3)
    assert fb.linalg.cond(matrix, 1).item() == pytest.approx(9 * 7 / 15)
    assert fb.linalg.cond(fb.ones(4, 2)).item() > 1e6
    found = fb.linalg.cond(fb.stack([fb.zeros(2, 2), fb.eye(2)]), "fro").tolist()
    assert found == [fb.inf, pytest.approx(2.0)]
    with pytest.raises(RuntimeError, match="invalid norm type: 3"):
        fb.linalg.cond(matrix, 3)
    with pytest.raises(RuntimeError, match="2 by 3"):
        fb.linalg.cond(fb.ones(2, 3), 1)


@pytest.mark.parametrize("order", list(NORMS))
def test_gradients_of_complex_matrices(order: Any) -> None:
    x = fb.randn(2, 3, 4, dtype=fb.complex128, requires_grad=True)
    assert gradcheck(lambda x: fb.linalg.matrix_norm(x, order), [x])
    assert gradgradcheck(lambda x: fb.linalg.matrix_norm(x, order), [x])

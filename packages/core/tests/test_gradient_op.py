"""gradient: derivatives of sampled functions, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad

X = np.random.default_rng(2).normal(size=(4, 5))
ROWS, COLUMNS = np.array([0.0, 1.0, 1.5, 4.0]), np.array([-1.0, 0.0, 0.25, 2.0, 3.0])


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize(
    ("spacing", "same"),
    [
        (None, ()),
        (2.0, (2.0,)),
        ([0.5, 3.0], (0.5, 3.0)),
        ([fb.tensor(ROWS), fb.tensor(COLUMNS)], (ROWS, COLUMNS)),
    ],
)
def test_all_dimensions(spacing: Any, same: Any, edge_order: int) -> None:
    result = fb.gradient(fb.tensor(X), spacing=spacing, edge_order=edge_order)
    for mine, theirs in zip(result, np.gradient(X, *same, edge_order=edge_order), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs, atol=1e-12)


def test_chosen_dimensions_and_dtypes() -> None:
    x = fb.tensor(X)
    (along,) = fb.gradient(x, dim=-1, spacing=0.5)
    np.testing.assert_allclose(along.numpy(), np.gradient(X, 0.5, axis=1))
    first, second = fb.gradient(x, dim=(1, 0), spacing=[fb.tensor(COLUMNS), fb.tensor(ROWS)])
    np.testing.assert_allclose(first.numpy(), np.gradient(X, COLUMNS, axis=1))
    np.testing.assert_allclose(second.numpy(), np.gradient(X, ROWS, axis=0))
    (whole,) = fb.gradient(fb.tensor([1, 2, 4, 8]))
    assert whole.dtype == fb.float32 and whole.tolist() == [1, 1.5, 3, 4]
    assert fb.gradient(fb.tensor(1.0)) == ()


def test_is_differentiable() -> None:
    x = fb.tensor([1.0, 2.0, 4.0, 8.0], requires_grad=True)
    (found,) = grad(fb.gradient(x, spacing=[fb.tensor([0.0, 1.0, 3.0, 4.0])])[0][1], x)
    # Uneven neighbours at distances 1 and 2: -h2/(h1(h1+h2)), (h2-h1)/(h1 h2), h1/(h2(h1+h2)).
    np.testing.assert_allclose(found.numpy(), [-2 / 3, 1 / 2, 1 / 6, 0], rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"edge_order": 3}, RuntimeError),
        ({"spacing": [1.0]}, RuntimeError),
        ({"spacing": [1.0, 2.0], "dim": 0}, RuntimeError),
        ({"spacing": [fb.ones(1, 4), fb.ones(5)]}, RuntimeError),
        ({"spacing": [1.0, fb.ones(5)]}, TypeError),
        ({"spacing": fb.ones(2)}, TypeError),
        ({"dim": (1, 1)}, RuntimeError),
        ({"dim": 2}, IndexError),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="gradient"):
        fb.gradient(fb.tensor(X), **arguments)


def test_too_few_samples() -> None:
    with pytest.raises(RuntimeError, match="edge_order"):
        fb.gradient(fb.ones(3, 1))
    with pytest.raises(RuntimeError, match="edge_order"):
        fb.gradient(fb.ones(2, 3), edge_order=2)

"""Scattered reductions, against a loop over the elements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

INDEX = [[0, 2, 2, 0], [2, 2, 1, 0]]
SELF = [[3.0, -1.0, 0.5], [0.0, 2.0, -2.0]]
SOURCE = [[1.0, -4.0, 4.0, 2.0], [0.25, 0.5, 3.0, -5.0]]

STEPS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def by_loop(reduce: str, include_self: bool, dtype: Any) -> np.ndarray[Any, Any]:
    result = np.array(SELF).astype(dtype)
    source = np.array(SOURCE).astype(dtype)
    count = np.full(result.shape, int(include_self))
    for row, column in itertools.product(range(2), range(4)):
        place = (row, INDEX[row][column])
        value = source[row, column]
        result[place] = STEPS[reduce](result[place], value) if count[place] else value
        count[place] += 1
    if reduce == "mean":
        count = np.maximum(count, 1)
        return result // count if dtype is np.int64 else result / count
    return result


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", STEPS)
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_scatter_reduce(dtype: Any, reduce: str, include_self: bool) -> None:
    x, source = (fb.from_numpy(np.array(v).astype(dtype)) for v in (SELF, SOURCE))
    result = x.scatter_reduce(1, fb.tensor(INDEX), source, reduce, include_self=include_self)
    assert result.dtype == x.dtype
    np.testing.assert_allclose(result.numpy(), by_loop(reduce, include_self, dtype))


def test_extremes_of_unsigned_numbers_and_nan() -> None:
    x = fb.tensor([0, 255], dtype=fb.uint8)
    index, source = fb.tensor([0, 1, 1]), fb.tensor([255, 0, 7], dtype=fb.uint8)
    assert x.scatter_reduce(0, index, source, "amin").tolist() == [0, 0]
    assert x.scatter_reduce(0, index, source, "amax").tolist() == [255, 255]
    nan = fb.tensor([float("nan"), 1.0])
    for reduce in ("amax", "amin"):
        result = fb.zeros(1).scatter_reduce(0, fb.tensor([0, 0]), nan, reduce)
        assert result.isnan().item()


def test_equal_extremes_share_the_gradient() -> None:
    x = fb.tensor([2.0, 0.0], requires_grad=True)
    source = fb.tensor([2.0, 1.0, 2.0], requires_grad=True)
    x.scatter_reduce(0, fb.tensor([0, 0, 0]), source, "amax").sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1 / 3, 1.0])
    np.testing.assert_allclose(source.grad.numpy(), [1 / 3, 0.0, 1 / 3])


def test_gradient_of_products_through_zero() -> None:
    x = fb.tensor([3.0], requires_grad=True)
    source = fb.tensor([0.0, 4.0], requires_grad=True)
    x.scatter_reduce(0, fb.tensor([0, 0]), source, "prod").sum().backward()
    assert x.grad.tolist() == [0.0]
    assert source.grad.tolist() == [12.0, 0.0]


def test_index_reduce_sends_slices() -> None:
    x = fb.ones(2, 2)
    source = fb.tensor([[2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])
    result = x.index_reduce(0, fb.tensor([0, 0, 1]), source, "prod")
    assert result.tolist() == [[8.0, 15.0], [6.0, 7.0]]


def test_errors_name_shapes() -> None:
    x = fb.zeros(2, 3)
    with pytest.raises(RuntimeError, match="median"):
        x.scatter_reduce(0, fb.tensor([[0]]), fb.zeros(1, 1), "median")
    with pytest.raises(RuntimeError, match=r"index \(1, 4\)"):
        x.scatter_reduce(1, fb.tensor([[0, 0, 0, 0]]), fb.zeros(1, 3), "sum")
    with pytest.raises(RuntimeError, match="size 2"):
        x.scatter_reduce(0, fb.tensor([[2]]), fb.zeros(1, 1), "sum")

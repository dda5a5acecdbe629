"""Composed ops that read and write at positions given by indices and masks."""

from __future__ import annotations

import numpy as np
import pytest

import flambeau_core as fb


def counting(*shape: int) -> fb.Tensor:
    return fb.arange(int(np.prod(shape))).reshape(shape)


def test_index_fill() -> None:
    x = counting(2, 3)
    assert x.index_fill(1, fb.tensor([0, -1]), -9).tolist() == [[-9, 1, -9], [-9, 4, -9]]
    assert x.index_fill(0, fb.tensor([1]), fb.tensor(7)).tolist() == [[0, 1, 2], [7, 7, 7]]
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    x.index_fill_(0, fb.tensor([0]), 0)
    assert x.tolist() == [[0, 0, 0], [3, 4, 5]]
    with pytest.raises(IndexError, match="size 3"):
        x.index_fill(1, fb.tensor([3]), 0)


def test_index_copy() -> None:
    x = fb.zeros(3, 2)
    result = x.index_copy(0, fb.tensor([2, 0]), fb.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert result.tolist() == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
    with pytest.raises(RuntimeError, match="dtype"):
        x.index_copy(0, fb.tensor([0]), fb.tensor([[1, 2]]))


def test_masked_scatter() -> None:
    x = fb.zeros(2, 3, dtype=fb.int64)
    mask = fb.tensor([[True, False, True], [False, True, False]])
    assert x.masked_scatter(mask, fb.tensor([7, 8, 9, 10])).tolist() == [[7, 0, 8], [0, 9, 0]]
    with pytest.raises(RuntimeError, match="2 elements.*selects 3"):
        x.masked_scatter(mask, fb.tensor([7, 8]))


def test_take_along_dim() -> None:
    x = fb.tensor([[10, 30, 20], [60, 40, 50]])
    order = x.argsort(1)
    assert fb.take_along_dim(x, order, 1).tolist() == [[10, 20, 30], [40, 50, 60]]
    assert fb.take_along_dim(x, fb.tensor([5, 0])).tolist() == [50, 10]
    assert fb.take_along_dim(x, fb.tensor([[2]]), 1).tolist() == [[20], [50]]
    with pytest.raises(RuntimeError, match="int64"):
        fb.take_along_dim(x, fb.tensor([0.0]))


def test_written_slices() -> None:
    x = fb.zeros(2, 3, dtype=fb.int64)
    assert fb.select_scatter(x, fb.tensor([1, 2]), 1, 1).tolist() == [[0, 1, 0], [0, 2, 0]]
    written = fb.slice_scatter(x, fb.tensor([[5, 6]] * 2), 1, 0, None, 2)
    assert written.tolist() == [[5, 0, 6], [5, 0, 6]]
    assert x.sum().item() == 0
    with pytest.raises(RuntimeError, match=r"\(2,\).*\(3,\)"):
        fb.select_scatter(x, fb.tensor([1, 2, 3]), 1, 1)


def test_put() -> None:
    x = fb.zeros(2, 2, dtype=fb.int64)
    assert x.put(fb.tensor([3, -4]), fb.tensor([5, 6])).tolist() == [[6, 0], [0, 5]]
    twice = x.put(fb.tensor([1, 1]), fb.tensor([5, 6]), accumulate=True)
    assert twice.tolist() == [[0, 11], [0, 0]]


def test_gradients_reach_both_sides() -> None:
    x = fb.ones(3, requires_grad=True)
    source = fb.ones(2, requires_grad=True)
    mask = fb.tensor([True, False, True])
    (x.masked_scatter(mask, source) * fb.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 0.0]
    assert source.grad.tolist() == [1.0, 3.0]
    y = fb.ones(3, requires_grad=True)
    part = fb.ones(1, requires_grad=True)
    (y.slice_scatter(part, 0, 1, 2) * fb.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert y.grad.tolist() == [1.0, 0.0, 3.0]
    assert part.grad.tolist() == [2.0]

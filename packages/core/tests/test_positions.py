"""Positions: unravel_index and nonzero_static."""

from __future__ import annotations

import numpy as np
import pytest

import flambeau_core as fb


def test_unravel_index() -> None:
    indices = np.array([[0, 7], [23, 11]])
    for mine, theirs in zip(
        fb.unravel_index(fb.tensor(indices), (2, 3, 4)), np.unravel_index(indices, (2, 3, 4))
    ):
        assert mine.dtype == fb.int64 and mine.tolist() == theirs.tolist()
    assert [x.item() for x in fb.unravel_index(fb.tensor(5, dtype=fb.uint8), 9)] == [5]
    large = fb.unravel_index(fb.tensor(3), (1, 2**63 - 1))
    assert [x.item() for x in large] == [0, 3]
    with pytest.raises(TypeError, match="integer"):
        fb.unravel_index(fb.tensor([1.0]), (2, 3))
    with pytest.raises(TypeError, match="shape"):
        fb.unravel_index(fb.tensor([1]), (2.0, 3))
    with pytest.raises(ValueError, match="negative"):
        fb.unravel_index(fb.tensor([1]), (2, -3))


def test_nonzero_static() -> None:
    x = fb.tensor([[0, 3], [4, 5]])
    assert fb.nonzero_static(x, size=2).tolist() == [[0, 1], [1, 0]]
    assert x.nonzero_static(size=5, fill_value=-7).tolist() == [
        [0, 1],
        [1, 0],
        [1, 1],
        [-7, -7],
        [-7, -7],
    ]
    assert fb.nonzero_static(fb.tensor(1), size=2).shape == (2, 0)
    with pytest.raises(RuntimeError, match="negative"):
        fb.nonzero_static(x, size=-1)

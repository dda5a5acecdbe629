import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_flatten_keeps_the_batch():
    assert nn.Flatten()(fb.zeros(2, 3, 4)).shape == (2, 12)
    assert nn.Flatten(0, 1)(fb.zeros(2, 3, 4)).shape == (6, 4)
    assert repr(nn.Flatten()) == "Flatten(start_dim=1, end_dim=-1)"


def test_unflatten_splits_one_dimension():
    assert nn.Unflatten(1, (2, 3))(fb.zeros(4, 6)).shape == (4, 2, 3)
    assert nn.Unflatten(-1, [3, -1])(fb.zeros(4, 6)).shape == (4, 3, 2)
    with pytest.raises(TypeError, match="unflattened_size must be"):
        nn.Unflatten(1, 3)
    with pytest.raises(TypeError, match="found element of type float at pos 1"):
        nn.Unflatten(1, (2, 3.0))

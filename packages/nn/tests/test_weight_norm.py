import pytest

import flambeau_core as fb
import flambeau_nn as nn


def layer(dim=0):
    linear = nn.Linear(2, 2, bias=False)
    with fb.no_grad():
        linear.weight.copy_(fb.tensor([[3.0, 4.0], [0.0, 2.0]]))
    return nn.utils.weight_norm(linear, dim=dim)


def test_lengths_and_directions(close):
    linear = layer()
    assert list(linear.state_dict()) == ["weight_g", "weight_v"]
    close(linear.weight_g, [[5.0], [2.0]])
    close(linear(fb.tensor([[1.0, 1.0]])), [[7.0, 2.0]])
    close(layer(dim=1).weight_g, [[3.0, 20**0.5]])
    close(layer(dim=None).weight_g, 29**0.5)


def test_the_weight_follows_its_length(close):
    linear = layer()
    with fb.no_grad():
        linear.weight_g.mul_(2.0)
    close(linear(fb.tensor([[1.0, 1.0]])), [[14.0, 4.0]])
    linear(fb.tensor([[1.0, 1.0]])).sum().backward()
    close(linear.weight_g.grad, [[1.4], [1.0]])


def test_removing_keeps_the_values(close):
    linear = nn.utils.remove_weight_norm(layer())
    assert list(linear.state_dict()) == ["weight"] and isinstance(linear.weight, nn.Parameter)
    close(linear(fb.tensor([[1.0, 1.0]])), [[7.0, 2.0]])
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found"):
        nn.utils.remove_weight_norm(linear)


def test_applied_once_only():
    with pytest.raises(RuntimeError, match="Cannot register two weight_norm hooks"):
        nn.utils.weight_norm(layer())

import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_there_and_back():
    layer = nn.Linear(2, 2)
    vector = nn.utils.parameters_to_vector(layer.parameters())
    assert vector.tolist() == [*layer.weight.reshape(-1).tolist(), *layer.bias.tolist()]
    nn.utils.vector_to_parameters(fb.arange(6.0), layer.parameters())
    assert layer.weight.tolist() == [[0.0, 1.0], [2.0, 3.0]] and layer.bias.tolist() == [4.0, 5.0]
    assert layer.weight.requires_grad


def test_needs_a_tensor():
    with pytest.raises(TypeError, match="expected torch.Tensor, but got: <class 'list'>"):
        nn.utils.vector_to_parameters([1.0], [])

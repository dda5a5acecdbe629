import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_linear_value(close):
    layer = nn.Linear(2, 3)
    with fb.no_grad():
        layer.weight.copy_(fb.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        layer.bias.copy_(fb.tensor([0.0, 1.0, 2.0]))
    close(layer(fb.tensor([[3.0, 4.0]])), [[3.0, 5.0, 9.0]])
    close(layer(fb.tensor([3.0, 4.0])), [3.0, 5.0, 9.0])
    assert layer(fb.zeros(2, 5, 2)).shape == (2, 5, 3)


def test_linear_gradients(gradcheck, values):
    gradcheck(nn.functional.linear, values(2, 3), values(4, 3), values(4))


def test_linear_starts_within_its_bound():
    layer = nn.Linear(100, 50)
    limit = 1 / math.sqrt(100)
    for tensor in (layer.weight, layer.bias):
        assert float(tensor.abs().max()) <= limit
    assert float(layer.weight.std()) == pytest.approx(limit / math.sqrt(3), rel=0.1)


def test_linear_without_bias_and_with_dtype():
    layer = nn.Linear(2, 3, bias=False, dtype=fb.float64)
    assert layer.bias is None and list(layer.state_dict()) == ["weight"]
    assert layer.weight.dtype == fb.float64


def test_linear_shape_error_names_both_shapes():
    with pytest.raises(RuntimeError) as caught:
        nn.Linear(4, 2)(fb.zeros(3, 5))
    assert "5" in str(caught.value) and "4" in str(caught.value)


def test_bilinear_value(close):
    layer = nn.Bilinear(2, 2, 1)
    with fb.no_grad():
        layer.weight.copy_(fb.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
        layer.bias.fill_(0.5)
    # [1, 2] W [3, 4]^T = 1*1*3 + 1*2*4 + 2*3*3 + 2*4*4 = 61
    close(layer(fb.tensor([[1.0, 2.0]]), fb.tensor([[3.0, 4.0]])), [[61.5]])


def test_bilinear_gradients(gradcheck, values):
    gradcheck(nn.functional.bilinear, values(2, 3), values(2, 2), values(4, 3, 2), values(4))


def test_bilinear_refuses():
    with pytest.raises(ValueError, match="in1_features must be > 0"):
        nn.Bilinear(0, 1, 1)
    with pytest.raises(RuntimeError, match="batch dimensions do not match"):
        nn.Bilinear(2, 2, 1)(fb.zeros(3, 2), fb.zeros(4, 2))


def test_identity_takes_anything():
    x = fb.zeros(1)
    assert nn.Identity(3, unused=True)(x) is x


def test_reprs():
    assert repr(nn.Linear(1, 2)) == "Linear(in_features=1, out_features=2, bias=True)"
    assert repr(nn.Bilinear(1, 2, 3)) == (
        "Bilinear(in1_features=1, in2_features=2, out_features=3, bias=True)"
    )
    assert repr(nn.Identity()) == "Identity()"

import pytest

import flambeau_core as fb
import flambeau_nn as nn


def layer():
    fb.manual_seed(0)
    linear = nn.Linear(2, 2, bias=False)
    with fb.no_grad():
        linear.weight.copy_(fb.tensor([[3.0, 0.0], [0.0, 0.5]]))
    return nn.utils.spectral_norm(linear)


def test_largest_singular_value_becomes_one(close):
    linear = layer()
    for _ in range(10):
        linear(fb.zeros(1, 2))
    close(linear(fb.tensor([[1.0, 1.0]])), [[1.0, 0.5 / 3]])
    assert sorted(linear.state_dict()) == ["weight_orig", "weight_u", "weight_v"]


def test_vectors_rest_in_evaluation():
    linear = layer().eval()
    before = linear.weight_u.tolist()
    linear(fb.zeros(1, 2))
    assert linear.weight_u.tolist() == before


def test_gradient_against_differences():
    linear = layer().double()
    x = fb.tensor([[1.0, 2.0]], dtype=fb.float64)
    for _ in range(50):
        linear(x)
    linear.eval()
    linear(x).sum().backward()
    step = 1e-6
    sides = []
    for sign in (1, -1):
        with fb.no_grad():
            linear.weight_orig[0, 1] += sign * step
        sides.append(linear(x).sum().item())
        with fb.no_grad():
            linear.weight_orig[0, 1] -= sign * step
    difference = (sides[0] - sides[1]) / (2 * step)
    assert linear.weight_orig.grad[0, 1].item() == pytest.approx(difference, rel=1e-5)


def test_two_forwards_before_one_backward():
    linear = layer()
    loss = linear(fb.ones(1, 2)).sum() + linear(fb.ones(1, 2)).sum()
    loss.backward()
    assert linear.weight_orig.grad is not None


def test_removing_keeps_the_values(close):
    linear = layer()
    for _ in range(10):
        linear(fb.zeros(1, 2))
    nn.utils.remove_spectral_norm(linear)
    assert list(linear.state_dict()) == ["weight"]
    close(linear(fb.tensor([[1.0, 1.0]])), [[1.0, 0.5 / 3]])
    with pytest.raises(ValueError, match="spectral_norm of 'weight' not found"):
        nn.utils.remove_spectral_norm(linear)


def test_transposed_convolutions_use_their_outputs():
    conv = nn.utils.spectral_norm(nn.ConvTranspose2d(2, 5, 3))
    assert conv.weight_u.shape == (5,) and conv.weight_v.shape == (18,)
    assert conv(fb.zeros(1, 2, 4, 4)).shape == (1, 5, 6, 6)


def test_refused():
    with pytest.raises(RuntimeError, match="Cannot register two spectral_norm hooks"):
        nn.utils.spectral_norm(layer())
    with pytest.raises(ValueError, match="Expected n_power_iterations to be positive"):
        nn.utils.spectral_norm(nn.Linear(1, 1), n_power_iterations=0)

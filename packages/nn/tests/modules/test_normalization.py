import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_layer_norm(close):
    layer = nn.LayerNorm(2, eps=1e-12)
    close(layer(fb.tensor([[1.0, 3.0], [10.0, 30.0]])), [[-1.0, 1.0], [-1.0, 1.0]])
    with fb.no_grad():
        layer.weight.copy_(fb.tensor([2.0, 3.0]))
        layer.bias.copy_(fb.tensor([1.0, 0.0]))
    close(layer(fb.tensor([[1.0, 3.0]])), [[-1.0, 3.0]])


def test_layer_norm_over_several_dimensions():
    layer = nn.LayerNorm((2, 3), elementwise_affine=False)
    out = layer(fb.arange(12.0).reshape(2, 2, 3))
    assert float(out[0].mean()) == pytest.approx(0.0, abs=1e-6)
    assert list(layer.parameters()) == []
    assert nn.LayerNorm(2, bias=False).bias is None


def test_layer_norm_gradients(gradcheck, values):
    gradcheck(
        lambda x, w, b: nn.functional.layer_norm(x, (3,), w, b), values(2, 3), values(3), values(3)
    )


def test_group_norm(close):
    layer = nn.GroupNorm(2, 4, eps=1e-12)
    x = fb.tensor([[[1.0], [3.0], [10.0], [30.0]]])
    close(layer(x), [[[-1.0], [1.0], [-1.0], [1.0]]])
    with pytest.raises(
        ValueError, match=r"num_channels \(3\) must be divisible by num_groups \(2\)"
    ):
        nn.GroupNorm(2, 3)


def test_group_norm_gradients(gradcheck, values):
    gradcheck(
        lambda x, w, b: nn.functional.group_norm(x, 2, w, b), values(2, 4, 2), values(4), values(4)
    )


def test_rms_norm(close):
    layer = nn.RMSNorm(2, eps=0.0)
    close(layer(fb.tensor([3.0, 4.0])), [3 / math.sqrt(12.5), 4 / math.sqrt(12.5)])
    assert list(layer.state_dict()) == ["weight"]
    assert nn.RMSNorm(2, elementwise_affine=False).weight is None


def test_rms_norm_gradients(gradcheck, values):
    gradcheck(lambda x, w: nn.functional.rms_norm(x, (3,), w), values(2, 3), values(3))


def test_local_response_norm(close):
    layer = nn.LocalResponseNorm(3, alpha=3.0, beta=1.0, k=1.0)
    # The middle channel sees all three: 1 + (1 + 4 + 9) = 15.
    close(layer(fb.tensor([[[1.0], [2.0], [3.0]]])), [[[1 / 6], [2 / 15], [3 / 14]]])


def test_reprs():
    # As PyTorch 2.13 prints them.
    assert repr(nn.LayerNorm(3)) == "LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=True)"
    assert repr(nn.GroupNorm(2, 4)) == "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)"
    assert repr(nn.RMSNorm(3)) == "RMSNorm((3,), eps=None, elementwise_affine=True)"


def test_cross_map_lrn_counts_the_first_channel_always():
    x = fb.tensor([1.0, 2.0, 3.0, 4.0], dtype=fb.float64).reshape(1, 4, 1, 1)
    result = nn.CrossMapLRN2d(3, alpha=0.3, beta=1.0, k=1.0)(x)
    # Neighbours to one side each; in the last sum the first channel is there as well.
    sums = [1 + 4, 1 + 4 + 9, 4 + 9 + 16 + 1, 9 + 16 + 1]
    expected = [v / (1 + 0.1 * s) for v, s in zip((1.0, 2.0, 3.0, 4.0), sums)]
    assert fb.allclose(result.flatten(), fb.tensor(expected, dtype=fb.float64))
    with pytest.raises(ValueError, match="4D"):
        nn.CrossMapLRN2d(3)(fb.zeros(2, 3, 4))

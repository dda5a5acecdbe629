import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn
import flambeau_nn.functional as F

CONVOLUTIONS = [(nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3)]
TRANSPOSED = [(nn.ConvTranspose1d, 1), (nn.ConvTranspose2d, 2), (nn.ConvTranspose3d, 3)]


def test_conv2d_by_hand(close):
    layer = nn.Conv2d(1, 1, 2)
    with fb.no_grad():
        layer.weight.copy_(fb.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
        layer.bias.fill_(1.0)
    image = fb.arange(9.0).reshape(1, 1, 3, 3)
    # Top left: 0*1 + 1*2 + 3*3 + 4*4 = 27.
    close(layer(image), [[[[28.0, 38.0], [58.0, 68.0]]]])


@pytest.mark.parametrize(("kind", "dims"), CONVOLUTIONS)
def test_output_shape_and_weights(kind, dims):
    layer = kind(4, 6, 3, stride=2, padding=1, dilation=1, groups=2)
    assert layer.weight.shape == (6, 2) + (3,) * dims
    assert layer(fb.zeros((2, 4) + (7,) * dims)).shape == (2, 6) + (4,) * dims
    assert layer(fb.zeros((4,) + (7,) * dims)).shape == (6,) + (4,) * dims


@pytest.mark.parametrize(("kind", "dims"), TRANSPOSED)
def test_transposed_is_the_adjoint(kind, dims, values):
    forward = getattr(F, f"conv{dims}d")
    layer = kind(2, 3, 3, stride=2, padding=1, bias=False, dtype=fb.float64)
    x = values(*(1, 2), *(4,) * dims)
    upsampled = layer(x)
    assert upsampled.shape == (1, 3) + (7,) * dims
    y = values(*upsampled.shape, shift=0.25)
    # <conv^T x, y> = <x, conv y> with the same weight.
    down = forward(y, layer.weight, None, stride=2, padding=1)
    assert (upsampled * y).sum().item() == pytest.approx((x * down).sum().item(), rel=1e-9)


def test_gradients(gradcheck, values):
    gradcheck(
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1),
        values(1, 2, 4, 4),
        values(3, 2, 3, 3),
        values(3),
    )


def test_same_padding_keeps_the_size():
    assert nn.Conv2d(1, 1, (3, 4), padding="same", dilation=2)(fb.zeros(1, 1, 9, 9)).shape == (
        1,
        1,
        9,
        9,
    )
    assert nn.Conv1d(1, 1, 3, padding="valid")(fb.zeros(1, 1, 5)).shape == (1, 1, 3)


def test_padding_modes(close):
    signal = fb.tensor([[[1.0, 2.0, 3.0]]])
    expected = {
        "zeros": [3.0, 6.0, 5.0],
        "reflect": [5.0, 6.0, 7.0],
        "replicate": [4.0, 6.0, 8.0],
        "circular": [6.0, 6.0, 6.0],
    }
    for mode, sums in expected.items():
        for padding in (1, "same"):
            layer = nn.Conv1d(1, 1, 3, padding=padding, padding_mode=mode, bias=False)
            with fb.no_grad():
                layer.weight.fill_(1.0)
            close(layer(signal), [[sums]])


def test_output_size_of_the_transposed():
    layer = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
    x = fb.zeros(1, 1, 4, 4)
    assert layer(x, output_size=[8, 8]).shape == (1, 1, 8, 8)
    assert layer(x, output_size=(1, 1, 7, 8)).shape == (1, 1, 7, 8)
    with pytest.raises(ValueError, match="valid sizes range from"):
        layer(x, output_size=[9, 9])
    with pytest.raises(ValueError, match="output_size must have 2 or 4 elements"):
        layer(x, output_size=[9, 9, 9])


def test_settings_are_checked():
    with pytest.raises(ValueError, match="in_channels must be divisible by groups"):
        nn.Conv2d(3, 4, 1, groups=2)
    with pytest.raises(ValueError, match="out_channels must be divisible by groups"):
        nn.Conv2d(4, 3, 1, groups=2)
    with pytest.raises(ValueError, match="groups must be a positive integer"):
        nn.Conv2d(4, 4, 1, groups=0)
    with pytest.raises(ValueError, match="padding='same' is not supported for strided"):
        nn.Conv2d(1, 1, 3, stride=2, padding="same")
    with pytest.raises(ValueError, match="Invalid padding string"):
        nn.Conv2d(1, 1, 3, padding="other")
    with pytest.raises(ValueError, match="padding_mode must be one of"):
        nn.Conv2d(1, 1, 3, padding_mode="other")
    with pytest.raises(ValueError, match='Only "zeros" padding mode is supported'):
        nn.ConvTranspose2d(1, 1, 3, padding_mode="reflect")


def test_initial_values_within_bounds():
    layer = nn.Conv2d(16, 8, 3)
    limit = 1 / math.sqrt(16 * 9)
    assert 0.9 * limit < float(layer.weight.abs().max()) <= limit
    assert float(layer.bias.abs().max()) <= limit


def test_reprs():
    # As PyTorch 2.13 prints them.
    assert repr(nn.Conv2d(1, 2, 3)) == "Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))"
    assert repr(nn.Conv2d(2, 2, 3, 2, 1, 2, 2, False, "reflect")) == (
        "Conv2d(2, 2, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2), "
        "groups=2, bias=False, padding_mode=reflect)"
    )
    assert repr(nn.Conv1d(1, 1, 3, padding="same")) == (
        "Conv1d(1, 1, kernel_size=(3,), stride=(1,), padding=same)"
    )
    assert repr(nn.ConvTranspose2d(1, 2, 3, 2, 1, 1)) == (
        "ConvTranspose2d(1, 2, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), "
        "output_padding=(1, 1))"
    )

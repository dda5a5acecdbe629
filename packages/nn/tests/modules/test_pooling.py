import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_max_pool2d_layer(close):
    image = fb.arange(16.0).reshape(1, 1, 4, 4)
    close(nn.MaxPool2d(2)(image), [[[[5.0, 7.0], [13.0, 15.0]]]])
    pooled, places = nn.MaxPool2d(2, return_indices=True)(image)
    assert places.tolist() == [[[[5, 7], [13, 15]]]]
    restored = nn.MaxUnpool2d(2)(pooled, places)
    assert float(restored.sum()) == 40.0 and float(restored[0, 0, 1, 1]) == 5.0


def test_avg_pool2d_layer(close):
    image = fb.arange(16.0).reshape(1, 1, 4, 4)
    close(nn.AvgPool2d(2)(image), [[[[2.5, 4.5], [10.5, 12.5]]]])
    close(nn.AvgPool2d(2, divisor_override=1)(image), [[[[10.0, 18.0], [42.0, 50.0]]]])


@pytest.mark.parametrize(
    ("layer", "dims", "out"),
    [
        (nn.MaxPool1d(2), 1, 3),
        (nn.MaxPool2d(3, 2, 1), 2, 3),
        (nn.MaxPool3d(2), 3, 3),
        (nn.AvgPool1d(2, stride=1), 1, 5),
        (nn.AvgPool2d((2, 2)), 2, 3),
        (nn.AvgPool3d(2), 3, 3),
        (nn.LPPool1d(2, 2), 1, 3),
        (nn.LPPool2d(2, 2), 2, 3),
        (nn.LPPool3d(2, 2), 3, 3),
        (nn.AdaptiveAvgPool1d(4), 1, 4),
        (nn.AdaptiveAvgPool2d(4), 2, 4),
        (nn.AdaptiveAvgPool3d(4), 3, 4),
        (nn.AdaptiveMaxPool1d(4), 1, 4),
        (nn.AdaptiveMaxPool2d(4), 2, 4),
        (nn.AdaptiveMaxPool3d(4), 3, 4),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else str(value),
)
def test_shapes_with_and_without_a_batch(layer, dims, out):
    x = fb.rand((2, 3) + (6,) * dims)
    pooled = layer(x)
    assert pooled.shape == (2, 3) + (out,) * dims
    assert layer(x[0]).tolist() == pooled[0].tolist()


def test_adaptive_size_none_keeps():
    assert nn.AdaptiveAvgPool2d((None, 2))(fb.zeros(1, 1, 5, 4)).shape == (1, 1, 5, 2)


def test_reprs():
    # As PyTorch 2.13 prints them.
    assert repr(nn.MaxPool2d(2)) == (
        "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"
    )
    assert repr(nn.AvgPool2d(3, 1)) == "AvgPool2d(kernel_size=3, stride=1, padding=0)"
    assert repr(nn.AvgPool1d(3)) == "AvgPool1d(kernel_size=(3,), stride=(3,), padding=(0,))"
    assert repr(nn.AdaptiveAvgPool2d((1, 1))) == "AdaptiveAvgPool2d(output_size=(1, 1))"
    assert repr(nn.LPPool2d(2, 3)) == (
        "LPPool2d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)"
    )

import pytest

import flambeau_core as fb
import flambeau_nn as nn


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (nn.Dropout, (10, 1000)),
        (nn.Dropout1d, (100, 50, 3)),
        (nn.Dropout2d, (100, 50, 2, 2)),
        (nn.Dropout3d, (100, 50, 2, 2, 2)),
    ],
)
def test_dropped_or_scaled(kind, shape):
    fb.manual_seed(0)
    layer = kind(0.25)
    x = fb.ones(shape)
    y = layer(x)
    share = float((y == 0).float().mean())
    assert share == pytest.approx(0.25, abs=0.03)
    assert float(y.max()) == pytest.approx(4 / 3)
    assert layer.eval()(x).tolist() == x.tolist()


def test_channel_dropout_takes_whole_channels():
    fb.manual_seed(0)
    y = nn.Dropout2d(0.5)(fb.ones(4, 8, 3, 3))
    sums = y.sum((2, 3)).reshape(-1).tolist()
    assert set(sums) == {0.0, 18.0}


def test_gradient_is_dropped_alike():
    fb.manual_seed(0)
    x = fb.ones(100, requires_grad=True)
    y = nn.Dropout(0.5)(x)
    y.sum().backward()
    assert x.grad.tolist() == y.tolist()


def test_all_or_nothing():
    x = fb.ones(10)
    assert nn.Dropout(0.0)(x).tolist() == x.tolist()
    assert nn.Dropout(1.0)(x).tolist() == [0.0] * 10


def test_inplace():
    fb.manual_seed(0)
    x = fb.ones(1000)
    y = nn.Dropout(0.5, inplace=True)(x)
    assert y is x and float((x == 0).float().mean()) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("kind", [nn.AlphaDropout, nn.FeatureAlphaDropout])
def test_alpha_dropout_keeps_mean_and_variance(kind):
    fb.manual_seed(0)
    x = fb.randn(200, 100, 5) if kind is nn.AlphaDropout else fb.randn(1000, 100, 5)
    y = kind(0.3)(x)
    assert float(y.mean()) == pytest.approx(0.0, abs=0.05)
    assert float(y.var()) == pytest.approx(1.0, abs=0.06)
    assert kind(0.3).eval()(x).tolist() == x.tolist()


def test_probability_is_checked():
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got 1.5"):
        nn.Dropout(1.5)
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got -0.1"):
        nn.functional.dropout(fb.ones(1), -0.1)


def test_wrong_dimensions():
    with pytest.raises(RuntimeError, match="dropout1d: Expected 2D or 3D input"):
        nn.Dropout1d()(fb.ones(2))
    with pytest.warns(UserWarning, match="dropout2d: Received a 2-D input"):
        nn.Dropout2d()(fb.ones(2, 2))


def test_repr():
    assert repr(nn.Dropout(0.1)) == "Dropout(p=0.1, inplace=False)"

import pytest

import flambeau_core as fb
import flambeau_nn as nn

LINE = [[[1.0, 2.0, 3.0]]]


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.ConstantPad1d((1, 2), 9.0), [9.0, 1.0, 2.0, 3.0, 9.0, 9.0]),
        (nn.ZeroPad1d(1), [0.0, 1.0, 2.0, 3.0, 0.0]),
        (nn.ReflectionPad1d(2), [3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]),
        (nn.ReplicationPad1d((2, 1)), [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]),
        (nn.CircularPad1d((1, 2)), [3.0, 1.0, 2.0, 3.0, 1.0, 2.0]),
    ],
    ids=repr,
)
def test_one_dimension(layer, expected, close):
    close(layer(fb.tensor(LINE)), [[expected]])


@pytest.mark.parametrize(
    "kind",
    [nn.ZeroPad2d, nn.ReflectionPad2d, nn.ReplicationPad2d, nn.CircularPad2d],
)
def test_two_dimensions_take_four_widths(kind):
    assert kind((1, 2, 0, 1))(fb.zeros(1, 1, 4, 4)).shape == (1, 1, 5, 7)
    assert kind(1)(fb.zeros(2, 4, 4)).shape == (2, 6, 6)


@pytest.mark.parametrize(
    "kind",
    [nn.ZeroPad3d, nn.ReflectionPad3d, nn.ReplicationPad3d, nn.CircularPad3d],
)
def test_three_dimensions(kind):
    assert kind(1)(fb.zeros(1, 1, 3, 3, 3)).shape == (1, 1, 5, 5, 5)


def test_circular_checks_dimensions():
    with pytest.raises(ValueError, match="expected 3D or 4D input \\(got 2D input\\)"):
        nn.CircularPad2d(1)(fb.zeros(2, 2))


def test_reprs():
    assert repr(nn.ZeroPad2d(1)) == "ZeroPad2d((1, 1, 1, 1))"
    assert repr(nn.ConstantPad1d(1, 2.0)) == "ConstantPad1d(padding=(1, 1), value=2.0)"

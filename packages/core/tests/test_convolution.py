"""Convolution: derivatives of both orders by numerical differentiation, and refusals."""

from itertools import product

import pytest

import flambeau_core as fb

WINDOWS = [
    pytest.param({}, id="plain"),
    pytest.param({"stride": 2, "padding": 1}, id="strided"),
    pytest.param({"dilation": 2, "padding": (2,)}, id="dilated"),
    pytest.param({"groups": 2}, id="grouped"),
]


def numbers(*shape: int) -> fb.Tensor:
    return fb.randn(*shape, dtype=fb.float64, generator=fb.Generator().manual_seed(sum(shape)))


def numerical_gradient(function, inputs, which: int, step: float = 1e-5) -> fb.Tensor:
    """Central differences of a function with one value."""
    x = inputs[which]
    slope = fb.zeros_like(x)
    for place in product(*map(range, x.shape)):
        values = []
        for sign in (1, -1):
            moved = x.detach().clone()
            moved[place] += sign * step
            values.append(function(*inputs[:which], moved, *inputs[which + 1 :]).item())
        slope[place] = (values[0] - values[1]) / (2 * step)
    return slope


def assert_gradients(function, inputs) -> None:
    leaves = [x.detach().requires_grad_() for x in inputs]
    found = fb.autograd.grad(function(*leaves), leaves)
    for which, gradient in enumerate(found):
        expected = numerical_gradient(function, inputs, which)
        assert (gradient - expected).abs().max().item() < 1e-6


def squared_gradients(function):
    """The sum of all squared gradients: its own gradient is a second derivative."""

    def of(*inputs):
        leaves = [x if x.requires_grad else x.detach().requires_grad_() for x in inputs]
        gradients = fb.autograd.grad(function(*leaves), leaves, create_graph=True)
        return sum((g * g).sum() for g in gradients)

    return of


@pytest.mark.parametrize("options", WINDOWS)
@pytest.mark.parametrize("name", ["conv1d", "conv_transpose1d"])
def test_derivatives(name, options):
    convolve = getattr(fb.nn_ops, name)
    groups = options.get("groups", 1)
    weight = numbers(4, 2 // groups, 2) if name == "conv1d" else numbers(2, 4 // groups, 2)
    inputs = [numbers(1, 2, 5), weight, numbers(4)]

    def loss(x, w, b):
        y = convolve(x, w, b, **options)
        return (y * y * y).sum() / 3

    assert_gradients(loss, inputs)
    assert_gradients(squared_gradients(loss), inputs)


def test_derivatives_with_output_padding_beyond_the_stride():
    inputs = [numbers(1, 2, 5), numbers(2, 3, 2), numbers(3)]

    def loss(x, w, b):
        y = fb.nn_ops.conv_transpose1d(x, w, b, padding=1, output_padding=1, dilation=2)
        return (y * y * y).sum() / 3

    assert_gradients(loss, inputs)
    assert_gradients(squared_gradients(loss), inputs)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_same_padding_keeps_the_size(dims):
    x = numbers(1, 2, *range(4, 4 + dims))
    y = getattr(fb.nn_ops, f"conv{dims}d")(x, numbers(3, 2, *[2] * dims), padding="same")
    assert y.shape == (1, 3, *range(4, 4 + dims))


def test_without_a_batch():
    x, weight = numbers(2, 6, 5), numbers(3, 2, 3, 3)
    alone = fb.nn_ops.conv2d(x, weight)
    assert fb.equal(alone, fb.nn_ops.conv2d(x.unsqueeze(0), weight).squeeze(0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fb.nn_ops.conv2d(fb.ones(1, 3, 28, 28), fb.ones(6, 1, 5, 5)),
            r"weight of size \[6, 1, 5, 5\], expected input\[1, 3, 28, 28\] to have 1 channels, "
            "but got 3 channels instead",
        ),
        (lambda: fb.nn_ops.conv2d(fb.ones(3, 4), fb.ones(6, 3, 2, 2)), "3D .* or 4D .* conv2d"),
        (
            lambda: fb.nn_ops.conv2d(fb.ones(1, 3, 2, 2), fb.ones(6, 3, 5, 5)),
            r"size per channel: \(2 x 2\). Kernel size: \(5 x 5\)",
        ),
        (
            lambda: fb.nn_ops.conv1d(fb.ones(1, 2, 4), fb.ones(3, 2, 2), fb.ones(4)),
            r"bias of size \[4\]",
        ),
        (
            lambda: fb.nn_ops.conv1d(fb.ones(1, 2, 4), fb.ones(3, 2, 2), stride=0),
            "non-positive stride",
        ),
        (
            lambda: fb.nn_ops.conv1d(fb.ones(1, 2, 4), fb.ones(3, 2, 2), stride=2, padding="same"),
            "not supported for strided",
        ),
        (
            lambda: fb.nn_ops.conv1d(fb.ones(1, 2, 4), fb.ones(3, 2, 2).double()),
            "should be the same",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()

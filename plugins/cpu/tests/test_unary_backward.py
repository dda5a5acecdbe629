"""Gradients of elementwise functions against central differences in float64."""

import math

import abi
import numpy as np
import pytest

erfc = np.vectorize(math.erfc, otypes=[np.float64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# function, whether the kernel takes the function's output, parameters
CASES = {
    "relu_backward": (lambda x: np.maximum(x, 0), True, ()),
    "sigmoid_backward": (sigmoid, True, ()),
    "tanh_backward": (np.tanh, True, ()),
    "silu_backward": (lambda x: x * sigmoid(x), False, ()),
    "gelu_backward": (lambda x: 0.5 * x * erfc(-x / math.sqrt(2)), False, (0,)),
    "gelu_backward tanh": (gelu_tanh, False, (1,)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("case", CASES)
def test_against_differences(case, dtype):
    f, takes_output, params = CASES[case]
    x = np.linspace(-6, 6, 2002).reshape(2, 1001).astype(dtype)
    g = np.random.default_rng(10).uniform(0.5, 2, x.shape).astype(dtype)
    saved = f(x.astype(np.float64)).astype(dtype) if takes_output else x
    wide, h = x.astype(np.float64), 1e-5
    expected = g * (f(wide + h) - f(wide - h)) / (2 * h)
    tolerance = {"float64": 1e-9, "float32": 1e-5, "float16": 2e-2}[dtype]
    for order in (np.ascontiguousarray, np.asfortranarray):
        out = np.empty_like(x)
        abi.call(case.split()[0], [out], [g, order(saved)], *params)
        np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)


def test_relu_at_zero_and_beyond_the_range_of_gelu():
    out = np.empty(2, np.float32)
    abi.call("relu_backward", [out], [np.ones(2, np.float32), np.array([0, -0.0], np.float32)])
    np.testing.assert_array_equal(out, [0, 0])
    abi.call("gelu_backward", [out], [np.ones(2, np.float32), np.array([50, -50], np.float32)], 0)
    np.testing.assert_array_equal(out, [1, 0])

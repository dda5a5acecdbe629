"""Convolutions and their gradients against sums written out in float64."""

import itertools

import abi
import numpy as np
import pytest

# batch, in channels, out channels, groups, input, kernel, stride, padding, dilation
CASES = [
    (2, 1, 6, 1, (28, 28), (5, 5), (1, 1), (2, 2), (1, 1)),
    (3, 6, 16, 1, (14, 14), (5, 5), (1, 1), (0, 0), (1, 1)),
    (2, 3, 8, 1, (17, 15), (7, 7), (2, 2), (3, 3), (1, 1)),
    (2, 8, 4, 1, (9, 7), (1, 1), (1, 1), (0, 0), (1, 1)),
    (2, 8, 4, 1, (9, 7), (1, 1), (2, 2), (0, 0), (1, 1)),
    (2, 6, 6, 6, (9, 10), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 6, 12, 6, (9, 10), (3, 3), (2, 1), (1, 0), (1, 1)),
    (2, 4, 6, 2, (9, 11), (3, 2), (1, 1), (1, 1), (2, 3)),
    (1, 16, 33, 1, (12, 12), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 3, 5, 1, (20,), (4,), (3,), (2,), (1,)),
    (2, 3, 5, 1, (40,), (3,), (1,), (4,), (2,)),
    (2, 2, 3, 1, (5, 6, 7), (2, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
    (1, 4, 4, 2, (5, 6, 7), (2, 3, 3), (2, 1, 2), (0, 1, 1), (1, 2, 1)),
    (1, 2, 2, 1, (3, 3), (2, 2), (1, 1), (3, 3), (1, 1)),
]  # fmt: skip
DTYPES = ["float32", "float64", "float16"]
TOLERANCE = {"float32": 2e-4, "float64": 1e-11, "float16": 0.06}


def taps(size, kernel, stride, padding, dilation):
    """For every kernel position: itself, and the outputs and inputs that it connects."""
    output = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)
    ]
    for position in itertools.product(*map(range, kernel)):
        source, result = [], []
        for axis, k in enumerate(position):
            i = np.arange(output[axis]) * stride[axis] + k * dilation[axis] - padding[axis]
            inside = (i >= 0) & (i < size[axis])
            result.append(np.flatnonzero(inside))
            source.append(i[inside])
        yield position, np.ix_(*result), np.ix_(*source)


def output_size(size, kernel, stride, padding, dilation):
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)
    )


def reference(case, x, weight, g):
    """y without bias, gx, gw in float64."""
    batch, inputs, outputs, groups, size, *rest = case
    y, gx, gw = np.zeros(g.shape), np.zeros(x.shape), np.zeros(weight.shape)
    for group in range(groups):
        c = slice(group * inputs // groups, (group + 1) * inputs // groups)
        o = slice(group * outputs // groups, (group + 1) * outputs // groups)
        for position, to, source in taps(size, *rest):
            at, seen = (slice(None), slice(None), *to), (slice(None), slice(None), *source)
            w = weight[(o, slice(None), *position)].astype(float)
            piece = x[:, c][seen].astype(float)
            y[:, o][at] += np.einsum("nc...,oc->no...", piece, w)
            grad = g[:, o][at].astype(float)
            gx[:, c][seen] += np.einsum("no...,oc->nc...", grad, w)
            flat = piece.reshape(*piece.shape[:2], -1), grad.reshape(*grad.shape[:2], -1)
            gw[(o, slice(None), *position)] += np.einsum("ncs,nos->oc", *flat)
    return y, gx, gw


def arrays(case, dtype):
    batch, inputs, outputs, groups, size, kernel, stride, padding, dilation = case
    rng = np.random.default_rng(0)
    x = rng.standard_normal((batch, inputs, *size)).astype(dtype)
    weight = rng.standard_normal((outputs, inputs // groups, *kernel)).astype(dtype)
    bias = rng.standard_normal(outputs).astype(dtype)
    result = output_size(size, kernel, stride, padding, dilation)
    g = rng.standard_normal((batch, outputs, *result)).astype(dtype)
    return x, weight, bias, g


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_convolution_and_gradients(case, dtype):
    groups, params = case[3], case[6:]
    x, weight, bias, g = arrays(case, dtype)
    y, gx, gw = reference(case, x, weight, g)
    check = {"rtol": 2e-3 if dtype == "float16" else 1e-5, "atol": TOLERANCE[dtype]}

    for b in (None, bias):
        out = np.full(g.shape, np.nan, dtype)
        abi.call("convolution", [out], [x, weight, b], *params, groups)
        offset = 0 if b is None else b.astype(float).reshape(-1, *[1] * (x.ndim - 2))
        np.testing.assert_allclose(out, y + offset, **check)
    out = np.full(x.shape, np.nan, dtype)
    abi.call("convolution_backward_input", [out], [g, weight], *params, groups)
    np.testing.assert_allclose(out, gx, **check)
    out = np.full(weight.shape, np.nan, dtype)
    abi.call("convolution_backward_weight", [out], [g, x], *params, groups)
    np.testing.assert_allclose(out, gw, **check)


def test_input_rows_that_no_output_reads_get_no_gradient():
    """A stride of 3 leaves the last row and column of an 8x8 input unread."""
    rng = np.random.default_rng(1)
    for channels in (1, 16):
        g = rng.standard_normal((2, 4, 2, 2)).astype(np.float32)
        weight = rng.standard_normal((4, channels, 3, 3)).astype(np.float32)
        gx = np.full((2, channels, 8, 8), np.nan, np.float32)
        abi.call("convolution_backward_input", [gx], [g, weight], (3, 3), (0, 0), (1, 1), 1)
        assert (gx[:, :, 6:] == 0).all() and (gx[:, :, :, 6:] == 0).all()
        np.testing.assert_allclose(
            gx[:, :, :3, :3], np.einsum("no,ocij->ncij", g[:, :, 0, 0], weight), atol=1e-5
        )


def test_bfloat16_is_computed_in_float32():
    case = CASES[1]
    x, weight, bias, g = (abi.BFloat16(v) for v in arrays(case, "float32"))
    y, _, _ = reference(case, x.numpy(), weight.numpy(), g.numpy())
    out = abi.BFloat16(np.zeros(y.shape))
    abi.call("convolution", [out], [x, weight, None], *case[6:], 1)
    np.testing.assert_allclose(out.numpy(), y, rtol=8e-3, atol=1e-3)


def test_integers():
    rng = np.random.default_rng(2)
    x, weight = rng.integers(-5, 5, (2, 3, 6, 6)), rng.integers(-5, 5, (4, 3, 3, 3))
    case = (2, 3, 4, 1, (6, 6), (3, 3), (1, 1), (1, 1), (1, 1))
    y, _, _ = reference(case, x, weight, np.zeros((2, 4, 6, 6)))
    out = np.zeros((2, 4, 6, 6), np.int64)
    abi.call("convolution", [out], [x, weight, None], (1, 1), (1, 1), (1, 1), 1)
    np.testing.assert_array_equal(out, y)

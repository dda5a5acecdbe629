"""Pooling and its gradients against windows written out in NumPy."""

import abi
import numpy as np
import pytest

TOLERANCE = {"float32": 1e-6, "float64": 1e-13, "float16": 3e-3}
# input, kernel, stride, padding, dilation, output
MAX_CASES = [
    ((28, 28), (2, 2), (2, 2), (0, 0), (1, 1), (14, 14)),
    ((9, 7), (2, 2), (2, 2), (0, 0), (1, 1), (4, 3)),
    ((9, 7), (2, 2), (2, 2), (0, 0), (1, 1), (5, 4)),  # ceil_mode
    ((9, 10), (3, 3), (2, 2), (1, 1), (1, 1), (5, 5)),
    ((11, 12), (3, 2), (1, 2), (1, 0), (2, 3), (9, 5)),
    ((5, 5), (3, 3), (1, 1), (1, 1), (1, 1), (5, 5)),
]
# input, kernel, stride, padding, output
AVG_CASES = [
    ((28, 28), (2, 2), (2, 2), (0, 0), (14, 14)),
    ((9, 10), (3, 3), (2, 2), (1, 1), (5, 5)),
    ((9, 10), (3, 2), (2, 2), (1, 1), (5, 6)),
    ((7, 7), (3, 3), (3, 3), (0, 0), (3, 3)),  # ceil_mode
]


def max_reference(x, kernel, stride, padding, dilation, size):
    n, c, height, width = x.shape
    y, index = np.zeros((n, c, *size), x.dtype), np.zeros((n, c, *size), np.int64)
    for at in np.ndindex(n, c, *size):
        best = None
        for i, j in np.ndindex(*kernel):
            h = at[2] * stride[0] - padding[0] + i * dilation[0]
            w = at[3] * stride[1] - padding[1] + j * dilation[1]
            if not (0 <= h < height and 0 <= w < width):
                continue
            value = x[at[0], at[1], h, w]
            if best is None or value > best or (np.isnan(value) and not np.isnan(best)):
                best, index[at] = value, h * width + w
        y[at] = best
    return y, index


@pytest.mark.parametrize("dtype", [*TOLERANCE, "int64"])
@pytest.mark.parametrize("case", MAX_CASES)
def test_max_pool2d(case, dtype):
    size, *params, result = case
    rng = np.random.default_rng(0)
    x = rng.integers(-20, 20, (2, 3, *size)).astype(dtype)  # many equal values
    if dtype != "int64":
        x[0, 0, 1, 1] = x[1, 2, 2, 3] = np.nan
        x[0, 1] = -np.inf
    y, index = np.zeros((2, 3, *result), dtype), np.zeros((2, 3, *result), np.int64)
    abi.call("max_pool2d", [y, index], [x], *params)
    expected, expected_index = max_reference(x, *params, result)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(index, expected_index)
    if dtype == "int64":
        return
    g = rng.standard_normal(y.shape).astype(dtype)
    gx = np.full(x.shape, np.nan, dtype)
    abi.call("max_pool2d_backward", [gx], [g, index])
    slope = np.zeros((6, size[0] * size[1]))
    for plane in range(6):
        np.add.at(slope[plane], index.reshape(6, -1)[plane], g.reshape(6, -1)[plane].astype(float))
    np.testing.assert_allclose(gx, slope.reshape(x.shape), atol=4 * TOLERANCE[dtype])


def averages(case, count_padding, divisor):
    """The matrix that maps a flattened plane to its flattened averages."""
    (height, width), kernel, stride, padding, result = case
    matrix = np.zeros((*result, height, width))
    for oh, ow in np.ndindex(*result):
        top, left = oh * stride[0] - padding[0], ow * stride[1] - padding[1]
        bottom = min(top + kernel[0], height + padding[0])
        right = min(left + kernel[1], width + padding[1])
        padded = (bottom - top) * (right - left)
        inside = np.s_[max(top, 0) : min(bottom, height), max(left, 0) : min(right, width)]
        window = matrix[oh, ow][inside]
        window[:] = 1 / (divisor or (padded if count_padding else window.size))
    return matrix.reshape(result[0] * result[1], height * width)


def check_averages(matrix, x, g, forward, backward, dtype):
    planes = x.reshape(-1, matrix.shape[1]).astype(float)
    y, gx = np.full(g.shape, np.nan, dtype), np.full(x.shape, np.nan, dtype)
    forward(y)
    tolerance = {"rtol": TOLERANCE[dtype], "atol": 4 * TOLERANCE[dtype]}
    np.testing.assert_allclose(y, (planes @ matrix.T).reshape(g.shape), **tolerance)
    backward(gx)
    slope = g.reshape(-1, matrix.shape[0]).astype(float) @ matrix
    np.testing.assert_allclose(gx, slope.reshape(x.shape), **tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("count_padding, divisor", [(1, 0), (0, 0), (1, 5)])
@pytest.mark.parametrize("case", AVG_CASES)
def test_avg_pool2d(case, count_padding, divisor, dtype):
    size, *params, result = case
    rng = np.random.default_rng(1)
    x = rng.standard_normal((2, 3, *size)).astype(dtype)
    g = rng.standard_normal((2, 3, *result)).astype(dtype)
    params += [count_padding, divisor]
    check_averages(
        averages(case, count_padding, divisor), x, g,
        lambda y: abi.call("avg_pool2d", [y], [x], *params),
        lambda gx: abi.call("avg_pool2d_backward", [gx], [g], *params), dtype,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("size, result", [((7, 9), (1, 1)), ((7, 9), (3, 4)), ((4, 5), (6, 5))])
def test_adaptive_avg_pool2d(size, result, dtype):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, 3, *size)).astype(dtype)
    g = rng.standard_normal((2, 3, *result)).astype(dtype)
    matrix = np.zeros((*result, *size))
    for i, j in np.ndindex(*result):
        rows = np.s_[i * size[0] // result[0] : -(-(i + 1) * size[0] // result[0])]
        columns = np.s_[j * size[1] // result[1] : -(-(j + 1) * size[1] // result[1])]
        window = matrix[i, j][rows, columns]
        window[:] = 1 / window.size
    check_averages(
        matrix.reshape(result[0] * result[1], -1), x, g,
        lambda y: abi.call("adaptive_avg_pool2d", [y], [x]),
        lambda gx: abi.call("adaptive_avg_pool2d_backward", [gx], [g]), dtype,
    )  # fmt: skip

"""Matrix products against NumPy's in float64 or exact integers."""

import abi
import numpy as np
import pytest

SHAPES = [
    (1, 1, 1, 1), (1, 4, 4, 4), (1, 16, 16, 16), (2, 3, 5, 7), (3, 33, 31, 20), (1, 1, 70, 300),
    (1, 300, 1, 70), (1, 64, 10, 128), (1, 65, 129, 257), (1, 150, 130, 600), (5, 40, 50, 60),
    (1, 257, 1, 513), (1, 1, 513, 257), (2, 70, 70, 70),
]  # fmt: skip


def operand(rng, batch, rows, columns, dtype, layout):
    shape = {"rows": (batch, rows, columns), "columns": (batch, columns, rows)}.get(
        layout, (batch, rows, 2 * columns)
    )
    if np.issubdtype(dtype, np.integer):
        values = rng.integers(-9, 9, shape).astype(dtype)
    elif np.issubdtype(dtype, np.complexfloating):
        values = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    else:
        values = rng.standard_normal(shape).astype(dtype)
    if layout == "columns":
        return values.transpose(0, 2, 1)
    return values[:, :, ::2] if layout == "strided" else values


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("layouts", [("rows", "rows"), ("columns", "rows"), ("rows", "columns"),
                                     ("strided", "strided")])  # fmt: skip
@pytest.mark.parametrize("shape", SHAPES)
def test_floating_products(shape, layouts, dtype):
    rng = np.random.default_rng(0)
    batch, m, n, k = shape
    a = operand(rng, batch, m, k, np.dtype(dtype), layouts[0])
    b = operand(rng, batch, k, n, np.dtype(dtype), layouts[1])
    out = np.full((batch, m, n), np.nan, dtype)
    abi.call("matmul", [out], [a, b])
    wide = np.complex128 if np.iscomplexobj(a) else np.float64
    expected = a.astype(wide) @ b.astype(wide)
    single = np.dtype(dtype) in (np.float32, np.complex64)
    np.testing.assert_allclose(out, expected, rtol=0, atol=(4e-6 if single else 1e-14) * k)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("shape", SHAPES[:12])
def test_integer_products_wrap_as_c_does(shape, dtype):
    rng = np.random.default_rng(1)
    batch, m, n, k = shape
    a = operand(rng, batch, m, k, np.dtype(dtype), "rows")
    b = operand(rng, batch, k, n, np.dtype(dtype), "columns")
    out = np.zeros((batch, m, n), dtype)
    abi.call("matmul", [out], [a, b])
    np.testing.assert_array_equal(out, (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype))


@pytest.mark.parametrize("shape", [(1, 5, 7, 3), (2, 70, 33, 40)])
def test_halves_are_computed_in_float32(shape):
    rng = np.random.default_rng(2)
    batch, m, n, k = shape
    a, b = rng.standard_normal((batch, m, k)), rng.standard_normal((batch, k, n))
    half = [a.astype(np.float16), b.astype(np.float16)]
    out = np.zeros((batch, m, n), np.float16)
    abi.call("matmul", [out], half)
    np.testing.assert_allclose(out, half[0].astype(float) @ half[1].astype(float), rtol=2e-3,
                               atol=1e-3)  # fmt: skip
    brain = [abi.BFloat16(a), abi.BFloat16(b)]
    result = abi.BFloat16(np.zeros((batch, m, n)))
    abi.call("matmul", [result], brain)
    expected = brain[0].numpy().astype(float) @ brain[1].numpy().astype(float)
    np.testing.assert_allclose(result.numpy(), expected, rtol=8e-3, atol=1e-3)


def test_broadcast_batch():
    rng = np.random.default_rng(3)
    a = rng.standard_normal((4, 6, 8))
    b = np.broadcast_to(rng.standard_normal((1, 8, 5)), (4, 8, 5))
    out = np.zeros((4, 6, 5))
    abi.call("matmul", [out], [a, b])
    np.testing.assert_allclose(out, a @ b, atol=1e-13)
    c = np.broadcast_to(rng.standard_normal((1, 6, 8)), (4, 6, 8))
    abi.call("matmul", [out], [c, a.transpose(0, 2, 1)[:, :, :5]])
    np.testing.assert_allclose(out, c @ a.transpose(0, 2, 1)[:, :, :5], atol=1e-13)


def test_product_over_nothing_is_zero():
    out = np.full((2, 3, 4), np.nan)
    abi.call("matmul", [out], [np.zeros((2, 3, 0)), np.zeros((2, 0, 4))])
    np.testing.assert_array_equal(out, np.zeros((2, 3, 4)))


def test_nan_and_infinity_spread():
    a = np.array([[[np.inf, 1.0], [np.nan, 1.0]]], np.float32)
    b = np.array([[[1.0, 0.0], [1.0, 1.0]]], np.float32)
    out = np.zeros((1, 2, 2), np.float32)
    abi.call("matmul", [out], [a, b])
    assert np.isposinf(out[0, 0, 0])
    assert np.isnan(out[0, 0, 1]) and np.isnan(out[0, 1]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    "sizes", [(1, 3, 4), (64, 10, 128), (64, 128, 784), (5, 1, 7), (1, 90, 900)]
)
def test_linear(sizes, bias, dtype):
    rng = np.random.default_rng(4)
    m, n, k = sizes
    x = rng.standard_normal((m, k)).astype(dtype)
    weight = rng.standard_normal((n, k)).astype(dtype)
    b = rng.standard_normal(n).astype(dtype) if bias else None
    out = np.full((m, n), np.nan, dtype)
    abi.call("linear", [out], [x, weight, b])
    expected = x.astype(float) @ weight.astype(float).T + (b.astype(float) if bias else 0.0)
    tolerance = {"float32": 3e-4, "float64": 1e-12, "float16": 0.06}[dtype]
    np.testing.assert_allclose(
        out, expected, rtol=2e-3 if dtype == "float16" else 0, atol=tolerance
    )


@pytest.mark.parametrize("dtype", ["float32", "int64", "float16"])
def test_bias_of_any_stride(dtype):
    x, weight = np.ones((2, 3), dtype), np.zeros((4, 3), dtype)
    out = np.zeros((2, 4), dtype)
    abi.call("linear", [out], [x, weight, np.arange(8).astype(dtype)[::2]])
    assert out.tolist() == [[0, 2, 4, 6], [0, 2, 4, 6]]

"""Listing what is not zero against NumPy's argwhere."""

import abi
import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
          "complex64", "complex128"]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (100000,), (5, 6), (3, 0, 2), (4, 5, 6),
                                   (300, 257)])  # fmt: skip
def test_nonzero(shape, layout, dtype):
    rng = np.random.default_rng(0)
    size = (*shape[:-1], 2 * shape[-1]) if shape and layout == "strided" else shape
    x = np.asarray(rng.integers(0, 2, size), dtype, order="F" if layout == "F" else "C")
    if size != shape:
        x = x[..., ::2]
    count = np.zeros((), np.int64)
    abi.call("count_nonzero", [count], [x])
    assert count == np.count_nonzero(x)
    out = np.full((int(count), x.ndim), -1, np.int64)
    guard = np.full(out.size + 8, -1, np.int64)
    out = guard[: out.size].reshape(out.shape)
    abi.call("nonzero", [out], [x])
    np.testing.assert_array_equal(out, np.argwhere(x).reshape(int(count), x.ndim))
    assert (guard[out.size :] == -1).all()


def test_negative_zero_and_nan():
    x = np.array([-0.0, 0.0, np.nan, 1e-45], np.float32)
    count = np.zeros((), np.int64)
    abi.call("count_nonzero", [count], [x])
    assert count == 2
    brain = abi.BFloat16(np.array([-0.0, 2.0]))
    abi.call("count_nonzero", [count], [brain])
    assert count == 1

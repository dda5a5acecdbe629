"""Arithmetic sequences."""

import abi
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 7, 100000])
def test_floating_arange(size, dtype):
    out = np.full(size, np.nan, dtype)
    abi.call("arange", [out], [], -1.5, 0.1, 0, 0)
    np.testing.assert_array_equal(out, (-1.5 + np.arange(size) * 0.1).astype(dtype))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integer_arange(dtype):
    out = np.zeros(40, dtype)
    abi.call("arange", [out[::2]], [], 0.0, 0.0, 100, -4)
    np.testing.assert_array_equal(out[::2], np.arange(100, 20, -4).astype(dtype))
    assert (out[1::2] == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 3, 10, 12345])
def test_linspace_meets_both_ends(size, dtype):
    out = np.empty(size, dtype)
    abi.call("linspace", [out], [], -0.3, 1.7)
    np.testing.assert_allclose(out, np.linspace(-0.3, 1.7, size), rtol=1e-6, atol=1e-7)
    assert out[0] == np.dtype(dtype).type(-0.3)
    assert size == 1 or out[-1] == np.dtype(dtype).type(1.7)

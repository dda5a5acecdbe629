"""Copies between layouts and dtypes, and fills."""

import itertools

import abi
import numpy as np
import pytest
from layouts import LAYOUTS, empty_like, lay_out

RNG = np.random.default_rng(8)
NUMPY_DTYPES = [d for d in abi.DTYPES if d != "bfloat16"]
TARGETS = ["contiguous", "transposed", "every_second", "padded_rows"]


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 33), (70, 130), (3, 20, 66), (5, 1000)])
def test_layouts(shape, dtype):
    values = (RNG.standard_normal(shape) * 50).astype(dtype)
    for source, target in itertools.product(LAYOUTS, TARGETS):
        x = lay_out(values, source)
        out = empty_like(shape, dtype, target)
        abi.call("copy", [out], [x])
        np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_permutations(order, dtype):
    x = (RNG.standard_normal((6, 18, 5, 35)) * 50).astype(dtype).transpose(order)
    out = np.zeros(x.shape, dtype)
    abi.call("copy", [out], [x])
    np.testing.assert_array_equal(out, x)
    back = np.zeros((6, 18, 5, 35), dtype).transpose(order)
    abi.call("copy", [back], [out])
    np.testing.assert_array_equal(back, x)


@pytest.mark.parametrize("target", NUMPY_DTYPES)
@pytest.mark.parametrize("source", NUMPY_DTYPES)
def test_conversions(source, target):
    values = RNG.integers(0, 100, (30, 67)) + (0 if "int" in source else 0.25)
    for layout in ("contiguous", "transposed", "every_second"):
        x = lay_out(values.astype(source), layout)
        if source.startswith("complex"):
            x = x + 1j
        x = x.astype(source)
        out = np.zeros(x.shape, target)
        abi.call("copy", [out], [x])
        real = x.real if source.startswith("complex") and not target.startswith("complex") else x
        np.testing.assert_array_equal(out, x != 0 if target == "bool" else real.astype(target))


def test_conversions_to_and_from_bfloat16():
    x = (RNG.standard_normal((20, 70)) * 100).astype(np.float32)
    x[0, :4] = [np.nan, np.inf, -np.inf, 3.4e38]
    half = abi.BFloat16(np.zeros_like(x))
    abi.call("copy", [half], [x])
    expected = abi.BFloat16(x)
    # A NaN stays one; its bits are free.
    same = (half.bits == expected.bits) | np.isnan(x)
    assert same.all() and np.isnan(half.numpy()[0, 0])
    back = np.empty_like(x)
    abi.call("copy", [back], [half])
    np.testing.assert_array_equal(back, half.numpy())
    whole = np.empty(x.shape, np.int32)
    abi.call("copy", [whole[1:]], [abi.BFloat16(x[1:])])
    np.testing.assert_array_equal(whole[1:], abi.BFloat16(x[1:]).numpy().astype(np.int32))


def test_every_float16_value_survives():
    bits = np.arange(1 << 16, dtype=np.uint16)
    half = bits.view(np.float16)
    single = np.empty(bits.shape, np.float32)
    abi.call("copy", [single], [half])
    np.testing.assert_array_equal(single, half.astype(np.float32))
    back = np.empty_like(half)
    abi.call("copy", [back], [single])
    finite = ~np.isnan(half)
    np.testing.assert_array_equal(back.view(np.uint16)[finite], bits[finite])
    assert np.isnan(back[~finite]).all()


def test_rounding_to_float16():
    x = np.concatenate([
        RNG.uniform(-70000, 70000, 5000), RNG.uniform(-1e-4, 1e-4, 5000),
        [65504, 65519.996, 65520, 5.9e-8, 2.98e-8, 2.9802322e-8, 2.9802323e-8, np.inf, 1 + 2**-11],
    ]).astype(np.float32)  # fmt: skip
    out = np.empty(x.shape, np.float16)
    abi.call("copy", [out], [x])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, x.astype(np.float16))


def test_floats_out_of_an_integers_range_wrap_and_nan_is_true():
    x = np.array([300.7, -1.5, 1e10, np.nan], np.float32)
    out = np.empty(4, np.int8)
    abi.call("copy", [out], [x])
    np.testing.assert_array_equal(out[:3], [44, -1, 0])
    truth = np.empty(4, bool)
    abi.call("copy", [truth], [x])
    assert truth.all()


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_fill(target, dtype):
    for shape in [(1, 1), (3, 7), (300, 500)]:
        out = empty_like(shape, dtype, target)
        abi.call("fill", [out], [np.array(1, dtype)], host_scalars=(0,))
        np.testing.assert_array_equal(out, np.ones(shape, dtype))


def test_a_strided_output_leaves_the_gaps_alone():
    whole = np.full((50, 60), 7, np.float32)
    abi.call("copy", [whole[::2, 1::3]], [np.zeros((25, 20), np.float32)])
    assert (whole[1::2] == 7).all() and (whole[:, ::3] == 7).all() and (whole[::2, 1::3] == 0).all()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "complex128"])
def test_transposition_where_rows_are_pages_apart(dtype):
    x = (RNG.standard_normal((4096, 70)) * 50).astype(dtype).T
    out = np.zeros(x.shape, dtype)
    abi.call("copy", [out], [x])
    np.testing.assert_array_equal(out, x)


def test_arrays_larger_than_the_caches():
    # 36 MB: written around the caches, also from addresses that are not aligned.
    x = np.arange(9_000_001, dtype=np.float32)
    for start in (0, 1, 7):
        source, out = x[start:], np.zeros(x.size, np.float32)[start:]
        abi.call("copy", [out], [source])
        np.testing.assert_array_equal(out, source)
        abi.call("add", [out], [source, source[::-1].copy()])
        assert (out == source[0] + source[-1]).all()
        abi.call("neg", [out], [out])
        assert (out == -(source[0] + source[-1])).all()

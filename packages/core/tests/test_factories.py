"""Tensors made from nothing, from ranges and from Python's values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

DTYPES = [
    fb.bool,
    fb.uint8,
    fb.int8,
    fb.int16,
    fb.int32,
    fb.int64,
    fb.float16,
    fb.bfloat16,
    fb.float32,
    fb.float64,
    fb.complex64,
    fb.complex128,
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1, 2, 3, 4, 1, 2)])
def test_filled(dtype: fb.dtype, shape: tuple[int, ...]) -> None:
    for factory, value in ((fb.zeros, 0), (fb.ones, 1)):
        x = factory(shape, dtype=dtype)
        assert tuple(x.shape) == shape and x.dtype == dtype and x.is_contiguous()
        assert x.eq(value).all()
    x = fb.full(shape, 1, dtype=dtype)
    assert x.eq(1).all() and tuple(fb.empty(shape, dtype=dtype).shape) == shape
    for factory, value in ((fb.zeros_like, 0), (fb.ones_like, 1)):
        y = factory(x)
        assert y.dtype == dtype and y.shape == x.shape and y.eq(value).all()
    assert fb.full_like(x, 0).eq(0).all()


def test_ways_to_write_sizes() -> None:
    for x in (fb.zeros(2, 3), fb.zeros((2, 3)), fb.zeros([2, 3]), fb.zeros(fb.Size([2, 3]))):
        assert x.shape == (2, 3)
    assert fb.zeros(()).shape == fb.zeros([]).shape == ()
    assert fb.zeros(np.int64(2), 3).shape == (2, 3)
    assert fb.zeros(size=(2,)).shape == (2,)


def test_full_takes_its_type_from_the_value() -> None:
    assert fb.full((2,), 1).dtype == fb.int64
    assert fb.full((2,), 1.0).dtype == fb.float32
    assert fb.full((2,), True).dtype == fb.bool
    assert fb.full((2,), 1j).dtype == fb.complex64
    assert fb.full((2,), fb.tensor(3.0)).tolist() == [3.0, 3.0]


def test_new_factories_follow_the_tensor() -> None:
    x = fb.zeros(2, dtype=fb.int16)
    assert x.new_zeros(3).dtype == x.new_ones((2, 2)).dtype == x.new_full((1,), 5).dtype == fb.int16
    assert x.new_tensor([1.7]).tolist() == [1]
    assert x.new_empty(4, dtype=fb.float64).dtype == fb.float64


def test_requires_grad() -> None:
    assert fb.zeros(2, requires_grad=True).requires_grad
    assert fb.tensor([1.0], requires_grad=True).is_leaf
    for factory in (fb.zeros, fb.ones, fb.empty):
        with pytest.raises(RuntimeError, match="floating point"):
            factory(2, dtype=fb.int64, requires_grad=True)


def test_eye() -> None:
    assert fb.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert fb.eye(0).shape == (0, 0)


# ---- ranges ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [(5,), (2, 5), (1, 10, 3), (5, 0, -2), (0,), (3, 3), (-3, 3), (10, -1, -3)]
)
def test_whole_ranges(arguments: tuple[int, ...]) -> None:
    x = fb.arange(*arguments)
    assert x.tolist() == list(range(*arguments)) and x.dtype == fb.int64


@pytest.mark.parametrize(
    ("arguments", "dtype", "expected"),
    [
        # PyTorch counts in the type itself for int64, in float64 for all others.
        ((0, 5.5), fb.int64, [0, 1, 2, 3, 4]),
        ((0, 5.5), fb.int32, [0, 1, 2, 3, 4, 5]),
        ((0.5, 5.5), fb.int64, [0, 1, 2, 3, 4]),
        ((0.9, 5), fb.int32, [0, 1, 2, 3, 4]),
        ((0, 5, 1.5), fb.int64, [0, 1, 2, 3, 4]),
        ((0, 5, 1.5), fb.uint8, [0, 1, 2, 3]),
        ((0, 2.9), fb.float32, [0, 1, 2]),
        ((0, 1, 0.25), fb.float64, [0, 0.25, 0.5, 0.75]),
        ((1, 0, -0.5), fb.float16, [1, 0.5]),
        ((0, 3), fb.bfloat16, [0, 1, 2]),
    ],
)
def test_ranges_of_other_types(arguments: Any, dtype: fb.dtype, expected: list[float]) -> None:
    x = fb.arange(*arguments, dtype=dtype)
    assert x.tolist() == expected and x.dtype == dtype


def test_long_ranges_do_not_drift() -> None:
    x = fb.arange(0, 1, 1e-5, dtype=fb.float64)
    assert abs(x - fb.from_numpy(np.arange(100000) * 1e-5)).max() < 1e-15
    assert fb.arange(2**53, 2**53 + 3).tolist() == [2**53, 2**53 + 1, 2**53 + 2]


@pytest.mark.parametrize("dtype", [fb.float32, fb.float64])
def test_linspace(dtype: fb.dtype) -> None:
    x = fb.linspace(-1, 3, 9, dtype=dtype)
    assert x.tolist() == [-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3]
    x = fb.linspace(0.1, 0.7, 7, dtype=dtype)
    assert x[0] == fb.tensor(0.1, dtype=dtype) and x[-1] == fb.tensor(0.7, dtype=dtype)
    assert fb.linspace(5, 9, 1).tolist() == [5] and fb.linspace(5, 9, 0).shape == (0,)
    assert fb.linspace(fb.tensor(0.0), fb.tensor(1.0), 3).tolist() == [0, 0.5, 1]
    assert fb.linspace(0, 10, 5, dtype=fb.int64).tolist() == [0, 2, 5, 7, 10]
    line = fb.linspace(0, 1 + 1j, 3)
    assert line.tolist() == [0, 0.5 + 0.5j, 1 + 1j]


def test_logspace() -> None:
    assert fb.logspace(0, 3, 4).tolist() == pytest.approx([1, 10, 100, 1000], rel=1e-6)
    assert fb.logspace(0, 3, 4, base=2).tolist() == pytest.approx([1, 2, 4, 8], rel=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: fb.zeros(-1), RuntimeError, "negative dimension -1"),
        (lambda: fb.zeros(2, -3), RuntimeError, r"\[2, -3\]"),
        (lambda: fb.zeros(2**40, 2**40), RuntimeError, "overflow"),
        (lambda: fb.zeros(1.5), TypeError, "float"),
        (lambda: fb.zeros("2"), TypeError, "str"),
        (lambda: fb.zeros(2, dtype="float32"), TypeError, "dtype"),
        (lambda: fb.zeros(2, device="nowhere"), RuntimeError, "nowhere"),
        (lambda: fb.zeros(2, colour="red"), TypeError, "colour"),
        (lambda: fb.arange(0, 3, 0), RuntimeError, "nonzero"),
        (lambda: fb.arange(0, 3, 0.5, dtype=fb.int64), ValueError, "nonzero"),
        (lambda: fb.arange(3, 0), RuntimeError, "inconsistent with step sign"),
        (lambda: fb.arange(math.inf), RuntimeError, "unsupported range"),
        (lambda: fb.arange(0, math.nan), RuntimeError, "unsupported range"),
        (lambda: fb.linspace(0, 1, -1), RuntimeError, "non-negative"),
        (lambda: fb.linspace(fb.zeros(2), 1, 3), RuntimeError, r"\[2\]"),
        (lambda: fb.full((2,), "x"), TypeError, "str"),
        (lambda: fb.eye(-1), RuntimeError, "-1"),
    ],
)
def test_errors(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


# ---- from values -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1, fb.int64),
        (1.0, fb.float32),
        (True, fb.bool),
        (1j, fb.complex64),
        ([1, 2], fb.int64),
        ([1, 2.0], fb.float32),
        ([True, 2], fb.int64),
        ([True, False], fb.bool),
        ([1, 2j], fb.complex64),
        ([], fb.float32),
        ([[], []], fb.float32),
        (((1, 2), [3, 4]), fb.int64),
        (range(3), fb.int64),
        ([np.float64(1.0), np.float64(2.0)], fb.float64),
        (np.float64(1.0), fb.float64),
        ([fb.tensor(1), fb.tensor(2)], fb.int64),
    ],
)
def test_types_of_values(data: Any, dtype: fb.dtype) -> None:
    x = fb.tensor(data)
    assert x.dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_in_every_type(dtype: fb.dtype) -> None:
    x = fb.tensor([[0, 1], [1, 0]], dtype=dtype)
    assert x.dtype == dtype and x.tolist() == [[0, 1], [1, 0]]
    assert type(x.tolist()[0][0]) is {True: bool}.get(dtype == fb.bool, type(x[0, 0].item()))


def test_deep_and_ragged_lists() -> None:
    deep: Any = 5
    for _ in range(20):
        deep = [deep]
    assert fb.tensor(deep).shape == (1,) * 20
    for ragged in ([[1, 2], [3]], [1, [2]], [[1], 2], [[[1]], [[2, 3]]]):
        with pytest.raises((ValueError, TypeError)):
            fb.tensor(ragged)
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError, RuntimeError)):
        fb.tensor(endless)


@pytest.mark.parametrize("data", ["text", ["a"], object(), {1: 2}, None, [None], {1, 2}])
def test_what_is_no_number(data: Any) -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        fb.tensor(data)


def test_numbers_that_do_not_fit() -> None:
    assert fb.tensor(2**63 - 1).item() == 2**63 - 1
    for value in (2**63, -(2**63) - 1, 10**30):
        with pytest.raises((RuntimeError, OverflowError, ValueError)):
            fb.tensor(value)
    assert fb.tensor(1e300).item() == math.inf
    assert fb.tensor([10**30], dtype=fb.float64).item() == 1e30


def test_tensor_copies_and_as_tensor_does_not() -> None:
    x = fb.zeros(3)
    with pytest.warns(UserWarning, match="clone"):
        y = fb.tensor(x)
    y[0] = 1
    assert x[0] == 0
    assert fb.as_tensor(x) is x
    array = np.zeros(3, dtype=np.float32)
    fb.as_tensor(array)[0] = 1
    assert array[0] == 1
    fb.tensor(array)[1] = 1
    assert array[1] == 0
    assert fb.as_tensor(array, dtype=fb.float64).dtype == fb.float64


def test_special_floats() -> None:
    for dtype, value in itertools.product(DTYPES[6:10], (math.inf, -math.inf, math.nan, -0.0)):
        x = fb.tensor(value, dtype=dtype).item()
        assert math.isnan(x) if math.isnan(value) else x == value
        assert math.copysign(1, x) == math.copysign(1, value) or math.isnan(value)


def test_rounding_into_narrow_types() -> None:
    # Halves go to the even neighbour; what lies beyond becomes infinite.
    values = [1 + 2**-11, 1 + 3 * 2**-11, 65504.0, 65519.0, 65520.0, 6e-8, 2.9e-8]
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(np.float16).astype(float).tolist()
    assert fb.tensor(values, dtype=fb.float16).tolist() == expected
    assert fb.tensor([1 + 2**-8, 1 + 3 * 2**-8], dtype=fb.bfloat16).tolist() == [1.0, 1 + 2**-6]


def test_empty_strided() -> None:
    x = fb.empty_strided((2, 3), (1, 2))
    assert x.stride() == (1, 2) and not x.is_contiguous()
    assert fb.empty_strided((0, 3), (3, 1)).numel() == 0


@pytest.mark.parametrize(
    ("data", "dtype", "error"),
    [
        ([[1], 2], None, TypeError),
        ([1, [2]], None, TypeError),
        ([[1], [2, 3]], None, ValueError),
        (["a"], None, ValueError),
        ([1, "a"], None, TypeError),
        ([None], None, RuntimeError),
        ([None], fb.float32, TypeError),
        (math.nan, fb.int64, RuntimeError),
        ([128], fb.int8, RuntimeError),
        (2**40, fb.int32, RuntimeError),
        ([fb.ones(2)], None, ValueError),
    ],
)
def test_what_is_no_array_of_numbers(data: Any, dtype: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        fb.tensor(data, dtype=dtype)
    assert type(caught.value) is error


def test_tensors_of_one_element_count_as_numbers() -> None:
    assert fb.tensor([fb.ones(1), fb.ones(1, 1) * 2]).tolist() == [1.0, 2.0]
    assert fb.tensor([1j, 0], dtype=fb.bool).tolist() == [True, False]


def test_whole_lines_start_and_end_at_whole_parts() -> None:
    assert fb.linspace(4.3, -3, 8, dtype=fb.int64).tolist() == [4, 3, 2, 1, 0, -1, -2, -3]

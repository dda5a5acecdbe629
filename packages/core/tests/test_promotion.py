"""Types of results: the table, weak numbers, light 0-dimensional tensors, in-place casts."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import pytest

import flambeau_core as fb

U8, I8, I16, I32, I64 = "uint8", "int8", "int16", "int32", "int64"
F16, BF16, F32, F64 = "float16", "bfloat16", "float32", "float64"
C64, C128 = "complex64", "complex128"
NAMES = ["bool", U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128]
# What PyTorch documents for torch.promote_types; rows and columns in the order above.
TABLE = [
    ["bool", U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128],
    [U8, U8, I16, I16, I32, I64, F16, BF16, F32, F64, C64, C128],
    [I8, I16, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128],
    [I16, I16, I16, I16, I32, I64, F16, BF16, F32, F64, C64, C128],
    [I32, I32, I32, I32, I32, I64, F16, BF16, F32, F64, C64, C128],
    [I64, I64, I64, I64, I64, I64, F16, BF16, F32, F64, C64, C128],
    [F16, F16, F16, F16, F16, F16, F16, F32, F32, F64, C64, C128],
    [BF16, BF16, BF16, BF16, BF16, BF16, F32, BF16, F32, F64, C64, C128],
    [F32, F32, F32, F32, F32, F32, F32, F32, F32, F64, C64, C128],
    [F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, C128, C128],
    [C64, C64, C64, C64, C64, C64, C64, C64, C64, C128, C64, C128],
    [C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128],
]


def dtype(name: str) -> Any:
    return getattr(fb, name)


@pytest.mark.parametrize(("i", "j"), itertools.product(range(12), repeat=2))
def test_table(i: int, j: int) -> None:
    a, b, expected = dtype(NAMES[i]), dtype(NAMES[j]), dtype(TABLE[i][j])
    assert fb.promote_types(a, b) == expected
    x, y = fb.ones(2, dtype=a), fb.ones(2, dtype=b)
    assert (x * y).dtype == expected
    assert fb.result_type(x, y) == expected
    assert fb.where(fb.tensor([True, False]), x, y).dtype == expected
    assert fb.cat([x, y]).dtype == expected
    # Two tensors without dimensions are of one weight again.
    assert (x[0] * y[0]).dtype == expected


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_weak(name: str) -> None:
    x = fb.ones(2, dtype=dtype(name))
    whole, real = name in NAMES[:6], name in NAMES[:10]
    assert (x * True).dtype == x.dtype
    assert (x * 3).dtype == (fb.int64 if name == "bool" else x.dtype)
    assert (3 + x).dtype == (fb.int64 if name == "bool" else x.dtype)
    assert (x * 2.5).dtype == (fb.float32 if whole else x.dtype)
    expected = {F64: fb.complex128, C128: fb.complex128}.get(name, fb.complex64)
    if name not in (F16, BF16):
        assert (x * 2j).dtype == (expected if real else x.dtype)


@pytest.mark.parametrize(("a", "b"), itertools.product(NAMES, repeat=2))
def test_0_dimensional_tensors_are_light(a: str, b: str) -> None:
    x, light = fb.ones(2, dtype=dtype(a)), fb.ones((), dtype=dtype(b))
    rank = [
        0 if n == "bool" else 1 if n in NAMES[:6] else 2 if n in NAMES[:10] else 3 for n in (a, b)
    ]
    expected = dtype(TABLE[NAMES.index(a)][NAMES.index(b)]) if rank[1] > rank[0] else x.dtype
    if rank == [2, 3]:  # a complex number of the floating tensor's width
        expected = fb.complex128 if a == F64 else fb.complex64
    assert (x + light).dtype == expected
    assert (light * x).dtype == expected


def test_default_dtype_decides_about_numbers() -> None:
    whole = fb.arange(3)
    try:
        fb.set_default_dtype(fb.float64)
        assert (whole * 0.5).dtype == fb.float64
        assert whole.sin().dtype == fb.float64
        assert (whole / 2).dtype == fb.float64
        assert fb.tensor(1.5).dtype == fb.float64
        assert fb.tensor(1j).dtype == fb.complex128
        assert fb.zeros(1).dtype == fb.float64
    finally:
        fb.set_default_dtype(fb.float32)
    with pytest.raises(TypeError):
        fb.set_default_dtype(fb.int32)


@pytest.mark.parametrize("name", NAMES)
def test_kinds_of_ops(name: str) -> None:
    x = fb.ones(2, dtype=dtype(name))
    floating = x.dtype if name in NAMES[6:] else fb.float32
    assert (x / x).dtype == floating
    assert x.exp().dtype == floating
    assert fb.sqrt(x).dtype == floating
    assert (x == x).dtype == fb.bool
    assert x.logical_not().dtype == fb.bool
    assert x.sum().dtype == (fb.int64 if name in NAMES[:6] else x.dtype)
    assert x.cumsum(0).dtype == (fb.int64 if name in NAMES[:6] else x.dtype)
    assert x.prod().dtype == (fb.int64 if name in NAMES[:6] else x.dtype)
    if name in NAMES[10:]:
        assert x.abs().dtype == x.real.dtype == (fb.float32 if name == C64 else fb.float64)
    elif name != "bool":
        assert x.abs().dtype == x.dtype
        assert (x // x).dtype == x.dtype
        assert (x % x).dtype == x.dtype


def test_division_of_whole_numbers() -> None:
    x, y = fb.tensor([7, -7]), fb.tensor([2, 2])
    assert (x / y).tolist() == [3.5, -3.5]
    assert (x // y).tolist() == [3, -4] and (x // y).dtype == fb.int64
    assert fb.div(x, y, rounding_mode="trunc").tolist() == [3, -3]
    assert fb.div(x, y, rounding_mode="floor").tolist() == [3, -4]
    assert (x % y).tolist() == [1, 1] and x.fmod(y).tolist() == [1, -1]
    with pytest.raises(RuntimeError, match="rounding_mode"):
        fb.div(x, y, rounding_mode="ceil")
    with pytest.raises((RuntimeError, ZeroDivisionError), match="[Zz]ero"):
        x // 0


def test_whole_numbers_wrap() -> None:
    assert (fb.tensor([255], dtype=fb.uint8) + 1).tolist() == [0]
    assert (fb.tensor([127], dtype=fb.int8) + 1).tolist() == [-128]
    assert (fb.tensor([2**62]) * 2).tolist() == [-(2**63)]


def test_exactness_of_large_whole_numbers() -> None:
    x = fb.tensor([2**53 + 1])
    assert (x + 0).item() == 2**53 + 1
    assert (x * 1).item() == 2**53 + 1
    assert (x == 2**53).tolist() == [False]
    assert x.sum().item() == 2**53 + 1
    assert x.max().item() == 2**53 + 1


# ---- in place ----------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), itertools.product(NAMES, repeat=2))
def test_in_place_casts(a: str, b: str) -> None:
    """The result may be narrowed, never moved to a lower kind of number."""
    x, y = fb.ones(2, dtype=dtype(a)), fb.ones(2, dtype=dtype(b))
    result = TABLE[NAMES.index(a)][NAMES.index(b)]
    kinds = [
        0 if n == "bool" else 1 if n in NAMES[:6] else 2 if n in NAMES[:10] else 3
        for n in (a, result)
    ]
    if kinds[1] <= kinds[0]:
        assert x.mul_(y) is x and x.dtype == dtype(a)
    else:
        with pytest.raises(RuntimeError, match="can't be cast"):
            x.mul_(y)


@pytest.mark.parametrize(
    "op", [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow]
)
def test_augmented_assignment_keeps_the_type(op: Any) -> None:
    x = fb.ones(2, dtype=fb.float32)
    y = op(x, fb.tensor([2.0, 3.0], dtype=fb.float64))
    assert y is x and y.dtype == fb.float32
    with pytest.raises(RuntimeError, match="can't be cast"):
        op(fb.ones(2, dtype=fb.int64), 2.5)


def test_can_cast() -> None:
    assert fb.can_cast(fb.float64, fb.float16)
    assert not fb.can_cast(fb.float32, fb.int64)
    assert not fb.can_cast(fb.complex64, fb.float32)
    assert fb.can_cast(fb.bool, fb.uint8) and not fb.can_cast(fb.uint8, fb.bool)


def test_factor_of_a_product_of_whole_numbers_loses_its_fraction() -> None:
    whole = fb.tensor([1, 2, 3])
    assert fb.addcmul(whole, whole, whole, value=2.7).tolist() == [3, 10, 21]
    assert whole.clone().addcmul_(whole, whole, value=0.5).tolist() == [1, 2, 3]
    mixed = fb.addcmul(whole.float(), whole, whole, value=2.5)
    assert mixed.tolist() == [3.5, 12.0, 25.5]
    with pytest.raises(RuntimeError, match="cannot be converted"):
        fb.addcmul(whole, whole, whole, value=1j)
    with pytest.raises(NotImplementedError):
        fb.addcmul(whole.bool(), whole.bool(), whole.bool())


def test_products_are_made_in_the_common_dtype() -> None:
    """1/3 and 1/7 of float32 times each other in float64, not in float32."""
    third, seventh = fb.tensor([1.0]) / 3, fb.tensor([1.0]) / 7
    zero = fb.zeros(1, dtype=fb.float64)
    product = third.item() * seventh.item()
    assert fb.addcmul(zero, third, seventh).item() == product
    assert fb.addcdiv(zero, third, seventh).item() == third.item() / seventh.item()


def test_arithmetic_of_two_numbers_gives_a_tensor() -> None:
    assert fb.add(1, 2).item() == 3 and fb.add(1, 2).dtype == fb.int64
    assert fb.sub(1, 2.5, alpha=2).item() == -4.0
    assert fb.mul(True, False).dtype == fb.bool
    assert fb.div(1, 2).item() == 0.5 and fb.true_divide(1, 2).item() == 0.5
    assert fb.floor_divide(7, 2).item() == 3
    with pytest.raises(TypeError):
        fb.pow(1, 2)

"""dtype, device and Size objects; conversions and moves; type information."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import flambeau_core as fb

SIZES = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
SHORT = {
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
METHODS = {
    "bool": "bool",
    "byte": "uint8",
    "char": "int8",
    "bfloat16": "bfloat16",
    **SHORT,
}


# ---- dtype ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SIZES)
def test_dtype_objects(name: str) -> None:
    dtype = getattr(fb, name)
    assert isinstance(dtype, fb.dtype) and dtype is getattr(fb, name)
    assert repr(dtype).endswith(f".{name}")
    assert dtype.itemsize == SIZES[name]
    assert dtype.is_complex == name.startswith("complex")
    assert dtype.is_floating_point == ("float" in name)
    assert dtype.is_signed == (name not in ("bool", "uint8"))
    assert pickle.loads(pickle.dumps(dtype)) is dtype and copy.deepcopy(dtype) is dtype
    assert {dtype: 1}[dtype] == 1 and dtype != "float32"
    x = fb.zeros(3, dtype=dtype)
    assert x.element_size() == x.itemsize == SIZES[name] and x.nbytes == 3 * SIZES[name]
    assert x.is_floating_point() == dtype.is_floating_point
    assert x.is_complex() == dtype.is_complex


@pytest.mark.parametrize(("short", "name"), SHORT.items())
def test_short_names(short: str, name: str) -> None:
    assert getattr(fb, short) is getattr(fb, name)


def test_real_and_complex_counterparts() -> None:
    assert fb.float32.to_complex() == fb.complex64 and fb.float64.to_complex() == fb.complex128
    assert fb.complex64.to_real() == fb.float32


@pytest.mark.parametrize(("method", "name"), METHODS.items())
def test_conversion_methods(method: str, name: str) -> None:
    x = fb.tensor([0, 1, 2])
    y = getattr(x, method)()
    assert y.dtype == getattr(fb, name)
    assert getattr(y, method)() is y


# What C does, and PyTorch with it: towards zero, nonzero is true, the real part of a number.
CASTS = [
    ([1.9, -1.9, 0.5], "float32", "int32", [1, -1, 0]),
    ([0.0, 0.1, float("nan")], "float64", "bool", [False, True, True]),
    ([300, -1], "int64", "uint8", [44, 255]),
    ([200], "uint8", "int8", [-56]),
    ([True, False], "bool", "float16", [1.0, 0.0]),
    ([1 + 2j, 0], "complex64", "bool", [True, False]),
    ([2**24 + 1], "int64", "float32", [2.0**24]),
    ([70000.0], "float32", "float16", [float("inf")]),
    ([3, -4], "int16", "complex64", [3, -4]),
]


@pytest.mark.parametrize(("values", "source", "target", "expected"), CASTS)
def test_casts(values: Any, source: str, target: str, expected: Any) -> None:
    x = fb.tensor(values, dtype=getattr(fb, source))
    assert x.to(getattr(fb, target)).tolist() == expected
    y = fb.zeros(len(values), dtype=getattr(fb, target))
    assert y.copy_(x).tolist() == expected
    wide = x.repeat(50)  # long enough for vector loops
    assert wide.to(getattr(fb, target)).tolist() == expected * 50


def test_complex_to_real_warns() -> None:
    with pytest.warns(UserWarning, match="imaginary"):
        assert fb.tensor([1 + 2j]).to(fb.float32).tolist() == [1.0]


def test_to() -> None:
    x = fb.zeros(2)
    assert x.to(fb.float32) is x and x.to("cpu") is x and x.to(fb.zeros(1)) is x
    assert x.to(fb.float32, copy=True) is not x
    assert x.to(fb.device("cpu"), fb.float64).dtype == fb.float64
    assert x.to("cpu", dtype=fb.int8).dtype == fb.int8
    assert x.to(dtype=fb.int8).dtype == fb.int8
    assert x.to(fb.zeros(1, dtype=fb.int16)).dtype == fb.int16
    assert x.type_as(fb.zeros(1, dtype=fb.int16)).dtype == fb.int16
    for wrong in ("float32", 3.5, "gpu9"):
        with pytest.raises((TypeError, RuntimeError)):
            x.to(wrong)


def test_conversion_keeps_the_graph() -> None:
    x = fb.ones(2, requires_grad=True)
    x.double().half().float().sum().backward()
    assert x.grad.tolist() == [1, 1] and x.grad.dtype == fb.float32
    assert not x.long().requires_grad


def test_finfo_and_iinfo() -> None:
    assert (
        fb.finfo(fb.float32).eps == 2**-23 and fb.finfo(fb.float32).max == (2 - 2**-23) * 2.0**127
    )
    assert fb.finfo(fb.float16).max == 65504 and fb.finfo(fb.bfloat16).eps == 2**-7
    assert fb.finfo(fb.float64).tiny == 2.0**-1022 and fb.finfo(fb.float64).bits == 64
    assert fb.finfo(fb.complex64).eps == 2**-23
    assert fb.iinfo(fb.int8).min == -128 and fb.iinfo(fb.uint8).max == 255
    assert fb.iinfo(fb.int64).max == 2**63 - 1
    with pytest.raises(TypeError):
        fb.finfo(fb.int32)
    with pytest.raises(TypeError):
        fb.iinfo(fb.float32)


# ---- device --------------------------------------------------------------------------------


def test_device_objects() -> None:
    cpu = fb.device("cpu")
    assert cpu.type == "cpu" and cpu.index is None
    assert fb.device("cpu:0").index == 0 and fb.device("cpu", 0) == fb.device("cpu:0")
    assert cpu == fb.device("cpu") and hash(cpu) == hash(fb.device("cpu")) and cpu != "cuda"
    assert cpu != fb.device("cpu:0")
    assert str(cpu) == "cpu" and repr(fb.device("cpu:0")) == "device(type='cpu', index=0)"
    assert fb.device(cpu) == cpu
    assert pickle.loads(pickle.dumps(cpu)) == cpu
    assert fb.device("cuda:1").index == 1  # naming a device needs no backend
    assert fb.zeros(1).device == cpu and fb.zeros(1, device="cpu:0").device.type == "cpu"
    for wrong in ("", "cpu:", "cpu:x", "cpu:-1", "cpu:0:1", "c p u"):
        with pytest.raises(RuntimeError):
            fb.device(wrong)
    with pytest.raises((TypeError, RuntimeError)):
        fb.device(1.5)


def test_devices_that_are_not_there() -> None:
    with pytest.raises(RuntimeError, match="nowhere"):
        fb.zeros(1, device="nowhere")
    with pytest.raises(RuntimeError):
        fb.zeros(1).to("nowhere:0")


# ---- Size -------------------------------------------------------------------------------------


def test_size() -> None:
    size = fb.zeros(2, 3, 4).shape
    assert isinstance(size, tuple) and isinstance(size, fb.Size) and size == (2, 3, 4)
    assert size.numel() == 24 and size[1] == 3 and isinstance(size[1:], fb.Size)
    assert isinstance(size + (5,), fb.Size) and size + (5,) == (2, 3, 4, 5)
    assert isinstance(size * 2, fb.Size)
    assert repr(size).endswith("Size([2, 3, 4])") and repr(size).startswith(("flambeau", "torch"))
    assert fb.Size([1, 2]) == (1, 2) and fb.Size().numel() == 1
    assert pickle.loads(pickle.dumps(size)) == size
    assert isinstance(copy.deepcopy(size), fb.Size)
    x = fb.zeros(2, 3)
    assert x.size() == x.shape and x.size(-1) == 3 and x.dim() == x.ndim == 2
    assert x.numel() == x.nelement() == fb.numel(x) == 6
    with pytest.raises(IndexError):
        x.size(2)
    with pytest.raises(TypeError):
        fb.Size(["a"])


# ---- numbers out of tensors -------------------------------------------------------------------


def test_python_numbers() -> None:
    assert type(fb.tensor(3).item()) is int and type(fb.tensor(3.0).item()) is float
    assert type(fb.tensor(True).item()) is bool and type(fb.tensor(1j).item()) is complex
    assert int(fb.tensor([3.7])) == 3 and float(fb.tensor([[2]])) == 2.0
    assert complex(fb.tensor(2.0)) == 2 + 0j and bool(fb.tensor([0.0])) is False
    assert list(range(5))[fb.tensor(2)] == 2 and "abc"[fb.tensor(1) :] == "bc"
    assert f"{fb.tensor(1.5):.3f}" == "1.500" and round(float(fb.tensor(1.26)), 1) == 1.3
    for convert in (int, float, complex):
        with pytest.raises(ValueError, match=r"one element.*\[2\]"):
            convert(fb.zeros(2))
    with pytest.raises(RuntimeError, match="2 elements"):
        fb.zeros(2).item()
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(fb.zeros(2))
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(fb.zeros(0))
    with pytest.raises(TypeError):
        range(5)[fb.tensor(1.0)]
    with pytest.raises((OverflowError, ValueError)):
        int(fb.tensor(float("inf")))


def test_equality_and_hash() -> None:
    x, y = fb.zeros(2), fb.zeros(2)
    assert {x: 1}[x] == 1 and hash(x) != hash(y)
    assert (x == y).tolist() == [True, True] and x.equal(y)
    assert (x == None).item() is False if isinstance(x == None, fb.Tensor) else (x == None) is False  # noqa: E711
    assert not fb.zeros(2).equal(fb.zeros(3))
    assert 0 in x and 1 not in x

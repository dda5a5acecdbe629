"""The small functions of the namespace: the doors that a script knocks on before it computes."""

from __future__ import annotations

import pytest

import flambeau_core as fb


def test_questions_about_objects() -> None:
    x = fb.ones(2, 3)
    assert fb.is_tensor(x) and not fb.is_tensor([1.0])
    assert fb.is_storage(x.untyped_storage()) and not fb.is_storage(x)
    assert fb.numel(x) == 6
    assert fb.is_floating_point(x) and not fb.is_floating_point(x.long())
    assert fb.is_complex(x.to(fb.complex64)) and not fb.is_complex(x)
    assert fb.is_nonzero(fb.tensor(2.0)) and not fb.is_nonzero(fb.tensor([0]))
    with pytest.raises(RuntimeError):
        fb.is_nonzero(x)


def test_names_of_types() -> None:
    assert fb.typename(fb.ones(1)) == "flambeau.FloatTensor"
    assert fb.typename(fb.ones(1).long()) == "flambeau.LongTensor"
    assert fb.typename(3) == "int"


@pytest.mark.parametrize("kind", [fb.DoubleTensor, "flambeau.DoubleTensor"])
def test_default_type(kind: object) -> None:
    try:
        fb.set_default_tensor_type(kind)
        assert fb.get_default_dtype() is fb.ones(1).dtype is fb.float64
    finally:
        fb.set_default_dtype(fb.float32)
    with pytest.raises(TypeError):
        fb.set_default_dtype(fb.int32)


def test_default_device() -> None:
    fb.set_default_device("cpu")
    assert fb.get_default_device() == fb.ones(1).device == fb.device("cpu")
    with pytest.raises(RuntimeError, match="cuda"):
        fb.set_default_device("cuda")


def test_settings_that_are_kept() -> None:
    fb.use_deterministic_algorithms(True)
    assert fb.are_deterministic_algorithms_enabled()
    fb.use_deterministic_algorithms(False)
    assert not fb.are_deterministic_algorithms_enabled()

    fb.set_float32_matmul_precision("high")
    assert fb.get_float32_matmul_precision() == "high"
    fb.set_float32_matmul_precision("highest")
    with pytest.raises(ValueError, match="'low'"):
        fb.set_float32_matmul_precision("low")


def test_threads() -> None:
    assert fb.get_num_interop_threads() >= 1
    with pytest.raises(RuntimeError, match="positive"):
        fb.set_num_interop_threads(0)
    with pytest.raises(ValueError, match="positive"):
        fb.set_num_threads(0)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("FloatTensor", fb.float32),
        ("DoubleTensor", fb.float64),
        ("HalfTensor", fb.float16),
        ("BFloat16Tensor", fb.bfloat16),
        ("LongTensor", fb.int64),
        ("IntTensor", fb.int32),
        ("ShortTensor", fb.int16),
        ("CharTensor", fb.int8),
        ("ByteTensor", fb.uint8),
        ("BoolTensor", fb.bool),
    ],
)
def test_legacy_types(name: str, dtype: fb.dtype) -> None:
    kind = getattr(fb, name)
    x = kind([0, 1])
    assert x.dtype is dtype and x.tolist() == [0, 1]
    assert isinstance(x, kind) and x.type() == f"flambeau.{name}"
    assert kind(2, 3).shape == (2, 3) and kind().shape == (0,)
    assert fb.ones(2).type(kind).dtype is fb.ones(2).type(f"flambeau.{name}").dtype is dtype
    other = fb.LongTensor if dtype is not fb.int64 else fb.FloatTensor
    assert not isinstance(x, other)


def test_type_info() -> None:
    # Of the formats themselves: IEEE 754, and bfloat16 as the upper half of a float32.
    assert fb.finfo(fb.float16).max == 65504.0 and fb.finfo(fb.float16).eps == 2.0**-10
    assert fb.finfo(fb.bfloat16).eps == 2.0**-7 and fb.finfo(fb.bfloat16).tiny == 2.0**-126
    assert fb.finfo(fb.float32).eps == 2.0**-23 and fb.finfo(fb.float64).eps == 2.0**-52
    assert fb.finfo().dtype == "float32"
    assert (fb.iinfo(fb.uint8).min, fb.iinfo(fb.uint8).max) == (0, 255)
    assert fb.iinfo(fb.int64).min == -(2**63)
    with pytest.raises(TypeError, match="iinfo"):
        fb.finfo(fb.int32)
    with pytest.raises(TypeError, match="finfo"):
        fb.iinfo(fb.float32)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="flambeau_core.*no_such_name"):
        _ = fb.no_such_name


def test_elementwise_methods_with_python_functions() -> None:
    assert fb.tensor([1.0, 2.0]).apply_(lambda v: v + 1).tolist() == [2.0, 3.0]
    x = fb.tensor([1.0, 2.0])
    assert x.map_(fb.tensor([3.0, 4.0]), lambda a, b: a * b) is x
    assert x.tolist() == [3.0, 8.0]

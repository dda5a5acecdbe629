"""uint16, uint32 and uint64: memory, casts and views; kernels never see them."""

from __future__ import annotations

import io

import numpy as np
import pytest

import flambeau_core as fb

TYPES = ("uint16", "uint32", "uint64")
LARGEST = {"uint16": 2**16 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1}


@pytest.mark.parametrize("name", TYPES)
def test_limits_and_numpy(name: str) -> None:
    dtype = getattr(fb, name)
    assert fb.iinfo(dtype).max == LARGEST[name] and not dtype.is_signed
    array = np.array([0, 7, LARGEST[name]], dtype=name)
    x = fb.from_numpy(array)
    assert x.dtype == dtype and x.tolist() == array.tolist() and x[2].item() == LARGEST[name]
    np.testing.assert_array_equal(x.clone().numpy(), array)
    assert x.numpy().dtype == array.dtype


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(
    "other", ["bool", "uint8", "int8", "int32", "int64", "float32", "float64", *TYPES]
)
def test_casts_are_numpys(name: str, other: str) -> None:
    array = np.array([0, 1, 200, 60000, LARGEST[name]], dtype=name)
    np.testing.assert_array_equal(
        fb.from_numpy(array).to(getattr(fb, other)).numpy(), array.astype(other)
    )
    whole = np.array([0, 1, 100], dtype=other)
    np.testing.assert_array_equal(
        fb.from_numpy(whole).to(getattr(fb, name)).numpy(), whole.astype(name)
    )


@pytest.mark.parametrize("name", TYPES)
def test_negative_numbers_wrap_around(name: str) -> None:
    x = fb.tensor([-1, -2]).to(getattr(fb, name))
    assert x.tolist() == [LARGEST[name], LARGEST[name] - 1]
    assert fb.full((1,), -1, dtype=x.dtype).tolist() == [LARGEST[name]]
    with pytest.raises(RuntimeError, match="without overflow"):
        fb.full((1,), 2.0**65, dtype=x.dtype)


def test_layouts() -> None:
    x = fb.tensor([[1, 60000], [2, 3]], dtype=fb.uint16)
    assert x.t().contiguous().tolist() == [[1, 2], [60000, 3]]
    assert fb.cat([x, x]).shape == (4, 2) and fb.stack([x, x])[1, 0, 1].item() == 60000
    x[0] = 5
    assert x.tolist() == [[5, 5], [2, 3]] and x.fill_(9).tolist() == [[9, 9], [9, 9]]
    assert fb.tensor([-1]).view(fb.uint64).tolist() == [2**64 - 1]


def test_promotion() -> None:
    assert fb.promote_types(fb.uint16, fb.float16) == fb.float16
    assert fb.promote_types(fb.bool, fb.uint32) == fb.uint32
    with pytest.raises(RuntimeError, match="uint16.*int32|int32.*uint16"):
        fb.promote_types(fb.uint16, fb.int32)
    with pytest.raises(NotImplementedError, match="UInt16"):
        fb.ones(2, dtype=fb.uint16) + fb.ones(2, dtype=fb.uint16)


def bits(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64).view(np.uint64)


def test_hash_is_the_exclusive_or_of_the_bits() -> None:
    array = np.random.default_rng(0).normal(size=(3, 5, 2))
    x = fb.tensor(array)
    assert fb.hash_tensor(x).item() == np.bitwise_xor.reduce(bits(array).reshape(-1))
    for axis in (0, 1, 2):
        expected = np.bitwise_xor.reduce(bits(array), axis=axis)
        np.testing.assert_array_equal(x.hash_tensor(axis).numpy(), expected)
    kept = fb.hash_tensor(x, (0, 2), keepdim=True)
    assert kept.shape == (1, 5, 1)
    half = fb.tensor([1.5, -2.0], dtype=fb.float16)
    assert fb.hash_tensor(half).item() == np.bitwise_xor.reduce(bits(np.array([1.5, -2.0])))
    assert fb.hash_tensor(fb.tensor([-1], dtype=fb.int8)).item() == 2**64 - 1
    assert fb.hash_tensor(fb.tensor([True, True])).item() == 0


def test_hash_of_what_is_not_there() -> None:
    x = fb.empty(0, 3)
    assert fb.hash_tensor(x, 1).shape == (0,)
    with pytest.raises(RuntimeError, match="dim"):
        fb.hash_tensor(x)
    with pytest.raises(IndexError, match="empty"):
        fb.hash_tensor(x, 0)
    with pytest.raises(RuntimeError, match="mode"):
        fb.hash_tensor(fb.ones(1), mode=1)
    with pytest.raises(NotImplementedError, match="complex64"):
        fb.hash_tensor(fb.ones(1) + 1j)


@pytest.mark.parametrize("name", TYPES)
def test_files(name: str) -> None:
    x = fb.tensor([[1, 2], [3, 4]]).to(getattr(fb, name)).t()
    stream = io.BytesIO()
    fb.save({"x": x, "part": x[1]}, stream)
    stream.seek(0)
    loaded = fb.load(stream)
    assert loaded["x"].dtype == x.dtype and loaded["x"].tolist() == [[1, 3], [2, 4]]
    loaded["part"].fill_(9)
    assert loaded["x"].tolist() == [[1, 3], [9, 9]]
    assert x.type() == f"flambeau.UInt{x.element_size() * 8}Tensor"

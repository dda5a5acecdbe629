"""One memory with NumPy and with anybody who speaks DLPack, both ways."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

NAMES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "with gaps": lambda a: a[:, ::2],
    "cut": lambda a: a[1:, 1:3],
    "row": lambda a: a[1],
    "one element": lambda a: a[1, 2],
    "empty": lambda a: a[:0],
    "repeated": lambda a: a[:1].expand(5, 6),
}


def filled(name: str) -> np.ndarray[Any, Any]:
    return np.arange(24).reshape(4, 6).astype(name)


# ---- NumPy ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_types(name: str) -> None:
    array = filled(name)
    x = fb.from_numpy(array)
    assert x.dtype == getattr(fb, name) and x.tolist() == array.tolist()
    back = x.numpy()
    assert back.dtype == array.dtype and np.shares_memory(back, array)


@pytest.mark.parametrize("layout", [n for n in LAYOUTS if n not in ("one element", "repeated")])
def test_layouts_of_arrays(layout: str) -> None:
    array = filled("float32")
    part = LAYOUTS[layout](array)
    x = fb.from_numpy(part)
    assert tuple(x.shape) == part.shape and x.tolist() == part.tolist()
    assert x.stride() == tuple(s // 4 for s in part.strides)
    x.fill_(-1)
    assert (part == -1).all() and (array == -1).sum() == part.size


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_tensors(layout: str) -> None:
    x = fb.arange(24.0).reshape(4, 6)
    part = LAYOUTS[layout](x)
    array = part.numpy()
    assert array.shape == tuple(part.shape) and array.tolist() == part.tolist()
    x.add_(1)
    assert array.tolist() == part.tolist()


def test_memory_lives_as_long_as_either_side() -> None:
    array = np.ones(1000)
    references = sys.getrefcount(array)
    x = fb.from_numpy(array)
    assert sys.getrefcount(array) > references
    del x
    gc.collect()
    assert sys.getrefcount(array) == references
    y = fb.from_numpy(np.full(1000, 3.0))
    gc.collect()
    assert y.sum().item() == 3000
    z = fb.full((1000,), 2.0).numpy()
    gc.collect()
    assert z.sum() == 2000


def test_what_numpy_cannot_have() -> None:
    x = fb.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        x.numpy()
    with pytest.raises(RuntimeError, match="detach"):
        np.asarray(x)
    assert x.detach().numpy().tolist() == [1, 1]
    assert x.numpy(force=True).tolist() == [1, 1]
    with pytest.raises(TypeError, match="[Bb][Ff]loat16"):
        fb.ones(2, dtype=fb.bfloat16).numpy()


def test_what_a_tensor_cannot_have() -> None:
    with pytest.raises(TypeError, match="ndarray"):
        fb.from_numpy([1, 2])
    for array in (np.array(["a"]), np.array([None]), np.zeros(2, dtype="datetime64[s]")):
        with pytest.raises(TypeError):
            fb.from_numpy(array)
    with pytest.raises((ValueError, TypeError), match="byte order|byteswap|dtype"):
        fb.from_numpy(np.zeros(2, dtype=">f4"))
    with pytest.raises(ValueError, match="negative"):
        fb.from_numpy(np.arange(3)[::-1])
    assert fb.tensor(np.arange(3)[::-1].copy()).tolist() == [2, 1, 0]


def test_read_only_arrays_warn() -> None:
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable|read-only|non-writable"):
        fb.from_numpy(array)


def test_numpy_functions_take_tensors() -> None:
    x = fb.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(x).tolist() == x.tolist()
    assert np.array(x, dtype=np.int32).dtype == np.int32
    assert np.sum(np.asarray(x)) == 10
    assert np.array(x) is not None and not np.shares_memory(np.array(x), x.numpy())
    assert float(np.float64(x[0, 0])) == 1.0


def test_operators_with_arrays_and_scalars() -> None:
    x, array = fb.tensor([1.0, 2.0]), np.array([3.0, 4.0], dtype=np.float32)
    assert isinstance(x * np.float64(2), fb.Tensor)
    assert (x * np.float64(2)).tolist() == [2, 4]
    assert (x + np.int64(1)).dtype == fb.float32
    assert (x == np.float32(1)).tolist() == [True, False]
    assert (x * fb.from_numpy(array)).tolist() == [3, 8]


def test_frombuffer() -> None:
    data = bytearray(np.arange(4, dtype=np.int32).tobytes())
    x = fb.frombuffer(data, dtype=fb.int32)
    assert x.tolist() == [0, 1, 2, 3]
    x[0] = 7
    assert data[0] == 7
    assert fb.frombuffer(data, dtype=fb.int32, count=2, offset=4).tolist() == [1, 2]
    for arguments in ({"offset": 3}, {"offset": 100}, {"count": 100}):
        with pytest.raises(ValueError):
            fb.frombuffer(data, dtype=fb.int64, **arguments)
    with pytest.raises((ValueError, TypeError)):
        fb.frombuffer(data, dtype="int32")


# ---- DLPack -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "with gaps", "cut", "row", "empty"])
def test_to_numpy_by_dlpack(name: str, layout: str) -> None:
    x = fb.from_numpy(filled(name))
    part = x.T if layout == "transposed" else LAYOUTS[layout](x)
    array = np.from_dlpack(part)
    assert array.dtype == np.dtype(name) and array.tolist() == part.tolist()
    if part.numel():
        assert array.__array_interface__["data"][0] == part.data_ptr()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "with gaps", "cut", "row", "empty"])
def test_from_numpy_by_dlpack(name: str, layout: str) -> None:
    array = filled(name)
    part = LAYOUTS[layout](array)
    x = fb.from_dlpack(part)
    assert x.dtype == getattr(fb, name) and x.tolist() == part.tolist()
    if part.size:
        x[...] = 0
        assert not part.any()


def test_dlpack_memory_lives_as_long_as_either_side() -> None:
    x = fb.from_dlpack(np.full(1000, 3.0))
    gc.collect()
    assert x.sum().item() == 3000
    array = np.from_dlpack(fb.full((1000,), 2.0))
    gc.collect()
    assert array.sum() == 2000
    fb.zeros(3).__dlpack__()  # a capsule that nobody takes


def test_dlpack_protocol() -> None:
    x = fb.zeros(3)
    assert x.__dlpack_device__() == (1, 0)
    y = fb.from_dlpack(x)
    y[0] = 1
    assert x[0] == 1
    capsule = x.__dlpack__()
    assert fb.from_dlpack(capsule).data_ptr() == x.data_ptr()
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        fb.from_dlpack(capsule)  # a capsule serves once
    with pytest.raises((BufferError, RuntimeError)):
        fb.ones(2, requires_grad=True).__dlpack__()
    for wrong in (None, 3, "x", [1.0]):
        with pytest.raises((TypeError, AttributeError, RuntimeError)):
            fb.from_dlpack(wrong)


def test_a_tensor_that_requires_gradients_is_an_array_where_none_are_recorded() -> None:
    x = fb.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Use tensor.detach"):
        x.numpy()
    with fb.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]


def test_views_of_empty_arrays_are_contiguous() -> None:
    """NumPy gives empty arrays strides of zero."""
    x = fb.from_numpy(np.zeros((0, 3, 4)))
    for view in (x, x.squeeze(-1), x.transpose(0, 1), x[()], x.expand(2, 0, 3, 4)):
        assert view.is_contiguous()

"""Calls the plugin's kernels through the C table, on NumPy arrays, as core would."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from flambeau_cpu import _C

DTYPES = {
    "bool": 0, "uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6,
    "bfloat16": 7, "float32": 8, "float64": 9, "complex64": 10, "complex128": 11,
}  # fmt: skip
CONTIGUOUS, HOST_SCALAR = 1, 2
OK, ERROR, INDEX_ERROR = 0, 1, 2


class Array(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("numel", ctypes.c_int64),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint8),
        ("flags", ctypes.c_uint8),
        ("device_index", ctypes.c_uint16),
        ("buffer", ctypes.c_void_p),
    ]


class List(ctypes.Structure):
    _fields_ = [("p", ctypes.POINTER(ctypes.c_int64)), ("n", ctypes.c_int64)]


class Param(ctypes.Union):
    _fields_ = [
        ("i", ctypes.c_int64),
        ("f", ctypes.c_double),
        ("s", ctypes.c_char_p),
        ("list", List),
    ]


Kernel = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Array)),
    ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Array)), ctypes.POINTER(Param),
)  # fmt: skip
FindKernel = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
LastError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)
GetThreads = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
SetThreads = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


class Backend(ctypes.Structure):
    _fields_ = [
        ("api_version", ctypes.c_uint32),
        ("struct_size", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("ctx", ctypes.c_void_p),
        ("device_count", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("copy", ctypes.c_void_p),
        ("synchronize", ctypes.c_void_p),
        ("find_kernel", FindKernel),
        ("last_error", LastError),
        ("get_num_threads", GetThreads),
        ("set_num_threads", SetThreads),
        ("release_lock_above", ctypes.c_int64),
    ]


def _table() -> Backend:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Backend.from_address(pointer(_C.backend, b"flambeau.backend"))


backend = _table()


class BFloat16:
    """An array of bfloat16 held as the upper halves of float32 values."""

    def __init__(self, values: np.ndarray) -> None:
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        self.bits = rounded.astype(np.uint16).reshape(values.shape)

    def numpy(self) -> np.ndarray:
        return (self.bits.astype(np.uint32) << 16).view(np.float32)


class KernelFailure(Exception):
    """A status other than FB_OK, with the plugin's message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _array(value: np.ndarray | BFloat16 | None, host_scalar: bool) -> Array | None:
    if value is None:
        return None
    values = value.bits if isinstance(value, BFloat16) else value
    name = "bfloat16" if isinstance(value, BFloat16) else values.dtype.name
    flags = CONTIGUOUS if values.flags.c_contiguous or values.size <= 1 else 0
    strides = [0] * values.ndim if host_scalar else [s // values.itemsize for s in values.strides]
    dims = ctypes.c_int64 * max(values.ndim, 1)
    return Array(
        values.ctypes.data, dims(*values.shape), dims(*strides), values.size, values.ndim,
        DTYPES[name], flags | (HOST_SCALAR if host_scalar else 0), 0, None,
    )  # fmt: skip


def _param(value: Any) -> Param:
    param = Param()
    if isinstance(value, (list, tuple)):
        param.list = List((ctypes.c_int64 * len(value))(*value), len(value))
    elif isinstance(value, float):
        param.f = value
    else:
        param.i = int(value)
    return param


def find(id: str, dtype: str) -> int | None:
    """The kernel's address, or None where the plugin has no such kernel."""
    return backend.find_kernel(backend.ctx, id.encode(), DTYPES[dtype])


def call(
    id: str,
    outs: list[Any],
    ins: list[Any],
    *params: Any,
    host_scalars: tuple[int, ...] = (),
) -> None:
    """Runs kernel `id`, found by the dtype of the first input (or output, where there is none).

    Parameters are told apart by their Python type, so a floating one must be a float. Inputs
    whose positions are in `host_scalars` are handed over as host scalars.
    """
    out_arrays = [_array(x, False) for x in outs]
    in_arrays = [_array(x, i in host_scalars) for i, x in enumerate(ins)]
    first = next(x for x in in_arrays + out_arrays if x is not None)
    address = backend.find_kernel(backend.ctx, id.encode(), first.dtype)
    if not address:
        raise NotImplementedError(f"{id} for dtype {first.dtype}")

    def pointers(arrays: list[Array | None]) -> Any:
        null = ctypes.POINTER(Array)()
        kind = ctypes.POINTER(Array) * max(len(arrays), 1)
        return kind(*[null if x is None else ctypes.pointer(x) for x in arrays])

    values = (Param * max(len(params), 1))(*[_param(p) for p in params])
    status = Kernel(address)(
        backend.ctx, len(outs), pointers(out_arrays), len(ins), pointers(in_arrays), values
    )
    if status != OK:
        raise KernelFailure(status, backend.last_error(backend.ctx).decode())

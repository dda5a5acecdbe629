"""The names that PyTorch's files use for dtypes and for the functions that rebuild tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

import flambeau_core as fb

STORAGE_DTYPES = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}
DTYPE_STORAGES = {dtype: storage for storage, dtype in STORAGE_DTYPES.items()}
# These have no storage of their own: raw bytes, and the dtype beside them.
BARE_DTYPES = {"complex32", "uint16", "uint32", "uint64"}


class Global(NamedTuple):
    """A module-level name written to a file, whether or not such a module is installed."""

    module: str
    name: str

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.module}.{self.name} stands for a name in a file only")


REBUILD_TENSOR = Global("torch._utils", "_rebuild_tensor_v2")
REBUILD_TENSOR_OF_DTYPE = Global("torch._utils", "_rebuild_tensor_v3")
RAW_STORAGE = Global("torch.storage", "UntypedStorage")
REBUILD_SPARSE_TENSOR = Global("torch._utils", "_rebuild_sparse_tensor")
LAYOUT = Global("torch.serialization", "_get_layout")
REBUILD_PARAMETER = Global("torch._utils", "_rebuild_parameter")
SIZE = Global("torch", "Size")
DEVICE = Global("torch", "device")


def dtype_name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def layout_name(layout: Any) -> str:
    return str(layout).rpartition(".")[2]


def dtype_named(name: str) -> Any:
    return getattr(fb, name)

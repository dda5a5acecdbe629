"""Writing objects: a pickle of protocol 2 with the tensors' storages beside it."""

from __future__ import annotations

import io
import pickle
import sys
from collections import OrderedDict
from typing import Any

import flambeau_core as fb
from flambeau_core.parameter_type import is_parameter
from flambeau_core.serialization.archive import ArchiveWriter, open_to_write
from flambeau_core.serialization.names import (
    BARE_DTYPES,
    DEVICE,
    DTYPE_STORAGES,
    LAYOUT,
    RAW_STORAGE,
    REBUILD_PARAMETER,
    REBUILD_SPARSE_TENSOR,
    REBUILD_TENSOR,
    REBUILD_TENSOR_OF_DTYPE,
    SIZE,
    Global,
    dtype_name,
    layout_name,
)
from flambeau_core.serialization.storage import storage_bytes

FORMAT_VERSION = b"3\n"


class StorageReference:
    """Stands in the pickle for the memory of a tensor."""

    def __init__(self, persistent_id: tuple[Any, ...]) -> None:
        self.persistent_id = persistent_id


# The pickler written in Python is the one whose writing of globals can be changed: the names in
# the file belong to PyTorch, which need not be installed.
PythonPickler: Any = pickle._Pickler


class Pickler(PythonPickler):  # type: ignore[misc]
    """Pickles tensors as PyTorch does; ``storages`` then holds one tensor for each storage."""

    dispatch = dict(PythonPickler.dispatch)

    def __init__(self, stream: Any, protocol: int) -> None:
        super().__init__(stream, protocol=protocol)
        self.storages: list[Any] = []
        self.references: dict[Any, StorageReference] = {}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        return obj.persistent_id if isinstance(obj, StorageReference) else None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, fb.Tensor):
            return self.reduce_tensor(obj)
        if isinstance(obj, fb.Size):
            return SIZE, (tuple(obj),)
        if isinstance(obj, fb.device):
            index = () if obj.index is None else (obj.index,)
            return DEVICE, (obj.type, *index)
        if isinstance(obj, fb.layout):
            return LAYOUT, (f"torch.{layout_name(obj)}",)
        return NotImplemented

    def reduce_tensor(self, tensor: Any) -> tuple[Any, ...]:
        if is_parameter(tensor):
            data = tensor.detach()
            return REBUILD_PARAMETER, (data, tensor.requires_grad, OrderedDict())
        if tensor.is_sparse:
            parts = (tensor._indices(), tensor._values(), tensor.shape, tensor.is_coalesced())
            return REBUILD_SPARSE_TENSOR, (tensor.layout, parts)
        if tensor.is_sparse_csr:
            places = (tensor.crow_indices(), tensor.col_indices())
            return REBUILD_SPARSE_TENSOR, (tensor.layout, (*places, tensor._values(), tensor.shape))
        place: tuple[Any, ...] = (
            self.reference(tensor),
            tensor.storage_offset(),
            tuple(tensor.shape),
            tuple(tensor.stride()),
            tensor.requires_grad,
            OrderedDict(),
        )
        if dtype_name(tensor.dtype) in BARE_DTYPES:
            return REBUILD_TENSOR_OF_DTYPE, (*place, tensor.dtype)
        return REBUILD_TENSOR, place

    def reference(self, tensor: Any) -> StorageReference:
        """One reference a storage, so that tensors that share memory share it when loaded."""
        dtype = dtype_name(tensor.dtype)
        identity = tensor._storage_key()
        if identity not in self.references:
            location = "cpu" if tensor.device.type == "cpu" else str(tensor.device)
            bare = dtype in BARE_DTYPES
            kind = RAW_STORAGE if bare else Global("torch", DTYPE_STORAGES[dtype])
            count = storage_bytes(tensor).nbytes // (1 if bare else tensor.dtype.itemsize)
            self.references[identity] = StorageReference(
                ("storage", kind, str(len(self.storages)), location, count)
            )
            # kept alive, so that its identity is not given to another storage
            self.storages.append(tensor)
        return self.references[identity]

    def save_dtype(self, dtype: Any) -> None:
        self.write_global(Global("torch", dtype_name(dtype)))

    def write_global(self, name: Global) -> None:
        self.write(pickle.GLOBAL + f"{name.module}\n{name.name}\n".encode())
        self.memoize(name)

    dispatch[Global] = write_global
    dispatch[fb.dtype] = save_dtype


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Writes an object to a file that PyTorch reads too.

    Tensors, parameters, containers and plain values load safely again; other objects are pickled
    and need ``load(..., weights_only=False)``. Tensors that share memory still do once loaded.

    Args:
        obj: what to save, usually a dict of tensors.
        f: a path, or a file open for writing in binary mode.
        pickle_module: accepted for PyTorch's sake; only the built-in format is written.
        pickle_protocol: of the pickle inside; PyTorch's safe loading needs 2.

    Raises:
        RuntimeError: the folder of ``f`` does not exist.
        pickle.PicklingError: some part of ``obj`` cannot be pickled.

    Example:

        >>> import flambeau as torch
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save({"weight": torch.ones(2)}, file)
        >>> position = file.seek(0)
        >>> torch.load(file)
        {'weight': tensor([1., 1.])}
    """
    stream = io.BytesIO()
    pickler = Pickler(stream, pickle_protocol)
    pickler.dump(obj)
    with open_to_write(f) as target:
        archive = ArchiveWriter(target)
        archive.write("data.pkl", stream.getvalue())
        archive.write(".format_version", b"1")
        archive.write(".storage_alignment", b"64")
        archive.write("byteorder", sys.byteorder.encode())
        for key, tensor in enumerate(pickler.storages):
            archive.write(f"data/{key}", storage_bytes(tensor))
        archive.write("version", FORMAT_VERSION)
        archive.close()

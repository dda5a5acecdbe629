"""PyTorch's format before 1.6: pickles one after the other, then the storages."""

from __future__ import annotations

import pickle
import struct
import sys
from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.serialization.storage import StorageLoader, element_bytes, swapped
from flambeau_core.serialization.unpickler import unpickle

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001


def load_legacy(
    stream: Any,
    place: Callable[[Any, str], Any],
    weights_only: bool,
    label: str,
    **options: Any,
) -> Any:
    """The object of a file whose position is at its magic number."""
    size = file_size(stream)

    def blank(key: str, nbytes: int) -> bytes:
        # the object's pickle comes before the contents of its storages, which are filled later
        if nbytes > size:
            raise RuntimeError(f"{label} is cut short: a storage needs {nbytes} bytes")
        return bytes(nbytes)

    loader = StorageLoader(blank, place)
    if magic_number(stream, loader, label) != MAGIC:
        raise pickle.UnpicklingError(f"{label} is not a file that save wrote")
    if unpickle(stream, loader, True, label) != PROTOCOL:
        raise RuntimeError(f"{label} is in an unknown version of the old format")
    system = unpickle(stream, loader, True, label)
    little = not isinstance(system, dict) or system.get("little_endian", True)
    loaded = unpickle(stream, loader, weights_only, label, **options)
    fill_storages(stream, loader, "little" if little else "big", label)
    return loaded


def magic_number(stream: Any, loader: StorageLoader, label: str) -> Any:
    try:
        return unpickle(stream, loader, True, label)
    except pickle.UnpicklingError:
        return None


def fill_storages(stream: Any, loader: StorageLoader, byteorder: str, label: str) -> None:
    keys = unpickle(stream, loader, True, label)
    for key in keys:
        owner = loader.owners.get(str(key))
        header = stream.read(8)
        if owner is None or len(header) < 8:
            raise RuntimeError(f"{label} is cut short or corrupt at the storage {key!r}")
        (count,) = struct.unpack("<q", header)
        nbytes = owner.numel() * owner.dtype.itemsize
        data = stream.read(nbytes)
        if count != owner.numel() or len(data) < nbytes:
            raise RuntimeError(f"{label} is cut short or corrupt at the storage {key!r}")
        if byteorder != sys.byteorder:
            data = swapped(data, element_bytes(owner.dtype))
        with fb.no_grad():
            owner.copy_(fb._C.tensor_from_bytes(data, owner.dtype, (count,), (1,), 0))


def file_size(stream: Any) -> int:
    position = stream.tell()
    size = int(stream.seek(0, 2))
    stream.seek(position)
    return size

"""The memory behind tensors: its bytes when saving, tensors over it when loading."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.serialization.names import dtype_named


def storage_bytes(tensor: Any) -> memoryview:
    """All bytes of the storage of a tensor, copied to the host when it lives elsewhere."""
    if tensor.device.type != "cpu":
        extent = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) + 1
        extent = tensor.storage_offset() + extent if tensor.numel() else 0
        host = tensor.detach().as_strided((extent,), (1,), 0).cpu()
        # The copy goes when this function returns, and its memory with it.
        return memoryview(bytes(host._storage_bytes()))
    return memoryview(tensor._storage_bytes()).cast("B")


class StorageLoader:
    """Builds tensors over the storages of a file, one block of memory for each storage key.

    Args:
        read: the bytes of a storage key.
        place: moves a host tensor to where its location tag (``"cpu"``, ``"cuda:0"``) asks.
        byteorder: of the file.
    """

    def __init__(
        self,
        read: Callable[[str, int], bytes],
        place: Callable[[Any, str], Any],
        byteorder: str = "little",
    ) -> None:
        self.read = read
        self.place = place
        self.swap = byteorder != sys.byteorder
        self.owners: dict[str, Any] = {}

    def owner(self, key: str, dtype: str, location: str, count: int) -> Any:
        """The one-dimensional tensor over a whole storage."""
        if key not in self.owners:
            element = dtype_named(dtype)
            size = element.itemsize
            data = self.read(key, count * size)
            if count < 0 or len(data) < count * size:
                raise RuntimeError(
                    f"the storage {key!r} holds {len(data)} bytes, {count} elements of {dtype} "
                    f"need {count * size}: the file is corrupt"
                )
            if self.swap:
                data = swapped(data, element_bytes(element))
            host = fb._C.tensor_from_bytes(data[: count * size], element, (count,), (1,), 0)
            self.owners[key] = self.place(host, location)
        return self.owners[key]


def view(owner: Any, offset: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """A tensor over part of a storage, refused where it would reach beyond it."""
    integers = [offset, *shape, *stride]
    if len(shape) != len(stride) or not all(isinstance(n, int) and n >= 0 for n in integers):
        raise RuntimeError(
            f"a tensor of shape {shape} and stride {stride} at offset {offset} cannot be: "
            f"the file is corrupt"
        )
    last = offset + sum((n - 1) * s for n, s in zip(shape, stride))
    if 0 not in shape and last >= owner.numel():
        raise RuntimeError(
            f"a tensor of shape {shape} and stride {stride} at offset {offset} reaches beyond its "
            f"storage of {owner.numel()} elements: the file is corrupt"
        )
    return owner.as_strided(shape, stride, offset)


def element_bytes(dtype: Any) -> int:
    """The size of the numbers that byte order concerns: a complex one is a pair of them."""
    size: int = dtype.itemsize
    return size // 2 if dtype.is_complex else size


def swapped(data: bytes, size: int) -> bytes:
    """The bytes of every ``size``-byte number in reverse."""
    turned = bytearray(len(data))
    for position in range(size):
        turned[position::size] = data[size - 1 - position :: size]
    return bytes(turned)

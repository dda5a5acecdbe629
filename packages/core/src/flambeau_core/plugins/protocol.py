"""What core expects of a backend written in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Backend(Protocol):
    """A device in Python: its memory and its kernels.

    ``host_memory`` True means that core's own host memory is used; ``allocate``,
    ``copy_from_host`` and ``copy_to_host`` are then not asked for.
    """

    name: str
    device_type: str
    host_memory: bool

    def device_count(self) -> int: ...

    def synchronize(self, device_index: int) -> None: ...

    def allocate(self, nbytes: int, device_index: int) -> Any:
        """A buffer of the backend's own kind; freed when core drops it."""

    def copy_from_host(self, buffer: Any, offset: int, source: memoryview) -> None: ...

    def copy_to_host(self, buffer: Any, offset: int, target: memoryview) -> None: ...

    def view(
        self,
        buffer: Any,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: str,
    ) -> Any:
        """The backend's array over part of a buffer; offset and strides count bytes."""

    def kernel(self, id: str, dtype: str) -> Callable[..., None] | None:
        """The function of a kernel id, or None. Asked once for each pair."""


ALWAYS = ("device_count", "synchronize", "view", "kernel")
OWN_MEMORY = ("allocate", "copy_from_host", "copy_to_host")


def check_backend(backend: Any) -> None:
    """TypeError for an object that lacks part of the protocol; capsules are core's to check."""
    if type(backend).__name__ == "PyCapsule":
        return
    needed = ["name", "device_type", "host_memory", *ALWAYS]
    if not getattr(backend, "host_memory", False):
        needed += OWN_MEMORY
    missing = [member for member in needed if not hasattr(backend, member)]
    if missing:
        raise TypeError(
            f"a backend of type {type(backend).__name__} lacks {', '.join(missing)}: see "
            f"flambeau_core.plugins.protocol.Backend"
        )

"""Questions to an open backend about its devices."""

from __future__ import annotations

from typing import Any

from flambeau_core.plugins.registry import open_backend


def device_count(device_type: str) -> int:
    """The number of devices of a type; opens the backend."""
    backend = open_backend(device_type)
    if hasattr(backend, "device_count"):
        return int(backend.device_count())
    from flambeau_core import _C

    return int(_C.device_count(device_type))


def synchronize(device_type: str, index: int) -> None:
    """Waits until all work of a device is done."""
    backend = open_backend(device_type)
    if hasattr(backend, "synchronize"):
        backend.synchronize(index)
        return
    from flambeau_core import _C

    _C.synchronize(device_type, index)


def device_properties(device_type: str, index: int) -> Any:
    """What the backend's optional ``device_properties(index)`` gives, or None."""
    ask = getattr(open_backend(device_type), "device_properties", None)
    return None if ask is None else ask(index)

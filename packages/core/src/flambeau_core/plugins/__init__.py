"""Device backends: how they are declared, found, chosen and opened.

A distribution offers a backend through an entry point of the group ``flambeau.backends``, named
after the device type, that leads to a module with one hook::

    from flambeau_core.plugins import BackendSpec, hookimpl

    @hookimpl
    def flambeau_register_backends():
        return [BackendSpec("toy", "toy", api_version=1, factory="toy_backend.device:open")]

Nothing is imported until a device of that type is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_core.plugins.devices import device_count, device_properties, synchronize
from flambeau_core.plugins.fallback import set_cpu_fallback
from flambeau_core.plugins.registry import (
    backends,
    current_backend,
    device_types,
    is_available,
    open_another,
    open_device,
    register_backend,
    set_backend,
    use_backend,
)
from flambeau_core.plugins.spec import API_VERSION, MIN_API_VERSION, BackendSpec

if TYPE_CHECKING:
    from flambeau_core.plugins.hooks import hookimpl

__all__ = [
    "API_VERSION",
    "MIN_API_VERSION",
    "BackendSpec",
    "backends",
    "current_backend",
    "device_count",
    "device_properties",
    "device_types",
    "hookimpl",
    "is_available",
    "open_another",
    "open_device",
    "register_backend",
    "set_backend",
    "set_cpu_fallback",
    "synchronize",
    "use_backend",
]


def __getattr__(name: str) -> Any:
    # pluggy is imported by the first plugin, not by core
    if name == "hookimpl":
        from flambeau_core.plugins.hooks import hookimpl

        return hookimpl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Which names of device types a program may use."""

from __future__ import annotations

from flambeau_core.plugins.errors import FAMILIAR, not_served


def check_device_type(name: str) -> None:
    """Core asks this when a name first appears, before anything lies on such a device.

    Raises:
        RuntimeError: neither a familiar name nor one that an installed plugin serves.
    """
    if name in FAMILIAR:
        return
    from flambeau_core.plugins.registry import _registry

    with _registry.lock:
        if not _registry.candidates(name):
            raise not_served(name, _registry.installed_types())

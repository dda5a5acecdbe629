"""The device type `toy`."""

from __future__ import annotations

from flambeau_core.plugins import BackendSpec, hookimpl

__version__ = "1.0"


@hookimpl
def flambeau_register_backends() -> list[BackendSpec]:
    """What this package offers; the factory is imported when a tensor first goes there."""
    return [
        BackendSpec(
            device_type="toy",
            name="toy",
            api_version=1,
            priority=50,
            factory="flambeau_toy.backend:ToyBackend",
        )
    ]

"""Native CPU kernels for Flambeau.

Importing this package registers nothing and loads no kernel: core finds it through its
entry point and resolves the factory when the device type ``cpu`` is first used.
"""

from __future__ import annotations

from flambeau_core.plugins import BackendSpec, hookimpl

__version__ = "0.1.0"


def _probe() -> str | None:
    """Tells why the backend cannot work here; None when it can."""
    return None


@hookimpl
def flambeau_register_backends() -> list[BackendSpec]:
    """The one backend of this package: device type ``cpu``, name ``cpu``."""
    return [
        BackendSpec(
            device_type="cpu",
            name="cpu",
            api_version=1,
            priority=100,
            probe=_probe,
            factory="flambeau_cpu.opening:backend",
        )
    ]

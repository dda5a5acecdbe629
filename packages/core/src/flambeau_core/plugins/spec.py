"""What a distribution says about a backend, without importing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

# The version of backend.h and of the Python backend protocol, and the oldest one still served.
API_VERSION = 1
MIN_API_VERSION = 1


class BackendSpec(NamedTuple):
    """A backend that can be opened when a device of its type is first used.

    Args:
        device_type: what users write before the colon, e.g. ``"cuda"``.
        name: tells the backends of one device type apart.
        api_version: the version of the backend contract that the plugin was written for.
        priority: the highest one of a device type is used unless a setting names another.
        probe: returns None where the backend can work and otherwise the reason why not. It is
            cheap and leaves no trace: no driver context, no threads.
        factory: ``"module:attribute"`` of the backend (a capsule or an object), or of a function
            without arguments that returns it; or such a function itself.
    """

    device_type: str
    name: str
    api_version: int
    priority: int = 0
    probe: Callable[[], str | None] | None = None
    factory: str | Callable[[], Any] = ""

    def unavailable(self) -> str | None:
        """Why the backend cannot work here, or None."""
        answer: object = None if self.probe is None else self.probe()
        if answer is False:
            return "its probe says that it cannot work here"
        return answer if isinstance(answer, str) else None

    def build(self) -> Any:
        """The backend itself: resolves and calls the factory."""
        made: Any = self.factory
        if isinstance(made, str):
            made = resolve(made)
        return made() if callable(made) else made


def resolve(reference: str) -> Any:
    """The object that ``"module:attribute"`` names."""
    from importlib import import_module

    module, _, attribute = reference.partition(":")
    found: Any = import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def version_conflict(spec: BackendSpec, plugin: str) -> str | None:
    """One sentence that says which side to upgrade, or None where the versions agree."""
    if MIN_API_VERSION <= spec.api_version <= API_VERSION:
        return None
    upgrade = "flambeau-core" if spec.api_version > API_VERSION else plugin
    return (
        f"the backend {spec.name!r} of {plugin} speaks version {spec.api_version} of the backend "
        f"API and this flambeau-core speaks {API_VERSION}: upgrade {upgrade}"
    )

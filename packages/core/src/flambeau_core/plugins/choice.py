"""Which backend of a device type the user wants: a setting, else the environment.

``FLAMBEAU_BACKEND="cpu=reference,toy=slow"`` names backends by device type.
"""

from __future__ import annotations

import os

VARIABLE = "FLAMBEAU_BACKEND"

_chosen: dict[str, str] = {}


def choose(device_type: str, name: str | None) -> None:
    """Prefers a backend from now on; None goes back to the environment's choice."""
    if name is None:
        _chosen.pop(device_type, None)
    else:
        _chosen[device_type] = name


def explicit(device_type: str) -> str | None:
    """What the program itself chose."""
    return _chosen.get(device_type)


def chosen(device_type: str) -> str | None:
    return explicit(device_type) or from_environment().get(device_type)


def from_environment() -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in filter(None, os.environ.get(VARIABLE, "").replace(" ", "").split(",")):
        device_type, equals, name = part.partition("=")
        if not (device_type and equals and name):
            raise RuntimeError(
                f"{VARIABLE} holds {part!r}: expected a comma-separated list of "
                f"device=backend pairs such as cpu=reference"
            )
        pairs[device_type] = name
    return pairs

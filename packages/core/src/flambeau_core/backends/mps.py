"""Apple's GPUs."""

from __future__ import annotations

from flambeau_core import plugins


def is_available() -> bool:
    """Whether a backend serves the device type ``mps`` here."""
    return plugins.is_available("mps")


def is_built() -> bool:
    """Whether the backend can be used: it is not compiled into core but installed beside."""
    return is_available()

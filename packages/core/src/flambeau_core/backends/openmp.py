"""OpenMP, used by the native CPU backend."""

from __future__ import annotations

from importlib.util import find_spec


def is_available() -> bool:
    """Whether the native CPU backend is installed."""
    return find_spec("flambeau_cpu") is not None

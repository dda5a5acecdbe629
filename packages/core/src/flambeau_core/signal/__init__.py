"""Signal processing."""

from flambeau_core.signal import windows as windows

__all__ = ["windows"]

"""CUDA memory. Without a backend nothing is allocated; backends do not report their memory yet."""

from __future__ import annotations

from typing import Any

from flambeau_core import plugins
from flambeau_core.cuda.device import DEVICE_TYPE, is_initialized, require


def _figure(device: Any = None) -> int:
    """Bytes: zero as long as no CUDA device was used."""
    if is_initialized():
        name = plugins.current_backend(DEVICE_TYPE)
        raise RuntimeError(f"the backend {name!r} does not report how much memory it uses")
    return 0


memory_allocated = max_memory_allocated = _figure
memory_reserved = max_memory_reserved = _figure


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """How much memory is allocated, as text."""
    return f"{_figure(device)} bytes allocated"


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes of a device."""
    require()
    return _figure(device), _figure(device)


def empty_cache() -> None:
    """Has nothing to give back: core caches no device memory."""


def ipc_collect() -> None:
    """Has nothing to collect: device memory is not shared between processes."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Has nothing to reset: no peaks are kept."""


reset_max_memory_allocated = reset_peak_memory_stats

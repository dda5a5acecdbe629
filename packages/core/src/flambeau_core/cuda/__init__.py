"""CUDA devices, when a backend serves them.

Without one the questions are answered (no device, nothing allocated), the seeds accepted, and
everything that needs a device raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_core.cuda.device import (
    current_device,
    device,
    device_count,
    device_of,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    set_device,
    synchronize,
)
from flambeau_core.cuda.memory import (
    empty_cache,
    ipc_collect,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_summary,
    reset_max_memory_allocated,
    reset_peak_memory_stats,
)
from flambeau_core.cuda.random import (
    get_rng_state,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
)
from flambeau_core.cuda.streams import (
    Event,
    Stream,
    current_stream,
    default_stream,
    stream,
)

if TYPE_CHECKING:
    from flambeau_core.cuda import amp

__all__ = [
    "Event",
    "Stream",
    "amp",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "stream",
    "synchronize",
]


def __getattr__(name: str) -> Any:
    if name == "amp":
        from importlib import import_module

        return import_module("flambeau_core.cuda.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Batches in page-locked memory, from which an accelerator copies faster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import flambeau_core as fb

_warned = False


def pinning(wanted: bool) -> Callable[[Any], Any] | None:
    """:func:`pin_memory` if it is wanted and of use; without an accelerator it warns, once."""
    global _warned
    if not wanted:
        return None
    if fb.cuda.is_available():
        return pin_memory
    if not _warned:
        _warned = True
        warnings.warn(
            "pin_memory=True has no effect: there is no accelerator to copy to", stacklevel=4
        )
    return None


def pin_memory(data: Any) -> Any:
    """Pin every tensor within a batch, and whatever else has a method ``pin_memory``."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[pin_memory(value) for value in data])
    try:
        if isinstance(data, Mapping):
            return type(data)({key: pin_memory(value) for key, value in data.items()})  # type: ignore[call-arg]
        if isinstance(data, Sequence):
            return type(data)([pin_memory(value) for value in data])  # type: ignore[call-arg]
    except TypeError:
        pass  # a container that is not built from its content stays where it is
    return data

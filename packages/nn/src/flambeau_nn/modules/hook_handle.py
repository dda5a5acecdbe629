"""Tables of hooks, and entering a hook into them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from flambeau_core.hooks import RemovableHandle

__all__ = ["HookTable", "RemovableHandle", "add_hook"]

HookTable = OrderedDict
"""Hooks by their number, in the order in which they run."""


def add_hook(
    hook: Callable[..., Any],
    table: HookTable[int, Any],
    *flags: HookTable[int, Any],
    prepend: bool = False,
) -> RemovableHandle:
    """Enters `hook` into its table, and its number into every table of `flags`."""
    handle = RemovableHandle(table, extra_dict=list(flags))
    table[handle.id] = hook
    for flag in flags:
        flag[handle.id] = True
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle

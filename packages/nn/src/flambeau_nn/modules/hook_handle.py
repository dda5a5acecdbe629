"""The handle that takes a hook away again."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

__all__ = ["HookTable", "RemovableHandle", "add_hook"]

HookTable = OrderedDict
"""Hooks by their number, in the order in which they run."""

_numbers = itertools.count()


class RemovableHandle:
    """Takes one hook out of its tables with `remove()`, or at the end of a `with` block."""

    def __init__(self, *tables: HookTable[int, Any]) -> None:
        self.id = next(_numbers)
        self._tables = [weakref.ref(table) for table in tables]

    def remove(self) -> None:
        """Removes the hook; a second call does nothing."""
        for reference in self._tables:
            table = reference()
            if table is not None:
                table.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

    def __getstate__(self) -> Any:
        return self.id, [reference() for reference in self._tables]

    def __setstate__(self, state: Any) -> None:
        self.id, tables = state
        self._tables = [weakref.ref(table) for table in tables if table is not None]


def add_hook(
    hook: Callable[..., Any],
    table: HookTable[int, Any],
    *flags: HookTable[int, Any],
    prepend: bool = False,
) -> RemovableHandle:
    """Enters `hook` into its table, and its number into every table of `flags`."""
    handle = RemovableHandle(table, *flags)
    table[handle.id] = hook
    for flag in flags:
        flag[handle.id] = True
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle

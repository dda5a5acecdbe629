"""Ordered tables of user callbacks, and the handles that take one out again."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

HookTable = OrderedDict[int, Callable[..., Any]]

_ids = itertools.count()


class RemovableHandle:
    """Returned by every ``register_*_hook``; ``remove()`` takes the hook out, once or more often.

    It is also a context manager that removes the hook at the end of the block.
    """

    def __init__(self, table: HookTable, key: int, on_remove: Callable[[], None] | None) -> None:
        self._table = weakref.ref(table)
        self._on_remove = on_remove
        self.id = key

    def remove(self) -> None:
        table = self._table()
        if table is not None and table.pop(self.id, None) is not None and self._on_remove:
            self._on_remove()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


def register(
    table: HookTable,
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    on_remove: Callable[[], None] | None = None,
) -> RemovableHandle:
    """Add ``hook`` at the end of ``table``, or at its front with ``prepend``."""
    key = next(_ids)
    table[key] = hook
    if prepend:
        table.move_to_end(key, last=False)
    return RemovableHandle(table, key, on_remove)

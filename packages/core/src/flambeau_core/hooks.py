"""Handles by which a registered hook can be removed again."""

from __future__ import annotations

import weakref
from collections.abc import Callable, MutableMapping
from typing import Any

__all__ = ["RemovableHandle", "add_hook"]


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook off again.

    Also a context manager that removes the hook on leaving.
    """

    _next_id = 0

    def __init__(self, hooks: MutableMapping[int, Any], *, extra_dict: Any = None) -> None:
        self.id = RemovableHandle._next_id
        RemovableHandle._next_id += 1
        # Tensors keep plain dicts, which cannot be referenced weakly; they live
        # as long as the hook can matter.
        try:
            self._hooks: Callable[[], MutableMapping[int, Any] | None] = weakref.ref(hooks)
        except TypeError:
            self._hooks = lambda: hooks
        extras = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
        self._extras = [e for e in extras if e is not None]

    def remove(self) -> None:
        """Takes the hook off; a second call does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)
        for extra in self._extras:
            extra.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def add_hook(hooks: MutableMapping[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    """Adds a hook to a dict of them and returns its handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle

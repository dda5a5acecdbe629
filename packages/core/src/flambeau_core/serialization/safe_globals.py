"""Classes and functions that a program allows in files beyond tensors and plain values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_allowed: dict[str, Any] = {}


def _entries(values: list[Any]) -> dict[str, Any]:
    """By full name; a pair (object, name) gives the name explicitly."""
    entries = {}
    for value in values:
        if isinstance(value, tuple):
            value, name = value
        else:
            name = f"{value.__module__}.{value.__qualname__}"
        entries[name] = value
    return entries


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Lets ``load`` rebuild these classes and call these functions from now on."""
    _allowed.update(_entries(safe_globals))


def get_safe_globals() -> list[Any]:
    return list(_allowed.values())


def clear_safe_globals() -> None:
    _allowed.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Allows these inside a ``with`` block."""
    before = dict(_allowed)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)


def allowed(name: str) -> Any:
    """The allowed object of a full name, or None."""
    return _allowed.get(name)


def is_allowed(value: Any) -> bool:
    return any(value is known for known in _allowed.values())

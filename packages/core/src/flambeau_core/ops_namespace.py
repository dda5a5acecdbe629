"""``flambeau.ops``: custom ops by namespace and name."""

from __future__ import annotations

from typing import Any

__all__ = ["ops"]


class _Namespace:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        from .library.custom_op import find

        try:
            return find(f"{self._name}::{name}")
        except ValueError:
            raise AttributeError(f"flambeau.ops.{self._name} has no op {name!r}") from None


class _Ops:
    """``flambeau.ops.mylib.myop`` is the custom op ``mylib::myop``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Namespace(name)


ops = _Ops()

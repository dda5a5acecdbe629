"""Ops defined by a schema first and given kernels later, PyTorch's older way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .custom_op import CustomOpDef, find

__all__ = ["Library", "define", "impl"]

DEVICES = {"CPU": "cpu", "CUDA": "cuda", "CompositeExplicitAutograd": None, "default": None}


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Defines an op without a kernel.

    Args:
        qualname: ``"namespace::name"``.
        schema: ``"(Tensor x, int n) -> Tensor"``.
    """
    CustomOpDef(qualname, schema, None)


def impl(qualname: str, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Gives an op a kernel for device types such as ``"cpu"``, or ``"default"`` for all."""

    def register(f: Callable[..., Any]) -> None:
        for kind in [types] if isinstance(types, str) else types:
            find(qualname).register_kernel(DEVICES.get(kind, kind), f)

    return register if func is None else register(func)


class Library:
    """The ops of one namespace.

    Args:
        ns: the namespace.
        kind: ``"DEF"``, ``"IMPL"`` or ``"FRAGMENT"``; accepted for compatibility.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Library: kind must be DEF, IMPL or FRAGMENT, got {kind!r}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Defines ``"name(Tensor x) -> Tensor"`` in this namespace; returns the name."""
        name, _, rest = schema.partition("(")
        define(f"{self.ns}::{name.strip()}", f"({rest}")
        return name.strip()

    def impl(self, op_name: str, fn: Callable[..., Any], dispatch_key: str = "", **_: Any) -> None:
        """Gives an op a kernel for a device type, or for all."""
        key = dispatch_key or self.dispatch_key or "CompositeExplicitAutograd"
        name = op_name if "::" in op_name else f"{self.ns}::{op_name}"
        if key == "Meta":
            find(name).register_fake(fn)
        elif key not in DEVICES:
            raise ValueError(f"Library.impl: expected one of {sorted(DEVICES)}, got {key!r}")
        else:
            find(name).register_kernel(DEVICES[key], fn)

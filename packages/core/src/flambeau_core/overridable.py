"""Which functions overriding classes and modes see, and which they do not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from . import _C, fft, linalg, special

__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "resolve_name",
]

Op: Any = type(_C.add)


def _spaces() -> Iterator[tuple[str, Any]]:
    """The namespaces of ops, by the names that users know."""
    import flambeau_core

    yield "flambeau", flambeau_core
    yield "flambeau.Tensor", _C.Tensor
    yield "flambeau.linalg", linalg
    yield "flambeau.fft", fft
    yield "flambeau.special", special
    yield "flambeau.nn.functional", _C.nn_ops


def _public(space: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(set(dir(space))):
        if not name.startswith("_") and callable(member := getattr(space, name, None)):
            yield name, member


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The ops of each namespace (modules, and Tensor), which all are overridable."""
    return {space: [f for _, f in _public(space) if isinstance(f, Op)] for _, space in _spaces()}


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Public functions that no class or mode sees: they are no ops."""
    return {
        f
        for _, space in _spaces()
        if isinstance(space, ModuleType)
        for _, f in _public(space)
        if not isinstance(f, (Op, type))
    }


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each op a function of its parameters that returns -1."""
    return {f: _stand_in(f) for ops in get_overridable_functions().values() for f in ops}


def _stand_in(op: Any) -> Callable[..., Any]:
    signature = inspect.signature(op)
    several = len(op.schemas) > 1

    def stand_in(*args: Any, **kwargs: Any) -> int:
        if not several:
            signature.bind(*args, **kwargs)
        return -1

    stand_in.__signature__ = signature  # type: ignore[attr-defined]
    stand_in.__name__ = op.__name__
    return stand_in


def resolve_name(func: Any) -> str | None:
    """The name by which an op, a method or an attribute is known; None for other things.

    A function of which there is a method too is known by its name as a function.
    """
    owner = getattr(func, "__self__", None)
    if getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
        name = getattr(owner, "__name__", None)
        return f"flambeau.Tensor.{name}.{func.__name__}" if name else None
    name = getattr(func, "__name__", None)
    for prefix, space in _spaces():
        if name and getattr(space, name, None) is func:
            return f"{prefix}.{name}"
        for key, member in _public(space) if isinstance(func, Op) else ():
            if member is func:
                return f"{prefix}.{key}"
    return None

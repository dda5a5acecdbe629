"""Which of a function's arguments are differentiated."""

from __future__ import annotations

from typing import Any

from .. import _C

__all__ = ["check_real", "check_tensors", "exchanged", "picked", "split_aux"]

Argnums = int | tuple[int, ...]


def picked(function: str, args: tuple[Any, ...], argnums: Argnums) -> Any:
    """The argument (or the tuple of those) that ``argnums`` names.

    Raises:
        RuntimeError: there is no such argument, or none is named, or one twice.
    """
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not numbers:
        raise RuntimeError(f"{function}: argnums must name at least one argument")
    for n in numbers:
        if not isinstance(n, int) or not -len(args) <= n < len(args):
            raise RuntimeError(
                f"{function}: argnum {n!r} is out of range for a call with {len(args)} positional "
                "arguments"
            )
    if len({n % len(args) for n in numbers}) < len(numbers):
        raise RuntimeError(f"{function}: argnums {argnums} name an argument twice")
    found = tuple(args[n] for n in numbers)
    return found[0] if isinstance(argnums, int) else found


def exchanged(args: tuple[Any, ...], argnums: Argnums, by: Any) -> tuple[Any, ...]:
    """The arguments with those that ``argnums`` names exchanged."""
    changed = list(args)
    if isinstance(argnums, int):
        changed[argnums] = by
    else:
        for n, x in zip(argnums, by):
            changed[n] = x
    return tuple(changed)


def check_tensors(
    function: str, what: str, leaves: list[Any], error: type[Exception] = RuntimeError
) -> None:
    """RuntimeError unless all leaves are tensors, ``error`` unless of floating or complex dtype."""
    for x in leaves:
        if not isinstance(x, _C.Tensor):
            raise RuntimeError(f"{function}: {what} must be tensors, got {type(x).__name__}")
        if not (x.is_floating_point() or x.is_complex()):
            raise error(
                f"{function}: {what} must be floating-point or complex tensors, got {x.dtype}"
            )


def check_real(function: str, what: str, leaves: list[Any]) -> None:
    """RuntimeError where a tensor is complex: its Jacobian would not be one complex number."""
    for x in leaves:
        if isinstance(x, _C.Tensor) and x.is_complex():
            raise RuntimeError(
                f"{function}: {what} must be real, got {x.dtype}; use view_as_real() and "
                "view_as_complex()"
            )


def split_aux(function: str, result: Any) -> tuple[Any, Any]:
    """The two parts of what a function with ``has_aux=True`` returned."""
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"{function}: with has_aux=True the function must return (output, aux), got "
            f"{type(result).__name__}"
        )
    return result

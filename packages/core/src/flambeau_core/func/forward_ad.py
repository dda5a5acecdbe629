"""Forward mode by hand: dual numbers within a ``dual_level``.

>>> import flambeau as torch
>>> from flambeau.autograd import forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(torch.tensor([0.5]), torch.tensor([1.0]))
...     forward_ad.unpack_dual(x * x).tangent
tensor([1.])
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any

from ..transforms import forward
from ..transforms.forward import UnpackedDualTensor
from ..transforms.levels import Level

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class _Entered(threading.local):
    """The level that this thread entered by hand, with the context that ends it."""

    level: Level | None = None
    context: AbstractContextManager[Level] | None = None


_entered = _Entered()


def enter_dual_level() -> int:
    """Begins the level that ``exit_dual_level`` ends; its number is 0.

    Raises:
        RuntimeError: there is one already. (``flambeau.func.jvp`` nests.)
    """
    if _entered.level is not None:
        raise RuntimeError("dual levels do not nest; use flambeau.func.jvp within one")
    _entered.context = forward.dual_level()
    _entered.level = _entered.context.__enter__()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the level that ``enter_dual_level`` began.

    Raises:
        RuntimeError: there is none, or it has another number.
    """
    context = _entered.context
    if context is None or level not in (None, 0):
        raise RuntimeError(
            f"exit_dual_level: level {0 if level is None else level} was not entered"
        )
    _entered.level = _entered.context = None
    context.__exit__(None, None, None)


class dual_level:
    """A context in which tensors may have tangents; when it ends, the tangents are gone.

    Example:

        >>> import flambeau as torch
        >>> with torch.autograd.forward_ad.dual_level():
        ...     x = torch.autograd.forward_ad.make_dual(torch.tensor(0.0), torch.tensor(2.0))
        ...     torch.autograd.forward_ad.unpack_dual(x.sin()).tangent
        tensor(2.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: Any) -> None:
        exit_dual_level()


def _level(function: str, number: int | None) -> Level | None:
    """The level of this number; None for the innermost, that of a ``jvp`` perhaps."""
    if number is None:
        return None
    if number != 0 or _entered.level is None:
        raise RuntimeError(f"{function}: there is no dual level {number}")
    return _entered.level


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A view of a tensor with a tangent of the same shape and dtype.

    Raises:
        RuntimeError: the shapes or dtypes differ, or there is no level.
        ValueError: the tensor is neither floating-point nor complex.
    """
    return forward.make_dual(tensor, tangent, _level("make_dual", level))


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """A dual number's primal (a view) and tangent; None where it has none."""
    return forward.unpack_dual(tensor, _level("unpack_dual", level))

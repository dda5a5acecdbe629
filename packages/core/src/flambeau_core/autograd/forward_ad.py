"""Forward mode by hand: dual numbers within a ``dual_level``.

>>> import flambeau as torch
>>> from flambeau.autograd import forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(torch.tensor([0.5]), torch.tensor([1.0]))
...     forward_ad.unpack_dual(x * x).tangent
tensor([1.])
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ..transforms.forward import (
    UnpackedDualTensor,
    dual_level,
    innermost_forward,
    make_dual,
    unpack_dual,
)

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_entered: list[AbstractContextManager[Any]] = []


def enter_dual_level() -> int:
    """Begins a level that ``exit_dual_level`` ends; its number, from 0."""
    context = dual_level()
    context.__enter__()
    _entered.append(context)
    return len(_entered) - 1


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the innermost level that ``enter_dual_level`` began.

    Raises:
        RuntimeError: there is none, or ``level`` is not the innermost.
    """
    innermost_forward()
    if not _entered or (level is not None and level != len(_entered) - 1):
        raise RuntimeError(
            f"exit_dual_level: level {level} is not the innermost of {len(_entered)} that "
            "enter_dual_level began"
        )
    _entered.pop().__exit__(None, None, None)

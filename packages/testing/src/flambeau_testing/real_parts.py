"""Functions of complex numbers as functions of their real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb

__all__ = ["in_real_parts"]


def in_real_parts(
    func: Callable[..., Any], args: Sequence[Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The same function with complex variables and results as real tensors ``(..., 2)``.

    A gradient with respect to such a pair is the real and imaginary part of the complex gradient.
    """
    places = {
        i
        for i, a in enumerate(args)
        if isinstance(a, fb.Tensor) and a.requires_grad and a.is_complex()
    }

    def real_function(*given: Any) -> Any:
        result = func(*(fb.view_as_complex(g) if i in places else g for i, g in enumerate(given)))
        if isinstance(result, tuple | list):
            return tuple(real_part_pairs(r) for r in result)
        return real_part_pairs(result)

    parts = tuple(
        fb.view_as_real(a.detach()).clone().requires_grad_() if i in places else a
        for i, a in enumerate(args)
    )
    return real_function, parts


def real_part_pairs(value: Any) -> Any:
    return fb.view_as_real(value) if isinstance(value, fb.Tensor) and value.is_complex() else value

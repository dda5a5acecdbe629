"""What a transformed function is called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["named_like"]


def named_like(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorates a function with another one's name; its docstring, which ops look up in files,
    costs more than a call and stays behind."""
    return functools.wraps(function, assigned=("__module__", "__name__", "__qualname__"))

"""``flambeau.compile``: PyTorch's call, for programs that make it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["compile"]


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """Returns the function or module itself: ops run as they are called, one by one.

    What PyTorch compiles gives the same values as what it does not, and so does this; nothing is
    fused or reordered. Used without a function it is a decorator. ``fullgraph``, ``dynamic``,
    ``backend``, ``mode`` and ``options`` are accepted and change nothing.

    Raises:
        RuntimeError: both ``mode`` and ``options`` are given.
        TypeError: what is to be compiled cannot be called.

    Example:

        >>> import flambeau as torch
        >>> torch.compile(torch.sin)(torch.tensor(0.0))
        tensor(0.)
    """
    if mode is not None and options is not None:
        raise RuntimeError("compile: either mode or options can be given, not both")
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, disable=disable
        )
    if not callable(model):
        raise TypeError(f"compile: expected a function or a module, got {type(model).__name__}")
    return model

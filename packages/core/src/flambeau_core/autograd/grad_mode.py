"""Context managers and decorators that switch gradient recording."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _C

__all__ = [
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

F = TypeVar("F", bound=Callable[..., Any])


def _decorated(context: Callable[[], Any], f: F) -> F:
    import inspect  # slow to import, and only decorators need it

    if inspect.isgeneratorfunction(f):

        @functools.wraps(f)
        def generator(*args: Any, **kwargs: Any) -> Any:
            # The mode holds while the generator runs, not while its caller does.
            inner = f(*args, **kwargs)
            answer = None
            while True:
                with context():
                    try:
                        item = inner.send(answer)
                    except StopIteration as stop:
                        return stop.value
                answer = yield item

        return generator  # type: ignore[return-value]

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        with context():
            return f(*args, **kwargs)

    return call  # type: ignore[return-value]


class _Mode(_C.GradContext):
    __slots__ = ()
    kind = 0

    def __call__(self, f: F) -> F:
        return _decorated(type(self), f)

    def clone(self) -> _Mode:
        return type(self)()


class no_grad(_Mode):
    """Within it nothing is recorded: results do not require gradients.

    A context manager (``with no_grad():``) and a decorator.

    Example:

        >>> import flambeau as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     y = w * 2
        >>> y.requires_grad
        False
    """

    __slots__ = ()
    kind = 0


class enable_grad(_Mode):
    """Within it recording is on, also inside ``no_grad``.

    Example:

        >>> import flambeau as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad(), torch.enable_grad():
        ...     y = w * 2
        >>> y.requires_grad
        True
    """

    __slots__ = ()
    kind = 1


class _Inference(_Mode):
    __slots__ = ()
    kind = 2


class _Normal(_Mode):
    __slots__ = ()
    kind = 3


class inference_mode:
    """``no_grad`` for code that will never need gradients of its results.

    A context manager and a decorator. ``inference_mode(False)`` is the normal mode again, which
    records, also inside of an outer inference mode.

    Example:

        >>> import flambeau as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> with torch.inference_mode():
        ...     y = w * 2
        >>> y.is_inference()
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        if callable(mode) and not isinstance(mode, bool):
            return _Inference()(mode)
        return _Inference() if mode else _Normal()


class set_grad_enabled:
    """Sets recording on or off, at once; as a context manager, until its end.

    Example:

        >>> import flambeau as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> with torch.set_grad_enabled(False):
        ...     y = w * 2
        >>> y.requires_grad
        False
    """

    def __init__(self, mode: bool) -> None:
        self.previous = _C.is_grad_enabled()
        self.mode = mode
        _C.set_grad_mode(mode)

    def __enter__(self) -> None:
        _C.set_grad_mode(self.mode)

    def __exit__(self, *exc: object) -> None:
        _C.set_grad_mode(self.previous)

    def __call__(self, f: F) -> F:
        _C.set_grad_mode(self.previous)
        return _decorated(lambda: set_grad_enabled(self.mode), f)


class set_multithreading_enabled:
    """Whether backward may spread over threads, at once or for a ``with`` block.

    A pass always runs in the thread that asks for it, so the answer is kept and changes nothing.

    Example:

        >>> import flambeau as torch
        >>> with torch.autograd.set_multithreading_enabled(False):
        ...     pass
    """

    _enabled = True

    def __init__(self, mode: bool) -> None:
        self.prev = set_multithreading_enabled._enabled
        self.mode = mode
        set_multithreading_enabled._enabled = mode

    def __enter__(self) -> None:
        set_multithreading_enabled._enabled = self.mode

    def __exit__(self, *exc: object) -> None:
        set_multithreading_enabled._enabled = self.prev

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)

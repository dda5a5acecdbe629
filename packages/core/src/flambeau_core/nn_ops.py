"""The neural-network ops: the functions beneath ``flambeau.nn.functional``."""

from __future__ import annotations

from typing import Any

from . import _C

# The composed ones register themselves there.
from . import composed as _composed  # noqa: F401

_ops = _C.nn_ops
globals().update((name, op) for name, op in vars(_ops).items() if not name.startswith("__"))


def __getattr__(name: str) -> Any:
    # An op that somebody declared after this module was filled.
    try:
        op = getattr(_ops, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = op
    return op


def __dir__() -> list[str]:
    return [n for n in dir(_ops) if not n.startswith("__")]

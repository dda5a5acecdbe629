"""Which transforms are active: a stack of levels, one a running transform.

A tensor that a transform made belongs to its level; an op goes to the highest
level among its arguments first, which turns it into ops on the levels below.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .. import _C

__all__ = ["Level", "active", "below", "cap", "entered", "levels"]

# Bits of _C.attend; see ops/interception.h.
TRANSFORMS = 4


@dataclass(eq=False)
class Level:
    """One running transform.

    Attributes:
        kind: ``"vmap"``, ``"forward"`` or ``"reverse"``.
        batch_size: of a vmap.
        randomness: of a vmap: ``"error"``, ``"different"`` or ``"same"``.
        number: how deep it is nested; larger numbers are further inside.
        ended: whether it runs no longer.
    """

    kind: str
    batch_size: int = 0
    randomness: str = "error"
    number: int = 0
    ended: bool = False
    # Of forward mode: the tensors that were given tangents.
    duals: list[Any] = field(default_factory=list, repr=False)
    # Those that were written to, kept for the sake of their views.
    written: list[Any] = field(default_factory=list, repr=False)


class _Stack(threading.local):
    def __init__(self) -> None:
        self.levels: list[Level] = []
        self.cap: float = float("inf")


_stack = _Stack()


def levels(kind: str | None = None) -> list[Level]:
    """The active levels, outermost first; of one kind if it is given."""
    return [level for level in _stack.levels if kind is None or level.kind == kind]


def active(level: Level) -> bool:
    """Whether a level is running and not hidden by ``below``."""
    n = level.number
    return n <= _stack.cap and n <= len(_stack.levels) and _stack.levels[n - 1] is level


def cap() -> float:
    """The highest level that ops see at present."""
    return _stack.cap


@contextmanager
def below(level: Level) -> Iterator[None]:
    """Hides a level and all above it: its tensors are taken for what they show."""
    before = _stack.cap
    _stack.cap = min(before, level.number - 1)
    try:
        yield
    finally:
        _stack.cap = before


@contextmanager
def entered(level: Level) -> Iterator[Level]:
    """Runs a transform as the innermost level.

    A transform started by an op of a hidden level lies beneath that level: the
    levels above the cap are laid aside meanwhile.
    """
    stack, before_cap = _stack.levels, _stack.cap
    kept = stack[: int(min(before_cap, len(stack)))]
    _stack.levels, _stack.cap = [*kept, level], float("inf")
    level.number = len(_stack.levels)
    state = _C.attend(TRANSFORMS, 0)
    try:
        yield level
    finally:
        _C.attended(state)
        level.ended = True
        _stack.levels, _stack.cap = stack, before_cap

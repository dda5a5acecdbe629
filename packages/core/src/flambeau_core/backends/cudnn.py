"""NVIDIA's library of neural network kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

enabled = True
benchmark = False
benchmark_limit: int | None = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether cuDNN computes anything here: core itself does not use it."""
    return False


def version() -> int | None:
    """The version of cuDNN in use: none."""
    return None


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN could compute on a tensor: never."""
    return False


@contextmanager
def flags(**switches: Any) -> Iterator[None]:
    """Sets switches of this module inside a ``with`` block."""
    state = globals()
    unknown = [name for name in switches if name not in SWITCHES]
    if unknown:
        raise TypeError(f"cudnn.flags has no switch {unknown[0]!r}: there are {SWITCHES}")
    before = {name: state[name] for name in switches}
    state.update(switches)
    try:
        yield
    finally:
        state.update(before)


SWITCHES = ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32")

"""The default generator of random numbers: seeding it, saving and restoring its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ._C import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


@contextmanager
def fork_rng(
    devices: Sequence[Any] | None = None, enabled: bool = True, device_type: str = "cuda"
) -> Iterator[None]:
    """Puts the generator's state back at the end of the block.

    One generator serves every device, so ``devices`` and ``device_type`` choose nothing.
    """
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)

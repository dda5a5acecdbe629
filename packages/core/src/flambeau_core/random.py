"""The default generator of random numbers: seeding it, saving and restoring its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _C
from ._C import Generator, Tensor, default_generator

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator and returns it.

    Example:

        >>> import flambeau as torch
        >>> generator = torch.manual_seed(7)
        >>> x = torch.rand(3)
        >>> generator = torch.manual_seed(7)
        >>> torch.equal(x, torch.rand(3))
        True
    """
    return _C.manual_seed(seed)


def seed() -> int:
    """Seeds the default generator with a number that the system draws, and returns it.

    Example:

        >>> import flambeau as torch
        >>> torch.seed() == torch.initial_seed()
        True
    """
    return _C.seed()


def initial_seed() -> int:
    """The seed of the default generator.

    Example:

        >>> import flambeau as torch
        >>> generator = torch.manual_seed(7)
        >>> torch.initial_seed()
        7
    """
    return _C.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state as a uint8 tensor, for set_rng_state.

    Example:

        >>> import flambeau as torch
        >>> torch.get_rng_state().dtype
        flambeau.uint8
    """
    return _C.get_rng_state()


def set_rng_state(new_state: Tensor) -> None:
    """Takes the default generator back to a state that get_rng_state told.

    Example:

        >>> import flambeau as torch
        >>> state = torch.get_rng_state()
        >>> x = torch.rand(3)
        >>> torch.set_rng_state(state)
        >>> torch.equal(x, torch.rand(3))
        True
    """
    _C.set_rng_state(new_state)


@contextmanager
def fork_rng(
    devices: Sequence[Any] | None = None, enabled: bool = True, device_type: str = "cuda"
) -> Iterator[None]:
    """Puts the generator's state back at the end of the block.

    One generator serves every device, so ``devices`` and ``device_type`` choose nothing.

    Example:

        >>> import flambeau as torch
        >>> with torch.random.fork_rng():
        ...     x = torch.rand(3)
        >>> torch.equal(x, torch.rand(3))
        True
    """
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)

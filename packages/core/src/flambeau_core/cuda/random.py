"""Seeds of CUDA devices: one generator of core's serves all devices."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.cuda.device import is_available, require


def manual_seed_all(seed: int) -> None:
    """Seeds the generator of the CUDA devices; without a device there is nothing to seed."""
    if is_available():
        fb.manual_seed(seed)


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current CUDA device."""
    manual_seed_all(seed)


def seed_all() -> None:
    """Seeds the generator of the CUDA devices from the operating system's entropy."""
    if is_available():
        fb.seed()


def seed() -> None:
    """Seeds the generator of the current CUDA device from the system's entropy."""
    seed_all()


def initial_seed() -> int:
    """The seed that the generator was last given; RuntimeError without a device."""
    require()
    return int(fb.initial_seed())


def get_rng_state(device: Any = None) -> Any:
    """The state of the generator, for set_rng_state."""
    require()
    return fb.get_rng_state()


def set_rng_state(new_state: Any, device: Any = None) -> None:
    """Brings back a state that get_rng_state gave; RuntimeError without a device."""
    require()
    fb.set_rng_state(new_state)

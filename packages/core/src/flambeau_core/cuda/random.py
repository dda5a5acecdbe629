"""Seeds of CUDA devices: random numbers come from core's generators whatever the device."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.cuda.device import is_available


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all CUDA devices; without a device there is nothing to seed."""
    if is_available():
        fb._C.seed_device("cuda", int(seed))


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current CUDA device."""
    manual_seed_all(seed)


def seed_all() -> None:
    """Seeds the generators of all CUDA devices with a number of the operating system's."""
    import secrets

    manual_seed_all(secrets.randbits(63))


def seed() -> None:
    seed_all()

"""Whether kernels that a device lacks may run on the CPU, with copies there and back."""

from __future__ import annotations

import os

VARIABLE = "FLAMBEAU_CPU_FALLBACK"

_set_by_user = False


def set_cpu_fallback(enabled: bool) -> None:
    """Lets kernels that a device's backend lacks run on the CPU; warns at the first one.

    Off by default, since a silent fallback hides why a program is slow. The environment variable
    ``FLAMBEAU_CPU_FALLBACK=1`` switches it on from outside.

    Example:

        >>> import flambeau as torch
        >>> torch.set_cpu_fallback(False)
    """
    global _set_by_user
    from flambeau_core import _C

    _C.set_cpu_fallback(bool(enabled))
    _set_by_user = True


def apply_environment() -> None:
    """Called when a device is first opened; a call of set_cpu_fallback weighs more."""
    if not _set_by_user and VARIABLE in os.environ:
        from flambeau_core import _C

        _C.set_cpu_fallback(os.environ[VARIABLE] not in ("", "0"))

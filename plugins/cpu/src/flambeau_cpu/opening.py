"""Loading the native kernels, with an OpenMP that waits politely.

By default GNU's OpenMP lets threads spin for milliseconds at the ends of every
parallel loop. Where other programs want the processors, that makes small loops
up to eighty times slower. A spin of about a microsecond keeps nearly all that
spinning gains on a quiet machine, and costs little on a busy one.
"""

from __future__ import annotations

import os
from typing import Any

from flambeau_cpu.lapack import numpy_module

__all__ = ["backend"]

# Read by the OpenMP library once, when it is loaded.
_SPIN = "GOMP_SPINCOUNT"
_ROUNDS = "300"


def _load() -> Any:
    """The capsule of the backend's table; the environment is left as it was."""
    chosen = _SPIN in os.environ or "OMP_WAIT_POLICY" in os.environ
    if not chosen:
        os.environ[_SPIN] = _ROUNDS
    try:
        from . import _C
    finally:
        if not chosen:
            del os.environ[_SPIN]
    _C.set_lapack_module(numpy_module())
    return _C.backend


backend = _load()

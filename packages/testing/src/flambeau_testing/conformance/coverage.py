"""Which kernels of the contract a backend supplies, and what becomes of the others."""

from __future__ import annotations

from dataclasses import dataclass

import flambeau_core as fb

__all__ = ["Coverage", "measure"]

DTYPES = (fb.float32, fb.float64, fb.int64, fb.bool, fb.complex64)


@dataclass(frozen=True)
class Coverage:
    """Kernels by what they are to a backend, each as it stands in `flambeau/kernels.h`."""

    supplied: tuple[str, ...]
    composed: tuple[str, ...]
    borrowed: tuple[str, ...]
    missing: tuple[str, ...]

    def lines(self) -> list[str]:
        """A summary for a person."""
        return [
            f"{len(self.supplied)} kernels supplied by the backend",
            f"{len(self.composed)} composed of others: {listed(self.composed)}",
            f"{len(self.borrowed)} borrowed of another backend: {listed(self.borrowed)}",
            f"{len(self.missing)} primitives missing: {listed(self.missing)}",
        ]


def listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else "none"


def measure(device: str) -> Coverage:
    """Ask the backend of a device for every kernel, in one dtype of each kind.

    Those that it has in none of them are composed, or borrowed of a backend that serves the same
    host memory. Other primitive kernels are missing: they run only with the CPU fallback.
    """
    supplied, composed, borrowed, missing = [], [], [], []
    device_type = fb.device(device).type
    for name, _, level, *_ in fb._C.kernel_rows():
        if any(fb._C.has_kernel(device_type, name, dtype) for dtype in DTYPES):
            supplied.append(name)
        elif level == "c":
            composed.append(name)
        elif any(fb._C.borrows_kernel(device_type, name, dtype) for dtype in DTYPES):
            borrowed.append(name)
        else:
            missing.append(name)
    return Coverage(tuple(supplied), tuple(composed), tuple(borrowed), tuple(missing))

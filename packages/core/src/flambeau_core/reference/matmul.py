"""Batched matrix product."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array, load, store
from flambeau_core.reference.table import Kernel


def matmul(xp: Any, out: Array, a: Array, b: Array) -> None:
    store(xp, out, xp.matmul(load(xp, a), load(xp, b)))


KERNELS = {"matmul": Kernel(matmul, "ifc")}

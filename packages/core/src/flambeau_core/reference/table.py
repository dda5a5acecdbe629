"""What a kernel row of this backend holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

KINDS = {"bool": "b", "bfloat16": "f", "complex64": "c", "complex128": "c"}


class Kernel(NamedTuple):
    """A function ``(xp, *outs, *ins, **params)`` and the kinds of dtype it serves.

    Kinds: b bool, i integer, f floating, c complex (of the first input).
    """

    function: Callable[..., None]
    kinds: str


def dtype_kind(dtype: str) -> str:
    return KINDS.get(dtype, "f" if dtype.startswith("float") else "i")

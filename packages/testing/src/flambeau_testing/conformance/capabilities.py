"""What a device can do, found out by trying."""

from __future__ import annotations

from dataclasses import dataclass

import flambeau_core as fb

__all__ = ["DTYPES", "Capabilities", "probe"]

DTYPES = (
    *("float32", "float64", "float16", "bfloat16"),
    *("int64", "int32", "int16", "int8", "uint8", "bool"),
)


@dataclass(frozen=True)
class Capabilities:
    """`arithmetic` names the dtypes in which the device can add."""

    device: str
    arithmetic: frozenset[str]

    def why_not(self, dtype: str) -> str | None:
        """The reason to skip a test in a dtype, if there is one."""
        if dtype in self.arithmetic:
            return None
        return f"{self.device} has no arithmetic in {dtype}"


def probe(device: str) -> Capabilities:
    """Try every dtype; raises what opening the device raises."""
    fb.zeros(1, device=device)
    able = set()
    for name in DTYPES:
        try:
            one = fb.ones(2, dtype=getattr(fb, name), device=device)
            able.add(name) if (one + one).dtype == one.dtype else None
        except NotImplementedError:
            continue
    return Capabilities(device, frozenset(able))

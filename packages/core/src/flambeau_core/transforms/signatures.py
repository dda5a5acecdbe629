"""The parameters of an op, read from its schemas."""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["parameters"]


@functools.cache
def parameters(op: Any, overload: int) -> tuple[tuple[str, str], ...]:
    """Name and type of each parameter, in the order in which rules see the arguments."""
    schema = op.schemas[overload]
    inside = schema[schema.index("(") + 1 : schema.rindex(")")]
    found = []
    for part in _split(inside):
        if part == "*" or part.startswith("any out="):
            continue
        kind, name = part.split("=")[0].split(" ")
        found.append((name, kind))
    return tuple(found)


def _split(text: str) -> list[str]:
    """The parts between the commas that stand outside of brackets and quotes."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [p for p in [*parts, text[start:].strip()] if p]

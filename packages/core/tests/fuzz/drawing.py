"""Draws of small things: a number, one of several, a shape, an array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

T = TypeVar("T")
LENGTHS = [0, 1, 1, 2, 2, 3, 3, 4, 5]
DTYPES = {
    "float64": np.float64,
    "float32": np.float32,
    "int64": np.int64,
    "int32": np.int32,
    "uint8": np.uint8,
    "bool": np.bool_,
    "complex128": np.complex128,
}
# Sizes from which kernels share their work between threads.
LARGE = [(70001,), (3, 23003), (257, 263), (40000, 2)]


class Drawing:
    """Hypothesis's draws under short names, so that what fails is made smaller."""

    def __init__(self, data: st.DataObject, large: bool = False) -> None:
        self.data = data
        self.large = large

    def integer(self, low: int, high: int) -> int:
        return self.data.draw(st.integers(low, high))

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """Shrinks to False."""
        return self.integer(0, 99) >= 100 - percent

    def subset(self, options: Sequence[T]) -> list[T]:
        return [x for x in options if self.chance(50)]

    def order(self, length: int) -> list[int]:
        return self.data.draw(st.permutations(range(length)))

    def shape(self, most: int = 4) -> tuple[int, ...]:
        if self.large and self.chance(40):
            return self.choice(LARGE)
        return tuple(self.choice(LENGTHS) for _ in range(self.integer(0, most)))

    def array(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Values of a modest size; those of a float are no whole numbers."""
        values = np.random.default_rng(self.integer(0, 2**16))
        if dtype == "bool":
            return np.asarray(values.random(shape) < 0.5)
        if dtype in ("int64", "int32"):
            return np.asarray(values.integers(-4, 6, shape), dtype)
        if dtype == "uint8":
            return np.asarray(values.integers(0, 9, shape), dtype)
        real = values.uniform(-2, 2, shape)
        if dtype == "complex128":
            return np.asarray(real + 1j * values.uniform(-2, 2, shape))
        return np.asarray(real, dtype)

    def scalar(self, kinds: str = "ifbc") -> Any:
        return {
            "i": lambda: self.integer(-3, 5),
            "f": lambda: self.integer(-20, 20) / 8 + 0.0625,
            "b": lambda: self.chance(50),
            "c": lambda: complex(self.integer(-3, 3) / 2, self.integer(-3, 3) / 2 + 0.25),
        }[self.choice(kinds)]()

    def dimension(self, rank: int) -> int:
        """Nearly always within range."""
        slack = int(self.chance(3))
        low = max(rank, 1)
        return self.integer(-low - slack, low - 1 + slack)

    def slice_(self, length: int) -> slice:
        ends = [None if self.chance(40) else self.integer(-length - 1, length + 1) for _ in "ab"]
        return slice(ends[0], ends[1], self.choice([None, 1, 2, 3]))

    def factors(self, count: int) -> tuple[int, ...]:
        """A shape of so many elements; now and then of some others."""
        if self.chance(4):
            return self.shape()
        shape: list[int] = []
        left = count
        while left > 1 and len(shape) < 3:
            part = self.choice([n for n in range(1, 6) if left % n == 0] + [left])
            shape.append(part)
            left //= part
        shape.append(left)
        return tuple(shape[i] for i in self.order(len(shape)))


def count(shape: Sequence[int]) -> int:
    return math.prod(shape)

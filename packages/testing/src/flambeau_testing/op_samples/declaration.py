"""The form of a declaration, and how its samples become tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import flambeau_core as fb

__all__ = [
    "FLOATS",
    "INTEGERS",
    "NUMBERS",
    "Array",
    "Declaration",
    "Constant",
    "Sample",
    "map_arguments",
]

Array = np.ndarray[Any, Any]
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
NUMBERS = (*FLOATS, *INTEGERS)


class Constant:
    """An argument without a gradient; whole numbers and truth values keep their own dtype."""

    def __init__(self, values: Any) -> None:
        self.values: Array = np.asarray(values)


@dataclass(frozen=True)
class Sample:
    """The arguments of one call; floating arrays stand for tensors of the dtype under test."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Declaration:
    """An op under test.

    `reference` is the same op on NumPy arrays in double precision, written independently;
    `samples` makes its inputs from a NumPy generator. `differentiable` says whether the op has a
    gradient, whose own derivative is checked too; `inplace` whether the method with an underscore
    exists, `strided` whether inputs may have any layout in memory. `widen` multiplies the
    tolerance for ops that lose digits by nature. `call` stands in for the op where the checks need
    its arguments or results in another form, such as complex numbers in parts.
    """

    name: str
    reference: Callable[..., Any]
    samples: Callable[[np.random.Generator], Iterable[Sample]]
    dtypes: tuple[str, ...] = FLOATS
    differentiable: bool = True
    inplace: bool = False
    strided: bool = True
    namespace: str = ""
    widen: float = 1.0
    method: str | None = None
    call: Callable[..., Any] | None = None

    @property
    def id(self) -> str:
        return f"{self.namespace}.{self.name}" if self.namespace else self.name

    @property
    def function(self) -> Callable[..., Any]:
        """The op itself; ops that exist as methods only are called on their first argument."""
        if self.call is not None:
            return self.call
        if self.method is not None:
            name = self.method
            return lambda first, *rest, **named: getattr(first, name)(*rest, **named)
        owner = getattr(fb, self.namespace) if self.namespace else fb
        found: Callable[..., Any] = getattr(owner, self.name)
        return found

    def drawn(self) -> list[Sample]:
        return list(self.samples(np.random.default_rng(20240229)))


def map_arguments(sample: Sample, change: Callable[[Any], Any]) -> Sample:
    """The sample with every array, also inside of lists, replaced."""

    def visit(value: Any) -> Any:
        if isinstance(value, np.ndarray | Constant):
            return change(value)
        if isinstance(value, list):
            return [visit(item) for item in value]
        return value

    args = tuple(visit(value) for value in sample.args)
    return Sample(args, {key: visit(value) for key, value in sample.kwargs.items()})

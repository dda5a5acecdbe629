"""A program over tensors and over their models, which are NumPy arrays that share memory alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import flambeau_core as fb

from .drawing import DTYPES, Drawing

REFUSALS = (RuntimeError, ValueError, TypeError, IndexError)
OVERLAP = "single memory location"
# Beyond it a tensor is calmed, lest a conversion to integers means nothing.
LIVELY = 100.0


@dataclass
class Memory:
    """What views share: a model's bytes and the count of the writes to them."""

    flat: np.ndarray
    version: int = 0


@dataclass(eq=False)
class Pair:
    tensor: fb.Tensor
    array: np.ndarray
    memory: Memory
    number: int

    @property
    def offset(self) -> int:
        """In elements of its own dtype."""
        return (address(self.array) - address(self.memory.flat)) // self.array.itemsize

    def repeats(self) -> bool:
        """One place in memory stands at several positions along a dimension."""
        return repeats(self.array)

    def overlaps_itself(self) -> bool:
        places = places_of(self.array)
        return len(np.unique(places)) < places.size


def repeats(array: np.ndarray) -> bool:
    return bool(array.size) and any(n > 1 and s == 0 for n, s in zip(array.shape, array.strides))


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def places_of(array: np.ndarray) -> np.ndarray:
    """The distance in bytes of every element from the first."""
    places = np.zeros((), np.int64)
    for n, stride in zip(array.shape, array.strides):
        places = places[..., None] + np.arange(n) * stride
    return places


class Program:
    def __init__(self, draw: Drawing) -> None:
        self.draw = draw
        self.pairs: list[Pair] = []
        self.log: list[str] = []
        self.count = 0

    # What there is to work on.

    def create(self, shape: tuple[int, ...] | None = None, dtype: str | None = None) -> Pair:
        draw = self.draw
        shape = draw.shape() if shape is None else shape
        dtype = dtype or draw.choice(["float64", "float64", *DTYPES])
        return self.add(draw.array(shape, dtype), f"create {dtype}{list(shape)}")

    def add(self, array: np.ndarray, why: str) -> Pair:
        """A new tensor with these values, in memory of its own."""
        array = np.array(array, order="C")
        tensor = fb.from_numpy(array.copy())
        return self.keep(tensor, array, Memory(array.reshape(-1)), why)

    def keep(self, tensor: fb.Tensor, array: np.ndarray, memory: Memory, why: str) -> Pair:
        self.count += 1
        pair = Pair(tensor, array, memory, self.count)
        self.log.append(f"{why} -> #{pair.number}")
        self.pairs.append(pair)
        return pair

    def pick(self, wanted: Callable[[Pair], bool] = lambda pair: True) -> Pair:
        """One of the latest, or a new one of float64 if none is as wanted."""
        fitting = [pair for pair in self.pairs[-8:] if wanted(pair)]
        if not fitting:
            pair = self.create((2, 3), "float64")
            return pair if wanted(pair) else self.create((2, 3), "int64")
        return self.draw.choice(fitting[::-1])

    def operand(self, like: np.ndarray) -> Any:
        """The array of a pair that broadcasts with this one, most often; or a number."""
        if self.draw.chance(25):
            return self.draw.scalar()
        fitting = [p for p in self.pairs[-8:] if broadcasts(p.array.shape, like.shape)]
        if self.draw.chance(4) or not fitting:
            fitting = self.pairs[-8:]
        return self.draw.choice(fitting)

    # What a step does.

    def both(self, why: str, ours: Callable[[], Any], model: Callable[[], Any]) -> Any:
        """Both answers, or None where both refuse; that only one does is a fault."""
        self.log.append(why)
        expected = actual = refused = refusal = None
        try:
            expected = model()
        except REFUSALS as error:
            refused = error
        try:
            actual = ours()
        except REFUSALS as error:
            refusal = error
        if refused is not None:
            assert refusal is not None, f"{why}: should be refused: {refused!r}\n{self}"
            return None
        assert refusal is None, f"{why}: was refused: {refusal!r}\n{self}"
        return actual, expected

    def functional(self, why: str, ours: Callable[[], Any], model: Callable[[], Any]) -> None:
        """An op whose results are new tensors; those of the model have the dtypes promised."""
        answer = self.both(why, ours, model)
        if answer is None:
            return
        actual, expected = answer
        if not isinstance(expected, tuple | list):
            actual, expected = [actual], [expected]
        assert len(actual) == len(expected), why
        for tensor, value in zip(actual, expected):
            array = np.array(value, order="C")
            self.compare(tensor, array, why)
            # A tensor that a view or the op itself gave back would share memory: the next
            # writes would show it, since the model has memory of its own.
            array = tensor.detach().clone().numpy()
            if self.lively(array):
                self.keep(tensor, array, Memory(array.ravel("K"), tensor._version), "result")

    def view(self, pair: Pair, why: str, ours: Callable[[], Any], model: Callable[[], Any]) -> None:
        """Views of one tensor: they share its memory, its count of writes, and have a place."""
        answer = self.both(f"#{pair.number}.{why}", ours, model)
        if answer is None:
            return
        actual, expected = answer
        if isinstance(expected, np.ndarray):
            actual, expected = [actual], [expected]
        assert len(actual) == len(expected), why
        for tensor, array in list(zip(actual, expected))[:3]:
            view = self.keep(tensor, array, pair.memory, "view")
            self.compare(tensor, array, why)
            if array.size:
                strides = [s // array.itemsize for s in array.strides]
                alike = zip(tensor.shape, tensor.stride(), strides)
                assert all(a == b for n, a, b in alike if n > 1), (why, tensor.stride(), strides)
                assert tensor.storage_offset() == view.offset, (why, tensor.storage_offset())
            contiguous = not array.size or array.flags.c_contiguous
            assert tensor.is_contiguous() == contiguous, f"{why}: {not contiguous}\n{self}"

    def write(
        self, pair: Pair, why: str, ours: Callable[[], Any], model: Callable[[], Any]
    ) -> None:
        """An op that changes a tensor in place: `model` gives the values to be there after."""
        why = f"#{pair.number}.{why}"
        if pair.overlaps_itself() and not pair.repeats():
            return  # which of the writes to one place is the last is promised by nobody
        if pair.repeats():
            return self.refused_write(pair, why, ours)
        before = pair.array.copy()
        answer = self.both(why, ours, model)
        if answer is None:
            assert np.array_equal(before, pair.tensor.numpy(), equal_nan=True), why
            return
        pair.array[...] = answer[1]
        pair.memory.version += 1

    def refused_write(self, pair: Pair, why: str, ours: Callable[[], Any]) -> None:
        """Into a tensor that repeats its memory: refused, and nothing has changed."""
        self.log.append(why)
        try:
            ours()
        except RuntimeError as error:
            assert OVERLAP in str(error), (why, error)
        except REFUSALS:
            pass
        else:
            raise AssertionError(f"{why}: wrote to memory that repeats\n{self}")

    # What must hold after each step.

    def check(self) -> None:
        for pair in self.pairs:
            self.compare(pair.tensor, pair.array, f"tensor #{pair.number}")
            assert pair.tensor._version == pair.memory.version, f"#{pair.number}\n{self}"
        # What is left between them is rounding, which must not grow from step to step.
        for pair in self.pairs:
            if pair.array.dtype.kind in "fc" and not pair.repeats():
                pair.array[...] = pair.tensor.detach().numpy()
        self.pairs = [pair for pair in self.pairs if self.lively(pair.array)]

    def compare(self, tensor: fb.Tensor, array: np.ndarray, why: str) -> None:
        assert isinstance(tensor, fb.Tensor), f"{why}: {tensor!r}"
        dtype = str(tensor.dtype).partition(".")[2]
        assert dtype == array.dtype.name, f"{why}: {dtype} for {array.dtype}\n{self}"
        assert tuple(tensor.shape) == array.shape, f"{why}: {tensor.shape}, {array.shape}\n{self}"
        values = tensor.detach().resolve_conj().resolve_neg().numpy()
        if array.dtype.kind in "fc":
            error = 1e-9 if array.dtype in (np.float64, np.complex128) else 2e-4
            alike = np.allclose(values, array, error, error, equal_nan=True)
        else:
            alike = np.array_equal(values, array)
        assert alike, f"{why}:\n{values}\nshould be\n{array}\n{self}"

    def lively(self, array: np.ndarray) -> bool:
        if array.dtype.kind == "b" or not array.size:
            return True
        largest = np.abs(array.astype(np.complex128)).max()
        return bool(math.isfinite(largest) and largest <= LIVELY)

    def __str__(self) -> str:
        return "the program:\n  " + "\n  ".join(self.log)


def broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        return math.prod(np.broadcast_shapes(a, b)) < 200_000
    except ValueError:
        return False

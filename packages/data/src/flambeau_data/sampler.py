"""Samplers: iterables of the indices of a dataset, in the order in which to load them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

import flambeau_core as fb

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """The base class; a subclass defines ``__iter__`` and, where it is known, ``__len__``."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ..."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """All indices in random order, or, with ``replacement``, independent draws.

    Args:
        num_samples: how many to give, by default the length of the dataset. Without replacement a
            larger number runs through several permutations.
        generator: the source of the randomness; by default one seeded from the global generator
            whenever an iteration starts.

    Raises:
        TypeError: ``replacement`` is no bool.
        ValueError: ``num_samples`` is no positive integer.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: fb.Generator | None = None,
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _check_num_samples(self.num_samples)

    @property
    def num_samples(self) -> int:
        # A dataset may grow between two epochs.
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = fb.Generator()
            generator.manual_seed(draw_seed(None))
        size = len(self.data_source)
        remaining = self.num_samples
        while remaining > 0:
            if self.replacement:
                # In pieces, so that an endless number of draws takes bounded memory.
                drawn = fb.randint(size, (min(remaining, 4096),), generator=generator)
            else:
                drawn = fb.randperm(size, generator=generator)
            yield from drawn[:remaining].tolist()
            remaining -= len(drawn)

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: fb.Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in fb.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Index i with a probability proportional to ``weights[i]`` (they need not sum to 1).

    Raises:
        ValueError: ``num_samples`` is no positive integer, ``replacement`` no bool, or the weights
            are not one-dimensional.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: fb.Generator | None = None,
    ) -> None:
        _check_num_samples(num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = fb.as_tensor(weights, dtype=fb.float64)
        if len(self.weights.shape) != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = fb.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` indices of another sampler; the last may be shorter.

    Raises:
        ValueError: ``batch_size`` is no positive integer or ``drop_last`` no bool.
    """

    def __init__(
        self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool
    ) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        indices = len(self.sampler)  # type: ignore[arg-type]
        if self.drop_last:
            return indices // self.batch_size
        return -(-indices // self.batch_size)


def draw_seed(generator: fb.Generator | None) -> int:
    """A seed drawn from ``generator``, or from the global one."""
    return int(fb.randint(0, 2**63 - 1, (), dtype=fb.int64, generator=generator).item())


def _check_num_samples(num_samples: Any) -> None:
    if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
        raise ValueError(
            f"num_samples should be a positive integer value, but got num_samples={num_samples}"
        )


__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

"""Datasets: collections of samples by index, and streams of samples."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

import flambeau_core as fb

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """A collection of samples; a subclass defines ``__getitem__`` and, as a rule, ``__len__``.

    It may define ``__getitems__(indices)``, which returns the list of samples of a batch.
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} does not define __getitem__")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """A stream of samples; a subclass defines ``__iter__``.

    Every worker process of a loader iterates over its own copy: ask :func:`get_worker_info` there
    which part to give, or all samples come once a worker.
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__")

    def __add__(self, other: Dataset[T_co]) -> ChainDataset[T_co]:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Row i is the tuple of row i of each tensor.

    Raises:
        AssertionError: the tensors differ in their first dimension.
    """

    tensors: tuple[Any, ...]

    def __init__(self, *tensors: Any) -> None:
        rows = {tensor.shape[0] for tensor in tensors}
        if len(rows) > 1:
            shapes = ", ".join(str(tuple(tensor.shape)) for tensor in tensors)
            raise AssertionError(
                f"Size mismatch between tensors: TensorDataset needs equal first dimensions, "
                f"got the shapes {shapes}"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

    def gather(self, indices: Sequence[int]) -> list[Any]:
        """The rows ``indices`` stacked: what collating the samples gives, by one op a tensor."""
        rows = fb.tensor(indices, dtype=fb.int64)
        return [tensor[rows] for tensor in self.tensors]


class StackDataset(Dataset[Any]):
    """Sample i holds sample i of each dataset: a tuple, or a dict where they came by keyword.

    Raises:
        ValueError: no dataset, both kinds of arguments, or datasets of different lengths.
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError("StackDataset takes datasets by position or by keyword, not both")
        if not args and not kwargs:
            raise ValueError("StackDataset: at least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = [len(dataset) for dataset in self._parts()]
        if len(set(lengths)) > 1:
            raise ValueError(f"Size mismatch between datasets: StackDataset got {lengths}")
        self._length = lengths[0]

    def _parts(self) -> list[Any]:
        parts = self.datasets.values() if isinstance(self.datasets, dict) else self.datasets
        return list(parts)

    def _assemble(self, values: Sequence[Any]) -> Any:
        if isinstance(self.datasets, dict):
            return dict(zip(self.datasets, values, strict=True))
        return tuple(values)

    def __getitem__(self, index: Any) -> Any:
        return self._assemble([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        columns = [fetch_samples(dataset, indices) for dataset in self._parts()]
        return [self._assemble(row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """The samples of several datasets one after the other.

    Raises:
        AssertionError: there is no dataset, or one is a stream.
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        for dataset in self.datasets:
            if isinstance(dataset, IterableDataset):
                raise AssertionError(
                    "ConcatDataset does not support IterableDataset: use ChainDataset"
                )
        self.cumulative_sizes = list(accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T_co:
        length = len(self)
        position = index + length if index < 0 else index
        if position < 0:
            raise ValueError(f"index {index} is out of range for a dataset of {length} samples")
        part = bisect_right(self.cumulative_sizes, position)
        if part == len(self.datasets):
            raise IndexError(f"index {index} is out of range for a dataset of {length} samples")
        before = self.cumulative_sizes[part - 1] if part else 0
        sample: T_co = self.datasets[part][position - before]
        return sample


class ChainDataset(IterableDataset[T_co]):
    """The samples of several streams one after the other."""

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(
                    f"ChainDataset only supports IterableDataset, got {type(dataset).__name__}"
                )
            yield dataset

    def __iter__(self) -> Iterator[T_co]:
        for stream in self._streams():
            yield from stream

    def __len__(self) -> int:
        return sum(len(stream) for stream in self._streams())


class Subset(Dataset[T_co]):
    """The samples ``indices`` of ``dataset``, in that order."""

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> T_co:
        if isinstance(index, list):
            sample: T_co = self.dataset[[self.indices[i] for i in index]]
        else:
            sample = self.dataset[self.indices[index]]
        return sample

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        return fetch_samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def fetch_samples(dataset: Any, indices: list[Any]) -> list[Any]:
    """The samples of a batch, by ``__getitems__`` where the dataset has it."""
    fetch_all = getattr(dataset, "__getitems__", None)
    if fetch_all is None:
        return [dataset[index] for index in indices]
    samples: list[Any] = fetch_all(indices)
    if len(samples) != len(indices):
        raise ValueError(
            f"{type(dataset).__name__}.__getitems__ returned {len(samples)} samples for "
            f"{len(indices)} indices"
        )
    return samples


__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
]

"""DataLoader: batches of a dataset, loaded here or by worker processes."""

from __future__ import annotations

import itertools
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import flambeau_core as fb

from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .iteration import MultiProcessIterator, SingleProcessIterator
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

T_co = TypeVar("T_co", covariant=True)

_FIXED = frozenset(
    ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
)


class _EndlessSampler(Sampler[None]):
    """A stream has no indices, only places in a batch."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T_co]):
    """Iterates over a dataset in batches; each iteration is a new pass.

    Args:
        dataset: anything with ``__getitem__`` and ``__len__``, or an :class:`IterableDataset`.
        batch_size: samples a batch; None gives the samples one by one, not collated.
        shuffle: a new random order every pass.
        sampler: the indices to load, in order, instead of ``shuffle``.
        batch_sampler: lists of indices, instead of ``batch_size``, ``shuffle``, ``sampler`` and
            ``drop_last``.
        num_workers: processes that load; 0 loads in this one.
        collate_fn: makes a batch of a list of samples, by default :func:`default_collate`.
        pin_memory: put batches into page-locked memory, where there is an accelerator.
        drop_last: leave out a last batch that is not full.
        timeout: seconds to wait for a batch of a worker; 0 waits for ever.
        worker_init_fn: called in every worker with its number, after it was seeded.
        multiprocessing_context: a start method or context; by default ``fork`` on Linux.
        generator: the source of the order and of the workers' seeds.
        prefetch_factor: batches a worker that are loaded ahead, by default 2.
        persistent_workers: keep the workers from one pass to the next.
        in_order: False gives batches as they are done.

    Raises:
        ValueError: arguments out of their range, or that exclude each other.
    """

    dataset: Any
    batch_size: int | None
    sampler: Any
    batch_sampler: Any
    _started = False

    def __init__(
        self,
        dataset: Dataset[T_co] | Sequence[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: fb.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if isinstance(dataset, IterableDataset):
            _check_stream(shuffle, sampler, batch_sampler)
        _check_batching(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.persistent_workers = persistent_workers
        self.in_order = in_order

        self.sampler = sampler if sampler is not None else self._default_sampler(bool(shuffle))
        self.drop_last = drop_last
        self.batch_size = batch_size
        self.batch_sampler = batch_sampler
        if batch_sampler is not None:
            self.batch_size = None
        elif batch_size is not None:
            self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self._iterator: MultiProcessIterator | None = None
        self._started = True

    def _default_sampler(self, shuffle: bool) -> Sampler[Any]:
        if isinstance(self.dataset, IterableDataset):
            return _EndlessSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    @property
    def multiprocessing_context(self) -> Any:
        return self._multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            if self.num_workers == 0:
                raise ValueError(
                    "multiprocessing_context can only be used with worker processes, "
                    "but num_workers=0"
                )
            if isinstance(context, str):
                methods = multiprocessing.get_all_start_methods()
                if context not in methods:
                    raise ValueError(
                        f"multiprocessing_context should be one of {methods}, got {context!r}"
                    )
                context = multiprocessing.get_context(context)
            elif not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError(
                    "multiprocessing_context should be a context or the name of a start method, "
                    f"got {context!r}"
                )
        self._multiprocessing_context = context

    def _process_context(self) -> Any:
        if self._multiprocessing_context is not None:
            return self._multiprocessing_context
        if sys.platform == "linux" and multiprocessing.get_start_method(allow_none=True) is None:
            # The dataset then need not be pickled, and its memory is shared.
            return multiprocessing.get_context("fork")
        return multiprocessing.get_context()

    def __setattr__(self, name: str, value: Any) -> None:
        if self._started and name in _FIXED:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers == 0:
            return SingleProcessIterator(self)
        if not self.persistent_workers:
            return MultiProcessIterator(self)
        if self._iterator is None or self._iterator.closed:
            self._iterator = MultiProcessIterator(self)
        else:
            self._iterator.restart()
        return self._iterator

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self._index_sampler)
        samples = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return samples
        return samples // self.batch_size if self.drop_last else -(-samples // self.batch_size)

    def __getstate__(self) -> dict[str, Any]:
        # Worker processes stay with the loader that started them.
        return {**self.__dict__, "_iterator": None}


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(f"num_workers option should be non-negative, got {num_workers}")
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative, got {timeout}")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor needs worker processes: set num_workers > 0")
    if prefetch_factor is not None and prefetch_factor < 1:
        raise ValueError(f"prefetch_factor option should be positive, got {prefetch_factor}")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_stream(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    options = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, "
                f"but got {name}={value}"
            )


def _check_batching(
    batch_size: int | None,
    shuffle: bool | None,
    sampler: Any,
    batch_sampler: Any,
    drop_last: bool,
) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (
        batch_size != 1 or shuffle or sampler is not None or drop_last
    ):
        raise ValueError(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
            "and drop_last"
        )
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


__all__ = [
    "DataLoader",
    "default_collate",
    "default_convert",
]

"""One pass over a loader, in this process or with workers."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from flambeau_core import Generator

from .fetch import EndOfStream, make_fetch
from .pin_memory import pinning
from .sampler import draw_seed
from .worker import WorkerPlan
from .worker_error import WorkerError
from .worker_pool import WorkerPool


class Loader(Protocol):
    """What an iterator asks of its loader."""

    dataset: Any
    collate_fn: Any
    drop_last: bool
    generator: Generator | None
    in_order: bool
    num_workers: int
    persistent_workers: bool
    pin_memory: bool
    prefetch_factor: int | None
    timeout: float
    worker_init_fn: Callable[[int], Any] | None

    @property
    def _auto_collation(self) -> bool: ...
    @property
    def _index_sampler(self) -> Any: ...
    def _process_context(self) -> Any: ...
    def __len__(self) -> int: ...


class SingleProcessIterator(Iterator[Any]):
    """Loads each batch when it is asked for."""

    def __init__(self, loader: Loader) -> None:
        # Drawn although nobody needs it: the random stream then does not depend on num_workers.
        draw_seed(loader.generator)
        self._loader = loader
        self._indices = iter(loader._index_sampler)
        self._fetch = make_fetch(
            loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last
        )
        self._pin = pinning(loader.pin_memory)

    def __iter__(self) -> SingleProcessIterator:
        return self

    def __next__(self) -> Any:
        indices = next(self._indices)
        try:
            batch = self._fetch(indices)
        except EndOfStream:
            raise StopIteration from None
        return batch if self._pin is None else self._pin(batch)

    def __len__(self) -> int:
        return len(self._loader)


class MultiProcessIterator(Iterator[Any]):
    """Keeps ``prefetch_factor`` batches a worker on their way.

    Batch i is the work of worker i modulo their number, and batches come in the order of the
    sampler, whichever worker is faster (unless the loader says ``in_order=False``). A worker gets
    its next task when its last answer has been taken.
    """

    def __init__(self, loader: Loader) -> None:
        assert loader.prefetch_factor is not None
        plan = WorkerPlan(
            loader.dataset,
            loader._auto_collation,
            loader.collate_fn,
            loader.drop_last,
            loader.num_workers,
            draw_seed(loader.generator),
            loader.worker_init_fn,
        )
        self._loader = loader
        self._pin = pinning(loader.pin_memory)
        self._pool = WorkerPool(loader._process_context(), plan, loader.prefetch_factor)
        # Runs when this iterator is dropped and, at the latest, before the interpreter exits.
        self._close: Callable[[], Any] = weakref.finalize(self, self._pool.close)
        self._begin()

    def _begin(self) -> None:
        self._indices = iter(self._loader._index_sampler)
        self._waiting: deque[int] = deque()  # the workers whose answers are due, in order
        for _ in range(self._loader.prefetch_factor or 0):
            for worker_id in range(self._loader.num_workers):
                self._assign(worker_id)

    def restart(self) -> None:
        """Begin the next epoch with the same workers."""
        self._pool.start_epoch(self._loader.timeout)
        self._begin()

    def _assign(self, worker_id: int) -> None:
        try:
            indices = next(self._indices)
        except StopIteration:
            return
        self._pool.send(worker_id, indices)
        self._waiting.append(worker_id)

    def __iter__(self) -> MultiProcessIterator:
        return self

    def __next__(self) -> Any:
        while self._waiting and not self._pool.closed:
            worker_id, packed = self._next_answer()
            try:
                value = self._pool.unpack(worker_id, packed)
            except BaseException:
                self._assign(worker_id)
                raise
            if isinstance(value, EndOfStream):
                continue
            self._assign(worker_id)
            if isinstance(value, WorkerError):
                value.reraise()
            return value if self._pin is None else self._pin(value)
        if not self._loader.persistent_workers:
            self._close()
        raise StopIteration

    def _next_answer(self) -> tuple[int, Any]:
        due = [self._waiting[0]] if self._loader.in_order else self._waiting
        worker_id, packed = self._pool.receive(due, self._loader.timeout)
        self._waiting.remove(worker_id)
        return worker_id, packed

    @property
    def closed(self) -> bool:
        """Whether the workers are gone."""
        return self._pool.closed

    def __len__(self) -> int:
        return len(self._loader)

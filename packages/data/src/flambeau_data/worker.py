"""What runs in a worker process of a loader."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import flambeau_core as fb

from .fetch import EndOfStream, Fetch, make_fetch
from .outbox import Outbox
from .transport import BatchSender
from .worker_error import WorkerError

# How often an idle worker looks whether its parent is still there.
_PARENT_CHECK_SECONDS = 5.0


@dataclass
class WorkerInfo:
    """Which worker this process is.

    Attributes:
        id: its number, from 0.
        num_workers: how many there are.
        seed: what the random generators of this worker were seeded with.
        dataset: this process's copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """The :class:`WorkerInfo` of this worker process; None in the main process."""
    return _info


@dataclass(frozen=True)
class WorkerPlan:
    """All that a worker needs to know, besides its number."""

    dataset: Any
    auto_collation: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool
    num_workers: int
    base_seed: int
    init_fn: Callable[[int], Any] | None


@dataclass(frozen=True)
class Task:
    """Load what ``indices`` says and put it into ``slot``."""

    indices: Any
    slot: int


class NextEpoch:
    """Start over: a stream is iterated anew."""


def run_worker(connection: Connection, worker_id: int, plan: WorkerPlan) -> None:
    """Answer tasks until the loader hangs up or is gone."""
    # Ctrl-C reaches the whole process group; the loader's process alone acts on it.
    signal.signal(signal.SIGINT, lambda signum, frame: None)
    sender = BatchSender(connection)
    outbox = Outbox(connection, sender)
    worker = _Worker(worker_id, plan)
    for request in _requests(connection):
        if isinstance(request, NextEpoch):
            worker.start_epoch()
        else:
            outbox.put(_answer(worker, sender, request))
    outbox.close()


def _requests(connection: Connection) -> Any:
    parent = multiprocessing.parent_process()
    parent_id = os.getppid()
    while True:
        try:
            if connection.poll(_PARENT_CHECK_SECONDS):
                yield connection.recv()
                continue
        except (EOFError, OSError):
            return
        if os.getppid() != parent_id or (parent is not None and not parent.is_alive()):
            return


def _answer(worker: _Worker, sender: BatchSender, task: Task) -> Any:
    value = worker.load(task.indices)
    try:
        return sender.pack(value, task.slot)
    except Exception as error:
        return sender.pack(WorkerError.capture(error, worker.where), task.slot)


class _Worker:
    """Loads batches, and turns exceptions into answers."""

    def __init__(self, worker_id: int, plan: WorkerPlan) -> None:
        self.where = f"in DataLoader worker process {worker_id}"
        self._plan = plan
        self._fetch: Fetch | None = None
        self._error: WorkerError | None = None
        self._ended = False
        try:
            self._prepare(worker_id)
        except Exception as error:
            self._error = WorkerError.capture(error, self.where)
        else:
            self.start_epoch()

    def _prepare(self, worker_id: int) -> None:
        global _info
        plan = self._plan
        # The threads of a forked process are gone, and the workers are parallel enough.
        fb.set_num_threads(1)
        seed = plan.base_seed + worker_id
        random.seed(seed)
        fb.manual_seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF])
        _info = WorkerInfo(worker_id, plan.num_workers, seed, plan.dataset)
        if plan.init_fn is not None:
            plan.init_fn(worker_id)

    def start_epoch(self) -> None:
        plan = self._plan
        self._ended = False
        if self._error is not None and self._fetch is None:
            return
        self._error = None
        try:
            self._fetch = make_fetch(
                plan.dataset, plan.auto_collation, plan.collate_fn, plan.drop_last
            )
        except Exception as error:
            self._error = WorkerError.capture(error, self.where)

    def load(self, indices: Any) -> Any:
        if self._ended:
            return EndOfStream()
        if self._error is not None or self._fetch is None:
            return self._error
        try:
            return self._fetch(indices)
        except EndOfStream as end:
            self._ended = True
            return end
        except Exception as error:
            return WorkerError.capture(error, self.where)

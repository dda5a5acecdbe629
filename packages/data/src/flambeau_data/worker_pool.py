"""The worker processes of a loader, as the loader sees them."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Iterable
from multiprocessing.connection import Connection, wait
from typing import Any

from .transport import BatchReceiver
from .worker import NextEpoch, Task, WorkerPlan, run_worker

# What a worker that is busy with the user's code gets to finish, before it is terminated; and what
# it gets when the iteration has failed anyway.
_GRACE_SECONDS = 5.0
_GRACE_AFTER_DEATH_SECONDS = 0.5


class _WorkerHandle:
    """One worker: its process, the connection, and how many tasks it has not answered yet."""

    def __init__(self, context: Any, worker_id: int, plan: WorkerPlan) -> None:
        self.connection, theirs = context.Pipe(duplex=True)
        self.process = context.Process(
            target=run_worker, args=(theirs, worker_id, plan), daemon=True
        )
        self.process.start()
        # Only the worker may hold its end, or its death would not close the connection.
        theirs.close()
        self.receiver = BatchReceiver(self.connection)
        self.sent = 0
        self.pending = 0


class WorkerPool:
    """Starts the workers, passes tasks and answers, notices deaths, and shuts down.

    A worker has at most ``tasks_in_flight`` unanswered tasks, which use that many slots in turn.
    """

    def __init__(self, context: Any, plan: WorkerPlan, tasks_in_flight: int) -> None:
        self._owner = os.getpid()
        self._tasks_in_flight = tasks_in_flight
        self._workers: list[_WorkerHandle] = []
        self.closed = False
        try:
            for worker_id in range(plan.num_workers):
                self._workers.append(_WorkerHandle(context, worker_id, plan))
        except BaseException:
            self.close()
            raise

    def send(self, worker_id: int, indices: Any) -> None:
        """Give a worker its next task. It must have fewer than ``tasks_in_flight``."""
        worker = self._workers[worker_id]
        try:
            worker.connection.send(Task(indices, worker.sent % self._tasks_in_flight))
        except OSError:
            # The worker is dead, which receive() will tell with the exit code.
            pass
        worker.sent += 1
        worker.pending += 1

    def receive(self, worker_ids: Iterable[int], timeout: float) -> tuple[int, Any]:
        """The first of these workers that has answered, and its answer, to be unpacked.

        Raises:
            RuntimeError: a worker has died, or ``timeout`` seconds (0: no limit) have passed.
        """
        worker_id = self._await(list(dict.fromkeys(worker_ids)), timeout)
        worker = self._workers[worker_id]
        try:
            packed = worker.receiver.read()
        except (EOFError, OSError):
            raise self._death() from None
        worker.pending -= 1
        return worker_id, packed

    def unpack(self, worker_id: int, packed: Any) -> Any:
        """The value of an answer; afterwards the worker may be given its next task."""
        return self._workers[worker_id].receiver.unpack(*packed)

    def _await(self, worker_ids: list[int], timeout: float) -> int:
        """Wait until one of the workers has something to read, and return which."""
        of_connection = {self._workers[i].connection: i for i in worker_ids}
        sentinels = [worker.process.sentinel for worker in self._workers]
        ready = wait([*of_connection, *sentinels], timeout or None)
        # What a dead worker still sent comes first: the connections are looked at again, since
        # the answer may have come after the death of another worker was seen.
        for connection in [*ready, *of_connection]:
            if connection in of_connection and self._readable(connection):
                return of_connection[connection]
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
        raise self._death()

    @staticmethod
    def _readable(connection: Any) -> bool:
        try:
            return bool(connection.poll(0))
        except OSError:
            return False

    def _death(self) -> RuntimeError:
        processes = [worker.process for worker in self._workers]
        gone = wait([process.sentinel for process in processes], _GRACE_SECONDS)
        dead = [process for process in processes if process.sentinel in gone]
        for process in dead:
            process.join()  # the exit code comes a moment after the sentinel
        pids = ", ".join(str(process.pid) for process in dead)
        reasons = ", ".join(_exit_reason(process.exitcode) for process in dead)
        self.close(_GRACE_AFTER_DEATH_SECONDS)
        return RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly: {reasons}")

    def start_epoch(self, timeout: float) -> None:
        """Take the answers nobody waits for any more, and have the workers start over."""
        for worker_id, worker in enumerate(self._workers):
            while worker.pending:
                self.unpack(*self.receive([worker_id], timeout))
            worker.connection.send(NextEpoch())

    def close(self, grace: float = _GRACE_SECONDS) -> None:
        """Stop all workers; harmless when repeated, or in a child that inherited this object."""
        if self.closed or os.getpid() != self._owner:
            return
        self.closed = True
        for worker in self._workers:
            _hang_up(worker.connection)
        deadline = time.monotonic() + grace
        for worker in self._workers:
            process = worker.process
            process.join(max(0.0, deadline - time.monotonic()))
            for stop in (process.terminate, process.kill):
                if process.is_alive():
                    stop()
                    process.join(1.0)
        self._workers = []  # and with them the shared memory


def _hang_up(connection: Connection) -> None:
    """End the conversation both ways, even where other processes inherited this end."""
    if sys.platform != "win32":
        try:
            with socket.socket(fileno=os.dup(connection.fileno())) as stream:
                stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other end is gone already
    connection.close()


def _exit_reason(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    if name == "SIGKILL":
        return "killed by SIGKILL, as the system does when memory runs out"
    return f"killed by {name}"

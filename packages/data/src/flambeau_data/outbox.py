"""A worker's answers on their way out."""

from __future__ import annotations

import queue
import select
import sys
import threading
from multiprocessing.connection import Connection

from .transport import BatchSender, Message

Packed = tuple[Message, int | None]


class Outbox:
    """Sends answers, and never makes the worker wait until the loader reads them.

    If it did, and the loader waited for the worker to take a task, both would wait for ever. An
    answer that might block goes to a thread, and so do all after it.
    """

    def __init__(self, connection: Connection, sender: BatchSender) -> None:
        self._sender = sender
        self._queue: queue.SimpleQueue[Packed | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._poll = None
        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(connection.fileno(), select.POLLOUT)

    def put(self, packed: Packed) -> None:
        """Send what :meth:`BatchSender.pack` returned; nothing happens if the loader is gone."""
        if self._thread is None and packed[0].is_small and self._poll and self._poll.poll(0):
            self._send(packed)
            return
        if self._thread is None:
            # The thread asks for the interpreter a few times an answer.
            sys.setswitchinterval(1e-4)
            self._thread = threading.Thread(target=self._send_queued, daemon=True)
            self._thread.start()
        self._queue.put(packed)

    def _send(self, packed: Packed) -> None:
        try:
            self._sender.send(*packed)
        except OSError:
            pass  # the loader has hung up, which the next read will tell

    def _send_queued(self) -> None:
        while (packed := self._queue.get()) is not None:
            self._send(packed)

    def close(self) -> None:
        """Wait until everything is sent."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()

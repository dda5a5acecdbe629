"""Streams and events. A backend works through one queue a device, so all of them are in order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_core.cuda.device import index_of, synchronize


class Stream:
    """A queue of work on a device; the only one that the device has.

    Raises:
        RuntimeError: there is no CUDA device.
    """

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        self.device_index = index_of(device)
        self.priority = priority

    def synchronize(self) -> None:
        synchronize(self.device_index)

    def query(self) -> bool:
        self.synchronize()
        return True

    def wait_stream(self, stream: Stream) -> None:
        """Work is in order already."""

    def wait_event(self, event: Event) -> None:
        """Work is in order already."""

    def record_event(self, event: Event | None = None) -> Event:
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: Any) -> None:
        return None


class Event:
    """A moment in the work of a device; recording one waits for the work before it.

    Raises:
        RuntimeError: there is no CUDA device.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.device_index = index_of(None)
        self.enable_timing = enable_timing
        self._time: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        synchronize(self.device_index)
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        synchronize(self.device_index)

    def wait(self, stream: Stream | None = None) -> None:
        """Work is in order already."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds between two recorded events."""
        if self._time is None or end._time is None:
            raise RuntimeError("both events must be recorded before their distance is asked for")
        return (end._time - self._time) * 1000.0


def current_stream(device: Any = None) -> Stream:
    """The one stream of a device; RuntimeError without a device."""
    return Stream(device)


default_stream = current_stream


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """A ``with`` block whose work goes to a stream."""
    yield

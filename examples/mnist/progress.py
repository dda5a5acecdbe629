"""A progress bar on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import Protocol, TypeVar

Item = TypeVar("Item", covariant=True)
WIDTH = 30
INTERVAL = 0.2  # seconds between two drawings


class SizedIterable(Sized, Iterable[Item], Protocol[Item]):
    pass


def progress(items: SizedIterable[Item], label: str) -> Iterator[Item]:
    """Iterate, drawing how far it got and how long it will take; the bar goes when it is done."""
    total, start, drawn = len(items), time.monotonic(), 0.0
    for done, item in enumerate(items):
        now = time.monotonic()
        if now - drawn >= INTERVAL:
            draw(label, done, total, now - start)
            drawn = now
        yield item
    draw(label, total, total, time.monotonic() - start)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    else:
        print(file=sys.stderr)


def draw(label: str, done: int, total: int, elapsed: float) -> None:
    filled = WIDTH * done // max(total, 1)
    left = elapsed * (total - done) / done if done else 0.0
    bar = "█" * filled + "░" * (WIDTH - filled)
    line = f"\r{label} {bar} {done:>5}/{total}  {elapsed:4.0f} s, {left:.0f} s left "
    encoding = sys.stderr.encoding or "ascii"
    print(line.encode(encoding, "replace").decode(encoding), end="", file=sys.stderr, flush=True)

"""The wire to the chip: one request at a time, one answer to each."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any


class Driver:
    """Starts the chip and talks to it; the chip ends with this process."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("chip.py"))]
        self.chip = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock = threading.Lock()
        self.discarded: deque[int] = deque()

    def ask(self, command: str, *arguments: Any) -> Any:
        """The chip's answer; what goes wrong there is raised here."""
        assert self.chip.stdin is not None
        assert self.chip.stdout is not None
        with self.lock:
            discarded = [self.discarded.popleft() for _ in range(len(self.discarded))]
            try:
                pickle.dump((discarded, command, arguments), self.chip.stdin)
                self.chip.stdin.flush()
                error, answer = pickle.load(self.chip.stdout)
            except (EOFError, OSError) as failure:
                raise RuntimeError(f"the toy chip does not answer to {command}") from failure
        if error is not None:
            raise error
        return answer

    def discard(self, buffer: int | None) -> None:
        """Frees a buffer along with the next request.

        A buffer may be dropped at any moment, even while a request is being written.
        """
        if buffer is not None:
            self.discarded.append(buffer)

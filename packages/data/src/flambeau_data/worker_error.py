"""An exception of a worker process, carried over and raised again in the loader's process."""

from __future__ import annotations

import pickle
import traceback
from dataclasses import dataclass


class _Verbatim(str):
    """``KeyError`` shows the repr of its message; a traceback should keep its line breaks."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class WorkerError:
    """The exception's type, the worker's traceback as text, and where it was caught."""

    kind: type[BaseException]
    trace: str
    where: str

    @classmethod
    def capture(cls, error: BaseException, where: str) -> WorkerError:
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        kind = type(error)
        try:
            pickle.dumps(kind)
        except Exception:
            # A class defined in a function cannot travel; its name is in the traceback.
            kind = RuntimeError
        return cls(kind, trace, where)

    def reraise(self) -> None:
        """Raise an exception of the same type whose message holds the worker's traceback."""
        message = f"Caught {self.kind.__name__} {self.where}.\nOriginal {self.trace}"
        if issubclass(self.kind, KeyError):
            raise self.kind(_Verbatim(message))
        try:
            error = self.kind(message)
        except Exception:
            # A constructor of its own that takes something else than a message.
            raise RuntimeError(message) from None
        raise error

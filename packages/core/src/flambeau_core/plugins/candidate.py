"""A backend as found: its declaration, where it comes from, and what became of it."""

from __future__ import annotations

from typing import Any

from flambeau_core.plugins.spec import BackendSpec


class Candidate:
    """One backend, or one plugin that could not even say which backends it has.

    ``distribution`` is None for backends registered by this process. ``error`` is kept until the
    device is asked for; ``backend`` is what core was given.
    """

    def __init__(
        self,
        device_type: str,
        spec: BackendSpec | None,
        distribution: str | None = None,
        version: str | None = None,
        error: BaseException | None = None,
    ) -> None:
        self.device_type = device_type
        self.spec = spec
        self.distribution = distribution
        self.version = version
        self.error = error
        self.backend: Any = None

    @property
    def installed(self) -> bool:
        """Whether core has it."""
        return self.backend is not None

    @property
    def name(self) -> str:
        return self.spec.name if self.spec else "?"

    @property
    def priority(self) -> int:
        return self.spec.priority if self.spec else 0

    @property
    def origin(self) -> str:
        """Who to blame, in words."""
        if self.distribution is None:
            return "this process"
        return self.distribution if not self.version else f"{self.distribution} {self.version}"

    def state(self) -> tuple[str, str]:
        """One of open, ready, unavailable, refused, broken; and the reason."""
        if self.error is not None:
            refused = isinstance(self.error, BackendRefused)
            reason = str(self.error) if refused else describe(self.error)
            return ("refused" if refused else "broken"), reason
        if self.installed:
            return "open", ""
        assert self.spec is not None
        try:
            reason = self.spec.unavailable() or ""
        except Exception as error:
            return "broken", f"its probe raised {describe(error)}"
        return ("unavailable" if reason else "ready"), reason


class BackendRefused(RuntimeError):
    """A backend that loads but must not be used: a duplicate or of another API version."""


def describe(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

"""oneDNN, used by the native CPU backend where it is installed."""

from __future__ import annotations

enabled = True
deterministic = False


def is_available() -> bool:
    """Whether the library is among the installed distributions."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution("onednn-cpu-gomp")
    except PackageNotFoundError:
        return False
    return True

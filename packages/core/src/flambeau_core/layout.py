"""Memory layouts and formats, as names that arguments may carry."""

from __future__ import annotations

__all__ = [
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "layout",
    "memory_format",
    "preserve_format",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "strided",
]


class _Named:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"flambeau.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class layout(_Named):
    """How a tensor's elements are stored: ``strided``, ``sparse_coo`` or ``sparse_csr``."""


class memory_format(_Named):
    """In which order a dense tensor's dimensions lie in memory."""


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
# Names for arguments to carry and to be refused; no tensor has these layouts.
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")

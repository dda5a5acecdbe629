"""The memory beneath a tensor, as bytes."""

from __future__ import annotations

from typing import Any

__all__ = ["UntypedStorage"]


class UntypedStorage:
    """The block of memory that a tensor and its views share."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor.detach()

    def data_ptr(self) -> int:
        """The address of the first byte."""
        t = self._tensor
        return int(t.data_ptr() - t.storage_offset() * t.element_size())

    def nbytes(self) -> int:
        """Bytes in all."""
        return int(self._tensor._storage_nbytes())

    def size(self) -> int:
        """Bytes in all."""
        return self.nbytes()

    def __len__(self) -> int:
        return self.nbytes()

    @property
    def device(self) -> Any:
        """Where the memory lies."""
        return self._tensor.device

    def tolist(self) -> list[int]:
        """The bytes as integers."""
        return list(self._tensor._storage_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())

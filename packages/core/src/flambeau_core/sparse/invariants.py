"""The switch of PyTorch's for checking sparse tensors when they are made."""

from __future__ import annotations

from typing import Any

__all__ = ["check_sparse_tensor_invariants"]


class check_sparse_tensor_invariants:
    """Kept for programs that set it: shapes and ranges of coordinates are always checked here."""

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self._wanted = enable

    @staticmethod
    def is_enabled() -> bool:
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        check_sparse_tensor_invariants._enabled = False

    def __enter__(self) -> None:
        self._before = self.is_enabled()
        check_sparse_tensor_invariants._enabled = self._wanted

    def __exit__(self, *exc: Any) -> None:
        check_sparse_tensor_invariants._enabled = self._before

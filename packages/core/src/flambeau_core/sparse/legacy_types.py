"""``sparse.FloatTensor`` and its kin: constructors of PyTorch's early days."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.construction import sparse_coo_tensor

__all__ = [
    "BFloat16Tensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


class _SparseType:
    """Makes sparse tensors of one dtype: of a size, or of indices, values and perhaps a size."""

    def __init__(self, name: str, dtype: Any) -> None:
        self.name, self.dtype = name, dtype

    def __call__(self, *args: Any) -> Any:
        if len(args) > 1 and isinstance(args[0], fb.Tensor):
            return sparse_coo_tensor(*args, dtype=self.dtype)
        size = args if not args or isinstance(args[0], int) else args[0]
        return sparse_coo_tensor(size=size, dtype=self.dtype)

    def __repr__(self) -> str:
        return f"<class 'flambeau.sparse.{self.name}'>"


BFloat16Tensor = _SparseType("BFloat16Tensor", fb.bfloat16)
ByteTensor = _SparseType("ByteTensor", fb.uint8)
CharTensor = _SparseType("CharTensor", fb.int8)
DoubleTensor = _SparseType("DoubleTensor", fb.float64)
FloatTensor = _SparseType("FloatTensor", fb.float32)
HalfTensor = _SparseType("HalfTensor", fb.float16)
IntTensor = _SparseType("IntTensor", fb.int32)
LongTensor = _SparseType("LongTensor", fb.int64)
ShortTensor = _SparseType("ShortTensor", fb.int16)

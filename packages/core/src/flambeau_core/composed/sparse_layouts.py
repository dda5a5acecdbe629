"""What methods of sparse tensors say of dense ones, and the ways from one layout to the other.

Sparse tensors have these methods themselves; see ``flambeau_core.sparse``.
"""

from __future__ import annotations

from typing import NoReturn

import flambeau_core as fb
from flambeau_core.declare import lazily, op

lazily(
    "flambeau_core.sparse.compressed_rows",
    "dense_to_compressed: to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor",
    function=False,
)
lazily(
    "flambeau_core.sparse.conversion",
    "dense_to_sparse: to_sparse(Tensor self, int? sparse_dim=None, *, any layout=None,"
    " any blocksize=None, int? dense_dim=None) -> Tensor",
    "dense_to_sparse: to_sparse_coo(Tensor self) -> Tensor",
    "masked: sparse_mask(Tensor self, Tensor mask) -> Tensor",
    function=False,
)


@op("to_dense(Tensor self, dtype? dtype=None, *, bool? masked_grad=None) -> Tensor", function=False)
def to_dense(self: fb.Tensor, dtype: fb.dtype | None, masked_grad: bool | None) -> fb.Tensor:
    return self if dtype is None else self.to(dtype)


@op("sparse_dim(Tensor self) -> int", function=False)
def sparse_dim(self: fb.Tensor) -> int:
    return 0


@op("dense_dim(Tensor self) -> int", function=False)
def dense_dim(self: fb.Tensor) -> int:
    return self.ndim


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got Strided")


@op("coalesce(Tensor self) -> Tensor", function=False)
def coalesce(self: fb.Tensor) -> fb.Tensor:
    _refuse("coalesce")


@op("is_coalesced(Tensor self) -> bool", function=False)
def is_coalesced(self: fb.Tensor) -> bool:
    _refuse("is_coalesced")


@op("indices(Tensor self) -> Tensor", function=False)
def indices(self: fb.Tensor) -> fb.Tensor:
    _refuse("indices")


@op("values(Tensor self) -> Tensor", function=False)
def values(self: fb.Tensor) -> fb.Tensor:
    _refuse("values")

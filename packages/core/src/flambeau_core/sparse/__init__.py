"""Sparse tensors: coordinates and values (COO), of matrices also compressed rows (CSR).

Gradients with respect to a sparse tensor are sparse, with its own coordinates.
"""

from __future__ import annotations

from flambeau_core.sparse import (  # what ops do is registered by these
    arithmetic,
    compressed_rows,
    copies,
    elementwise,
    optimizer_steps,
    pickling,
    shapes,
)
from flambeau_core.sparse.invariants import check_sparse_tensor_invariants
from flambeau_core.sparse.legacy_types import (
    BFloat16Tensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from flambeau_core.sparse.products import addmm, mm, sampled_addmm
from flambeau_core.sparse.reductions import sum
from flambeau_core.sparse.softmax import log_softmax, softmax

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
    "addmm",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "sum",
]

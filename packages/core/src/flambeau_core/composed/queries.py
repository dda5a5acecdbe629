"""Questions about tensors that have a truth value or a number for an answer."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op

# Methods that are functions too.
for _name, _returns in (
    ("is_conj", "bool"),
    ("is_neg", "bool"),
    ("is_inference", "bool"),
    ("is_signed", "bool"),
    ("get_device", "int"),
):
    op(f"{_name}(Tensor self) -> {_returns}", method=False)(getattr(_C.Tensor, _name))
op("is_same_size(Tensor self, Tensor other) -> bool", method=False)(_C.Tensor.is_same_size)
op("detach_(Tensor self) -> self", method=False)(_C.Tensor.detach_)


@op("is_nonzero(Tensor self) -> bool")
def is_nonzero(self: fb.Tensor) -> bool:
    """Whether the one element is not zero. Raises RuntimeError for any other number of them."""
    return bool(self)


@op("is_set_to(Tensor self, Tensor tensor) -> bool", function=False)
def is_set_to(self: fb.Tensor, tensor: fb.Tensor) -> bool:
    """Whether two tensors are the same elements of the same memory, in the same layout."""
    return (
        self.data_ptr() == tensor.data_ptr()
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
    )

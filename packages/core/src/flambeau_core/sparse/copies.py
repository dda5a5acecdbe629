"""Copies of sparse tensors: of another dtype or device, outside of the graph, or empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.dispatch import implements, is_sparse, refuse
from flambeau_core.sparse.tensor import make

__all__: list[str] = []


@implements("clone")
def clone(self: Any, *, memory_format: Any = None) -> Any:
    values = self._stored_values.clone()
    indices = self._stored_indices.clone()
    return make(indices, values, self.shape, self._coalesced, type(self))


@implements("tensor", "new_tensor")
def tensor(data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    if not is_sparse(data):
        raise refuse("tensor of a list of sparse tensors")
    made = clone(data.detach()).to(device=device, dtype=dtype)
    return made.requires_grad_() if requires_grad else made


@implements("as_tensor", "asarray")
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    if not is_sparse(data):
        raise refuse("as_tensor of a list of sparse tensors")
    return data.to(device=device, dtype=dtype)


@implements("detach")
def detach(self: Any) -> Any:
    return self._like(self._stored_values.detach())


@implements("copy_")
def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if not (is_sparse(self) and is_sparse(src)):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented!")
    return self._become("copy_", clone(src))


@implements("zeros_like", "empty_like", "zero")
def zeros_like(self: Any, *, dtype: Any = None, device: Any = None, **options: Any) -> Any:
    values = self._stored_values.detach()[:0].to(device=device, dtype=dtype)
    indices = self._stored_indices[:, :0].to(values.device)
    made = make(indices, values.clone(), self.shape, True, type(self))
    return made.requires_grad_() if options.get("requires_grad") else made


@implements("zero_")
def zero_(self: Any) -> Any:
    return self._become("zero_", zeros_like(self))


def _conversion(name: str) -> Callable[..., Any]:
    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        other = kwargs.pop("other", None)
        if args and is_sparse(args[0]):
            other, args = args[0], args[1:]
        if other is not None:
            args = (other.device, other.dtype, *args) if name == "to" else (other.dtype, *args)
        method = "to" if name == "type_as" else name
        if not is_sparse(self):
            return getattr(self, method)(*args, **kwargs)
        values = getattr(self._stored_values, method)(*args, **kwargs)
        if values is self._stored_values:
            return self
        indices = self._stored_indices.to(values.device)
        return make(indices, values, self.shape, self._coalesced, type(self))

    convert.__name__ = convert.__qualname__ = name
    return convert


for _name in (
    *("to", "type_as", "cpu", "float", "double", "half", "bfloat16", "cfloat", "cdouble"),
    *("long", "int", "short", "char", "byte", "bool"),
):
    if hasattr(fb.Tensor, _name):
        implements(_name)(_conversion(_name))

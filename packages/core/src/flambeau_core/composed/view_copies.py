"""Views as new tensors: ``permute_copy`` and its like, from one table of views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op


def _narrow(x: fb.Tensor, dim: int, start: int, length: int) -> fb.Tensor:
    if dim >= x.dim():  # the one view whose copy refuses with another type
        raise RuntimeError(f"narrow_copy: dim {dim} is out of range for shape {tuple(x.shape)}")
    return x.narrow(dim, start, length)


def _slice(x: fb.Tensor, dim: int, start: int | None, end: int | None, step: int) -> fb.Tensor:
    dim = dim if dim >= 0 else dim + x.dim()
    return x[(slice(None),) * dim + (slice(start, end, step),)]


# The arguments of each copy, and the view that it copies.
_VIEWS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("alias_copy(Tensor self)", lambda x: x),
    (
        "as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None)",
        _C.Tensor.as_strided,
    ),
    ("detach_copy(Tensor self)", _C.Tensor.detach),
    ("diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1)", _C.Tensor.diagonal),
    (
        "expand_copy(Tensor self, int[] size, *, bool implicit=False)",
        lambda x, size, implicit: x.expand(size),
    ),
    ("narrow_copy(Tensor self, int dim, int start, int length)", _narrow),
    ("permute_copy(Tensor self, int[] dims)", _C.Tensor.permute),
    ("select_copy(Tensor self, int dim, int index)", _C.Tensor.select),
    (
        "slice_copy(Tensor self, int dim=0, int? start=None, int? end=None, int step=1)",
        _slice,
    ),
    ("split_copy(Tensor self, int split_size, int dim=0)", _C.Tensor.split),
    ("split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0)", _C.Tensor.split),
    ("squeeze_copy(Tensor self)", _C.Tensor.squeeze),
    ("squeeze_copy(Tensor self, int[] dim)", _C.Tensor.squeeze),
    ("t_copy(Tensor self)", _C.Tensor.t),
    ("transpose_copy(Tensor self, int dim0, int dim1)", _C.Tensor.transpose),
    ("unbind_copy(Tensor self, int dim=0)", _C.Tensor.unbind),
    ("unfold_copy(Tensor self, int dimension, int size, int step)", _C.Tensor.unfold),
    ("unsqueeze_copy(Tensor self, int dim)", _C.Tensor.unsqueeze),
    ("view_as_complex_copy(Tensor self)", _C.view_as_complex),
    ("view_as_real_copy(Tensor self)", _C.view_as_real),
    ("view_copy(Tensor self, int[] size)", _C.Tensor.view),
    ("view_copy(Tensor self, dtype dtype)", _C.Tensor.view),
)
_METHODS = {"narrow_copy"}
_SEQUENCES = {"split_copy", "split_with_sizes_copy", "unbind_copy"}


def _copying(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
    def copy(*args: Any) -> Any:
        if name in _SEQUENCES:
            return tuple(part.clone() for part in view(*args))
        return view(*args).clone()

    copy.__doc__ = f"What ``{name.removesuffix('_copy')}`` shows, in memory of its own."
    return copy


for _schema, _view in _VIEWS:
    _name = _schema.partition("(")[0]
    _returns = "(Tensor, ...)" if _name in _SEQUENCES else "Tensor"
    op(f"{_schema} -> {_returns}", method=_name in _METHODS)(_copying(_name, _view))

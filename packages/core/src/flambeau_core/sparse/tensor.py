"""The class of sparse tensors: the places of the elements that are stored, and their values.

What is not stored is zero. The tensor's own memory is one zero, expanded to the shape: metadata are
those of any tensor, nothing dense is allocated, and code that knows no sparse tensors reads valid
memory. Values and indices are plain tensors and every op is written over them, so gradients follow
by themselves: a sparse tensor requires grad where its values do.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, GetSetDescriptorType, MethodDescriptorType
from typing import Any

import flambeau_core as fb
from flambeau_core.layout import sparse_coo
from flambeau_core.overrides import OVERRIDES, SPARSE
from flambeau_core.sparse import dispatch
from flambeau_core.sparse.gathering import gathered

__all__ = ["SparseTensor", "make"]

Tensor = fb.Tensor


class SparseTensor(Tensor):
    """A tensor of which only some elements are stored, as coordinates and values (COO).

    ``indices`` is int64 of shape [sparse_dim, nnz], ``values`` [nnz, *dense sizes]. Coordinates
    may repeat, their values then add up; after ``coalesce()`` they are sorted and do not.
    """

    _interception = OVERRIDES | SPARSE
    is_sparse = True
    layout = sparse_coo

    _stored_indices: Tensor
    _stored_values: Tensor
    _coalesced: bool

    @classmethod
    def __flambeau_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return dispatch.call(func, args, kwargs or {})

    __torch_function__ = __flambeau_function__

    # What is stored

    def _indices(self) -> Tensor:
        return self._stored_indices

    def _values(self) -> Tensor:
        return self._stored_values.detach()

    def _nnz(self) -> int:
        return int(self._stored_indices.shape[1])

    def indices(self) -> Tensor:
        """The coordinates, [sparse_dim, nnz]; RuntimeError where some may repeat."""
        self._require_coalesced("indices")
        return self._stored_indices

    def values(self) -> Tensor:
        """The values, [nnz, *dense sizes]; RuntimeError where coordinates may repeat."""
        self._require_coalesced("values")
        return self._stored_values

    def _require_coalesced(self, what: str) -> None:
        if not self._coalesced:
            raise RuntimeError(
                f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first"
            )

    def sparse_dim(self) -> int:
        return int(self._stored_indices.shape[0])

    def dense_dim(self) -> int:
        return self.ndim - self.sparse_dim()

    def is_coalesced(self) -> bool:
        return self._coalesced

    def _coalesced_(self, coalesced: bool) -> Any:
        self._coalesced = bool(coalesced)
        return self

    # Its place in the graph is that of the values.

    @property
    def requires_grad(self) -> bool:
        return self._stored_values.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._stored_values.requires_grad = value

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        self._stored_values.requires_grad_(requires_grad)
        return self

    @property
    def grad(self) -> Any:
        """The gradient, a sparse tensor of the same coordinates; None before there is one."""
        return self._like(self._stored_values.grad)

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            value = gathered(value.to_dense(), self)
        self._stored_values.grad = value

    @property
    def grad_fn(self) -> Any:
        return self._stored_values.grad_fn

    @property
    def is_leaf(self) -> bool:
        return self._stored_values.is_leaf

    @property
    def retains_grad(self) -> bool:
        return self._stored_values.retains_grad

    def retain_grad(self) -> None:
        self._stored_values.retain_grad()

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        def on_values(grad: Any) -> Any:
            replaced = hook(self._like(grad))
            return replaced._stored_values if dispatch.is_sparse(replaced) else replaced

        return self._stored_values.register_hook(on_values)

    def backward(self, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
        fb.autograd.backward(self, gradient, *args, **kwargs)

    def detach_(self) -> Any:
        self._stored_values = self._stored_values.detach()
        return self

    @property
    def data(self) -> Any:
        return self.detach()

    @data.setter
    def data(self, value: Any) -> None:
        if not dispatch.is_sparse(value):
            raise dispatch.refuse("data = a dense tensor")
        with fb.no_grad():
            self._become("data", value)

    def _in_layout(self, other: Any) -> Any:
        """A result of coordinates in this tensor's layout."""
        return other

    def _like(self, values: Any) -> Any:
        """These coordinates with other values; None for None."""
        if values is None:
            return None
        sizes = (*self.shape[: self.sparse_dim()], *values.shape[1:])
        return make(self._stored_indices, values, sizes, self._coalesced, type(self))

    def _become(self, name: str, other: Any) -> Any:
        """Takes over the contents of the result of an in-place op."""
        if type(other) is not type(self) or other.shape != self.shape:
            raise dispatch.refuse(f"{name} with a result of another shape or layout")
        values, leaf = other._stored_values, self.is_leaf and self.requires_grad
        if leaf and fb.is_grad_enabled():
            raise RuntimeError(
                f"{name}: a leaf tensor that requires grad cannot be changed in place"
            )
        values = values.to(self.dtype)
        self._stored_values = values.detach().requires_grad_() if leaf else values
        self._stored_indices, self._coalesced = other._stored_indices, other._coalesced
        return self

    # What any tensor has

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return False

    @property
    def T(self) -> Any:
        return self.permute(*reversed(range(self.ndim)))

    @property
    def mT(self) -> Any:
        return self.transpose(-2, -1)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The legacy type's name, or with a dtype (or such a name) a conversion to it."""
        from flambeau_core.legacy_types import dtype_of_legacy, legacy_name

        if dtype is not None:
            return self.to(dtype_of_legacy(dtype))
        module, _, name = legacy_name(self._stored_values).rpartition(".")
        return f"{module}.sparse.{name}"

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError("a sparse tensor has no array of NumPy's: to_dense().numpy() gives one")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy()

    def __bool__(self) -> bool:
        return bool(self._only_element())

    def __int__(self) -> int:
        return int(self._only_element())

    def __float__(self) -> float:
        return float(self._only_element())

    def __complex__(self) -> complex:
        return complex(self._only_element())

    def __index__(self) -> int:
        return self._only_element().__index__()

    def item(self) -> Any:
        """The value of a tensor of one element; RuntimeError for others."""
        return self._only_element().item()

    def _only_element(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(
                "only one element tensors can be converted to Python scalars, "
                f"got a sparse one of shape {list(self.shape)}"
            )
        return self.to_dense()

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from .printing import sparse_text

        return sparse_text(self)


def make(
    indices: Any, values: Any, shape: Any, coalesced: bool = False, kind: Any = SparseTensor
) -> Any:
    """A sparse tensor of parts that are known to fit together."""
    if values.requires_grad and values.is_leaf:
        values = values.view(values.shape)  # the leaf is another tensor than this one
    stand_in = fb.zeros((), dtype=values.dtype, device=values.device).expand(tuple(shape))
    made = Tensor._make_subclass(kind, stand_in)
    made._stored_indices, made._stored_values = indices, values
    made._coalesced = coalesced or indices.shape[1] < 2
    return made


# ---- everything else would read the memory that stands in ---------------------------

_METADATA = {
    *("shape", "dtype", "device", "ndim", "itemsize", "dim", "ndimension", "numel", "nelement"),
    *("size", "stride", "element_size", "get_device", "is_same_size", "output_nr", "as_subclass"),
    *("is_floating_point", "is_complex", "is_signed", "is_conj", "is_neg", "is_inference"),
    *("is_cpu", "is_cuda", "is_mps", "is_xpu", "is_meta", "is_quantized", "is_mkldnn", "is_nested"),
    *("is_pinned", "is_shared", "cuda"),
}


def _refusing_method(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise dispatch.refuse(name, self)

    method.__name__ = method.__qualname__ = name
    return method


def _refusing_attribute(name: str) -> property:
    def refusing(self: Any, value: Any = None) -> Any:
        raise dispatch.refuse(name, self)

    return property(refusing, refusing)


def _refuse_the_rest() -> None:
    for name, member in vars(Tensor).items():
        if name in _METADATA or name in vars(SparseTensor):
            continue
        if name.startswith("_") and not name.startswith("_storage"):
            continue
        if isinstance(member, GetSetDescriptorType):
            setattr(SparseTensor, name, _refusing_attribute(name))
        elif isinstance(member, (MethodDescriptorType, FunctionType)):
            setattr(SparseTensor, name, _refusing_method(name))


_refuse_the_rest()

"""What the names in a file stand for: the functions and values that a pickle may use."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.parameter_type import make_parameter
from flambeau_core.serialization.names import BARE_DTYPES, STORAGE_DTYPES, dtype_name, dtype_named
from flambeau_core.serialization.storage import view


class StorageType:
    """The class of a storage, which in a file only tells the dtype; None for raw bytes."""

    def __init__(self, dtype: str | None) -> None:
        self.dtype = dtype


def tensor(
    storage: Any,
    offset: int,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Any:
    made = view(storage, offset, shape, stride)
    return made.requires_grad_() if requires_grad else made


def tensor_of_dtype(
    storage: Any,
    offset: int,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    """Over a storage of raw bytes."""
    return tensor(storage.view(dtype), offset, shape, stride, requires_grad)


def layout(name: str) -> Any:
    """A layout by PyTorch's name for it."""
    if name not in LAYOUTS:
        raise ValueError(f"unknown layout {name!r}")
    return LAYOUTS[name]


def sparse_tensor(layout: Any, parts: tuple[Any, ...]) -> Any:
    """Of coordinates, values, shape and, in newer files, whether coordinates are sorted.

    Rows are compressed: starts and columns stand for the coordinates.
    """
    from flambeau_core.sparse.pickling import rebuild_sparse

    if layout is fb.sparse_csr:
        starts, columns, values, shape = parts
        return fb.sparse_csr_tensor(starts, columns, values, shape)
    if layout is not fb.sparse_coo:
        raise NotImplementedError(f"a tensor of the layout {layout}")
    indices, values, shape, *sorted_ = parts
    return rebuild_sparse(indices, values, shape, bool(sorted_ and sorted_[0]))


def parameter(data: Any, requires_grad: bool, hooks: Any) -> Any:
    return make_parameter(data, requires_grad)


def parameter_with_state(data: Any, requires_grad: bool, hooks: Any, state: Any) -> Any:
    return with_attributes(make_parameter(data, requires_grad), state)


def of_type(build: Callable[..., Any], kind: Any, args: tuple[Any, ...], state: Any) -> Any:
    """A tensor with Python attributes of its own."""
    made = build(*args)
    return with_attributes(
        make_parameter(made, made.requires_grad) if kind is PARAMETER else made, state
    )


def with_attributes(made: Any, state: Any) -> Any:
    if isinstance(state, dict):
        for name, value in state.items():
            if name.startswith("__") or hasattr(type(made), name):
                raise ValueError(f"a tensor's attribute may not be called {name!r}")
            setattr(made, name, value)
    return made


def encode(text: str, encoding: str) -> bytes:
    """How protocol 2 writes bytes."""
    if encoding not in ("latin1", "latin-1"):
        raise ValueError(f"bytes encoded as {encoding!r}")
    return text.encode("latin1")


def small_bytes(*args: Any) -> bytes:
    """``bytes`` and ``bytearray``, but not of a length that the file makes up."""
    if args and isinstance(args[0], int):
        raise ValueError("bytes of a given length")
    return bytes(*args)


def small_bytearray(*args: Any) -> bytearray:
    return bytearray(small_bytes(*args))


LAYOUTS = {f"torch.{name}": getattr(fb, name) for name in ("strided", "sparse_coo", "sparse_csr")}
PARAMETER = StorageType(None)  # the class torch.nn.Parameter where only its name matters
TENSOR = StorageType(None)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": tensor,
    "torch._utils._rebuild_tensor_v2": tensor,
    "torch._utils._rebuild_tensor_v3": tensor_of_dtype,
    "torch._utils._rebuild_sparse_tensor": sparse_tensor,
    "torch.serialization._get_layout": layout,
    "torch._utils._rebuild_parameter": parameter,
    "torch._utils._rebuild_parameter_with_state": parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": of_type,
    "_codecs.encode": encode,
    **{f"{module}.bytes": small_bytes for module in ("builtins", "__builtin__")},
    **{f"{module}.bytearray": small_bytearray for module in ("builtins", "__builtin__")},
}

# Built-in types under the names of both Pythons, as protocol 2 uses the older.
BUILTINS = {
    "set": set,
    "frozenset": frozenset,
    "complex": complex,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "slice": slice,
}
TYPES: dict[str, type] = {
    **{
        f"{module}.{name}": kind
        for module in ("builtins", "__builtin__")
        for name, kind in BUILTINS.items()
    },
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "collections.defaultdict": defaultdict,
}

VALUES: dict[str, Any] = {
    **{f"torch.{name}": StorageType(dtype) for name, dtype in STORAGE_DTYPES.items()},
    "torch.storage.UntypedStorage": StorageType(None),
    "torch.UntypedStorage": StorageType(None),
    "torch.nn.parameter.Parameter": PARAMETER,
    "torch._tensor.Tensor": TENSOR,
    "torch.Tensor": TENSOR,
}


def known(name: str) -> tuple[bool, Any]:
    """Whether a full name has a meaning in a file, and the meaning."""
    for table in (FUNCTIONS, TYPES, VALUES):
        if name in table:
            return True, table[name]
    if name == "torch.Size":
        return True, fb.Size
    if name == "torch.device":
        return True, fb.device
    module, _, attribute = name.rpartition(".")
    if module == "torch" and (attribute in STORAGE_DTYPES.values() or attribute in BARE_DTYPES):
        dtype = dtype_named(attribute)
        return dtype_name(dtype) == attribute, dtype
    return False, None


def callables() -> list[Any]:
    return [*FUNCTIONS.values(), *TYPES.values(), fb.Size, fb.device]
